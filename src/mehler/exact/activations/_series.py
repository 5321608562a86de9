"""Expected products of any activation at two Gaussians of correlation rho, by Mehler's series.

E a(s g) a(t g') = sum_k rho^k c_k(s) c_k(t), with s and t the standard deviations, called scales,
and c_k(s) = E a(s g) h_k(g), h_k the normalised Hermite polynomials. Integrals over g are sums over
panels, short intervals, by two quadrature rules, whose difference shows their error. Panels where
they differ are bisected, until they agree or are as narrow as a jump of a. Proofs:
:doc:`/theorems/certified-balls`.
"""

from __future__ import annotations

import functools
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

from mehler import _arrays

Floats = NDArray[np.float64]

REACH = 14.0  # beyond, h_k(g) phi(g), phi the normal density, is below 1e-19 for every k < 512
PANEL = 0.25  # width of a panel
N_PANELS = int(REACH / PANEL)
# The finer rule also samples both ends, with weight 0, to see a jump next to an end.
POINTS, FINER = 16, 26
_MOMENTS = FINER - 2
_END = 2.0**-50


@functools.cache
def points(n: int) -> tuple[Any, Any]:
    """Return Gauss-Legendre points in (0, 1) and weights of sum 1; the finer rule has both ends."""
    x, w = legendre.leggauss(n - 2 if n == FINER else n)
    if n == FINER:
        x, w = (np.concatenate(pair) for pair in ((x, [2 * _END - 1, 1 - 2 * _END]), (w, [0, 0])))
    return (1 + x) / 2, w / 2


@functools.cache
def interpolation() -> Any:
    """Return the matrix from values at the points of a panel to the finer ones: (POINTS, FINER)."""
    x, at = points(POINTS)[0], points(FINER)[0]
    # Lagrange's polynomials: products over the other points.
    others = [np.delete(x, i)[:, None] for i in range(POINTS)]
    return np.array([np.prod((at - y) / (x[i] - y), axis=0) for i, y in enumerate(others)])


def _legendre(x: Floats, terms: int) -> Any:
    """Evaluate Legendre polynomials of mean square 1 on [0, 1]: (..., terms)."""
    return legendre.legvander(2.0 * x - 1.0, terms - 1) * np.sqrt(2 * np.arange(terms) + 1)


def nodes(n: int) -> Any:
    """Return the points of all panels, (N_PANELS, n)."""
    return PANEL * (np.arange(N_PANELS)[:, None] + points(n)[0])


_lock = threading.Lock()


def table(n: int, terms: int) -> Any:
    """Return 2 w phi(g) h_k(g) at `nodes`, (terms, N_PANELS * n), shared by all threads."""
    with _lock:
        return _build(n, terms)


@functools.cache
def _build(n: int, terms: int) -> Any:
    at = nodes(n).ravel()
    weight = np.tile(PANEL * points(n)[1], N_PANELS)
    root = np.exp(-0.25 * at * at) / (2 * np.pi) ** 0.25
    # h_k(g) sqrt(phi(g)) stays bounded where h_k alone would overflow.
    values = np.empty((terms, at.size))
    before, now = np.zeros_like(at), root
    for k in range(terms):
        values[k] = now
        before, now = now, (at * now - np.sqrt(k) * before) / np.sqrt(k + 1)
    return values * (2.0 * weight * root)


# values(scale index, g): the function at s g and at -s g, over the function's size at that scale.
Sample = Callable[[Any, Any], tuple[Any, Any]]

TOLERANCE = 2.0**-46  # over the root mean square: rounding times the points' Lebesgue constant
# An unresolved panel no wider than so many neighbouring floats is a jump; near 0, where floats
# are dense, narrower panels have no mass.
_ADJACENT = 8 * float(np.finfo(np.float64).eps)
_NEAR = 2.0**-10
_LEVELS = 110  # bisections of a panel
_MOST = 4096  # panels of one scale bisected at a time: enough for a comb of step 0.01
_LEAST = 256  # and of many scales
_BUDGET = 1 << 16  # panels of all scales bisected at a time
_NOISE = 2.0**-20  # deviation over the largest value that may be rounding of a lower precision
_BATCH = 1 << 10  # panels whose moments are taken at a time: 5 MiB of Legendre polynomials


@dataclass(frozen=True)
class Panels:
    """Panels [low, high] of g by number of scale, deviation from a polynomial, values at +-s g."""

    scale: NDArray[np.int64]
    low: Floats
    high: Floats
    deviation: Floats
    coarse: Floats
    fine: Floats
    jump: NDArray[np.bool_]


