"""check_gradient: is the expected gradient of a map the claimed gradient of its kernel?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array, from_host, is_array, place_of, to_host
from mehler._plural import counted
from mehler._validate import require_flag, require_integer, require_positive
from mehler.verify._arguments import CheckOptions, DrawOptions, require_options
from mehler.verify._budget import accepts
from mehler.verify._verdict import FLOOR, Verdict
from mehler.verify.nonparametric._watch import Words, verdict_of, watch
from mehler.verify.pairwise._measurement import Clock
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import (
    EvaluatedRows,
    call,
    read,
    require_one_width,
    rows_without_claim,
)
from mehler.verify.sampling._sources import BLOCK, Repeats, power_sums, sized, units_of

Gradient = Callable[[Any, Any], Array]

# Gauss-Legendre nodes: the second rule gives the integral, the first its error.
_RULES = (6, 10)


class Segments:
    """The ends x -+ h u of segments around every row, rounded as the map sees them.

    `directions` are unit vectors, shape (r, d); h = `step`, or 0 for derivatives at the rows.
    """

    def __init__(self, rows: EvaluatedRows, directions: NDArray[np.float64], step: float) -> None:
        host = rows.host if rows.host.dtype.kind == "f" else rows.host.astype(np.float64)
        self.directions, self.step = directions, step
        moves = step * directions[:, None, :]
        # Round the ends as the map's rows are; the claim is between the rounded ends.
        ends = [(host[None] + sign * moves).astype(host.dtype) for sign in (-1.0, 1.0)]
        self.low, self.high = (np.asarray(end, dtype=np.float64) for end in ends)
        both = np.concatenate([end.reshape(-1, host.shape[1]) for end in ends])
        self.rows = EvaluatedRows(
            from_host(both, place_of(rows.given)), both, np.ones(both.shape[0])
        )

    def claims(self, gradient: Gradient, rows: Array, others: Array) -> tuple[Any, float]:
        """Return <u, gradient> averaged over the segments, (r, n, k), and its quadrature error."""
        if not self.step:
            value = evaluated(gradient, rows, others)
            return np.einsum("rd,nkd->rnk", self.directions, value), 0.0
        coarse, fine = (self._mean(gradient, others, nodes) for nodes in _RULES)
        return fine, float(np.max(np.abs(fine - coarse)))

    def _mean(self, gradient: Gradient, others: NDArray[np.float64], nodes: int) -> Any:
        where, weights = np.polynomial.legendre.leggauss(nodes)
        along = (self.high - self.low) / (2.0 * self.step)
        total = np.zeros((*self.low.shape[:2], others.shape[0]))
        for t, w in zip(where, weights):
            points = 0.5 * ((1.0 - t) * self.low + (1.0 + t) * self.high)
            flat = evaluated(gradient, points.reshape(-1, points.shape[2]), others)
            value = flat.reshape(*points.shape[:2], *flat.shape[1:])
            total += 0.5 * w * np.einsum("rnd,rnkd->rnk", along, value)
        return total


def evaluated(gradient: Gradient, x: Array, y: Array) -> Any:
    """Return gradient(X, Y) in float64, checked for shape and finiteness."""
    output = gradient(x, y)
    value = np.asarray(to_host(output) if is_array(output) else output)
    expected = (x.shape[0], y.shape[0], x.shape[1])
    if value.shape != expected:
        raise ValueError(
            f"gradient(X, Y) has shape {value.shape} but must have shape {expected}: (n, k, d), "
            "the derivatives of k(x, y) in the coordinates of x"
        )
    if value.dtype.kind not in "biuf":
        raise TypeError(f"gradient(X, Y) has dtype {value.dtype}: claims must be real numbers")
    if not np.isfinite(value).all():
        raise ValueError("gradient(X, Y) is not finite: nothing is claimed there")
    return value.astype(np.float64)


Jacobian = Callable[[Any, Any], Array]


class Derivatives:
    """Deviations of <d phi(x), phi(y)> from the claim, in units: a `Stream`.

    `jacobian` maps (phi, X) to the map's own derivative, (n, n_features, d), or is None for
    differences; with `columns` the columns of a draw are independent samples.
    """

    def __init__(
        self,
        draws: Draws,
        rows: EvaluatedRows,
        others: EvaluatedRows,
        segments: Segments,
        jacobian: Jacobian | None,
        columns: bool,
    ) -> None:
        self._draws, self._rows, self._others = draws, rows, others
        self._segments, self._jacobian = segments, jacobian
        first, self.eps = read(draws[0], others)
        self.n_features = first.shape[1]
        self.per_draw = self.n_features if columns else 1
        shape = (segments.directions.shape[0], rows.host.shape[0], others.host.shape[0])
        self.shape, self.n_means = shape, int(np.prod(shape))
        self.claim, self.unit = np.zeros(self.n_means), np.ones(self.n_means)
        self.rounding, self._repeats = 0.0, Repeats()

    def pilot(self, n: int) -> None:
        """Set the units to sqrt(E|d phi(x)|^2 E|phi(y)|^2), from n draws of another stream."""
        early = Draws(self._draws.draw, self._draws.root, stream=1)
        moved, sizes = 0.0, 0.0
        for k in range(n):
            dz, z = self._features(early[k])
            moved, sizes = moved + (dz**2).sum(axis=2), sizes + (z**2).sum(axis=1)
        squares = np.einsum("rn,k->rnk", np.asarray(moved) / n, np.asarray(sizes) / n)
        self.unit = np.sqrt(squares).ravel()
        if not (np.isfinite(self.unit) & (self.unit > 0.0)).all():
            bad = int(np.argmin(np.isfinite(self.unit) & (self.unit > 0.0)))
            r, i, j = (int(each) for each in np.unravel_index(bad, self.shape))
            raise ValueError(
                f"in {counted(n, 'draw')} the features of row {i} of X never move along "
                f"direction {r}, or "
                f"those of row {j} of the other side are 0, or not finite: the resolution is "
                "relative to their size; leave such rows out"
            )

    def claimed(self, claim: Array, error: float) -> None:
        """Set the claim, (r, n, k), and bound the effect of rounding and quadrature on a sample."""
        self.claim = claim.ravel()
        d, h = self._rows.host.shape[1], self._segments.step
        self.rounding = 8.0 * math.sqrt(d) * self.eps
        if h:
            # Both ends are rounded like features, and their difference is divided by 2 h.
            size = self._lengths / self.unit.reshape(self.shape)
            self.rounding *= max(1.0, float(size.max()) / h)
        self.rounding += error / float(self.unit.min())

    @property
    def _lengths(self) -> Any:
        """Return |phi(x)| |phi(y)| of one draw, the size of the terms subtracted."""
        phi = self._draws[0]
        sides = self._rows, self._others
        a, b = (np.linalg.norm(call(phi, each).astype(float), axis=1) for each in sides)
        return np.einsum("n,k->nk", a, b)[None]

    def sums(self, k: int) -> Any:
        """Return power sums of draw k's deviations, shape (4, n_means)."""
        dz, z = self._features(self._draws[k])
        self._repeats.add(dz)
        if self.per_draw == 1:
            samples = np.einsum("rnm,km->rnk", dz, z).reshape(1, -1)
            return power_sums((samples - self.claim) / self.unit)
        total = np.zeros((4, self.n_means))
        step = max(1, BLOCK // self.n_means)
        for start in range(0, self.n_features, step):
            part = slice(start, start + step)
            terms = dz[:, :, None, part] * z[None, None, :, part]
            samples = self.n_features * terms.reshape(self.n_means, -1).T
            total += power_sums((samples - self.claim) / self.unit)
        return total

    def _features(self, phi: Callable[..., Any]) -> tuple[Any, Any]:
        """Return the derivatives of features along all directions, (r, n, m), and phi(Y)."""
        r, n, _ = self.shape
        z = sized(call(phi, self._others), self.n_features)
        if self._jacobian is None:
            ends = sized(call(phi, self._segments.rows), self.n_features).reshape(2, r, n, -1)
            return (ends[1] - ends[0]) / (2.0 * self._segments.step), z
        output = self._jacobian(phi, self._rows.given)
        value = np.asarray(to_host(output) if is_array(output) else output)
        expected = (n, self.n_features, self._rows.host.shape[1])
        if value.shape != expected:
            raise ValueError(
                f"jacobian(phi, X) has shape {value.shape} but must have shape {expected}: (n, "
                "n_features, d), the derivatives of every feature in the coordinates of its row"
            )
        return np.einsum("nmd,rd->rnm", value.astype(np.float64), self._segments.directions), z

    @property
    def is_fixed(self) -> bool:
        """Whether all draws gave the same derivatives."""
        return self._repeats.is_fixed

    def place(self, index: int) -> dict[str, Any]:
        """Return row numbers and the direction of one mean."""
        r, i, j = (int(each) for each in np.unravel_index(index, self.shape))
        direction = ", ".join(f"{each:.3g}" for each in self._segments.directions[r])
        return {"i": i, "j": j, "direction": f"({direction})"}


def directions_of(d: int, count: int, seed: int) -> Any:
    """Return unit vectors in random directions; in one dimension, one."""
    if d == 1:
        return np.ones((1, 1))
    u = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(2,))).standard_normal(
        (count, d)
    )
    return u / np.linalg.norm(u, axis=1, keepdims=True)


