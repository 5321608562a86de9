"""Choose the rows of all statistics, and tell images and sequences by their columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler.report._read import DataMatrix
from mehler.report.render._format import count

# Rows whose pairs are measured; fewer where a product with weights is long. Then the rows and the
# entries of the sample from which they are chosen.
MEASURED, MEASURED_IF_WIDE, WIDE = 12, 6, 2000
_MOST_ROWS, _MOST_ENTRIES = 1000, 4_000_000
_LOWEST, _HIGHEST = -100, 100  # exponents of two at which a product of four lengths is safe
# Least correlation of neighbouring columns, and over that of any two, to be taken for neighbours.
_ALIKE, _RATIO = 0.3, 1.5


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
    values, notes = _moderate(rows.values[index])
    if rows.n_zero_rows:
        n = rows.n_zero_rows
        notes.append(f"{n} {'row' if n == 1 else 'rows'} of zeros left out: no direction.")
    if size < rows.n_rows:
        notes.append(f"Statistics use {count(size)} rows chosen at random.")
    unit = directions(values)
    rho = np.clip(unit @ unit.T, -1.0, 1.0)
    low, high = (divmod(int(i), size) for i in _extremes(rho))
    others = rng.permutation(size)
    measured = np.sort(
        list(dict.fromkeys([*low, *high, *others.tolist()]))[
            : MEASURED if d <= WIDE else MEASURED_IF_WIDE
        ]
    )
    return Sample(
        values=values,
        source=rows.index[index],
        measured=measured,
        median=_median(values, "euclidean"),
        median_cityblock=_median(values, "cityblock"),
        layout=_layout(values),
        notes=tuple(notes),
    )


def directions(values: np.ndarray) -> np.ndarray:
    """Normalise rows, dividing by their largest entry first, whose square might overflow."""
    scaled = values / np.max(np.abs(values), axis=1, keepdims=True)
    return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True))


def _moderate(values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Scale rows whose kernel would overflow or vanish to lengths in [1, 2], by powers of two."""
    _, exponent = np.frexp(np.max(np.abs(values), axis=1, keepdims=True))
    odd = (exponent < _LOWEST) | (exponent > _HIGHEST)
    if not odd.any():
        return values, []
    scaled = np.where(odd, np.ldexp(values, -exponent), values)
    return scaled, [f"{int(odd.sum())} rows of extreme length scaled by a power of two."]


def _extremes(rho: np.ndarray) -> tuple[Any, Any]:
    """Return the flat positions of the least and the largest correlation of two rows."""
    apart = ~np.eye(len(rho), dtype=bool)
    return np.argmin(np.where(apart, rho, np.inf)), np.argmax(np.where(apart, rho, -np.inf))


def _median(values: np.ndarray, metric: Any) -> float:
    """Return the median distance of two of at most 200 rows; 1 if most rows are equal."""
    from scipy.spatial.distance import pdist

    return float(np.median(pdist(values[:200], metric))) or 1.0


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
