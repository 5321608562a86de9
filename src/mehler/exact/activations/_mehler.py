r"""Mehler's series for any activation: one quadrature a length, one power series a pair.

.. math:: E\,a(s_x g)\,a(s_y g_\rho) = \sum_{k\ge0} \rho^k c_k(s_x) c_k(s_y),
          \qquad c_k(s) = E\,a(s g) h_k(g)

What is left out after n terms is at most :math:`|\rho|^n \sqrt{t_n(s_x) t_n(s_y)}` by Cauchy and
Schwarz, with :math:`t_n(s) = E\,a(s g)^2 - \sum_{k<n} c_k(s)^2`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mehler.exact.activations import _panels, _rules

MOST_TERMS = 512
_FEWEST_TERMS = 64
_EPS = float(np.finfo(np.float64).eps)
_TINY = float(np.finfo(np.float64).tiny)
# Scales whose values are held at a time: 15 MiB.
_SCALES = 256
_HostFunction = Callable[[Any], Any]


@dataclass(frozen=True)
class Coefficients:
    """What the series needs of each scale, for a(s g) over its largest value, `size`.

    Attributes
    ----------
    size : numpy.ndarray, shape (n,)
    c : numpy.ndarray, shape (n, terms)
        As many terms, doubled from 64 to 512, as bring the tail below rounding.
    second, mirror : numpy.ndarray, shape (n,)
        E a(s g)^2 and E a(s g) a(-s g).
    off : numpy.ndarray, shape (n,)
        Error of the coefficients, root of the sum of squares: from 16 to 24 points a panel, what
        panels were left unresolved, and rounding.
    off_second : numpy.ndarray, shape (n,)
        Error of `second` and `mirror`.
    tail : numpy.ndarray, shape (n,)
        sqrt of t_n, with these errors.
    """

    size: Any
    c: Any
    second: Any
    mirror: Any
    off: Any
    off_second: Any
    tail: Any


def coefficients(function: _HostFunction, scales: Any) -> Coefficients:
    """Coefficients at each scale; a scale of 0 is the constant a(0), exactly.

    Parameters
    ----------
    function : callable
        On NumPy arrays.
    scales : numpy.ndarray, shape (n,)
    """
    starts = range(0, max(1, scales.size), _SCALES)
    parts = [_of_some(function, scales[start : start + _SCALES]) for start in starts]
    terms = max(part.c.shape[1] for part in parts)
    if any(part.c.shape[1] < terms for part in parts):
        # Zeros are what the terms that were not needed are, to rounding.
        parts = [_padded(part, terms) for part in parts]
    columns = ([getattr(part, one.name) for part in parts] for one in fields(Coefficients))
    return Coefficients(*(np.concatenate(column) for column in columns))


def _padded(part: Coefficients, terms: int) -> Coefficients:
    values = {one.name: getattr(part, one.name) for one in fields(Coefficients)}
    values["c"] = np.pad(part.c, ((0, 0), (0, terms - part.c.shape[1])))
    return Coefficients(**values)


def _of_some(function: _HostFunction, scales: Any) -> Coefficients:
    coarse, fine = (_at(function, scales, n) for n in (_rules.POINTS, _rules.FINER))
    largest = np.maximum(*(np.max(np.abs(v), axis=(0, 2, 3)) for v in (coarse, fine)))
    size = np.where(largest > 0.0, largest, 1.0)
    coarse, fine = coarse / size[:, None, None], fine / size[:, None, None]
    # Roughly, for what is negligible.
    weight = _rules.table(_rules.FINER, 1)[:, 0].reshape(_rules.N_PANELS, -1)
    mean_square = np.sqrt(0.5 * np.einsum("snpi,pi->n", fine**2, weight))

    def sample(which: Any, at: Any) -> tuple[Any, Any]:
        t = scales[which, None] * at
        return tuple(_values(function, sign * t) / size[which, None] for sign in (1.0, -1.0))

    off = np.max(np.abs(coarse @ _rules.interpolation() - fine), axis=(0, 3))
    low = _rules.PANEL * np.arange(_rules.N_PANELS)
    mass = _panels.Panels(low, low, low + _rules.PANEL, low, low).mass
    rough = off * np.sqrt(mass) > _panels.TOLERANCE * mean_square[:, None]
    own, panel = np.nonzero(rough)
    for values in (coarse, fine):
        values[:, own, panel] = 0.0
    leaves = None
    if own.size:
        ends = low[panel], low[panel] + _rules.PANEL
        leaves = _panels.refined(sample, own, *ends, mean_square)
    terms = _FEWEST_TERMS if leaves is None else MOST_TERMS
    finer = _sums(fine, sample, leaves, _rules.FINER, _FEWEST_TERMS)
    while True:
        c, second, mirror = _sums(coarse, sample, leaves, _rules.POINTS, terms)
        left = second - np.sum(c * c, axis=1)
        if terms >= MOST_TERMS or np.all(left <= 64 * _EPS * second):
            break
        terms *= 2
    # The finer rule is the better one of what it has.
    change = np.sum((finer[0] - c[:, :_FEWEST_TERMS]) ** 2, axis=1) ** 0.5
    jumps, unresolved = _lost(leaves, scales.size)
    moved = np.maximum(np.abs(finer[1] - second), np.abs(finer[2] - mirror))
    root = second**0.5
    loss = change + unresolved + jumps + 32 * _EPS * root
    off_second = moved + 64 * _EPS * second + (2 * root + unresolved) * unresolved + 2 * jumps
    tail = np.sqrt(np.maximum(left, 0.0) + off_second + 2 * loss * root)
    found = Coefficients(size, c, second, mirror, loss, off_second, tail)
    return _constant_at_zero(function, scales, found)


def _constant_at_zero(function: _HostFunction, scales: Any, found: Coefficients) -> Coefficients:
    """Rows of zeros: every unit has the value at 0, and nothing is integrated."""
    zero = scales == 0.0
    if np.any(zero):
        value = float(_values(function, np.zeros((1, 1)))[0, 0])
        found.size[zero] = 1.0
        found.c[zero] = 0.0
        found.c[zero, 0] = value
        for moment in (found.second, found.mirror):
            moment[zero] = value * value
        for error in (found.off, found.off_second, found.tail):
            error[zero] = 0.0
    return found


def _at(function: _HostFunction, scales: Any, n: int) -> Any:
    """Values at the points of all panels: (sign, scales, panels, n)."""
    t = scales[:, None] * _rules.nodes(n).ravel()
    both = np.stack([_values(function, sign * t) for sign in (1.0, -1.0)])
    return both.reshape(2, scales.size, _rules.N_PANELS, n)


def _values(function: _HostFunction, t: Any) -> Any:
    at = np.asarray(function(t), dtype=np.float64)
    if at.shape != t.shape:
        raise ValueError(
            f"the activation made shape {at.shape} from {t.shape}; it must work element by element"
        )
    if not np.all(np.isfinite(at)):
        bad = t[~np.isfinite(at)].flat[0]
        raise ValueError(
            f"the activation is not finite at {bad:g}, which projections can reach: give one "
            "that is finite everywhere and grows no faster than a polynomial"
        )
    return at


def _sums(
    values: Any, sample: _panels.Sample, leaves: _panels.Panels | None, n: int, terms: int
) -> tuple[Any, Any, Any]:
    """Coefficients (scales, terms), second moments and mirrored ones, of panels and leaves."""
    shape = values.shape[1], -1
    even = (0.5 * (values[0] + values[1])).reshape(shape)
    odd = (0.5 * (values[0] - values[1])).reshape(shape)
    weights = _rules.table(n, terms)
    c = np.empty((values.shape[1], terms))
    c[:, ::2], c[:, 1::2] = even @ weights[:, ::2], odd @ weights[:, 1::2]
    squares = [part**2 @ weights[:, 0] for part in (even, odd)]
    if leaves is not None:
        _add_leaves(c, squares, sample, leaves, n)
    return c, squares[0] + squares[1], squares[0] - squares[1]


def _add_leaves(
    c: Any, squares: list[Any], sample: _panels.Sample, leaves: _panels.Panels, n: int
) -> None:
    """The same of panels of their own, added in place."""
    at, share = _rules.points(n)
    count = c.shape[0]
    for start in range(0, leaves.scale.size, 1 << 11):
        some = leaves.chosen(slice(start, start + (1 << 11)))
        width = (some.high - some.low)[:, None]
        g = some.low[:, None] + width * at
        right, left = sample(some.scale, g)
        root = _rules.root_of_density(g)
        weight = 2.0 * width * share * root
        parts = weight * 0.5 * (right + left), weight * 0.5 * (right - left)
        for total, part, sign in zip(squares, parts, (1.0, -1.0), strict=True):
            each = np.sum(part * 0.5 * (right + sign * left) * root, axis=1)
            total += np.bincount(some.scale, each, count)
        for k, column in enumerate(_rules.hermite(g, c.shape[1])):
            c[:, k] += np.bincount(some.scale, np.sum(parts[k % 2] * column, axis=1), count)


def _lost(leaves: _panels.Panels | None, n: int) -> tuple[Any, Any]:
    """What panels do not have: as wide as a jump is sharp; root mean square of unresolved ones."""
    if leaves is None:
        return np.zeros(n), np.zeros(n)
    lost = leaves.off**2 * leaves.mass
    jumps = np.bincount(leaves.scale[leaves.jump], (leaves.off * leaves.mass)[leaves.jump], n)
    rest = ~leaves.jump
    return jumps, np.bincount(leaves.scale[rest], lost[rest], n) ** 0.5


def pair_moment(
    function: _HostFunction, rho: Any, near: Any, far: Any, x_scale: Any, y_scale: Any
) -> tuple[Any, Any]:
    """E function(u) function(v) on the host and a bound for its error, by Mehler's series.

    Parameters
    ----------
    function : callable
    rho, near, far, x_scale, y_scale : numpy.ndarray
        Of shapes that broadcast together; near and far are 1 - rho and 1 + rho.

    Returns
    -------
    value, error : numpy.ndarray
    """
    scales, where = np.unique(
        np.concatenate([np.ravel(x_scale), np.ravel(y_scale)]), return_inverse=True
    )
    of = coefficients(function, scales)
    left = where[: np.size(x_scale)].reshape(np.shape(x_scale))
    right = where[np.size(x_scale) :].reshape(np.shape(y_scale))
    shape = np.broadcast_shapes(np.shape(rho), left.shape, right.shape)
    total = np.zeros(shape)
    for k in range(of.c.shape[1] - 1, -1, -1):
        total *= rho
        total += of.c[left, k] * of.c[right, k]
    tail = np.abs(rho) ** of.c.shape[1] * of.tail[left] * of.tail[right]
    x_root, y_root = (of.second[one] ** 0.5 for one in (left, right))
    loss = of.off[left] * y_root + x_root * of.off[right] + of.off[left] * of.off[right]
    bound = np.broadcast_to(tail + loss, shape)
    # One row with itself, or with its opposite: a single integral, and nothing is left out.
    alike = left == right
    for gap, moment in ((near, of.second), (far, of.mirror)):
        ends = np.broadcast_to(alike & (gap == 0.0), shape)
        total = np.where(ends, moment[left], total)
        bound = np.where(ends, of.off_second[left], bound)
    factor = of.size[left] * of.size[right]
    return factor * total, factor * bound + _TINY
