"""Counting how many projections on moved templates lie below each threshold.

Values of one block stand as (templates, elements, rows): rows are contiguous and the counted axis
is not, so that every addition runs over long rows. No array has elements and thresholds both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mehler import _arrays

# Projections of one piece: a megabyte of float32.
VALUES = 1 << 18

Project = Callable[..., Any]


def count_below(
    project: Project,
    n_templates: int,
    n_elements: int,
    n_columns: int,
    xp: Any,
    rows: _arrays.Array,
    scale: _arrays.Array,
    thresholds: _arrays.Array,
    *weights: Any,
) -> _arrays.Array:
    """Features of a block of rows: counts below the thresholds, times the columns' scale.

    `project(xp, rows, part, *weights)` gives the values of the templates in a slice. Thresholds
    are (K,) for all templates or (m, K), scale is (m K,).
    """
    n_rows = rows.shape[0]
    step = max(1, VALUES // (n_elements * n_rows))
    counted = []
    for part in _arrays.slices(n_templates, step):
        values = project(xp, rows, part, *weights)
        own = thresholds[part, :] if thresholds.ndim == 2 else thresholds
        columns = []
        for k in range(n_columns):
            tau = own[:, k][:, None, None] if own.ndim == 2 else own[k]
            columns.append(_arrays.count_true(xp, values <= tau, 1))
        counted.append(xp.stack(columns, axis=1))
    counts = xp.concat(counted, axis=0) if len(counted) > 1 else counted[0]
    counts = xp.reshape(xp.permute_dims(counts, (2, 0, 1)), (n_rows, n_templates * n_columns))
    return xp.astype(counts, rows.dtype) * scale


def on_orbit(xp: Any, rows: _arrays.Array, part: slice, orbit: _arrays.Array) -> _arrays.Array:
    """Products with moved templates that are kept, (m, r, d)."""
    moved = orbit[part, :, :]
    c, r, d = moved.shape
    flat = xp.matmul(xp.reshape(moved, (c * r, d)), xp.matrix_transpose(rows))
    return xp.reshape(flat, (c, r, rows.shape[0]))


def on_moved(
    n_elements: int,
    xp: Any,
    rows: _arrays.Array,
    part: slice,
    templates: _arrays.Array,
    index: _arrays.Array,
    sign: _arrays.Array | None = None,
) -> _arrays.Array:
    """Products with templates (m, d) whose coordinates are moved here, a few at a time."""
    moved = xp.take(templates[part, :], index, axis=1)
    c, d = moved.shape[0], templates.shape[1]
    moved = xp.reshape(moved, (c, n_elements, d))
    if sign is not None:
        moved = moved * sign
    return on_orbit(xp, rows, slice(0, c), moved)


def on_blocks(
    n_blocks: int,
    xp: Any,
    rows: _arrays.Array,
    part: slice,
    templates: _arrays.Array,
    places: _arrays.Array,
) -> _arrays.Array:
    """Permuted blocks: products of all blocks with all blocks, then sums of L of them.

    Places are (r, L^2), 1 where block a of the template meets block p of the row. No template is
    moved, and the cost does not grow with the width of a block.
    """
    n, d = rows.shape
    width = d // n_blocks
    tokens = xp.reshape(rows, (n, n_blocks, width))
    tokens = xp.reshape(xp.permute_dims(tokens, (2, 1, 0)), (width, n_blocks * n))
    own = templates[part, :]
    c = own.shape[0]
    met = xp.matmul(xp.reshape(own, (c * n_blocks, width)), tokens)
    met = xp.reshape(met, (c, n_blocks * n_blocks, n))
    return xp.matmul(places, met)


def on_shifts(
    shape: tuple[int, ...],
    xp: Any,
    rows: _arrays.Array,
    part: slice,
    templates: _arrays.Array,
) -> _arrays.Array:
    """All cyclic shifts of images (or signals, of height 1): one correlation by FFT."""
    own = templates[part, :]
    n, c = rows.shape[0], own.shape[0]
    axes = (1, 2)
    left = xp.fft.rfftn(xp.reshape(rows, (n, *shape)), axes=axes)
    right = xp.conj(xp.fft.rfftn(xp.reshape(own, (c, *shape)), axes=axes))
    both = right[:, None, :, :] * left[None, :, :, :]
    values = xp.fft.irfftn(both, s=shape, axes=(2, 3))
    values = xp.reshape(values, (c, n, shape[0] * shape[1]))
    return xp.matrix_transpose(values)
