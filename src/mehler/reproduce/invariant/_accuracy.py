"""Accuracy against the number of training samples, for invariant features and controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import FourierFeatures, GroupInvariantFeatures, learn
from mehler.reproduce._experiment import Cell, Level, Measured, Page
from mehler.reproduce._results import Results, curves, paired_interval, table

_LAMBDAS = tuple(10.0 ** np.arange(-8.0, 0.0))
# Bins on each side of 0.
BINS = 8
_CONTROLS = ("none", "fourier")


@dataclass(frozen=True)
class World:
    """Rows of unit length and labels, and the groups that move templates, by name.

    `known` rows may be learnt from and the others tested on; None if the rows are not split.
    """

    level: Level
    X: Any
    y: Any
    known: int | None
    moves: Mapping[str, Any]


@dataclass(frozen=True)
class Comparison:
    """The features compared, by key and label: rows as they are, two controls, invariant ones.

    Training sizes and numbers of templates are by level.
    """

    labels: Mapping[str, str]
    sizes: Mapping[Level, Sequence[int]]
    templates: Mapping[Level, int]

    @property
    def invariant(self) -> list[str]:
        """Keys of the invariant features, of which the best is compared with the controls."""
        return [name for name in list(self.labels)[1:] if name not in _CONTROLS]


def maps(comparison: Comparison, world: World, seed: int) -> dict[str, Any]:
    """Return maps by name: rows as they are, Fourier features, and moved templates.

    All maps have as many columns, and the same templates and bins.
    """
    like, n_templates = world.X[:1], comparison.templates[world.level]
    d = like.shape[1]
    invariant = {
        name: GroupInvariantFeatures.draw(
            d, group=group, n_templates=n_templates, n_bins=BINS, seed=seed, like=like
        )
        for name, group in world.moves.items()
    }
    # Rows have length 1: exp(-1) at right angles.
    columns = 2 * BINS * n_templates
    fourier = FourierFeatures.draw(d, columns, gamma=0.5, seed=seed, like=like)
    return {next(iter(comparison.labels)): lambda rows: rows, "fourier": fourier, **invariant}


def accuracies(
    maps: Mapping[str, Callable[[Any], Any]],
    train: tuple[Any, Any],
    test: tuple[Any, Any],
    sizes: Sequence[int],
    seed: int,
) -> Measured:
    """Return test accuracies of each map over the training sizes.

    The sample of size N is the first N rows of one sample without replacement, so that features of
    each row are computed once. Ridge regression, lambda by leave-one-out.
    """
    order = np.random.default_rng(seed).permutation(len(train[1]))[: max(sizes)]
    rows, labels = train[0][order], train[1][order]
    measured: Measured = {}
    for name, phi in maps.items():
        z, z_test = phi(rows), phi(test[0])
        measured[name] = [right_by_ridge(z[:n], labels[:n], z_test, test[1]) for n in sizes]
    return measured


def right_by_ridge(
    z: NDArray[np.floating],
    labels: NDArray[np.int64],
    z_test: NDArray[np.floating],
    truth: NDArray[np.int64],
) -> float:
    """Return the fraction of test rows that least squares gets right, lambda by leave-one-out."""
    codes, classes = learn.one_vs_all(labels)
    fit = learn.ridge(lambda rows: rows, z, codes, lambdas=_LAMBDAS, scoring="error_rate")
    return float(np.mean(classes[fit.predict(z_test).argmax(axis=1)] == truth))


def page(comparison: Comparison, level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return a table, curves with error bars, and a verdict for each training size."""
    sizes = comparison.sizes[level]
    accuracy = {name: Results(cells).values(name) for name in comparison.labels}
    labelled = {label: accuracy[name] for name, label in comparison.labels.items()}
    return Page(
        verdicts=[
            verdict(comparison, n, {name: values[:, k] for name, values in accuracy.items()})
            for k, n in enumerate(sizes)
        ],
        tables=(
            table(
                "Share of test rows that are right, mean ± standard deviation over draws",
                ("features", *(f"N = {n}" for n in sizes)),
                {label: values.T for label, values in labelled.items()},
                digits=3,
            ),
        ),
        plots=(
            curves(
                "Accuracy over the training sample",
                "number of training samples",
                sizes,
                "share of test rows that are right",
                labelled,
                "Mean over draws of sample and templates, with its standard error.",
            ),
        ),
    )


def verdict(comparison: Comparison, n: int, accuracy: Mapping[str, Any]) -> str:
    """Describe whether invariance pays at N samples, paired over draws."""
    tried = comparison.invariant
    best = max(tried, key=lambda name: accuracy[name].mean())
    sentences = []
    for other in _CONTROLS:
        # The best is chosen by the compared quantity, so use intervals that hold for all at once.
        interval = paired_interval(accuracy[best] - accuracy[other], looks=len(tried))
        word = interval.word("fewer than", "more than", "not told apart from")
        ends = interval.ends("+.3f", level=f"99 % for the best of {len(tried)}")
        sentences.append(
            f"{word} {comparison.labels[other]} (difference {interval.mean:+.3f}, {ends})"
        )
    return (
        f"With {n} training samples the best of the invariant features, "
        f"{comparison.labels[best]}, get {accuracy[best].mean():.3f} right: "
        f"{'; '.join(sentences)}; over {len(accuracy[best])} draws."
    )
