"""Features of sequences: invariant ones as Grams of orbits, and sampled ones as maps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures

from .._tokens import Tokens
from ._data import haar_distance


def drawn(
    tokens: Tokens, n_templates: int, n_bins: int, seed: int, **options: Any
) -> GroupInvariantFeatures:
    """Draw CDF(n, m): Gaussian templates, 2n + 1 thresholds over three standard deviations."""
    window = 3.0 * np.sqrt(tokens.length / tokens.n_inputs)
    return GroupInvariantFeatures.draw(
        tokens.n_inputs,
        group=tokens.group,
        n_templates=n_templates,
        n_bins=n_bins,
        rule="paper",
        templates="gaussian",
        window=float(window),
        seed=seed,
        **options,
    )


def grams(
    tokens: Tokens, n_templates: Sequence[int], n_bins: int, seed: int
) -> Iterator[tuple[int, Any]]:
    """Return Grams of all orbits by the first m templates, for each m; all permutations."""
    phi = drawn(tokens, max(n_templates), n_bins, seed)
    rows = phi(tokens.one_hot(tokens.representatives))
    total, done = np.zeros((len(rows), len(rows))), 0
    for m in sorted(n_templates):
        part = rows[:, done * phi.bins.columns : m * phi.bins.columns]
        total, done = total + part @ part.T, m
        yield m, total * (phi.n_units / m)


def bag_of_words(tokens: Tokens) -> Any:
    """Return inner products of the counts of tokens."""
    return (tokens.counts @ tokens.counts.T).astype(float)


def haar(tokens: Tokens) -> Any:
    """Return the limit of many templates and bins, up to a constant that centring removes."""
    return -haar_distance(tokens)
