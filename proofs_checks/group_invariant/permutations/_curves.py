"""Accuracies of the permutation experiment, with fresh targets, split and templates per draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mehler import learn

from .._tokens import Tokens
from ._data import Split, Task
from ._features import bag_of_words, drawn, grams, haar
from ._learning import accuracy, by_neighbour, learned

LAMBDAS = 10.0 ** np.arange(-11.0, 0.0)


def draw_of(tokens: Tokens, seed: int, per_class: int) -> tuple[Task, Split]:
    """Draw targets and a training set."""
    rng = np.random.Generator(np.random.Philox(seed))
    task = Task.drawn(tokens, rng)
    return task, task.split(rng, per_class)


def of_gram(gram: Any, task: Task, split: Split) -> float:
    """Test accuracy of least squares on features of which only the Gram matters."""
    values = learned(gram, task.labels, task.counted(split.train))
    return accuracy(values, task.labels, task.counted(split.test))


def of_map(phi: Any, task: Task, split: Split, n_test: int | None = None) -> float:
    """Test accuracy of `mehler.learn.ridge` on features that know the order of tokens."""
    tokens = task.tokens
    grid, orbit = tokens.everything
    test = split.test if n_test is None else split.test[:: max(1, len(split.test) // n_test)]
    x, z = (tokens.one_hot(grid[rows]) for rows in (split.train, test))
    fit = learn.ridge(phi, x, task.labels[orbit[split.train]], lambdas=LAMBDAS)
    return float(np.mean((fit.predict(z) >= 0) == (task.labels[orbit[test]] > 0)))


def raw(rows: Any) -> Any:
    """Return one-hot rows as they are."""
    return rows


def over_templates(
    tokens: Tokens,
    seeds: Sequence[int],
    per_class: int,
    templates: Sequence[int],
    bins: Sequence[int],
) -> dict[int, Any]:
    """Return the accuracy over templates for each number of bins n: (draws, templates)."""
    found: dict[int, list[list[float]]] = {n: [] for n in bins}
    for seed in seeds:
        task, split = draw_of(tokens, seed, per_class)
        for n in bins:
            several = grams(tokens, templates, n, seed)
            found[n].append([of_gram(gram, task, split) for _, gram in several])
    return {n: np.array(rows) for n, rows in found.items()}


def over_training(
    tokens: Tokens, seeds: Sequence[int], sizes: Sequence[int], templates: Sequence[int], bins: int
) -> dict[str, Any]:
    """Return the accuracy over rows a class, for each kind of features: (draws, sizes)."""
    found: dict[str, list[list[float]]] = {}
    for seed in seeds:
        known = {"bag of words": bag_of_words(tokens)}
        known |= {f"CDF({bins},{m})": gram for m, gram in grams(tokens, templates, bins, seed)}
        known["Haar kernel"] = haar(tokens)
        splits = [draw_of(tokens, seed, size) for size in sizes]
        for name, gram in known.items():
            row = [of_gram(gram, task, split) for task, split in splits]
            found.setdefault(name, []).append(row)
        found.setdefault("raw", []).append([of_map(raw, *both) for both in splits])
    return {name: np.array(rows) for name, rows in found.items()}


def over_elements(
    tokens: Tokens,
    seeds: Sequence[int],
    per_class: int,
    elements: Sequence[int],
    size: tuple[int, int],
    *,
    replacement: bool = False,
    n_test: int | None = None,
) -> Any:
    """Return the accuracy over numbers r of permutations at one size: (draws, elements)."""
    n, m = size
    found = []
    for seed in seeds:
        task, split = draw_of(tokens, seed, per_class)
        options = {"replacement": replacement}
        maps = [drawn(tokens, m, n, seed, n_elements=r, **options) for r in elements]
        found.append([of_map(phi, task, split, n_test) for phi in maps])
    return np.array(found)


def over_neighbours(
    tokens: Tokens, seeds: Sequence[int], sizes: Sequence[int], templates: Sequence[int], bins: int
) -> dict[str, Any]:
    """Return the accuracy of the nearest neighbour over rows a class: (draws, sizes).

    Of bag of words, where most distances tie, also with all ties given to one class.
    """
    found: dict[str, list[list[float]]] = {}
    for seed in seeds:
        known = {"bag of words": bag_of_words(tokens)}
        known |= {f"CDF({bins},{m})": gram for m, gram in grams(tokens, templates, bins, seed)}
        known["Haar kernel"] = haar(tokens)
        ways: list[tuple[str, Any, float | None]] = [(*one, None) for one in known.items()]
        for ties in (1.0, -1.0):
            ways.append((f"bag of words, ties {ties:+.0f}", known["bag of words"], ties))
        for name, gram, given in ways:
            row = []
            for size in sizes:
                task, split = draw_of(tokens, seed, size)
                train, test = (task.counted(rows) for rows in (split.train, split.test))
                row.append(by_neighbour(gram, task.labels, train, test, ties=given))
            found.setdefault(name, []).append(row)
    return {name: np.array(rows) for name, rows in found.items()}
