"""check_gradient: is the expected gradient of a map the claimed gradient of its kernel?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler._plural import counted
from mehler._validate import require_flag, require_integer, require_positive
from mehler.verify._arguments import CheckOptions, at_most, pay, require_options, root_seed
from mehler.verify._verdict import FLOOR, Verdict
from mehler.verify.budget._ledger import Ledger, passed_to_ledger
from mehler.verify.checks.gradient._derivatives import (
    Derivatives,
    Jacobian,
    directions_of,
    in_float64,
)
from mehler.verify.checks.gradient._segments import Gradient, Segments
from mehler.verify.pairwise._measurement import Clock
from mehler.verify.sampling._choose_source import units_of
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows, rows_without_claim
from mehler.verify.sampling._sources import call
from mehler.verify.undeclared._verdict import Words, verdict_of
from mehler.verify.undeclared._watch import watch

# Draws that set the units; they are not reused.
_PILOT = 32
# Every draw is evaluated along each direction.
_MOST_DIRECTIONS = 100_000

_UNIT = "sqrt(E|d phi(x)|^2 E|phi(y)|^2)"


@passed_to_ledger
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
    false_alarm: float = 1e-9,
    resolution: float = 0.05,
    max_features: int | None = None,
    time_limit: float | None = None,
    seed: int | None = None,
    ledger: Ledger | None = None,
    miss: float = 1e-6,
    name: str | None = None,
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
    max_features : int, optional
        Largest number of features to draw.
    time_limit : float, optional
        Seconds after which drawing stops; an undecided check is then *inconclusive*.
    false_alarm, seed, ledger, miss, name
        As for `check_kernel`.

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
    BudgetExceeded
        If the ledger cannot pay.

    See Also
    --------
    check_kernel : The kernel itself.
    check_variance : The variance of its estimates.

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
    seed = root_seed(seed)
    if independent_features is not None:
        require_flag("independent_features", independent_features)
    asked = require_options("gradient", name, false_alarm, resolution, miss)
    asked.require_below(2.0, f"in units of {_UNIT} every expected derivative lies in [-1, 1]")
    for what, function in (("gradient", gradient), ("jacobian", jacobian)):
        if not callable(function) and not (function is None and what == "jacobian"):
            raise TypeError(f"{what}={function!r} must be callable")
    max_features = at_most("max_features", max_features)
    clock = Clock(None if time_limit is None else require_positive("time_limit", time_limit))
    draws = Draws(draw, seed)
    rows = in_float64(rows_without_claim(X))
    others = rows if Y is None else in_float64(rows_without_claim(Y, "Y"))
    if others.host.shape[1] != rows.host.shape[1]:
        raise ValueError(
            f"X has {counted(rows.host.shape[1], 'column')} but Y has {others.host.shape[1]}: "
            f"both are inputs "
            "of one map"
        )
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
    pay(ledger, asked.name, asked.false_alarm)
    # Non-finite values are a finding about the map, not an accident of this code.
    with np.errstate(all="ignore"):
        phi = draws[0]
        m = call(phi, rows).shape[1]
        columns = units_of(phi, m) == m if independent_features is None else independent_features
        stream = Derivatives(draws, rows, others, segments, jacobian, columns)
        most = None if max_features is None else max_features // m
        if most is not None and most < 4:
            raise ValueError(
                f"max_features={max_features} is less than four draws of "
                f"{counted(m, 'feature')}: allow more, "
                "or draw smaller maps"
            )
        pilot = _PILOT if most is None else min(_PILOT, most // 4)
        stream.pilot(pilot)
        stream.claimed(claim, error)
        _require_exact(asked, stream, error, h)
        rest = None if most is None else most - pilot
        watched = watch(stream, asked, clock, most_draws=rest)
    return verdict_of(
        asked,
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


def _require_exact(asked: CheckOptions, stream: Derivatives, error: float, h: float) -> None:
    """Refuse steps at which the comparison is less accurate than the resolution."""
    floor = FLOOR * asked.resolution
    if error / float(stream.unit.min()) > floor:
        raise ValueError(
            f"the claimed gradient bends within the step {h:.3g}: two rules of its integral differ "
            f"by {error:.3g}; give a shorter step"
        )
    if stream.rounding > floor:
        raise ValueError(
            f"rounding moves a derivative by {stream.rounding:.3g} of {_UNIT}, more than a "
            f"twentieth of resolution={asked.resolution:.3g}: give a longer step, or float64 rows"
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
