"""Draw templates t and group elements g of invariant features; project rows on moved ones, gt."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from mehler import _arrays, _random
from mehler._arrays import Array
from mehler.exact.orbits import TemplateLaw
from mehler.features.groups._group import Group

_LISTED = 1024  # order of the largest group that is shuffled whole for each template


def templates(law: TemplateLaw, seed: int, n_templates: int) -> tuple[Any, Any]:
    """Draw templates (m, d) in float64, and (m,) factors of their features: 0 for rejected ones."""
    d = law.n_inputs
    rows, factors = np.empty((n_templates, d)), np.ones(n_templates)
    for rng, units, there in _random.generators(seed, _random.TEMPLATES, 0, n_templates):
        # Whole blocks, so that the first templates do not depend on how many are requested.
        normal = rng.standard_normal((_random.UNITS_PER_BLOCK, d))[there]
        squares = (normal * normal).sum(axis=1)
        scale = np.full(len(normal), 1.0 / math.sqrt(d))
        if law.name in ("sphere", "redraw"):
            scale = (1.0 if law.name == "sphere" else _radii(law, squares)) / np.sqrt(squares)
        rows[units] = normal * scale[:, None]
        if law.name == "zero":
            factors[units] = squares < d * law.reach**2
    return rows, factors


def _radii(law: TemplateLaw, squares: Array) -> Any:
    """Map norms to those of templates drawn again until they are short enough: same quantiles."""
    from scipy.special import gammainc, gammaincinv

    half = 0.5 * law.n_inputs
    within = gammainc(half, half * law.reach**2)
    return np.sqrt(gammaincinv(half, within * gammainc(half, 0.5 * squares)) / half)


def own_elements(group: Group, seed: int, r: int, n_templates: int, *, replacement: bool) -> Any:
    """Draw r group elements, rows of k integers, for each of m templates: (m, r, k)."""
    parts = []
    for rng, _, there in _random.generators(seed, _random.ELEMENTS, 0, n_templates):
        n, whole = there.stop, _random.UNITS_PER_BLOCK
        if group.order > _LISTED:
            parts += [group.sample(r, rng, replacement=replacement)[None] for _ in range(n)]
            continue
        # Numbers for a whole block, so that the first templates do not depend on how many follow.
        if replacement:
            numbers = rng.integers(group.order, size=(whole, r))
        else:
            numbers = rng.permuted(np.tile(np.arange(group.order), (whole, 1)), axis=1)[:, :r]
        parts.append(group.elements()[numbers[:n]])
    return np.concatenate(parts)


def offsets(seed: int, n_templates: int) -> Any:
    """Draw a uniform fraction of a bin for each template, shape (m,)."""
    return _random.uniforms(seed, _random.THRESHOLDS, n_templates)


VALUES = 1 << 19  # projections per piece: 2 MiB of float32
# Numbers per piece on a GPU: 256 MiB of float32, comparisons with all thresholds included.
_ON_GPU = 1 << 26


def numbers_per_row(n_templates: int, n_elements: int, n_columns: int) -> int:
    """Return how many float32 a row takes on a GPU: projections, and a byte for each comparison."""
    return n_templates * n_elements * (1 + -(-n_columns // 4))


def count_below(
    project: Callable[[slice], Array],
    sizes: tuple[int, int],
    xp: ModuleType,
    rows: Array,
    scale: Array,
    thresholds: Array,
) -> Array:
    """Compute features of a block of rows: counts below the thresholds, times column scales."""
    n_templates, n_elements = sizes
    if _arrays.prefers_large_steps(rows):
        most = _ON_GPU // numbers_per_row(1, n_elements, thresholds.shape[-1])
    else:
        most = VALUES // n_elements
    step = max(1, most // max(1, rows.shape[0]))
    pieces = ((part, project(part)) for part in _arrays.slices(n_templates, step))
    return _arrays.ecdf_at(xp, pieces, thresholds, scale)


def on_orbit(xp: ModuleType, rows: Array, part: slice, orbit: Array) -> Array:
    """Compute products with stored moved templates, (m, r, d)."""
    images = orbit[part, :, :]
    c, r, d = images.shape
    flat = xp.matmul(xp.reshape(images, (c * r, d)), xp.matrix_transpose(rows))
    return xp.reshape(flat, (c, r, rows.shape[0]))


def on_moved(
    n_elements: int, xp: ModuleType, rows: Array, part: slice, templates: Array, *moves: Array
) -> Array:
    """Compute products with templates (m, d) moved a few at a time, by indices and signs."""
    index, *sign = moves
    batch = templates[part, :]
    images = xp.reshape(xp.take(batch, index, axis=1), (batch.shape[0], n_elements, batch.shape[1]))
    return on_orbit(xp, rows, slice(0, batch.shape[0]), images * sign[0] if sign else images)


def on_blocks(
    n_blocks: int, xp: ModuleType, rows: Array, part: slice, templates: Array, places: Array
) -> Array:
    """Multiply L blocks of templates with L of rows; sum by `places`, (r, L^2), of r elements."""
    n, d = rows.shape
    width = d // n_blocks
    tokens = xp.reshape(rows, (n, n_blocks, width))
    tokens = xp.reshape(xp.permute_dims(tokens, (2, 1, 0)), (width, n_blocks * n))
    batch = templates[part, :]
    c = batch.shape[0]
    products = xp.matmul(xp.reshape(batch, (c * n_blocks, width)), tokens)
    products = xp.reshape(products, (c, n_blocks * n_blocks, n))
    return xp.matmul(places, products)


def on_shifts(
    shape: tuple[int, ...], xp: ModuleType, rows: Array, part: slice, templates: Array
) -> Array:
    """Compute all cyclic shifts of images (signals have height 1) by one FFT correlation."""
    batch = templates[part, :]
    n, c = rows.shape[0], batch.shape[0]
    if shape[0] == 1:
        left, right = xp.fft.rfft(rows, axis=1), xp.conj(xp.fft.rfft(batch, axis=1))
        values = xp.fft.irfft(right[:, None, :] * left[None, :, :], n=shape[1], axis=2)
    else:
        left = xp.fft.rfftn(xp.reshape(rows, (n, *shape)), axes=(1, 2))
        right = xp.conj(xp.fft.rfftn(xp.reshape(batch, (c, *shape)), axes=(1, 2)))
        both = right[:, None, :, :] * left[None, :, :, :]
        values = xp.reshape(xp.fft.irfftn(both, s=shape, axes=(2, 3)), (c, n, -1))
    # Transforms are fastest along the last axis; a sum that long is fast there too.
    return xp.matrix_transpose(values)
