"""Errors of inner products over all pairs of rows, in independent draws of a map."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures
from mehler.statements import Context

# Most templates per map: features of a few rows stay below 100 MB.
_MOST = 20_000


def batches(
    context: Context, label: str, m: int, n_draws: int, *, shared: bool
) -> list[tuple[int, int]]:
    """Yield seeds of maps, and how many draws of m templates each serves.

    With the whole group templates are independent, so that one map of many templates is split; a
    sample of elements that templates share is drawn with each map.
    """
    each = 1 if shared else max(1, _MOST // m)
    sizes = [min(each, n_draws - start) for start in range(0, n_draws, each)]
    return [(context.seed_for(f"{label} {k}"), size) for k, size in enumerate(sizes)]


def drawn_products(
    context: Context, label: str, rows: Any, options: dict[str, Any], m: int, n_draws: int
) -> Any:
    """Return estimates at all pairs from n_draws maps of m templates: (n_draws, pairs)."""
    shared = options.get("n_elements") is not None
    found = [
        _products(seed, rows, options, m, maps)
        for seed, maps in batches(context, label, m, n_draws, shared=shared)
    ]
    return np.concatenate(found)


def _products(seed: int, rows: Any, options: dict[str, Any], m: int, maps: int) -> Any:
    """Split one map's templates into maps of m."""
    phi = GroupInvariantFeatures.draw(rows.shape[1], n_templates=maps * m, seed=seed, **options)
    parts = phi(rows).reshape(len(rows), maps, -1).swapaxes(0, 1)
    grams = maps * parts @ parts.swapaxes(1, 2)
    first, second = np.triu_indices(len(rows))
    return grams[:, first, second]


def limit(rows: Any, options: dict[str, Any]) -> Any:
    """Compute the kernel without bins and with the whole group, at all pairs."""
    exact = {**options, "rule": "dither", "n_elements": None}
    kernel = GroupInvariantFeatures.draw(rows.shape[1], n_templates=1, seed=0, **exact).kernel(rows)
    return kernel[np.triu_indices(len(rows))]
