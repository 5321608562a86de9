"""Accuracy against the number of training samples, for invariant features and controls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import learn
from mehler.reproduce._draws import between, paired_interval, spread, with_errors
from mehler.reproduce._experiment import Cell, Measured, Page, Table
from mehler.statements import Plot

_LAMBDAS = tuple(10.0 ** np.arange(-8.0, 0.0))


@dataclass(frozen=True)
class Comparison:
    """The features compared, by key and label, which are invariant and which controls, and sizes N.

    The best of the invariant features is compared with the controls.
    """

    labels: Mapping[str, str]
    invariant: Sequence[str]
    controls: Sequence[str]
    sizes: Sequence[int]


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
    chosen = np.random.default_rng(seed).permutation(len(train[1]))[: max(sizes)]
    rows, labels = train[0][chosen], train[1][chosen]
    found: Measured = {}
    for name, phi in maps.items():
        z, z_test = phi(rows), phi(test[0])
        found[name] = []
        for n in sizes:
            codes, classes = learn.one_vs_all(labels[:n])
            fit = learn.ridge(
                lambda rows: rows, z[:n], codes, lambdas=_LAMBDAS, scoring="error_rate"
            )
            said = classes[fit.predict(z_test).argmax(axis=1)]
            found[name].append(float(np.mean(said == test[1])))
    return found


def page(comparison: Comparison, found: list[tuple[Cell, Measured]]) -> Page:
    """Return a table, curves with error bars, and a verdict for each training size."""
    sizes = comparison.sizes
    accuracy = {
        name: np.array([measured[name] for _, measured in found]) for name in comparison.labels
    }
    rows = [
        [label, *(spread(values, 3) for values in accuracy[name].T)]
        for name, label in comparison.labels.items()
    ]
    series = [
        with_errors(label, sizes, accuracy[name]) for name, label in comparison.labels.items()
    ]
    plot = Plot(
        title="Accuracy over the training sample",
        x_label="number of training samples",
        x_log=True,
        y_label="share of test rows that are right",
        series=series,
        caption="Mean over draws of sample and templates, with its standard error.",
    )
    table = Table(
        "Share of test rows that are right, mean ± standard deviation over draws",
        ("features", *(f"N = {n}" for n in sizes)),
        rows,
    )
    verdicts = [
        verdict(comparison, n, {name: values[:, k] for name, values in accuracy.items()})
        for k, n in enumerate(sizes)
    ]
    return Page(verdicts=verdicts, tables=(table,), plots=(plot,))


def verdict(comparison: Comparison, n: int, accuracy: Mapping[str, Any]) -> str:
    """Describe whether invariance pays at N samples, paired over draws."""
    tried = comparison.invariant
    best = max(tried, key=lambda name: accuracy[name].mean())
    # The best is chosen by the compared quantity, so use intervals that hold for all at once.
    told, said = f"99 % for the best of {len(tried)}", []
    for other in comparison.controls:
        gain = accuracy[best] - accuracy[other]
        mean, low, high = paired_interval(gain, looks=len(tried))
        word = "more than" if low > 0 else "fewer than" if high < 0 else "not told apart from"
        said.append(
            f"{word} {comparison.labels[other]} (difference {mean:+.3f}, "
            f"{between(low, high, '+.3f', told=told)})"
        )
    return (
        f"With {n} training samples the best of the invariant features, "
        f"{comparison.labels[best]}, get {accuracy[best].mean():.3f} right: {'; '.join(said)}; "
        f"over {len(accuracy[best])} draws."
    )
