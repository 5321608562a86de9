"""Draw templates, elements and offsets on the host, one stream per block of templates."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from mehler import _random
from mehler.exact.orbits import TemplateLaw
from mehler.features.groups._group import Group

# Largest group that is shuffled whole for each template.
_LISTED = 1024


def templates(law: TemplateLaw, seed: int, n_templates: int) -> tuple[Any, Any]:
    """Draw templates (m, d) in float64, and 1 or 0 (m,) for kept or rejected."""
    d = law.n_inputs
    found = np.empty((n_templates, d))
    kept = np.ones(n_templates)
    for rng, units in _blocks(seed, _random.TEMPLATES, n_templates):
        # Whole blocks, so that the first templates do not depend on how many are requested.
        normal = rng.standard_normal((_random.UNITS_PER_BLOCK, d))[: units.stop - units.start]
        squares = (normal * normal).sum(axis=1)
        if law.name == "sphere":
            scale = 1.0 / np.sqrt(squares)
        elif law.name == "redraw":
            scale = _radii(law, squares) / np.sqrt(squares)
        else:
            scale = np.full(len(normal), 1.0 / math.sqrt(d))
        found[units] = normal * scale[:, None]
        if law.name == "zero":
            kept[units] = squares < d * law.reach**2
    return found, kept


def _radii(law: TemplateLaw, squares: Any) -> Any:
    """Map norms to the distribution of those short enough, by quantiles.

    Redrawing a template until it is short enough has the distribution of any template with its norm
    moved to the same quantile of the shorter ones.
    """
    from scipy.special import gammainc, gammaincinv

    half = 0.5 * law.n_inputs
    within = gammainc(half, half * law.reach**2)
    return np.sqrt(gammaincinv(half, within * gammainc(half, 0.5 * squares)) / half)


def shared_elements(group: Group, seed: int, r: int, *, replacement: bool) -> Any:
    """Draw elements for all templates, shape (r, k)."""
    rng = _random.generator(seed, _random.ELEMENTS, 0)
    return group.sample(r, rng, replacement=replacement)


def own_elements(group: Group, seed: int, r: int, n_templates: int, *, replacement: bool) -> Any:
    """Draw elements for each template, shape (m, r, k)."""
    parts = []
    for rng, units in _blocks(seed, _random.ELEMENTS, n_templates):
        if group.order <= _LISTED:
            chosen = _choices(rng, group.order, r, replacement)[: units.stop - units.start]
            parts.append(group.elements()[chosen])
        else:
            several = range(units.stop - units.start)
            parts.append(np.stack([group.sample(r, rng, replacement=replacement) for _ in several]))
    return np.concatenate(parts)


def _choices(rng: np.random.Generator, order: int, r: int, replacement: bool) -> Any:
    """Draw element numbers for a whole block of templates, shape (64, r)."""
    if replacement:
        return rng.integers(order, size=(_random.UNITS_PER_BLOCK, r))
    everything = np.tile(np.arange(order), (_random.UNITS_PER_BLOCK, 1))
    return rng.permuted(everything, axis=1)[:, :r]


def offsets(seed: int, n_templates: int) -> Any:
    """Draw a uniform fraction of a bin for each template, shape (m,)."""
    return _random.by_blocks(seed, _random.THRESHOLDS, n_templates, lambda rng, n: rng.random(n))


def _blocks(seed: int, stream: int, n_units: int) -> Iterator[tuple[np.random.Generator, slice]]:
    for block, start in enumerate(range(0, n_units, _random.UNITS_PER_BLOCK)):
        units = slice(start, min(start + _random.UNITS_PER_BLOCK, n_units))
        yield _random.generator(seed, stream, block), units