def gaussian_mass(low: Any, high: Any) -> Any:
    """Compute the mass of panels of both signs, to a few per cent where it is not negligible."""
    middle = 0.5 * (low + high)
    return 2.0 * np.exp(-0.5 * middle * middle) / np.sqrt(2 * np.pi) * (high - low)


def bisect(sample: Sample, scale: Any, low: Floats, high: Floats, size: Floats) -> Iterator[Panels]:
    """Yield resolved parts of panels, jumps, noise, the budget's rest; `size`: root mean square."""
    before: Any = None
    most = min(_MOST, max(_LEAST, _BUDGET // max(1, np.unique(scale).size)))
    for level in range(_LEVELS):
        ats = (low[:, None] + (high - low)[:, None] * points(n)[0] for n in (POINTS, FINER))
        coarse, fine = (np.stack(sample(scale, at), axis=1) for at in ats)
        error = np.max(np.abs(coarse @ interpolation() - fine), axis=(1, 2))
        narrow = high - low <= _ADJACENT * np.maximum(high, _NEAR)
        jump = narrow & (error > TOLERANCE * size[scale])
        mass = gaussian_mass(low, high)
        rough = (error * np.sqrt(mass) > TOLERANCE * size[scale]) & ~narrow
        if level > 0:
            # Noise, as of a function in float32: both halves deviate by as much as the whole, and
            # by little. A jump is in one half only, and a smooth function improves.
            better = np.minimum(*np.split(error, 2)) < before / 8
            rough &= np.tile(better | (before >= _NOISE), 2)
        spent = np.bincount(scale[rough], minlength=size.size) > most
        rough &= ~spent[scale] & (level < _LEVELS - 1)
        yield Panels(*(part[~rough] for part in (scale, low, high, error, coarse, fine, jump)))
        if not np.any(rough):
            break
        scale, low, high, before = scale[rough], low[rough], high[rough], error[rough]
        middle = 0.5 * (low + high)
        scale = np.concatenate([scale, scale])
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])


class RuleSums:
    """Sums by one rule over parts: Legendre moments at +-s g, E a(s g)^2, E a(s g) a(-s g)."""

    def __init__(self, scales: int) -> None:
        self.moments = np.zeros((scales, N_PANELS, 2, _MOMENTS))
        self.second, self.mirror = np.zeros(scales), np.zeros(scales)

    def add(self, parts: Panels, values: Floats) -> None:
        """Add parts of panels with their `values`, (parts, 2, n)."""
        at, share = points(values.shape[2])
        for start in range(0, parts.scale.size, _BATCH):
            rows = slice(start, start + _BATCH)
            scale, low, high = parts.scale[rows], parts.low[rows], parts.high[rows]
            g = low[:, None] + (high - low)[:, None] * at
            weight = (high - low)[:, None] * share
            density = weight * np.exp(-0.5 * g * g) / np.sqrt(2 * np.pi)
            right, left = values[rows, 0], values[rows, 1]
            second = np.sum(density * (right * right + left * left), axis=1)
            mirror = np.sum(density * (2.0 * right * left), axis=1)
            self.second += np.bincount(scale, second, self.second.size)
            self.mirror += np.bincount(scale, mirror, self.mirror.size)
            panel = (low / PANEL).astype(np.int64)
            polynomials = _legendre(g / PANEL - panel[:, None], _MOMENTS)
            moments = (values[rows] * (weight / PANEL)[:, None, :]) @ polynomials
            np.add.at(self.moments, (scale, panel), moments)

    def values(self) -> Any:
        """Return polynomials with these moments at the finer points: (2, scales, panels, FINER)."""
        return np.moveaxis(self.moments @ _legendre(points(FINER)[0], _MOMENTS).T, 2, 0)


HostFunction = Callable[[Any], Any]

N_TERMS = 512
_FINER_TERMS = 64
EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)
_SCALES = 64  # per batch: 4 MiB of values
# More scales than three times so many, that differ by less than such a factor, are interpolated.
_KNOTS, _WIDEST = 96, 8.0
_LEBESGUE = 4.0  # factor of errors by interpolation at so many Chebyshev points, rounded up
_MOST_CACHED = 1 << 15  # scales whose coefficients are kept, at most 128 MiB


