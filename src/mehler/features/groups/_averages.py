"""Averages, over pairs of elements, of functions of the norms and inner product of two vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.features.groups._group import Group

Pairwise = Callable[[Any, Any, Any], Any]

# Triples (norm, norm, product) per piece: a few arrays of them stay in cache.
_TRIPLES = 1 << 16
# Most pairs of elements of a list: more would take too long.
_MOST_PAIRS = 10**8


def over_pairs(group: Group, x: Any, z: Any, of: Pairwise) -> tuple[Any, Any]:
    """Compute means of of(|a|, |b|, <a, b>) over a = g' x, b = h' z, g' the transpose of g.

    Returns the mean over independent g and h, and that over g = h, both (n, k), for float64 rows
    on the host. For a group of orthogonal maps one average over the elements suffices.
    """
    independent, equal = np.empty((2, len(x), len(z)))
    for rows, columns, values, same in _blocks(group, x, z, of):
        independent[rows, columns] = values.mean(axis=tuple(range(2, values.ndim)))
        equal[rows, columns] = same.mean(axis=tuple(range(2, same.ndim)))
    return independent, equal


def each_pair(group: Group, x: Any, z: Any, of: Pairwise) -> Any:
    """Compute the values themselves, not their mean.

    (n, k, N) for 1/g h on a group, identity first; else (n, k, N, N).
    """
    n = group.order
    out = np.empty((len(x), len(z), *((n,) if _one_average(group) else (n, n))))
    for rows, columns, values, _ in _blocks(group, x, z, of):
        out[rows, columns] = values
    return out


def _one_average(group: Group) -> bool:
    return group.closed and group.orthogonal


def _blocks(group: Group, x: Any, z: Any, of: Pairwise) -> Iterator[tuple[slice, slice, Any, Any]]:
    walk = _on_group if _one_average(group) else _on_list
    for rows, columns, geometry, same in walk(group, x, z):
        yield rows, columns, of(*_consistent(*geometry)), of(*_consistent(*same))


def _on_group(group: Group, x: Any, z: Any) -> Iterator[Any]:
    moved = group.apply(z)  # (N, k, d)
    lengths = [np.sqrt((rows * rows).sum(axis=1)) for rows in (x, z)]
    for rows, columns in _tiles(len(x), len(z), group.order):
        left, right = lengths[0][rows, None], lengths[1][None, columns]
        inner = np.moveaxis(x[rows] @ np.swapaxes(moved[:, columns], 1, 2), 0, 2)
        plain = x[rows] @ z[columns].T
        yield rows, columns, (left[..., None], right[..., None], inner), (left, right, plain)


def _on_list(group: Group, x: Any, z: Any) -> Iterator[Any]:
    pairs = group.order**2
    if pairs > _MOST_PAIRS:
        raise ValueError(
            f"{group!r} is no group, so its kernel is a mean over {group.order}^2 pairs of "
            "elements: take fewer of them, group.drawn(1000, seed=0)"
        )
    a, b = (np.moveaxis(group.transpose(rows), 0, 1) for rows in (x, z))  # (n, N, d)
    lengths = [np.sqrt((rows * rows).sum(axis=2)) for rows in (a, b)]
    for rows, columns in _tiles(len(x), len(z), pairs):
        left = lengths[0][rows, None, :, None]
        right = lengths[1][None, columns, None, :]
        inner = np.einsum("nid,kjd->nkij", a[rows], b[columns], optimize=True)
        same = (left[..., 0], right[..., 0, :], np.einsum("nkii->nki", inner))
        yield rows, columns, (left, right, inner), same


def _tiles(n: int, k: int, each: int) -> Iterator[tuple[slice, slice]]:
    wide = max(1, min(k, _TRIPLES // each))
    tall = max(1, _TRIPLES // (each * wide))
    for rows in _arrays.slices(n, tall):
        for columns in _arrays.slices(k, wide):
            yield rows, columns


def _consistent(left: Any, right: Any, inner: Any) -> tuple[Any, Any, Any]:
    """Treat vectors equal up to rounding as equal: |a - b| = 0, not 1e-8."""
    longest = left * right
    close = np.abs(left - right) <= 1e-15 * (left + right)
    return left, right, np.where(close & (longest - inner <= 1e-14 * longest), longest, inner)
