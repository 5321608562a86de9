"""Figures of the permutation experiment: accuracy over templates and bins, elements, rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mehler.statements import Context, Plot, Series

from . import _curves as curves
from ._data import PAPER
from ._exact import alone


def seeds_for(context: Context, label: str, n_draws: int) -> list[int]:
    """Return seeds of independent draws."""
    return [context.seed_for(f"{label} {i}") for i in range(n_draws)]


def over_templates(context: Context) -> Plot:
    """Return the accuracy over templates, a curve for each number of bins."""
    n_draws, per_class = (1, 100) if context.quick else (10, 2000)
    templates = (1, 5, 25) if context.quick else (1, 5, 10, 25, 50, 100)
    bins = (5, 25) if context.quick else (5, 10, 25, 50)
    seeds = seeds_for(context, "templates", n_draws)
    found = curves.over_templates(PAPER, seeds, per_class, templates, bins)
    x = np.log10(templates)
    lines = [_series(f"CDF({n}, m)", x, rows) for n, rows in found.items()]
    counted = [float(1 - k * alone(PAPER, per_class)) for k in (2, 1)]
    names = ("counts by least squares", "best linear rule of counts")
    lines += [
        Series(label=name, x=[x[0], x[-1]], y=[value, value])
        for name, value in zip(names, counted, strict=True)
    ]
    return Plot(
        title="Sequences of 5 tokens out of 8: accuracy over templates",
        x_label="log10 of the number of templates m",
        y_label="test accuracy",
        series=lines,
        caption=(
            f"{_of(n_draws)} {per_class} sequences a class to learn from, all other test "
            "sequences; n bins on each side of 0. Horizontal: exact values for counts of tokens."
        ),
    )


def over_training(context: Context) -> Plot:
    """Return the accuracy over rows a class, a curve for each kind of features."""
    n_draws = 1 if context.quick else 10
    sizes = (10, 50, 100) if context.quick else (10, 50, 100, 500, 2000)
    seeds = seeds_for(context, "training", n_draws)
    found = curves.over_training(PAPER, seeds, sizes, (10, 25), 25)
    return Plot(
        title="Sequences of 5 tokens out of 8: accuracy over training rows",
        x_label="log10 of the training sequences a class",
        y_label="test accuracy",
        series=[_series(name, np.log10(sizes), rows) for name, rows in found.items()],
        caption=f"{_of(n_draws)} CDF(n, m) has n bins on each side of 0 and m templates.",
    )


def over_elements(context: Context) -> Plot:
    """Return the accuracy over the number of permutations, drawn with and without replacement."""
    n_draws, per_class = (1, 100) if context.quick else (10, 2000)
    elements: Sequence[int] = (2, 30, 120) if context.quick else (2, 5, 10, 30, 60, 90, 120)
    seeds = seeds_for(context, "elements", n_draws)
    lines = [
        _series(
            "independent" if replacement else "distinct",
            np.log10(elements),
            curves.over_elements(
                PAPER,
                seeds,
                per_class,
                elements,
                (5, 25),
                replacement=replacement,
                n_test=1000 if context.quick else 5000,
            ),
        )
        for replacement in ((False,) if context.quick else (False, True))
    ]
    return Plot(
        title="Sequences of 5 tokens out of 8: accuracy over permutations",
        x_label="log10 of the number r of permutations",
        y_label="test accuracy",
        series=lines,
        caption=(
            f"{_of(n_draws)} CDF(5, 25), {per_class} sequences a class to learn from, the same "
            "r random permutations for all templates; 120 distinct ones are the whole group."
        ),
    )


def _series(label: str, x: Any, rows: Any) -> Series:
    """Return means over draws, with the least and the largest."""
    if len(rows) == 1:
        return Series(label=label, x=x, y=rows[0])
    return Series(
        label=label,
        x=x,
        y=rows.mean(axis=0),
        kind="points",
        y_low=rows.min(axis=0),
        y_high=rows.max(axis=0),
    )


def _of(n_draws: int) -> str:
    if n_draws == 1:
        return "One draw of targets, split and templates."
    return f"Mean, least and largest of {n_draws} draws of targets, split and templates."