def evaluate(function: HostFunction, t: Floats) -> Any:
    """Evaluate at t, finite values, one per point."""
    try:
        values = function(t)
        # PyTorch's functions refuse NumPy's arrays, JAX's make float32 of them.
        if _arrays.is_array(values) and not _arrays.place_of(values).on_host:
            raise TypeError(f"it made {type(values).__name__} of them")
    except (TypeError, AttributeError) as error:
        raise TypeError(
            f"the activation takes no NumPy arrays ({error}), with which kernels are computed: "
            "pass a name, or mehler.exact.Activation(name, lambda xp, t: xp.tanh(t))"
        ) from error
    values = np.asarray(values)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"the activation made {values.dtype} of real numbers; it must be real")
    values = values.astype(np.float64, copy=False)
    if values.shape != t.shape:
        shapes = f"made shape {values.shape} from {t.shape}"
        raise ValueError(f"the activation {shapes}; it must work element by element")
    if not np.all(np.isfinite(values)):
        example = t[~np.isfinite(values)].flat[0]
        raise ValueError(
            f"the activation is not finite at {example:g}, which projections can reach: scale the "
            "rows, or give one that grows no faster than a polynomial"
        )
    return values


def _values(function: HostFunction, scales: Floats) -> tuple[Any, Any, Any, Any]:
    """Return the function over its size at each scale: as a sampler, by both rules; the size."""

    def at_nodes(n: int) -> Any:
        t = scales[:, None] * nodes(n).ravel()
        both = np.stack([evaluate(function, sign * t) for sign in (1.0, -1.0)])
        return both.reshape(2, scales.size, N_PANELS, n)

    coarse, fine = at_nodes(POINTS), at_nodes(FINER)
    largest = np.maximum(*(np.max(np.abs(v), axis=(0, 2, 3)) for v in (coarse, fine)))
    size = np.where(largest > 0.0, largest, 1.0)

    def sample(which: NDArray[np.int64], at: Floats) -> tuple[Any, Any]:
        t = scales[which, None] * at
        return tuple(evaluate(function, sign * t) / size[which, None] for sign in (1.0, -1.0))

    return sample, coarse / size[:, None, None], fine / size[:, None, None], size


def _sums(values: Floats, parts: RuleSums | None, terms: int) -> tuple[Any, Any, Any]:
    """Sum coefficients (terms, scales), second and mirrored moments by one rule."""
    shape = values.shape[1], N_PANELS * values.shape[3]
    even = (0.5 * (values[0] + values[1])).reshape(shape)
    odd = (0.5 * (values[0] - values[1])).reshape(shape)
    weights = table(values.shape[3], terms)
    c = np.empty((terms, values.shape[1]))
    c[::2], c[1::2] = weights[::2] @ even.T, weights[1::2] @ odd.T
    squares = [part**2 @ weights[0] for part in (even, odd)]
    second, mirror = squares[0] + squares[1], squares[0] - squares[1]
    if parts is None:
        return c, second, mirror
    rest, _, _ = _sums(parts.values(), None, terms)
    return c + rest, second + parts.second, mirror + parts.mirror


def _split_off(
    sample: Sample, coarse: Floats, fine: Floats
) -> tuple[RuleSums | None, RuleSums | None, Any, Any]:
    """Remove unresolved panels from both rules, in place, and bisect them.

    Returns sums over the parts by both rules, and errors: of those as narrow as a jump, of others.
    """
    # A rough size, to tell what is negligible.
    weight = table(FINER, 1)[0].reshape(N_PANELS, -1)
    mean_square = np.sqrt(0.5 * np.einsum("snpi,pi->n", fine**2, weight))
    error = np.max(np.abs(coarse @ interpolation() - fine), axis=(0, 3))
    low: Any = PANEL * np.arange(N_PANELS)
    mass = gaussian_mass(low, low + PANEL)
    rough = error * np.sqrt(mass) > TOLERANCE * mean_square[:, None]
    scale, panel = np.nonzero(rough)
    for values in (coarse, fine):
        values[:, scale, panel] = 0.0
    n = mean_square.size
    jumps, squares = np.zeros(n), np.zeros(n)
    if not scale.size:
        return None, None, jumps, squares
    by_coarse, by_fine = RuleSums(n), RuleSums(n)
    ends = low[panel], low[panel] + PANEL
    for parts in bisect(sample, scale, *ends, mean_square):
        by_coarse.add(parts, parts.coarse)
        by_fine.add(parts, parts.fine)
        loss = parts.deviation * gaussian_mass(parts.low, parts.high)
        jumps += np.bincount(parts.scale, np.where(parts.jump, loss, 0.0), n)
        squares += np.bincount(parts.scale, np.where(parts.jump, 0.0, parts.deviation * loss), n)
    return by_coarse, by_fine, jumps, squares**0.5


