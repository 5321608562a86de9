r"""Expected products of any activation at two correlated Gaussians, by Mehler's series.

With the Hermite coefficients of the activation at each scale,

.. math:: E\,a(s_x g)\,a(s_y g_\rho) = \sum_{k\ge0} \rho^k c_k(s_x) c_k(s_y),
          \qquad c_k(s) = E\,a(s g) h_k(g),

there is one quadrature for each scale and one power series for each pair. By Cauchy and Schwarz,
the terms from n on sum to at most :math:`|\rho|^n \sqrt{t_n(s_x) t_n(s_y)}`, with
:math:`t_n(s) = E\,a(s g)^2 - \sum_{k<n} c_k(s)^2`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler.exact.activations import _panels

HostFunction = Callable[[Any], Any]

MOST_TERMS = 512
_FEWEST_TERMS = 64
_EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)
# Scales per batch: 15 MiB of values.
_SCALES = 256
# Scales whose coefficients are kept, at most 128 MiB.
_MOST_HELD = 1 << 15


def evaluate(function: HostFunction, t: NDArray[np.float64]) -> Any:
    """Evaluate at t; ValueError unless values are finite and one per point."""
    try:
        values = function(t)
        # PyTorch's functions refuse NumPy's arrays, JAX's make float32 of them.
        if _arrays.is_array(values) and not _arrays.is_numpy_array(values):
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
            "rows, or give one that is finite everywhere and grows no faster than a polynomial"
        )
    return values


def _at_nodes(function: HostFunction, scales: NDArray[np.float64], n: int) -> Any:
    """Evaluate at the points of all panels: (sign, scales, panels, n)."""
    t = scales[:, None] * _panels.nodes(n).ravel()
    both = np.stack([evaluate(function, sign * t) for sign in (1.0, -1.0)])
    return both.reshape(2, scales.size, _panels.N_PANELS, n)


def _values(function: HostFunction, scales: NDArray[np.float64]) -> tuple[Any, Any, Any, Any]:
    """Return the function over its size at each scale: as a sampler, by both rules; the size."""
    coarse, fine = (_at_nodes(function, scales, n) for n in (_panels.POINTS, _panels.FINER))
    largest = np.maximum(*(np.max(np.abs(v), axis=(0, 2, 3)) for v in (coarse, fine)))
    size = np.where(largest > 0.0, largest, 1.0)

    def sample(which: NDArray[np.int64], at: NDArray[np.float64]) -> tuple[Any, Any]:
        t = scales[which, None] * at
        return tuple(evaluate(function, sign * t) / size[which, None] for sign in (1.0, -1.0))

    return sample, coarse / size[:, None, None], fine / size[:, None, None], size


def _sums(
    values: NDArray[np.float64], split: _panels.RuleSums | None, terms: int
) -> tuple[Any, Any, Any]:
    """Sum coefficients (scales, terms), second and mirrored moments by one rule."""
    shape = values.shape[1], -1
    even = (0.5 * (values[0] + values[1])).reshape(shape)
    odd = (0.5 * (values[0] - values[1])).reshape(shape)
    weights = _panels.table(values.shape[3], terms)
    c = np.empty((values.shape[1], terms))
    c[:, ::2], c[:, 1::2] = even @ weights[:, ::2], odd @ weights[:, 1::2]
    squares = [part**2 @ weights[:, 0] for part in (even, odd)]
    second, mirror = squares[0] + squares[1], squares[0] - squares[1]
    if split is None:
        return c, second, mirror
    rest, _, _ = _sums(split.values(), None, terms)
    return c + rest, second + split.second, mirror + split.mirror


def _split_off(
    sample: _panels.Sample, coarse: NDArray[np.float64], fine: NDArray[np.float64]
) -> tuple[_panels.RuleSums | None, _panels.RuleSums | None, Any, Any]:
    """Remove unresolved panels from both rules, in place, and bisect them.

    Returns sums over the parts by both rules, and errors: of those as narrow as a jump, of others.
    """
    # A rough size, to tell what is negligible.
    weight = _panels.table(_panels.FINER, 1)[:, 0].reshape(_panels.N_PANELS, -1)
    mean_square = np.sqrt(0.5 * np.einsum("snpi,pi->n", fine**2, weight))
    error = np.max(np.abs(coarse @ _panels.interpolation() - fine), axis=(0, 3))
    low: Any = _panels.PANEL * np.arange(_panels.N_PANELS)
    mass = _panels.gaussian_mass(low, low + _panels.PANEL)
    rough = error * np.sqrt(mass) > _panels.TOLERANCE * mean_square[:, None]
    scale, panel = np.nonzero(rough)
    for values in (coarse, fine):
        values[:, scale, panel] = 0.0
    n = mean_square.size
    jumps, squares = np.zeros(n), np.zeros(n)
    if not scale.size:
        return None, None, jumps, squares
    by_coarse, by_fine = _panels.RuleSums(n), _panels.RuleSums(n)
    ends = low[panel], low[panel] + _panels.PANEL
    for parts in _panels.bisect(sample, scale, *ends, mean_square):
        by_coarse.add(parts, parts.coarse)
        by_fine.add(parts, parts.fine)
        loss = parts.deviation * _panels.gaussian_mass(parts.low, parts.high)
        jumps += np.bincount(parts.scale, np.where(parts.jump, loss, 0.0), n)
        squares += np.bincount(parts.scale, np.where(parts.jump, 0.0, parts.deviation * loss), n)
    return by_coarse, by_fine, jumps, squares**0.5


@dataclass(frozen=True)
class Coefficients:
    """Coefficients c of a(s g)/size and their errors, one row per scale; `size` is max |a(s g)|.

    `second`, `mirror`: E a(s g)^2, E a(s g) a(-s g), off by `second_error`; `error`: of c, in root
    mean square; `tail`: sqrt of t_n with these errors.
    """

    size: NDArray[np.float64]
    c: NDArray[np.float64]
    second: NDArray[np.float64]
    mirror: NDArray[np.float64]
    error: NDArray[np.float64]
    second_error: NDArray[np.float64]
    tail: NDArray[np.float64]


def coefficients(function: HostFunction, scales: NDArray[np.float64]) -> Coefficients:
    """Compute the coefficients at each of `scales` (n,), exact for the constant of scale 0."""
    starts = range(0, max(1, scales.size), _SCALES)
    parts = [_of_batch(function, scales[start : start + _SCALES]) for start in starts]
    return _joined(parts, slice(None))


def _joined(parts: list[Coefficients], order: Any) -> Coefficients:
    """Join coefficients of several scales, and put them in order."""
    terms = max(part.c.shape[1] for part in parts)
    # Terms that were not needed are 0 to rounding.
    c = (np.pad(part.c, ((0, 0), (0, terms - part.c.shape[1]))) for part in parts)
    parts = [replace(part, c=one) for part, one in zip(parts, c)]
    columns = ([getattr(part, column.name) for part in parts] for column in fields(Coefficients))
    return Coefficients(*(np.concatenate(column)[order] for column in columns))


def _of_batch(function: HostFunction, scales: NDArray[np.float64]) -> Coefficients:
    """Compute the coefficients at a batch of scales."""
    sample, coarse, fine, size = _values(function, scales)
    by_coarse, by_fine, jumps, unresolved = _split_off(sample, coarse, fine)
    terms = _FEWEST_TERMS if by_coarse is None else MOST_TERMS
    finer = _sums(fine, by_fine, _FEWEST_TERMS)
    while True:
        c, second, mirror = _sums(coarse, by_coarse, terms)
        remainder = second - np.sum(c * c, axis=1)
        if terms >= MOST_TERMS or np.all(remainder <= 64 * _EPS * second):
            break
        terms *= 2
    # Four errors: the difference of the rules, on the terms of the finer; what no polynomial
    # resolves, by Bessel's inequality; jumps; rounding.
    change = np.sum((finer[0] - c[:, :_FEWEST_TERMS]) ** 2, axis=1) ** 0.5
    shift = np.maximum(np.abs(finer[1] - second), np.abs(finer[2] - mirror))
    root = second**0.5
    error = change + unresolved + jumps + 32 * _EPS * root
    # For an error e of a: (2 |a| + |e|) |e| in root mean square, and 2 E |e| where |a| <= 1.
    second_error = shift + 64 * _EPS * second + (2 * root + unresolved) * unresolved + 2 * jumps
    tail = np.sqrt(np.maximum(remainder, 0.0) + second_error + 2 * error * root)
    result = Coefficients(size, c, second, mirror, error, second_error, tail)
    return _constant_at_zero(function, scales, result)


def _constant_at_zero(
    function: HostFunction, scales: NDArray[np.float64], result: Coefficients
) -> Coefficients:
    """Set the coefficients of scale 0: every unit is a(0), without quadrature."""
    zero = scales == 0.0
    if np.any(zero):
        value = float(evaluate(function, np.zeros((1, 1)))[0, 0])
        result.size[zero], result.c[zero] = 1.0, 0.0
        result.c[zero, 0] = value
        result.second[zero] = result.mirror[zero] = value * value
        result.error[zero] = result.second_error[zero] = result.tail[zero] = 0.0
    return result


class Held:
    """Coefficients of the scales of one function, so that blocks of pairs share them."""

    def __init__(self) -> None:
        self.scales, self.parts = np.empty(0), list[Coefficients]()

    def at(self, function: HostFunction, scales: NDArray[np.float64]) -> Coefficients:
        """Return the coefficients of all scales so far, computing those of new ones."""
        if self.scales.size > _MOST_HELD:
            self.scales, self.parts = np.empty(0), []
        fresh = np.setdiff1d(scales, self.scales)
        if fresh.size:
            every = np.concatenate([fresh, self.scales])
            order = np.argsort(every)
            parts = [coefficients(function, fresh), *self.parts]
            self.scales, self.parts = every[order], [_joined(parts, order)]
        return self.parts[0]


def pair_moment(
    function: HostFunction, rho: Any, near: Any, far: Any, *scales: Any, held: Held | None = None
) -> tuple[Any, Any]:
    """Compute E a(u) a(v) and an error bound on the host, by Mehler's series.

    Arguments broadcast; `near` and `far` are 1 - rho and 1 + rho. Terms end where those that are
    left cannot be seen at the largest correlation of two different rows.
    """
    series = (held := held or Held()).at(function, np.concatenate([np.ravel(s) for s in scales]))
    # The rows of both scales of each pair among the coefficients.
    x, y = (np.searchsorted(held.scales, scale) for scale in scales)
    shape = np.broadcast_shapes(np.shape(rho), x.shape, y.shape)
    # A row with itself or its opposite: a single integral without a tail.
    alone = [np.broadcast_to((x == y) & (gap == 0.0), shape) for gap in (near, far)]
    apart = np.abs(np.where(alone[0] | alone[1], 0.0, rho))
    rows = np.unique(np.concatenate([x.ravel(), y.ravel()]))
    c = np.ascontiguousarray(series.c[rows].T)
    # Roots of what is left from each term on, (terms + 1, rows).
    left = np.cumsum(np.concatenate([series.tail[rows][None] ** 2, c[::-1] ** 2]), axis=0)[::-1]
    unseen = np.max(left / np.maximum(series.second[rows], _TINY), axis=1)
    powers = float(np.max(apart, initial=0.0)) ** np.arange(len(unseen))
    ends = np.flatnonzero(powers * unseen <= 0.25 * _EPS)
    n = int(ends[0]) if ends.size else len(c)
    x_at, y_at = np.searchsorted(rows, x), np.searchsorted(rows, y)
    # Of even and odd functions every other term is 0.
    total, last, steps = np.zeros(shape), n, {1: rho, 2: rho * rho}
    for k in reversed(np.flatnonzero(np.any(c[:n] != 0.0, axis=1))):
        total *= steps[last - k] if last - k in steps else rho ** (last - k)
        total += c[k][x_at] * c[k][y_at]
        last = int(k)
    total *= rho**last
    tail = apart**n * np.sqrt(left[n][x_at] * left[n][y_at])
    x_root, y_root = series.second[x] ** 0.5, series.second[y] ** 0.5
    loss = series.error[x] * y_root + (x_root + series.error[x]) * series.error[y]
    bound = np.broadcast_to(tail + loss, shape)
    for same, moment in zip(alone, (series.second, series.mirror)):
        total = np.where(same, moment[x], total)
        bound = np.where(same, series.second_error[x], bound)
    factor = series.size[x] * series.size[y]
    return factor * total, factor * bound + _TINY
