"""Enumerate the outcomes of draws from a small pool, with their probabilities."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from mehler.features.leverage import _draws

Outcome = tuple[float, Any, Any]


def independent(q: Any, n: int) -> Iterator[Outcome]:
    """Yield probability, counts and expected counts of n draws with replacement."""
    for drawn in itertools.product(range(q.size), repeat=n):
        yield float(np.prod(q[list(drawn)])), np.bincount(drawn, minlength=q.size), n * q


def systematic(q: Any, n: int) -> Iterator[Outcome]:
    """Enumerate systematic draws: counts are constant between finitely many starts."""
    yield from _by_start(n * q, n)


def without_replacement(q: Any, n: int) -> Iterator[Outcome]:
    """Enumerate draws of each member at most once."""
    yield from _by_start(_draws.inclusion(q, n), n)


def _by_start(expected: Any, n: int) -> Iterator[Outcome]:
    ends = np.unique(np.concatenate([[0.0, 1.0], np.cumsum(expected) % 1.0]))
    for low, high in itertools.pairwise(ends):
        yield float(high - low), _draws.points_in(expected, n, (low + high) / 2), expected


def pool(rng: np.random.Generator, n_rows: int, n_features: int, spread: float = 2.0) -> Any:
    """Compute sqrt2 cos(wx + b) on Gaussian rows, shape (n_rows, n_features)."""
    x = rng.standard_normal(n_rows)
    w, b = spread * rng.standard_normal(n_features), 2 * np.pi * rng.random(n_features)
    return np.sqrt(2) * np.cos(np.outer(x, w) + b)
