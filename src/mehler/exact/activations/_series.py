r"""Mehler's series for any activation: one quadrature a length, one power series a pair.

.. math:: E\,a(s_x g)\,a(s_y g_\rho) = \sum_{k\ge0} \rho^k c_k(s_x) c_k(s_y),
          \qquad c_k(s) = E\,a(s g) h_k(g)

What is left out after n terms is at most :math:`|\rho|^n \sqrt{t_n(s_x) t_n(s_y)}` by Cauchy and
Schwarz, with :math:`t_n(s) = E\,a(s g)^2 - \sum_{k<n} c_k(s)^2`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler.exact.activations import _panels

HostFunction = Callable[[Any], Any]

MOST_TERMS = 512
_FEWEST_TERMS = 64
_EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)
# Scales per batch: 15 MiB of values.
_SCALES = 256


def at_nodes(function: HostFunction, scales: NDArray[np.float64], n: int) -> Any:
    """Evaluate at the points of all panels: (sign, scales, panels, n)."""
    t = scales[:, None] * _panels.nodes(n).ravel()
    both = np.stack([checked(function, sign * t) for sign in (1.0, -1.0)])
    return both.reshape(2, scales.size, _panels.N_PANELS, n)


def checked(function: HostFunction, t: NDArray[np.float64]) -> Any:
    """Evaluate at t; ValueError unless values are finite and one per point."""
    values = np.asarray(function(t))
    if values.dtype.kind not in "biuf":
        raise TypeError(f"the activation made {values.dtype} of real numbers; it must be real")
    values = values.astype(np.float64, copy=False)
    if values.shape != t.shape:
        raise ValueError(
            f"the activation made shape {values.shape} from {t.shape}; it must work element by "
            "element"
        )
    if not np.all(np.isfinite(values)):
        example = t[~np.isfinite(values)].flat[0]
        raise ValueError(
            f"the activation is not finite at {example:g}, which projections can reach: scale the "
            "rows, or give one that is finite everywhere and grows no faster than a polynomial"
        )
    return values


def sums(
    values: NDArray[np.float64], leaves: _panels.Panels | None, n: int, terms: int
) -> tuple[Any, Any, Any]:
    """Sum coefficients (scales, terms), second and mirrored moments over panels and leaves."""
    shape = values.shape[1], -1
    even = (0.5 * (values[0] + values[1])).reshape(shape)
    odd = (0.5 * (values[0] - values[1])).reshape(shape)
    weights = _panels.table(n, terms)
    c = np.empty((values.shape[1], terms))
    c[:, ::2], c[:, 1::2] = even @ weights[:, ::2], odd @ weights[:, 1::2]
    squares = [part**2 @ weights[:, 0] for part in (even, odd)]
    if leaves is not None:
        _add_leaves(c, squares, leaves, n)
    return c, squares[0] + squares[1], squares[0] - squares[1]


def _add_leaves(c: NDArray[np.float64], squares: list[Any], leaves: _panels.Panels, n: int) -> None:
    """Add the sums of refined panels, in place."""
    at, share = _panels.points(n)
    count = c.shape[0]
    for start in range(0, leaves.scale.size, 1 << 11):
        batch = leaves.select(slice(start, start + (1 << 11)))
        width = (batch.high - batch.low)[:, None]
        g = batch.low[:, None] + width * at
        values = batch.coarse if n == _panels.POINTS else batch.fine
        right, left = values[:, 0], values[:, 1]
        root = _panels.root_of_density(g)
        weight = 2.0 * width * share * root
        parts = weight * 0.5 * (right + left), weight * 0.5 * (right - left)
        for total, part, sign in zip(squares, parts, (1.0, -1.0), strict=True):
            each = np.sum(part * 0.5 * (right + sign * left) * root, axis=1)
            total += np.bincount(batch.scale, each, count)
        for k, column in enumerate(_panels.hermite(g, c.shape[1])):
            c[:, k] += np.bincount(batch.scale, np.sum(parts[k % 2] * column, axis=1), count)


def _losses(leaves: _panels.Panels | None, n: int) -> tuple[Any, Any]:
    """Return the quadrature error of jumps and of unresolved panels."""
    if leaves is None:
        return np.zeros(n), np.zeros(n)
    loss = leaves.deviation * leaves.mass
    jumps = np.bincount(leaves.scale[leaves.jump], loss[leaves.jump], n)
    rest = ~leaves.jump
    squares = (leaves.deviation * loss)[rest]
    return jumps, np.bincount(leaves.scale[rest], squares, n) ** 0.5


@dataclass(frozen=True)
class Coefficients:
    """Coefficients of a(s g)/size and their errors, one row per scale s; `size` is max |a(s g)|.

    `c` (n, terms): 64 to 512 terms, doubled until the tail is below rounding. `second`, `mirror`:
    E a(s g)^2 and E a(s g) a(-s g), with error `second_error`. `error`: root sum of squares of the
    errors of `c`, from 16 to 24 points a panel, unresolved panels and rounding. `tail`: sqrt of
    t_n with these errors.
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
    terms = max(part.c.shape[1] for part in parts)
    # Terms that were not needed are 0 to rounding.
    parts = [
        replace(part, c=np.pad(part.c, ((0, 0), (0, terms - part.c.shape[1])))) for part in parts
    ]
    columns = ([getattr(part, column.name) for part in parts] for column in fields(Coefficients))
    return Coefficients(*(np.concatenate(column) for column in columns))


