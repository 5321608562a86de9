"""Survey the correlations among rows, and choose pairs that cover their range."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Up to this many rows all pairs are computed (18 million); beyond, those of as many random rows.
ALL_PAIRS_UP_TO = 6000
_CANDIDATE_ROWS = 1000
_STRATA = 32
_BINS = 80
_BLOCK = 512


@dataclass(frozen=True, kw_only=True)
class Correlations:
    """A histogram of correlations among rows, and pairs that cover their range.

    `complete`: all pairs were computed; `pairs`, shape (p, 2), include the two extremes.
    """

    counts: np.ndarray
    edges: np.ndarray
    n_pairs: int
    complete: bool
    low: float
    high: float
    pairs: np.ndarray
    rho: np.ndarray


def survey(values: np.ndarray, n_pairs: int, rng: np.random.Generator) -> Correlations:
    """Compute correlations of nonzero rows, and choose at most `n_pairs` pairs over their range."""
    n = values.shape[0]
    rows = np.arange(n) if n <= ALL_PAIRS_UP_TO else rng.choice(n, ALL_PAIRS_UP_TO, replace=False)
    unit = directions(values[rows])
    counts, edges, extremes = _scan(unit)
    chosen = _stratified(unit, extremes, n_pairs, rng)
    rho = np.clip(np.sum(unit[chosen[:, 0]] * unit[chosen[:, 1]], axis=1), -1.0, 1.0)
    order = np.argsort(rho, kind="stable")
    return Correlations(
        counts=counts,
        edges=edges,
        n_pairs=rows.size * (rows.size - 1) // 2,
        complete=rows.size == n,
        low=float(rho.min()),
        high=float(rho.max()),
        pairs=rows[chosen[order]],
        rho=rho[order],
    )


def directions(values: np.ndarray) -> np.ndarray:
    """Normalise rows, dividing by their largest entry first, whose square might overflow."""
    scaled = values / np.max(np.abs(values), axis=1, keepdims=True)
    return np.asarray(scaled / np.linalg.norm(scaled, axis=1, keepdims=True))


def _scan(unit: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[tuple[int, int]]]:
    """Return the histogram of all pairs i < j, and the pairs of the extremes."""
    n = unit.shape[0]
    edges = np.linspace(-1.0, 1.0, _BINS + 1)
    counts = np.zeros(_BINS, dtype=np.int64)
    lowest, highest = (np.inf, (0, 1)), (-np.inf, (0, 1))
    for start in range(0, n - 1, _BLOCK):
        stop = min(start + _BLOCK, n)
        rho = np.clip(unit[start:stop] @ unit[start:].T, -1.0, 1.0)
        later = np.triu(np.ones(rho.shape, dtype=bool), 1)
        counts += np.histogram(rho[later], edges)[0]
        low = int(np.argmin(np.where(later, rho, np.inf)))
        high = int(np.argmax(np.where(later, rho, -np.inf)))
        for flat, is_low in ((low, True), (high, False)):
            i, j = divmod(flat, rho.shape[1])
            found = (float(rho[i, j]), (start + i, start + j))
            if is_low and found[0] < lowest[0]:
                lowest = found
            if not is_low and found[0] > highest[0]:
                highest = found
    return counts, edges, [lowest[1], highest[1]]


def _stratified(
    unit: np.ndarray, extremes: list[tuple[int, int]], n_pairs: int, rng: np.random.Generator
) -> np.ndarray:
    """Return pairs of random rows, spread as evenly over strata of correlation as possible."""
    rows = np.sort(rng.permutation(unit.shape[0])[:_CANDIDATE_ROWS])
    first, second = np.triu_indices(rows.size, 1)
    rho = (unit[rows] @ unit[rows].T)[first, second]
    edges = np.linspace(rho.min(), np.nextafter(rho.max(), np.inf), _STRATA + 1)
    stratum = np.clip(np.searchsorted(edges, rho, side="right") - 1, 0, _STRATA - 1)
    shuffled = rng.permutation(rho.size)
    # Random rank within each stratum; low ranks of all strata come first.
    by_stratum = shuffled[np.argsort(stratum[shuffled], kind="stable")]
    sizes = np.bincount(stratum, minlength=_STRATA)
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    rank = np.arange(rho.size) - np.repeat(starts, sizes)
    picked = by_stratum[np.argsort(rank, kind="stable")[:n_pairs]]
    pairs = {*extremes, *zip(rows[first[picked]].tolist(), rows[second[picked]].tolist())}
    kept = [*dict.fromkeys(extremes), *sorted(pairs - set(extremes))]
    return np.array(kept[: max(n_pairs, 2)], dtype=np.int64)
