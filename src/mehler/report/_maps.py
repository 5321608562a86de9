"""The rows that are measured, and the maps that the report compares on them."""

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
    GroupInvariantFeatures,
    KitchenSinks,
    MaxoutFeatures,
    groups,
    leverage,
)
from mehler.report._read import DataMatrix
from mehler.report.render._format import count, number

# Rows whose pairs are measured; fewer where a product with weights is long. Then the rows and the
# entries of the sample from which they are chosen.
MEASURED, _MEASURED_IF_WIDE, _WIDE = 12, 6, 2000
_MOST_ROWS, _MOST_ENTRIES = 1000, 4_000_000
# Least correlation of neighbouring columns, and over that of any two, to be taken for neighbours.
_ALIKE, _RATIO = 0.3, 1.5
# Bins of a template of an invariant map, and the most elements of a group.
_BINS, LARGEST_GROUP = 8, 256
# Time to move a template by one group element, in random numbers that could be drawn meanwhile.
_MOVING = 20
# Rows on which leverage scores are computed, how many features a pool has for one kept, and columns
# above which none is selected: a draw scores a whole pool.
_SCORED, _POOL, MOST_SCORED_COLUMNS = 64, 2, _WIDE // 2


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Rows drawn at random from those held, and what is known of them.

    `measured`: positions in `values` of the rows whose pairs are measured, the two nearest and
    the two most opposed in direction among them. `source`: positions of all rows in the source.
    """

    values: np.ndarray
    source: np.ndarray
    measured: np.ndarray
    median: float
    median_cityblock: float
    layout: tuple[int, ...]
    notes: tuple[str, ...]


def choose(rows: DataMatrix, rng: np.random.Generator) -> Sample:
    """Draw a sample of rows that fits in memory, and choose those that are measured."""
    held, d = rows.values.shape
    size = min(held, _MOST_ROWS, max(MEASURED, _MOST_ENTRIES // d))
    # In random order, so that the first rows are a sample too.
    index = rng.choice(held, size, replace=False)
    values, notes = rows.values[index], []
    if n := rows.n_zero_rows:
        notes.append(f"{n} {'row' if n == 1 else 'rows'} of zeros left out: no direction.")
    if size < held:
        notes.append(f"Statistics use {count(size)} rows chosen at random.")
    unit = directions(values)
    rho = np.where(np.eye(size, dtype=bool), np.nan, np.clip(unit @ unit.T, -1.0, 1.0))
    extremes = [*divmod(int(np.nanargmin(rho)), size), *divmod(int(np.nanargmax(rho)), size)]
    order = list(dict.fromkeys([*extremes, *rng.permutation(size).tolist()]))
    median, cityblock = (
        float(np.median(pdist(values[:200], metric))) or 1.0
        for metric in ("euclidean", "cityblock")
    )
    return Sample(
        values=values,
        source=rows.index[index],
        measured=np.sort(order[: MEASURED if d <= _WIDE else _MEASURED_IF_WIDE]),
        median=median,
        median_cityblock=cityblock,
        layout=_layout(values),
        notes=tuple(notes),
    )


def directions(values: np.ndarray) -> np.ndarray:
    """Normalise rows."""
    return np.asarray(values / np.linalg.norm(values, axis=1, keepdims=True))


def _layout(values: np.ndarray) -> tuple[int, ...]:
    """Return (s, s) for columns like pixels of a square, (d,) like steps of a sequence, else ()."""
    d = values.shape[1]
    if not 8 <= d <= 4096 or len(values) < 30:
        return ()
    centred = values - values.mean(axis=0)
    length = np.linalg.norm(centred, axis=0)
    centred = centred / np.where(length > 1e-9 * (length.max() or 1.0), length, np.inf)

    def alike(step: int) -> float:
        products = np.sum(centred[:, :-step] * centred[:, step:], axis=0)
        return float(np.mean(np.abs(products[products != 0.0]))) if products.any() else 0.0

    # Steps of golden ratio avoid the periods of either layout.
    far = max(alike(max(2, int(d * share))) for share in (0.38, 0.62))
    least = max(_ALIKE, _RATIO * far)
    side = round(d**0.5)
    if side * side == d and side >= 4 and min(alike(1), alike(side)) >= least:
        return (side, side)
    return (d,) if alike(1) >= least else ()


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A map and its setting on these rows; ``draw(n_features, seed=, like=)`` draws it.

    `cost` of a feature in random numbers, or as many as could be drawn meanwhile; `multiple`
    divides n_features. `unit`: rows are divided by their norms first. `dependent`: features depend
    on each other, so that a draw is one sample.
    """

    label: str
    setting: str = ""
    draw: Callable[..., Any]
    cost: float
    multiple: int = 1
    unit: bool = False
    dependent: bool = False

    def rounded(self, n_features: float) -> int:
        """Return the largest number of features up to this that the map may have, or the least."""
        return max(1, int(n_features) // self.multiple) * self.multiple

    def rows(self, values: np.ndarray) -> np.ndarray:
        """Return rows as the map takes them."""
        return directions(values) if self.unit else values


def candidates(sample: Sample) -> tuple[Candidate, ...]:
    """Return maps of every kind, with settings that suit the rows."""
    d = sample.values.shape[1]
    gamma, gamma1 = 0.5 / sample.median**2, 1.0 / sample.median_cityblock
    # Projections of standard deviation 1 at the median row.
    scale = 1.0 / float(np.median(np.linalg.norm(sample.values, axis=1)))
    spectra: dict[Literal["rbf", "laplacian", "matern"], dict[str, Any]] = {
        "rbf": {"gamma": gamma},
        "laplacian": {"gamma": gamma1},
        "matern": {"nu": 1.5, "length_scale": sample.median},
    }
    maps = [
        Candidate(
            label=f"Fourier features, {kernel}",
            setting=", ".join(f"{k} = {number(v)}" for k, v in given.items()) + ", by the median",
            draw=partial(FourierFeatures.draw, d, kernel=kernel, **given),
            cost=d / 2,
            multiple=2,
        )
        for kernel, given in spectra.items()
    ]
    rbf = maps[0].draw
    maps += [
        Candidate(
            label=f"Kitchen sinks, {name}",
            setting=f"weight_scale = {number(scale)}, 1 / median length",
            draw=partial(KitchenSinks.draw, d, activation=name, weight_scale=scale),
            cost=d,
        )
        for name in ("relu", "erf", "cos")
    ]
    maps += [
        Candidate(
            label=f"Maxout features, q = {q}",
            draw=partial(MaxoutFeatures.draw, d, pool_size=q),
            cost=q * d,
        )
        for q in ((2, 4, 16) if d <= _WIDE else (2, 4))
    ]
    # Fresh directions make the units independent draws.
    decoupled = partial(DecoupledMaxoutFeatures.draw, d, pool_size=2, directions="fresh")
    maps.append(Candidate(label="Decoupled maxout features, q = 2", draw=decoupled, cost=4 * d))
    if d <= MOST_SCORED_COLUMNS:
        rows = sample.values[:_SCORED]
        maps.append(
            Candidate(
                label="Leverage sampling of rbf",
                setting=f"1 of {_POOL} features, scores on {len(rows)} rows",
                draw=partial(_selected, rbf, rows),
                cost=_POOL * d / 2,
                multiple=2,
                dependent=True,
            )
        )
    return (*maps, *_invariant(sample, d))


def _selected(
    draw: Callable[..., Any], rows: np.ndarray, n_features: int, *, seed: int, like: Any = None
) -> Any:
    """Draw a pool, and select features of it by their leverage scores on rows."""
    pool = draw(_POOL * n_features, seed=seed)
    sampling = leverage.LeverageSampling(
        pool, n_features, lam=1e-3, mix=0.5, seed=seed, draws="iid", method="gram"
    )
    return sampling.fit(rows).to(like)


def _invariant(sample: Sample, d: int) -> list[Candidate]:
    """Return maps whose group suits images or sequences, if the rows look like them."""
    if not sample.layout:
        return []
    side = sample.layout[0]
    acting: dict[str, Any] = {"cyclic shifts": groups.CyclicShifts(d)}
    if len(sample.layout) == 2:
        acting = {
            "quarter turns": groups.QuarterTurns(side),
            "image shifts": groups.ImageShifts(side, side),
        }
    return [
        Candidate(
            label=f"Invariant features, {name}",
            setting=f"rows of norm 1, {group.order} elements, {_BINS} bins",
            draw=partial(GroupInvariantFeatures.draw, d, group=group, n_bins=_BINS),
            cost=d / (2 * _BINS) + _MOVING * group.order,
            multiple=2 * _BINS,
            unit=True,
        )
        for name, group in acting.items()
        if group.order <= LARGEST_GROUP
    ]