@dataclass(frozen=True)
class Coefficients:
    """Coefficients c of a(s g)/size, (terms, scales), and their errors; `size` is max |a(s g)|.

    `second`, `mirror`: E a(s g)^2, E a(s g) a(-s g), off by `second_error`; `error`: rms of c's.
    """

    size: Floats
    c: Floats
    second: Floats
    mirror: Floats
    error: Floats
    second_error: Floats

    @functools.cached_property
    def rest(self) -> Any:
        """What is left of the second moment from each term on, or may be: t_n, (terms + 1, n)."""
        squares = self.c[::-1] ** 2
        end = np.maximum(self.second - np.sum(squares, axis=0), 0.0)
        end += self.second_error + 2 * self.error * self.second**0.5
        return np.cumsum(np.vstack([end, squares]), axis=0)[::-1]

    @functools.cached_property
    def orders(self) -> list[int]:
        """Terms that count: 512 products of two smaller coefficients are below rounding."""
        return np.flatnonzero(np.any(self.c**2 > 2.0**-64 * self.second, axis=1)).tolist()


def coefficients(function: HostFunction, scales: Floats) -> Coefficients:
    """Compute the coefficients at each of `scales` (n,), exact for the constant of scale 0."""
    if scales.size > 3 * _KNOTS and np.max(scales) < _WIDEST * np.min(scales):
        between = _interpolated(function, np.log(scales))
        if between is not None:
            return between
    starts = range(0, max(1, scales.size), _SCALES)
    parts = [_of_batch(function, scales[start : start + _SCALES]) for start in starts]
    return _join(parts)


def _interpolated(function: HostFunction, at: Floats) -> Coefficients | None:
    """Interpolate between knots in log s = `at`, or return None where these are too few.

    The coefficients of a(s g) over its root mean square are analytic for abs(Im log s) < pi/4, and
    turn over 1/sqrt(k), so that knots miss nothing; the end of a Chebyshev series shows if they do.
    """
    middle, half = 0.5 * (np.max(at) + np.min(at)), max(0.5 * np.ptp(at), EPS)
    order = np.arange(_KNOTS)
    turns = 0.5 * np.pi / _KNOTS * (2 * order + 1)
    knots = np.cos(turns)
    part = coefficients(function, np.exp(middle + half * knots))
    root = part.second**0.5
    if not np.all(part.error < 2.0**-20 * root):
        return None
    log_size = np.log(part.size) + np.log(root)
    values = np.vstack([part.c / root, part.mirror / part.second, log_size - log_size[0]])
    end = values @ np.cos(np.outer(turns, order[-8:])) * (2.0 / _KNOTS)
    error = _LEBESGUE * np.max(part.error / root)
    if np.sum(end**2) ** 0.5 > error / 4:
        return None
    # The barycentric formula, whose weights sum to 1; a scale at a knot is moved beside it.
    gaps = (at - middle)[:, None] / half - knots
    weights = (-1.0) ** order * np.sin(turns) / np.where(gaps == 0.0, _TINY, gaps)
    *c, mirror, size = values @ (weights / np.sum(weights, axis=1, keepdims=True)).T
    ones = np.ones_like(at)
    second_error = _LEBESGUE * np.max(part.second_error / part.second)
    size = np.exp(log_size[0] + size)
    return Coefficients(size, np.array(c), ones, mirror, error * ones, second_error * ones)


def _join(parts: list[Coefficients]) -> Coefficients:
    """Join coefficients of several scales."""
    if len(parts) == 1:
        return parts[0]
    columns = ([getattr(part, column.name) for part in parts] for column in fields(Coefficients))
    return Coefficients(*(np.concatenate(column, axis=-1) for column in columns))


def _of_batch(function: HostFunction, scales: Floats) -> Coefficients:
    sample, coarse, fine, size = _values(function, scales)
    by_coarse, by_fine, jumps, unresolved = _split_off(sample, coarse, fine)
    finer = _sums(fine, by_fine, _FINER_TERMS)
    c, second, mirror = _sums(coarse, by_coarse, N_TERMS)
    # Four errors: the difference of the rules, on the terms of the finer; what no polynomial
    # resolves, by Bessel's inequality; jumps; rounding.
    change = np.sum((finer[0] - c[:_FINER_TERMS]) ** 2, axis=0) ** 0.5
    shift = np.maximum(np.abs(finer[1] - second), np.abs(finer[2] - mirror))
    root = second**0.5
    error = change + unresolved + jumps + 32 * EPS * root
    # For an error e of a: (2 |a| + |e|) |e| in root mean square, and 2 E |e| where |a| <= 1.
    second_error = shift + 64 * EPS * second + (2 * root + unresolved) * unresolved + 2 * jumps
    zero = scales == 0.0
    if np.any(zero):  # every unit is a(0), without quadrature
        value = float(evaluate(function, np.zeros((1, 1)))[0, 0])
        size[zero], c[:, zero] = 1.0, 0.0
        c[0, zero] = value
        second[zero] = mirror[zero] = value * value
        error[zero] = second_error[zero] = 0.0
    return Coefficients(size, c, second, mirror, error, second_error)


