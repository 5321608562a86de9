"""Measure maps on the user's rows: scores, and one kernel."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np

from mehler._arrays import slices
from mehler.report import _scores
from mehler.report._jobs import Task, failed, fresh_context, pay
from mehler.report._maps import (
    LARGEST_GROUP,
    MOST_SCORED_COLUMNS,
    Candidate,
    Sample,
    candidates,
    choose,
)
from mehler.report._model import DataResult, Score
from mehler.report._read import DIGITS, DataMatrix, standardized
from mehler.report.render._format import count, number
from mehler.statements import Context, Evidence, Plot, Series
from mehler.verify import Entry, check_kernel

# Rows whose bytes are made contiguous at a time, maps that a picture shows, features of a draw that
# is checked, and the ratio of the columns' deviations from which standardising them is tried.
_BLOCK, _DRAWN, _FEATURES, _UNLIKE = 1000, 4, 1024, 3.0
_EXAMPLES = ("Fourier features, rbf", "Kitchen sinks, relu", "Maxout features, q = 4")


class Survey:
    """The measurements on rows: a task a learner, and the result that follows from theirs."""

    def __init__(self, rows: DataMatrix, context: Context, settings: Mapping[str, Any]) -> None:
        self.context, self._settings = context.for_statement("data"), settings
        self.rows, self._scaling = self._scaled(rows)
        self._sample, self._task = self._prepared(self.rows)
        self._maps = candidates(self._sample)
        if rows.name == DIGITS:  # an example: one map of a family
            self._maps = tuple(one for one in self._maps if one.label in _EXAMPLES)
        task, learners = self._task, (_scores.BOOSTING, _scores.RAW, *self._maps)
        self.tasks: list[Task[tuple[str, str, tuple[Score, ...]]]] = []
        if isinstance(task, _scores.Task):
            self.tasks = [partial(_measured, learner, task, settings) for learner in learners]

    def _prepared(self, rows: DataMatrix) -> tuple[Sample, _scores.Task | str]:
        return choose(rows, self.context.rng("rows")), _scores.task_of(rows, self.context)

    def _scaled(self, rows: DataMatrix) -> tuple[DataMatrix, str]:
        """Standardise the columns if that improves the score beyond the intervals."""
        spread = np.std(rows.values, axis=0)
        spread = spread[spread > 0]
        alike = not spread.size or spread.max() < _UNLIKE * spread.min()
        values = rows.values if alike or rows.target is None else standardized(rows.values)
        if values is rows.values or not np.any(values, axis=1).all():
            return rows, ""
        other = replace(rows, values=values)
        best: list[Any] = []
        measure = ""
        for each in (rows, other):
            sample, task = self._prepared(each)
            if isinstance(task, str):
                return rows, ""
            few, measure = replace(task, sizes=task.sizes[:3]), task.measure
            scores = _scores.scores_of(candidates(sample)[0], few, self.context)
            best.append(max((s for s in scores if s.interval), key=lambda s: s.rank, default=None))
        plain, scaled = best
        if scaled is None or (plain and scaled.interval[0] <= plain.interval[1]):
            return rows, ""
        raw = f"{number(plain.value, digits=3)} as they are" if plain else "none as they are"
        first = f"Columns are standardized: {measure} is {number(scaled.value, digits=3)} then"
        return other, f"{first}, and {raw} ({scaled.map})."

    def result(self, scores: Sequence[Score]) -> DataResult:
        """Join what the tasks return, and check the kernel of the best map."""
        rows, sample, task = self.rows, self._sample, self._task
        maps = {one.label: one for one in self._maps}
        of_maps = [s for s in scores if s.value is not None and s.map in maps]
        best = max(of_maps, key=lambda s: s.rank, default=None)
        enough = best and min(
            (s for s in of_maps if s.map == best.map and s.rank >= (best.interval or (0.0,))[0]),
            key=lambda s: s.n_features,
        )
        checked = maps[best.map] if best else self._maps[0]
        evidence, entries = check_on_rows(
            self._maps[0] if checked.dependent else checked, sample, self._settings
        )
        return DataResult(
            name=rows.name,
            example=rows.name == DIGITS,
            n_rows=rows.n_rows,
            n_columns=rows.values.shape[1],
            n_zero_rows=rows.n_zero_rows,
            digest=_digest(rows),
            columns=tuple(
                {"name": name, "low": float(low), "high": float(high)}
                for name, low, high in zip(rows.columns, rows.lows, rows.highs)
            ),
            warnings=rows.warnings,
            choices=rows.choices,
            notes=(*sample.notes, *_map_notes(sample)),
            target=rows.target_name,
            measure=task.measure if isinstance(task, _scores.Task) else "",
            scores=tuple(scores),
            best=best,
            enough=enough,
            no_score=task if isinstance(task, str) else "",
            scaling=self._scaling,
            score_method=task.method if isinstance(task, _scores.Task) else "",
            settings={one.label: one.setting for one in self._maps},
            measured=tuple(int(sample.source[i]) for i in sample.measured),
            evidence=tuple(pay(self.context.ledger, [evidence], entries)),
            plots=(score_plot(scores, task),) if best and isinstance(task, _scores.Task) else (),
        )


def _measured(
    learner: Any, task: _scores.Task, settings: Mapping[str, Any]
) -> tuple[str, str, tuple[Score, ...]]:
    scores = _scores.scores_of(learner, task, fresh_context(settings, "data"))
    return scores[0].map, "measured", scores


def _digest(rows: DataMatrix) -> str:
    digest = sha256(repr(rows.columns).encode())
    for part in slices(len(rows.values), _BLOCK):
        digest.update(rows.values[part].tobytes())
    if rows.target is not None:
        digest.update(repr(rows.target.tolist()).encode())
    return digest.hexdigest()


def _map_notes(sample: Sample) -> list[str]:
    """Say which maps the rows call for, and which they forbid."""
    notes, layout, d = [], sample.layout, sample.values.shape[1]
    if layout:
        kind = f"images of {layout[0]} × {layout[0]}" if len(layout) == 2 else "sequences"
        notes.append(f"Neighbouring columns are alike, so rows are taken for {kind} too")
        if d > LARGEST_GROUP:
            notes[0] += f"; of their shifts, {count(d)} in number, no average is taken"
        notes[0] += "."
    if d > MOST_SCORED_COLUMNS:
        notes.append(f"Leverage scores are measured up to {count(MOST_SCORED_COLUMNS)} columns.")
    return notes


def check_on_rows(
    one: Candidate, sample: Sample, settings: Mapping[str, Any]
) -> tuple[Evidence, tuple[Entry, ...]]:
    """Compare the mean empirical Gram with the exact kernel at all pairs of the measured rows.

    Values are in units of sqrt(k(x,x) k(y,y)). An exception is evidence of status ``"error"``.
    """
    context = fresh_context(settings, "data")
    rows = one.rows(sample.values[sample.measured])
    # The budget of random numbers shows 12 standard errors, for variances of 6 k(x,x) k(y,y): 30.
    finest, budget = (0.05, 20e6) if context.quick else (0.03, 600e6)
    resolution = min(1.0, max(finest, 30.0 * math.sqrt(one.cost / budget)))
    try:
        verdict = check_kernel(
            lambda seed: one.draw(one.rounded(_FEATURES), seed=seed, like=context.like()),
            one.draw(one.multiple, seed=0).kernel,
            context.asarray(rows),
            false_alarm=context.false_alarm,
            resolution=resolution,
            seed=context.seed_for(one.label),
            ledger=context.ledger,
            name=f"data: {one.label}",
        )
    except Exception as error:
        return failed("proved", one.label, error), ()
    # Rows are numbered as in the source.
    where = {s: int(sample.source[sample.measured[verdict.where[s]]]) for s in ("i", "j")}
    numbers = (verdict.observed, verdict.exact, *verdict.interval)
    observed, exact, low, high = (number / verdict.scale for number in numbers)
    verdict = replace(
        verdict,
        observed=observed,
        exact=exact,
        interval=(low, high),
        scale=1.0,
        where={**verdict.where, **where},
    )
    pairs = len(rows) * (len(rows) + 1) // 2
    claim = f"at {pairs} pairs of {len(rows)} rows the mean empirical Gram is the exact kernel"
    evidence = Evidence.from_verdict(verdict, form="proved", check=one.label, claim=claim)
    return evidence, context.ledger.entries


def score_plot(scores: Sequence[Score], task: _scores.Task) -> Plot:
    """Draw the scores of the best maps over their number of features, beside the other learners."""
    curves: dict[str, list[Score]] = {}
    for one in scores:
        if one.n_features:
            curves.setdefault(one.map, []).append(one)
    first = sorted(curves, key=lambda label: -max(s.rank for s in curves[label]))[:_DRAWN]
    series = [
        Series(
            label=label,
            x=[s.n_features for s in curves[label]],
            y=[s.rank for s in curves[label]],
            y_low=[(s.interval or (0.0, 0.0))[0] for s in curves[label]],
            y_high=[(s.interval or (0.0, 0.0))[1] for s in curves[label]],
            kind="points" if label == first[0] else "line",
        )
        for label in first
    ]
    sizes = [n for one in series for n in one.x]
    alone = [s for s in scores if not s.n_features and s.value is not None]
    series += [Series(label=s.map, x=[min(sizes), max(sizes)], y=[s.rank] * 2) for s in alone]
    return Plot(
        title=f"{task.measure[0].upper()}{task.measure[1:]} over the number of features",
        x_label="features",
        y_label=task.measure,
        series=series,
        x_log=True,
        caption=f"On {count(len(task.held_out[0]))} rows held out; the best {len(first)} maps, and "
        "the interval of 95 % of the best. The others are in the table.",
    )