def in_float64(rows: EvaluatedRows) -> EvaluatedRows:
    """Return integer rows as float64."""
    if rows.host.dtype.kind == "f":
        return rows
    host = rows.host.astype(np.float64)
    return replace(rows, given=host, host=host)


# Draws that set the units; they are not reused.
_PILOT = 32
# Every draw is evaluated along each direction.
_MOST_DIRECTIONS = 100_000

_UNIT = "sqrt(E|d phi(x)|^2 E|phi(y)|^2)"


@accepts("max_features", "time_limit", "seed")
def check_gradient(
    draw: Callable[[int], Any],
    gradient: Gradient,
    X: Array,
    Y: Array | None = None,
    *,
    jacobian: Jacobian | None = None,
    directions: int = 3,
    step: float | None = None,
    independent_features: bool | None = None,
    resolution: float = 0.05,
    **options: Unpack[DrawOptions],
) -> Verdict:
    r"""Check that E<d phi(x), phi(y)> is the claimed gradient of the kernel, in random directions.

    .. math:: E \frac{\langle\phi(x + hu) - \phi(x - hu), \phi(y)\rangle}{2h}
              = \frac{1}{2h}\int_{-h}^{h} \langle u, \nabla_x k(x + tu, y)\rangle\, dt

    Parameters
    ----------
    draw : callable
        seed -> map, as for `check_kernel`.
    gradient : callable
        (X, Y) -> (n, k, d), the claim: derivatives of k(x_i, y_j) in the coordinates of x_i; takes
        and returns float64 NumPy arrays.
    X : array, shape (n, d)
        Rows at which to differentiate.
    Y : array, shape (k, d), optional
        Rows y, held fixed; default X.
    jacobian : callable, optional
        (phi, X) -> (n, n_features, d), the map's own derivative, for example by automatic
        differentiation. It is compared with the claim at the rows themselves. Default: central
        differences.
    directions : int
        Number of random unit vectors u, at most 10^5.
    step : float, optional
        Step h; default eps^(1/4) times the root mean square norm of the rows, eps of their dtype.
    independent_features : bool, optional
        Whether the columns of one draw are i.i.d., so that each is a sample; default the map's own
        ``independent_units``.
    resolution : float
        Smallest deviation that must not be missed, as a fraction of
        sqrt(E|d phi(x)|^2 E|phi(y)|^2), d the derivative along u, estimated from 32 pilot draws.
    **options : DrawOptions
        false_alarm, miss, ledger, name; max_features, time_limit, seed.

    Returns
    -------
    Verdict
        ``observed`` is the deviation from the claim at the worst rows and direction, which
        ``where`` names.

    Raises
    ------
    ValueError, TypeError
        For bad input; for a step so long that the claimed gradient cannot be integrated over it
        accurately, or so short that rounding dominates.

    Notes
    -----
    A difference is the integral of a derivative, and the claim is integrated over the same
    segment by Gaussian quadrature. There is no truncation error, so h need not be small. Rounding,
    8 sqrt(d) eps over h, and the difference of two quadrature rules are added to every interval.

    Features with jumps, such as signs, have the right expected difference though their own
    derivative is 0, as `jacobian` would show. Their differences have a variance of order 1/h: use
    a long step.

    Intervals are those of `intervals.self_normalised`, from 4000 samples on; heavy tails are
    *inconclusive*.

    References
    ----------
    B. Delyon (2009), see `intervals.self_normalised`.

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed):
    ...     rng = np.random.default_rng(seed)
    ...     w, b = rng.standard_normal((3, 200)), rng.uniform(0, 2 * np.pi, 200)
    ...     return lambda X: np.cos(X @ w + b) / 10
    >>> def gradient(X, Y, factor=1.0):  # of exp(-|x - y|^2 / 2)
    ...     gap = X[:, None] - Y[None]
    ...     return -factor * gap * np.exp(-0.5 * (gap**2).sum(axis=2))[:, :, None]
    >>> X = np.random.default_rng(0).standard_normal((2, 3))
    >>> check_gradient(draw, gradient, X, independent_features=True).status
    'holds'
    >>> half = lambda X, Y: gradient(X, Y, factor=0.5)
    >>> check_gradient(draw, half, X, independent_features=True).status
    'refuted'
    """
    if independent_features is not None:
        require_flag("independent_features", independent_features)
    terms = require_options("gradient", options, resolution)
    terms.require_below(2.0, f"in units of {_UNIT} every expected derivative lies in [-1, 1]")
    for what, function in (("gradient", gradient), ("jacobian", jacobian)):
        if not callable(function) and not (function is None and what == "jacobian"):
            raise TypeError(f"{what}={function!r} must be callable")
    clock, max_features = Clock(terms.time_limit), terms.max_features
    draws = Draws(draw, terms.seed)
    rows = in_float64(rows_without_claim(X))
    others = rows if Y is None else in_float64(rows_without_claim(Y, "Y"))
    require_one_width(rows, others)
    h = 0.0 if jacobian is not None else _step(rows, step)
    if jacobian is not None and step is not None:
        raise ValueError("step is for differences: with jacobian= there is none")
    u = directions_of(
        rows.host.shape[1],
        require_integer("directions", directions, most=_MOST_DIRECTIONS),
        draws.root,
    )
    segments = Segments(rows, u, h)
    claim, error = segments.claims(gradient, rows.values, others.values)
    terms.pay()
    # Non-finite values are a finding about the map, not an accident of this code.
    with np.errstate(all="ignore"):
        phi = draws[0]
        m = call(phi, rows).shape[1]
        columns = units_of(phi, m) == m if independent_features is None else independent_features
        stream = Derivatives(draws, rows, others, segments, jacobian, columns)
        terms.require_features(4 * m, f"four draws of {counted(m, 'feature')}")
        most = None if max_features is None else max_features // m
        pilot = _PILOT if most is None else min(_PILOT, most // 4)
        stream.pilot(pilot)
        stream.claimed(claim, error)
        _require_exact(terms, stream, error, h)
        rest = None if most is None else most - pilot
        watched = watch(stream, terms, clock, most_draws=rest)
    return verdict_of(
        terms,
        stream,
        watched,
        _words(stream, h),
        clock,
        stream.place,
        {"seed": draws.root, "first_draw": draws.seed(0)},
        spent=(pilot * m, pilot),
    )


def _step(rows: EvaluatedRows, step: float | None) -> float:
    if step is not None:
        return require_positive("step", step)
    eps = float(np.finfo(rows.host.dtype).eps)
    size = math.sqrt(float((rows.values**2).sum(axis=1).mean()))
    return eps**0.25 * (size or 1.0)


def _require_exact(terms: CheckOptions, stream: Derivatives, error: float, h: float) -> None:
    """Refuse steps at which the comparison is less accurate than the resolution."""
    floor = FLOOR * terms.resolution
    if error / float(stream.unit.min()) > floor:
        raise ValueError(
            f"the claimed gradient bends within the step {h:.3g}: two rules of its integral differ "
            f"by {error:.3g}; give a shorter step"
        )
    if stream.rounding > floor:
        raise ValueError(
            f"rounding moves a derivative by {stream.rounding:.3g} of {_UNIT}, more than a "
            f"twentieth of resolution={terms.resolution:.3g}: give a longer step, or float64 rows"
        )


def _words(stream: Derivatives, h: float) -> Words:
    r, n, k = stream.shape
    own = stream.per_draw > 1
    return Words(
        claim=f"E<d phi(x), phi(y)> is the claimed derivative at {n} x {k} rows in {r} directions"
        + (f", over segments of half length {h:.3g}" if h else ""),
        source="independent features" if own else "independent draws",
        independence="draws from different seeds are independent"
        + (", and the features of a draw independent and alike" if own else ""),
        unit=stream.unit,
        unit_name=_UNIT,
        remedy="draw larger maps, or give a longer step",
    )
