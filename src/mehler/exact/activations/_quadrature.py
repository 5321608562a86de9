"""Quadrature of an activation over half a line: values, sums over panels, and errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.exact.activations import _panels, _rules

HostFunction = Callable[[Any], Any]


def at_nodes(function: HostFunction, scales: Any, n: int) -> Any:
    """Evaluate at the points of all panels: (sign, scales, panels, n)."""
    t = scales[:, None] * _rules.nodes(n).ravel()
    both = np.stack([checked(function, sign * t) for sign in (1.0, -1.0)])
    return both.reshape(2, scales.size, _rules.N_PANELS, n)


def checked(function: HostFunction, t: Any) -> Any:
    """Evaluate at t; ValueError unless values are finite and one per point."""
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


def sums(
    values: Any, sample: _panels.Sample, leaves: _panels.Panels | None, n: int, terms: int
) -> tuple[Any, Any, Any]:
    """Sum coefficients (scales, terms), second and mirrored moments over panels and leaves."""
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
    """Add the sums of refined panels, in place."""
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


def lost(leaves: _panels.Panels | None, n: int) -> tuple[Any, Any]:
    """Return the quadrature error of jumps and of unresolved panels."""
    if leaves is None:
        return np.zeros(n), np.zeros(n)
    lost = leaves.off**2 * leaves.mass
    jumps = np.bincount(leaves.scale[leaves.jump], (leaves.off * leaves.mass)[leaves.jump], n)
    rest = ~leaves.jump
    return jumps, np.bincount(leaves.scale[rest], lost[rest], n) ** 0.5