def _sampled(function: HostFunction, scales: NDArray[np.float64]) -> tuple[Any, Any, Any, Any]:
    """Return the function over its size at each scale: as a sampler, by both rules; the size."""
    coarse, fine = (at_nodes(function, scales, n) for n in (_panels.POINTS, _panels.FINER))
    largest = np.maximum(*(np.max(np.abs(v), axis=(0, 2, 3)) for v in (coarse, fine)))
    size = np.where(largest > 0.0, largest, 1.0)

    def sample(which: NDArray[np.int64], at: NDArray[np.float64]) -> tuple[Any, Any]:
        t = scales[which, None] * at
        return tuple(checked(function, sign * t) / size[which, None] for sign in (1.0, -1.0))

    return sample, coarse / size[:, None, None], fine / size[:, None, None], size


def _of_batch(function: HostFunction, scales: NDArray[np.float64]) -> Coefficients:
    sample, coarse, fine, size = _sampled(function, scales)
    leaves = _split_off(sample, coarse, fine)
    terms = _FEWEST_TERMS if leaves is None else MOST_TERMS
    finer = sums(fine, leaves, _panels.FINER, _FEWEST_TERMS)
    while True:
        c, second, mirror = sums(coarse, leaves, _panels.POINTS, terms)
        remainder = second - np.sum(c * c, axis=1)
        if terms >= MOST_TERMS or np.all(remainder <= 64 * _EPS * second):
            break
        terms *= 2
    # Error estimate: the difference from the finer rule, on the terms that it has.
    change = np.sum((finer[0] - c[:, :_FEWEST_TERMS]) ** 2, axis=1) ** 0.5
    jumps, unresolved = _losses(leaves, scales.size)
    shift = np.maximum(np.abs(finer[1] - second), np.abs(finer[2] - mirror))
    root = second**0.5
    error = change + unresolved + jumps + 32 * _EPS * root
    second_error = shift + 64 * _EPS * second + (2 * root + unresolved) * unresolved + 2 * jumps
    tail = np.sqrt(np.maximum(remainder, 0.0) + second_error + 2 * error * root)
    result = Coefficients(size, c, second, mirror, error, second_error, tail)
    return _constant_at_zero(function, scales, result)


def _split_off(
    sample: _panels.Sample, coarse: NDArray[np.float64], fine: NDArray[np.float64]
) -> _panels.Panels | None:
    """Remove unresolved panels from both rules, in place, and split them."""
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
    if not scale.size:
        return None
    ends = low[panel], low[panel] + _panels.PANEL
    return _panels.refined(sample, scale, *ends, mean_square)


def _constant_at_zero(
    function: HostFunction, scales: NDArray[np.float64], result: Coefficients
) -> Coefficients:
    """Set the coefficients of scale 0: every unit is a(0), without quadrature."""
    zero = scales == 0.0
    if np.any(zero):
        value = float(checked(function, np.zeros((1, 1)))[0, 0])
        result.size[zero] = 1.0
        result.c[zero] = 0.0
        result.c[zero, 0] = value
        result.second[zero] = result.mirror[zero] = value * value
        result.error[zero] = result.second_error[zero] = result.tail[zero] = 0.0
    return result


def pair_moment(
    function: HostFunction,
    rho: NDArray[np.float64],
    near: Any,
    far: Any,
    x_scale: Any,
    y_scale: Any,
) -> tuple[Any, Any]:
    """Compute E a(u) a(v) and an error bound on the host, by Mehler's series.

    Arguments broadcast; `near` and `far` are 1 - rho and 1 + rho.
    """
    scales, where = np.unique(
        np.concatenate([np.ravel(x_scale), np.ravel(y_scale)]), return_inverse=True
    )
    series = coefficients(function, scales)
    left = where[: np.size(x_scale)].reshape(np.shape(x_scale))
    right = where[np.size(x_scale) :].reshape(np.shape(y_scale))
    shape = np.broadcast_shapes(np.shape(rho), left.shape, right.shape)
    total = np.zeros(shape)
    for k in range(series.c.shape[1] - 1, -1, -1):
        total *= rho
        total += series.c[left, k] * series.c[right, k]
    tail = np.abs(rho) ** series.c.shape[1] * series.tail[left] * series.tail[right]
    x_root, y_root = series.second[left] ** 0.5, series.second[right] ** 0.5
    loss = series.error[left] * y_root + (x_root + series.error[left]) * series.error[right]
    bound = np.broadcast_to(tail + loss, shape)
    # A row with itself or with its opposite: a single integral without a tail.
    alike = left == right
    for gap, moment in ((near, series.second), (far, series.mirror)):
        ends = np.broadcast_to(alike & (gap == 0.0), shape)
        total = np.where(ends, moment[left], total)
        bound = np.where(ends, series.second_error[left], bound)
    factor = series.size[left] * series.size[right]
    return factor * total, factor * bound + _TINY
