"""Measure every kind of map on the user's rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from time import perf_counter

from mehler._arrays import slices
from mehler.report._pieces import Settings, pay
from mehler.report.inputs._matrix import DataMatrix
from mehler.report.model._data_result import Column, DataResult, PlanRow, Score
from mehler.report.on_data import _scores as scoring
from mehler.report.on_data._check import CONFIDENCE, check, n_planned, plan
from mehler.report.on_data._maps import (
    LARGEST_GROUP,
    MOST_SCORED_COLUMNS,
    MapUnderTest,
    maps_under_test,
)
from mehler.report.on_data._plots import (
    features_against_error,
    gram_against_kernel,
    histogram,
    points,
)
from mehler.report.on_data._rows import Chosen, choose
from mehler.report.render._format import count
from mehler.statements import Context, Evidence, Series
from mehler.verify._budget import Entry

# Rows whose bytes are made contiguous at a time.
_BLOCK = 1000


def measure(rows: DataMatrix, context: Context) -> DataResult:
    """Check each map's kernel at pairs of rows, plan its features, and score a linear model."""
    survey = Survey(rows, context)
    return survey.result([task() for task in survey.tasks])


@dataclass(frozen=True)
class Measured:
    """What is measured with one map, and the entries of the ledger for it."""

    label: str
    evidence: Evidence
    plan: tuple[PlanRow, ...]
    points: Series | None
    score: Score | None
    entries: tuple[Entry, ...]

    @property
    def status(self) -> str:
        """Outcome of the check."""
        return self.evidence.status


def _measured(
    one: MapUnderTest, seen: Chosen, n_rows: int, task: scoring.Task | None, settings: Settings
) -> Measured:
    context = settings.context()
    evidence = check(one, seen, context)
    sound = evidence.status != "error"
    return Measured(
        label=one.label,
        evidence=evidence,
        plan=tuple(plan(one, seen, n_rows)) if sound else (),
        points=points(one, seen, context) if sound else None,
        score=None if task is None else scoring.score(one, task, context),
        entries=context.ledger.entries,
    )


class Survey:
    """The measurements on rows: a task a map, and the result that follows from theirs."""

    def __init__(self, rows: DataMatrix, context: Context) -> None:
        self.rows, self.context, self._start = rows, context.for_statement("data"), perf_counter()
        self._seen = choose(rows, self.context.rng("rows"))
        self._maps = maps_under_test(self._seen)
        self._task = scoring.task_of(rows, self.context.rng("split"))
        settings = Settings.of(self.context)
        self.tasks = [
            partial(_measured, one, self._seen, rows.n_rows, self._task, settings)
            for one in self._maps
        ]

    def result(self, measured: Sequence[Measured]) -> DataResult:
        """Join what the tasks return, and pay for it."""
        rows, seen, task = self.rows, self._seen, self._task
        ledger = self.context.ledger
        evidence = tuple(e for one in measured for e in pay(ledger, [one.evidence], one.entries))
        planned = tuple(row for one in measured for row in one.plan)
        plots = [histogram(seen)]
        if drawn := [one.points for one in measured if one.points]:
            plots.append(gram_against_kernel(drawn))
        plots += [features_against_error(planned)] if planned else []
        scores = [] if task is None else [scoring.raw_score(task, self.context)]
        scores += [one.score for one in measured if one.score]
        return DataResult(
            name=rows.name,
            n_rows=rows.n_rows,
            n_columns=rows.values.shape[1],
            n_zero_rows=rows.n_zero_rows,
            digest=_digest(rows),
            columns=tuple(
                Column(name=name, low=float(low), high=float(high))
                for name, low, high in zip(rows.columns, rows.lows, rows.highs)
            ),
            warnings=rows.warnings,
            choices=rows.choices,
            notes=(*seen.notes, *_map_notes(seen)),
            n_correlations=int(seen.counts.sum()),
            correlation_range=seen.correlations,
            measured=tuple(int(seen.source[i]) for i in seen.measured),
            settings={one.label: one.setting for one in self._maps},
            evidence=evidence,
            plan=planned,
            plan_method=_plan_method(rows.n_rows, n_planned(seen)),
            scores=tuple(scores),
            score_method="" if task is None else task.method,
            target=rows.target_name,
            plots=tuple(plots),
            seconds=perf_counter() - self._start,
        )


def _digest(rows: DataMatrix) -> str:
    found = sha256(repr(rows.columns).encode())
    for part in slices(len(rows.values), _BLOCK):
        found.update(rows.values[part].tobytes())
    if rows.target is not None:
        found.update(repr(rows.target.tolist()).encode())
    return found.hexdigest()


def _map_notes(seen: Chosen) -> list[str]:
    """Say which maps the rows call for, and which they forbid."""
    notes, layout, d = [], seen.layout, seen.values.shape[1]
    if layout:
        kind = f"images of {layout[0]} × {layout[0]}" if len(layout) == 2 else "sequences"
        notes.append(f"Neighbouring columns are alike, so rows are taken for {kind} too")
        if d > LARGEST_GROUP:
            notes[0] += f"; of their shifts, {count(d)} in number, no average is taken"
        notes[0] += "."
    if d > MOST_SCORED_COLUMNS:
        notes.append(f"Leverage scores are measured up to {count(MOST_SCORED_COLUMNS)} columns.")
    return notes


def _plan_method(n_rows: int, n_planned: int) -> str:
    """Describe in a sentence how counts were computed."""
    return (
        f"Errors are relative to the square root of k(x,x) k(y,y), and hold for all "
        f"{count(n_rows * (n_rows + 1) // 2)} pairs of rows at once with probability "
        f"{CONFIDENCE:.0%} (union bound), where the variance is nowhere larger than at the pairs "
        f"of {n_planned} rows at random (of the measured rows, for groups). Mean: for inner "
        "products, right in the limit of many features. Catoni: proved at every size, for "
        "Catoni's estimate in the mean's place."
    )
