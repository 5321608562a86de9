"""Accuracies of the permutation experiment: do two target tokens both occur in a sequence?

An orbit is the set of all orders of a sequence; there are o = 792. Invariant features are equal on
an orbit, so that ridge regression on thousands of sequences follows from the Gram (o, o) of one row
per orbit and the `counts` of sequences in it. CDF(n, m) are such features: at n bins the law of <t,
g x> over all orders g, for m random templates t. Their limit is the Haar kernel. Each draw, of a
seed, has fresh targets, split and templates.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mehler import learn

from .._tokens import Tokens
from ._task import Split, Task, bag_of_words, draw_map, grams, haar

LAMBDAS = 10.0 ** np.arange(-11.0, 0.0)
SHARES = 10.0 ** np.arange(-9.0, 0.25, 0.5)  # ridges, as fractions of the Gram's trace


def ridge_values(gram: Any, labels: Any, counts: Any) -> Any:
    """Return values of ridge regression at all orbits (o,), fitted to `counts` sequences of each.

    The ridge is that of least leave-one-out error: a sequence is left out, not its whole orbit.
    """
    present = counts > 0
    c, y = counts[present].astype(float), labels[present]
    total = c.sum()
    share = c / total
    means = gram[:, present] @ share
    centred = gram[:, present] - means[:, None] - means[present] + share @ means[present]
    root = np.sqrt(c)
    values, vectors = np.linalg.eigh(root[:, None] * centred[present] * root)
    values = np.maximum(values, 0.0)
    middle = share @ y
    projected = vectors.T @ (root * (y - middle))
    ridges = SHARES * values.sum()
    shrinkage = values[:, None] / (values[:, None] + ridges)
    residuals = (y - middle)[:, None] - vectors @ (shrinkage * projected[:, None]) / root[:, None]
    leverage = 1.0 / total + (vectors * vectors) @ shrinkage / c[:, None]
    left_out = share @ (residuals / np.maximum(1.0 - leverage, 2.0**-52)) ** 2
    ridge = ridges[np.argmin(left_out)]
    return middle + centred @ (root * (vectors @ (projected / (values + ridge))))


def accuracy(values: Any, labels: Any, counts: Any) -> float:
    """Compute the fraction of the `counts` sequences whose value has the sign of their label."""
    return float(counts @ ((values >= 0) == (labels > 0)) / counts.sum())


def by_neighbour(
    gram: Any, labels: Any, train: Any, test: Any, *, ties: float | None = None
) -> float:
    """Compute the accuracy of the nearest training sequence; ties by class `ties` or chance."""
    present = train > 0
    norms = np.diag(gram)
    square = norms[:, None] + norms[present] - 2.0 * gram[:, present]
    # Many neighbours are at equal distance: rounding must not decide between them.
    near = square <= square.min(axis=1, keepdims=True) + 1e-9 * square.max()
    weight = near * train[present]
    if ties is not None:
        preferred = weight * (labels[present] == ties)
        weight = np.where(preferred.any(axis=1)[:, None], preferred, weight)
    right = (weight * (labels[:, None] == labels[present])).sum(axis=1) / weight.sum(axis=1)
    return float(test @ right / test.sum())


def draw_of(tokens: Tokens, seed: int, per_class: int) -> tuple[Task, Split]:
    rng = np.random.Generator(np.random.Philox(seed))
    task = Task.draw(tokens, rng)
    return task, task.split(rng, per_class)


def of_gram(gram: Any, task: Task, split: Split) -> float:
    """Test accuracy of least squares on features of which only the Gram matters."""
    values = ridge_values(gram, task.labels, task.counted(split.train))
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
    return rows


def _kinds(tokens: Tokens, seed: int, templates: Sequence[int], bins: int) -> dict[str, Any]:
    """Return the Gram matrices of invariant features, by their names."""
    invariant = {f"CDF({bins},{m})": gram for m, gram in grams(tokens, templates, bins, seed)}
    return {"bag of words": bag_of_words(tokens), **invariant, "Haar kernel": haar(tokens)}


def over_templates(
    tokens: Tokens,
    seeds: Sequence[int],
    per_class: int,
    templates: Sequence[int],
    bins: Sequence[int],
) -> dict[int, Any]:
    """Return the accuracy over templates for each number of bins n: (draws, templates)."""
    accuracies: dict[int, list[list[float]]] = {n: [] for n in bins}
    for seed in seeds:
        task, split = draw_of(tokens, seed, per_class)
        for n in bins:
            several = grams(tokens, templates, n, seed)
            accuracies[n].append([of_gram(gram, task, split) for _, gram in several])
    return {n: np.array(rows) for n, rows in accuracies.items()}


def over_training(
    tokens: Tokens, seeds: Sequence[int], sizes: Sequence[int], templates: Sequence[int], bins: int
) -> dict[str, Any]:
    """Return the accuracy over rows per class, for each kind of features: (draws, sizes)."""
    accuracies: dict[str, list[list[float]]] = {}
    for seed in seeds:
        kinds = _kinds(tokens, seed, templates, bins)
        splits = [draw_of(tokens, seed, size) for size in sizes]
        for name, gram in kinds.items():
            row = [of_gram(gram, task, split) for task, split in splits]
            accuracies.setdefault(name, []).append(row)
        accuracies.setdefault("raw", []).append([of_map(raw, *both) for both in splits])
    return {name: np.array(rows) for name, rows in accuracies.items()}


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
    accuracies = []
    for seed in seeds:
        task, split = draw_of(tokens, seed, per_class)
        options = {"replacement": replacement}
        maps = [draw_map(tokens, m, n, seed, n_elements=r, **options) for r in elements]
        accuracies.append([of_map(phi, task, split, n_test) for phi in maps])
    return np.array(accuracies)


def over_neighbours(
    tokens: Tokens, seeds: Sequence[int], sizes: Sequence[int], templates: Sequence[int], bins: int
) -> dict[str, Any]:
    """Return the accuracy of the nearest neighbour over rows per class: (draws, sizes).

    Of bag of words, where most distances tie, also with all ties given to one class.
    """
    accuracies: dict[str, list[list[float]]] = {}
    for seed in seeds:
        kinds = _kinds(tokens, seed, templates, bins)
        classifiers: list[tuple[str, Any, float | None]] = [
            (name, gram, None) for name, gram in kinds.items()
        ]
        for ties in (1.0, -1.0):
            classifiers.append((f"bag of words, ties {ties:+.0f}", kinds["bag of words"], ties))
        for name, gram, preferred in classifiers:
            row = []
            for size in sizes:
                task, split = draw_of(tokens, seed, size)
                train, test = (task.counted(rows) for rows in (split.train, split.test))
                row.append(by_neighbour(gram, task.labels, train, test, ties=preferred))
            accuracies.setdefault(name, []).append(row)
    return {name: np.array(rows) for name, rows in accuracies.items()}