class Cache:
    """Coefficients of the scales of one function, so that blocks of pairs share them."""

    def __init__(self) -> None:
        self.scales, self.order, self.parts = np.empty(0), np.arange(0), list[Coefficients]()

    def at(self, function: HostFunction, *scales: Floats) -> tuple[Coefficients, Any, Any]:
        """Return the coefficients of all scales so far, new ones included, and places of these."""
        ascending = np.append(self.scales[self.order], np.inf)
        places = [np.searchsorted(ascending, scale) for scale in scales]
        if not self.parts or any(np.any(ascending[i] != s) for i, s in zip(places, scales)):
            if self.scales.size > _MOST_CACHED:
                self.scales, self.parts = np.empty(0), []
            fresh = np.setdiff1d(np.concatenate([np.ravel(s) for s in scales]), self.scales)
            self.parts = [_join([*self.parts, coefficients(function, fresh)])]
            self.scales = np.concatenate([self.scales, fresh])
            self.order = np.argsort(self.scales)
            places = [np.searchsorted(self.scales, s, sorter=self.order) for s in scales]
        x, y = (self.order[at] for at in places)
        return self.parts[0], x, y


def pair_moment(
    function: HostFunction, rho: Any, near: Any, far: Any, *scales: Any, cache: Cache | None = None
) -> tuple[Any, Any]:
    """Compute E a(u) a(v) and an error bound on the host; `near`, `far` are 1 - rho and 1 + rho."""
    series, x, y = (cache or Cache()).at(function, *scales)
    shape = np.broadcast_shapes(np.shape(rho), x.shape, y.shape)
    # A row with itself or its opposite: a single integral without a tail.
    alone = [(x == y) & (gap == 0.0) for gap in (near, far)]
    apart = np.abs(np.where(alone[0] | alone[1], 0.0, rho))
    largest = float(np.max(apart, initial=0.0))
    rest, rows = series.rest, np.concatenate([x.ravel(), y.ravel()])
    unseen = 0.25 * EPS * series.second[rows]
    # Terms end where the rest cannot be seen at the largest correlation of two different rows.
    fits = lambda k: bool(np.all(largest**k * rest[k][rows] <= unseen))  # noqa: E731
    n = bisect_left(range(N_TERMS), True, key=fits)
    # Of even and odd functions every other term is 0.
    total, last, steps = np.zeros(shape), n, {1: rho, 2: rho * rho}
    for k in reversed(series.orders[: bisect_left(series.orders, n)]):
        total *= steps[last - k] if last - k in steps else rho ** (last - k)
        _add_product(total, series.c[k][x], series.c[k][y])
        last = k
    total *= rho**last
    # Where terms end, the largest correlation serves all pairs.
    tail = (apart if n == N_TERMS else largest) ** n * rest[n][x] ** 0.5 * rest[n][y] ** 0.5
    x_root, y_root = series.second[x] ** 0.5, series.second[y] ** 0.5
    loss = series.error[x] * y_root + (x_root + series.error[x]) * series.error[y]
    bound = np.broadcast_to(tail + loss, shape)
    for same, moment in zip(alone, (series.second, series.mirror)):
        if np.any(same):
            total = np.where(same, moment[x], total)
            bound = np.where(same, series.second_error[x], bound)
    factor = series.size[x] * series.size[y]
    return factor * total, factor * bound + _TINY


def _add_product(total: Floats, x: Floats, y: Floats) -> None:
    """Add x y in place; of a column and a row by BLAS, which needs no room for their product."""
    column_and_row = x.ndim == y.ndim == 2 and x.shape[1] == len(y) == 1
    if column_and_row and total.size and total.shape == (x.size, y.size):
        from scipy.linalg import blas

        blas.dger(1.0, y[0], x[:, 0], a=total.T, overwrite_a=1)
    else:
        total += x * y
