"""Choose the rows of the user's data that a report measures, and the feature maps to compare."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from scipy.spatial.distance import pdist

from mehler.features import (
    DecoupledMaxoutFeatures,
    FourierFeatures,
    KitchenSinks,
    MaxoutFeatures,
    leverage,
)
from mehler.report._read import DataMatrix
from mehler.report.render._format import count, number

# Rows at whose pairs a kernel is checked; fewer above `_WIDE` columns, where draws take long.
MEASURED, _MEASURED_IF_WIDE, _WIDE = 12, 6, 2000
# Rows and entries, at most, of the sample from which they are chosen.
_MOST_ROWS, _MOST_ENTRIES = 1000, 4_000_000
# Rows on which leverage scores are computed, features of a pool for each that is selected, and
# columns above which none is: a draw scores a whole pool.
_SCORED, _POOL, _MOST_SCORED = 64, 2, _WIDE // 2


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A sample of rows with their places in the source; maps are checked at pairs of `probes`."""

    values: np.ndarray
    source: np.ndarray
    probes: np.ndarray
    notes: tuple[str, ...]


def choose(rows: DataMatrix, rng: np.random.Generator) -> Sample:
    """Draw a sample that fits in memory; its probes have the least and the largest cosine."""
    n_rows, d = rows.values.shape
    size = min(n_rows, _MOST_ROWS, max(MEASURED, _MOST_ENTRIES // d))
    index = rng.choice(n_rows, size, replace=False)  # in random order: the first are a sample too
    values, notes = rows.values[index], []
    if n := rows.n_zero_rows:
        notes.append(f"{n} {'row' if n == 1 else 'rows'} of zeros left out: no direction.")
    if size < n_rows:
        notes.append(f"Statistics use {count(size)} rows chosen at random.")
    if d > _MOST_SCORED:
        notes.append(f"Leverage scores are measured up to {count(_MOST_SCORED)} columns.")
    unit = values / np.linalg.norm(values, axis=1, keepdims=True)
    rho = np.where(np.eye(size, dtype=bool), np.nan, np.clip(unit @ unit.T, -1.0, 1.0))
    extremes = [*divmod(int(np.nanargmin(rho)), size), *divmod(int(np.nanargmax(rho)), size)]
    order = list(dict.fromkeys([*extremes, *rng.permutation(size).tolist()]))
    return Sample(
        values=values,
        source=rows.index[index],
        probes=np.sort(order[: MEASURED if d <= _WIDE else _MEASURED_IF_WIDE]),
        notes=tuple(notes),
    )


@dataclass(frozen=True, kw_only=True)
class MapLearner:
    """A map to compare, its cost in random numbers per feature, and if features are dependent."""

    label: str
    setting: str = ""
    draw: Callable[..., Any]
    cost: float
    multiple: int = 1
    dependent: bool = False

    def rounded(self, n_features: float) -> int:
        """Return the largest number of features up to this that the map may have, or the least."""
        return max(1, int(n_features) // self.multiple) * self.multiple


def candidates(sample: Sample) -> tuple[MapLearner, ...]:
    """Return maps of every kind, with settings that suit the rows."""
    d = sample.values.shape[1]
    median, cityblock = (
        float(np.median(pdist(sample.values[:200], metric))) or 1.0
        for metric in ("euclidean", "cityblock")
    )
    # Projections have standard deviation 1 at the row of median length.
    scale = 1.0 / float(np.median(np.linalg.norm(sample.values, axis=1)))
    spectra: dict[Literal["rbf", "laplacian", "matern"], dict[str, Any]] = {
        "rbf": {"gamma": 0.5 / median**2},
        "laplacian": {"gamma": 1.0 / cityblock},
        "matern": {"nu": 1.5, "length_scale": median},
    }
    maps = [
        MapLearner(
            label=f"Fourier features, {kernel}",
            setting=", ".join(f"{k} = {number(v)}" for k, v in options.items()) + ", by the median",
            draw=partial(FourierFeatures.draw, d, kernel=kernel, **options),
            cost=d / 2,
            multiple=2,
        )
        for kernel, options in spectra.items()
    ]
    rbf = maps[0].draw
    maps += [
        MapLearner(
            label=f"Kitchen sinks, {name}",
            setting=f"weight_scale = {number(scale)}, 1 / median length",
            draw=partial(KitchenSinks.draw, d, activation=name, weight_scale=scale),
            cost=d,
        )
        for name in ("relu", "erf", "cos")
    ]
    maps += [
        MapLearner(
            label=f"Maxout features, q = {q}",
            draw=partial(MaxoutFeatures.draw, d, pool_size=q),
            cost=q * d,
        )
        for q in ((2, 4, 16) if d <= _WIDE else (2, 4))
    ]
    # Fresh directions make the units independent draws.
    decoupled = partial(DecoupledMaxoutFeatures.draw, d, pool_size=2, directions="fresh")
    maps.append(MapLearner(label="Decoupled maxout features, q = 2", draw=decoupled, cost=4 * d))
    if d <= _MOST_SCORED:
        rows = sample.values[:_SCORED]
        maps.append(
            MapLearner(
                label="Leverage sampling of rbf",
                setting=f"1 of {_POOL} features, scores on {len(rows)} rows",
                draw=partial(_select, rbf, rows),
                cost=_POOL * d / 2,
                multiple=2,
                dependent=True,
            )
        )
    return tuple(maps)


def _select(
    draw: Callable[..., Any], rows: np.ndarray, n_features: int, *, seed: int, like: Any = None
) -> Any:
    """Draw a pool, and select features of it by their leverage scores on rows."""
    pool = draw(_POOL * n_features, seed=seed)
    sampling = leverage.LeverageSampling(
        pool, n_features, lam=1e-3, mix=0.5, seed=seed, draws="iid", method="gram"
    )
    return sampling.fit(rows).to(like)
