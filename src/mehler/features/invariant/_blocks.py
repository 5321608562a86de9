"""Projections of a block of rows on moved templates, a few templates at a time.

Values have shape (templates, elements, rows), as `_arrays.ecdf_at` counts them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mehler import _arrays

# Projections per piece: 2 MiB of float32.
VALUES = 1 << 19
# Numbers per piece on a GPU: 256 MiB of float32, comparisons with all thresholds included.
_ON_GPU = 1 << 26


def numbers_per_row(n_templates: int, n_elements: int, n_columns: int) -> int:
    """Return how many float32 a row takes on a GPU: projections, and a byte for each comparison."""
    return n_templates * n_elements * (1 + -(-n_columns // 4))


def count_below(
    project: Callable[[slice], _arrays.Array],
    sizes: tuple[int, int],
    xp: Any,
    rows: _arrays.Array,
    scale: _arrays.Array,
    thresholds: _arrays.Array,
) -> _arrays.Array:
    """Compute features of a block of rows: counts below the thresholds, times column scales.

    ``project(part)`` returns the values of the templates in a slice; sizes are the number of
    templates and of elements.
    """
    n_templates, n_elements = sizes
    if _arrays.is_on_accelerator(rows):
        most = _ON_GPU // numbers_per_row(1, n_elements, thresholds.shape[-1])
    else:
        most = VALUES // n_elements
    step = max(1, most // rows.shape[0])
    pieces = ((part, project(part)) for part in _arrays.slices(n_templates, step))
    return _arrays.ecdf_at(xp, pieces, thresholds, scale)


def on_orbit(xp: Any, rows: _arrays.Array, part: slice, orbit: _arrays.Array) -> _arrays.Array:
    """Compute products with stored moved templates, (m, r, d)."""
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
    """Compute products with templates (m, d) whose coordinates are moved a few at a time."""
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
    """Permute blocks: products of all blocks with all blocks, then sums of L of them.

    Places are (r, L^2), 1 where block a of the template meets block p of the row. No template is
    moved, and the cost of the sums does not grow with the width of a block.
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
    shape: tuple[int, ...], xp: Any, rows: _arrays.Array, part: slice, templates: _arrays.Array
) -> _arrays.Array:
    """Compute all cyclic shifts of images (signals have height 1) by one FFT correlation."""
    own = templates[part, :]
    n, c = rows.shape[0], own.shape[0]
    if shape[0] == 1:
        left, right = xp.fft.rfft(rows, axis=1), xp.conj(xp.fft.rfft(own, axis=1))
        values = xp.fft.irfft(right[:, None, :] * left[None, :, :], n=shape[1], axis=2)
    else:
        left = xp.fft.rfftn(xp.reshape(rows, (n, *shape)), axes=(1, 2))
        right = xp.conj(xp.fft.rfftn(xp.reshape(own, (c, *shape)), axes=(1, 2)))
        both = right[:, None, :, :] * left[None, :, :, :]
        values = xp.reshape(xp.fft.irfftn(both, s=shape, axes=(2, 3)), (c, n, -1))
    # Transforms are fastest along the last axis; a sum that long is fast there too.
    return xp.matrix_transpose(values)
