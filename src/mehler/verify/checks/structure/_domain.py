"""Domain: the set that the caller's rows seem to come from, for made-up rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

# Relative tolerance for rows of equal length.
_EQUAL = 1e-5
# Most given rows used, and least rows with mixtures.
MOST, LEAST = 20, 24


@dataclass(frozen=True)
class Domain:
    """The common properties of the caller's rows.

    `norm` is their median length; `sphere` or `simplex`: equal Euclidean or absolute lengths;
    `cube`: entries in [0, 1]; `discrete`: whole numbers, so that values in between may be
    meaningless.
    """

    n_inputs: int
    norm: float
    sphere: bool
    simplex: bool
    nonnegative: bool
    cube: bool
    discrete: bool

    @classmethod
    def of(cls, rows: Any) -> Domain:
        """Infer the domain from rows, a float64 matrix."""
        lengths = np.linalg.norm(rows, axis=1)
        sums = np.abs(rows).sum(axis=1)
        nonnegative = bool(rows.min() >= 0.0)
        return cls(
            n_inputs=rows.shape[1],
            norm=float(np.median(lengths)) or 1.0,
            sphere=_alike(lengths),
            simplex=_alike(sums),
            nonnegative=nonnegative,
            cube=nonnegative and bool(rows.max() <= 1.0),
            discrete=bool((rows == np.round(rows)).all()),
        )

    @property
    def scalable(self) -> bool:
        """Whether rows may be lengthened and shortened."""
        return not (self.sphere or self.simplex or self.discrete)

    def longest(self, rows: Any, norm: float) -> float:
        """Return `norm`, or the longest that the unit cube allows."""
        return min(norm, float(np.linalg.norm(rows, axis=1).max())) if self.cube else norm

    def keep(self, rows: Any, norm: float) -> Any:
        """Project made-up rows to the domain, with length `norm`."""
        if self.nonnegative:
            rows = np.abs(rows)
        if self.simplex:
            return rows / np.abs(rows).sum(axis=1, keepdims=True)
        if self.sphere:
            return norm * rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return np.minimum(rows, 1.0) if self.cube else rows


def looked_at(values: Any, seed: int) -> Any:
    """Return at most 20 of the rows, and mixtures up to 24 unless they are whole numbers."""
    n = values.shape[0]
    rows = values[np.unique(np.linspace(0, n - 1, min(n, MOST)).round().astype(int))]
    domain = Domain.of(rows.astype(np.float64))
    missing = LEAST - rows.shape[0]
    if domain.discrete or values.dtype.kind != "f" or rows.shape[0] < 2:
        return rows
    rng = np.random.default_rng(seed)
    i = rng.integers(rows.shape[0], size=missing)
    j = (i + rng.integers(1, rows.shape[0], size=missing)) % rows.shape[0]
    share = rng.uniform(0.2, 0.8, (missing, 1))
    mixed = share * rows[i].astype(np.float64) + (1.0 - share) * rows[j]
    mixed = mixed[np.linalg.norm(mixed, axis=1) > 1e-3 * domain.norm]
    if mixed.shape[0]:
        mixed = domain.keep(mixed, domain.norm)
    return np.concatenate([rows, mixed.astype(rows.dtype)])


def _alike(lengths: Any) -> bool:
    return bool(lengths.size > 1 and np.ptp(lengths) <= _EQUAL * lengths.max())
