"""Measure every kind of map on the user's rows: kernels, features needed, scores, plots."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from hashlib import sha256
from time import perf_counter
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.special import ndtri

from mehler import _arrays, learn
from mehler._arrays import slices
from mehler.report._jobs import Settings, failed, pay
from mehler.report._maps import LARGEST_GROUP, MOST_SCORED_COLUMNS, MapUnderTest, maps_under_test
from mehler.report._model import Column, DataResult, PlanRow, Score
from mehler.report._read import DataMatrix
from mehler.report._rows import Sample, choose
from mehler.report.render._format import count
from mehler.statements import Context, Evidence, Plot, Series
from mehler.verify import Entry, check_kernel, features_needed, intervals

# Rows whose bytes are made contiguous at a time.
_BLOCK = 1000


@dataclass(frozen=True)
class Measured:
    """What is measured with one map, and the entries of the ledger for it."""

    evidence: Evidence
    plan: tuple[PlanRow, ...]
    points: Series | None
    score: Score | None
    entries: tuple[Entry, ...]


def _measure_map(
    candidate: MapUnderTest, sample: Sample, n_rows: int, task: Task | None, settings: Settings
) -> Measured:
    context = settings.context()
    declared = Declared.at_measured(candidate, sample)
    evidence = check_on_rows(declared, sample, context)
    sound = evidence.status != "error"
    return Measured(
        evidence=evidence,
        plan=tuple(plan(declared, sample, n_rows)) if sound else (),
        points=points_of(declared, context) if sound else None,
        score=None if task is None else score_map(candidate, task, context),
        entries=context.ledger.entries,
    )


class Survey:
    """The measurements on rows: a task a map, and the result that follows from theirs."""

    def __init__(self, rows: DataMatrix, context: Context) -> None:
        self.rows, self.context, self._start = rows, context.for_statement("data"), perf_counter()
        self._sample = choose(rows, self.context.rng("rows"))
        self._maps = maps_under_test(self._sample)
        self._task = task_of(rows, self.context.rng("split"))
        settings = Settings.of(self.context)
        self.tasks = [
            partial(_measure_map, candidate, self._sample, rows.n_rows, self._task, settings)
            for candidate in self._maps
        ]

    def result(self, measured: Sequence[Measured]) -> DataResult:
        """Join what the tasks return, and pay for it."""
        rows, sample, task = self.rows, self._sample, self._task
        ledger = self.context.ledger
        evidence = tuple(e for each in measured for e in pay(ledger, [each.evidence], each.entries))
        planned = tuple(row for each in measured for row in each.plan)
        plots = [histogram(sample)]
        if drawn := [each.points for each in measured if each.points]:
            plots.append(gram_against_kernel(drawn))
        plots += [features_against_error(planned)] if planned else []
        scores = [] if task is None else [raw_score(task, self.context)]
        scores += [each.score for each in measured if each.score]
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
            notes=(*sample.notes, *_map_notes(sample)),
            n_correlations=int(sample.counts.sum()),
            correlation_range=sample.correlations,
            measured=tuple(int(sample.source[i]) for i in sample.measured),
            settings={candidate.label: candidate.setting for candidate in self._maps},
            evidence=evidence,
            plan=planned,
            plan_method=_plan_method(rows.n_rows, n_planned(sample)),
            scores=tuple(scores),
            score_method="" if task is None else task.method,
            target=rows.target_name,
            plots=tuple(plots),
            seconds=perf_counter() - self._start,
        )


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


ERRORS = (0.1, 0.05, 0.02, 0.01)
CONFIDENCE = 0.99
_PLANNED_ROWS, _PLANNED_ENTRIES = 100, 1_000_000
_MISS = 1e-6
# Fraction of the false alarm that `check_kernel` spends on its last test.
_LAST = 0.75
# Random numbers in one draw: 32 MiB as float64.
_WEIGHTS_A_DRAW = 4_000_000
# Features of a draw that is one sample.
_WHOLE = 128


class Declared:
    """A map with few features, and its kernel and variance at the pairs of some rows.

    Both are computed once, when first asked for: those of groups take a second each.
    """

    def __init__(self, candidate: MapUnderTest, rows: np.ndarray) -> None:
        self.candidate, self.rows = candidate, candidate.rows(rows)

    @classmethod
    def at_measured(cls, candidate: MapUnderTest, sample: Sample) -> Declared:
        """Take the rows at whose pairs kernels are measured."""
        return cls(candidate, sample.values[sample.measured])

    @cached_property
    def phi(self) -> Any:
        """The map on the host."""
        return self.candidate.draw(self.candidate.rounded(_WHOLE), seed=0)

    @cached_property
    def gram(self) -> np.ndarray:
        """Exact kernel, (n, n)."""
        return np.asarray(self.phi.kernel(self.rows))

    @cached_property
    def spread(self) -> np.ndarray:
        """Variance of the inner product, (n, n)."""
        return np.asarray(self.phi.gram_variance(self.rows, self.rows))


def check_on_rows(declared: Declared, sample: Sample, context: Context) -> Evidence:
    """Compare the mean empirical Gram with the exact kernel at all pairs of the measured rows.

    Values are in units of sqrt(k(x,x) k(y,y)). An exception is evidence of status ``"error"``.
    """
    try:
        evidence = _check(declared, context)
    except Exception as error:
        return failed("proved", declared.candidate.label, error)
    # Rows are numbered as in the source.
    rows = {s: int(sample.source[sample.measured[evidence.where[s]]]) for s in ("i", "j")}
    return replace(evidence, where={**evidence.where, **rows})


def _check(declared: Declared, context: Context) -> Evidence:
    candidate, rows = declared.candidate, declared.rows
    n_pairs = len(rows) * (len(rows) + 1) // 2
    length = np.sqrt(np.diag(declared.gram))
    variance = declared.phi.n_features * declared.spread
    relative = variance / np.outer(length, length) ** 2
    resolution, n_features = design(candidate, float(np.max(relative)), n_pairs, context)
    size = _WHOLE if candidate.whole else min(n_features, int(_WEIGHTS_A_DRAW // candidate.cost))
    verdict = check_kernel(
        lambda seed: candidate.features(candidate.rounded(size), seed, context.like()),
        declared.phi.kernel,
        context.asarray(rows),
        variance=lambda X, Y: variance,
        false_alarm=context.false_alarm,
        resolution=resolution,
        miss=_MISS,
        seed=context.seed_for(candidate.label),
        ledger=context.ledger,
        name=f"data: {candidate.label}",
    )
    claim = f"at {n_pairs} pairs of {len(rows)} rows the mean empirical Gram is the exact kernel"
    unit = verdict.scale
    low, high = verdict.interval
    verdict = replace(
        verdict,
        observed=verdict.observed / unit,
        exact=verdict.exact / unit,
        interval=(low / unit, high / unit),
        scale=1.0,
    )
    return Evidence.from_verdict(verdict, form="proved", check=candidate.label, claim=claim)


def design(
    candidate: MapUnderTest, variance: float, n_pairs: int, context: Context
) -> tuple[float, int]:
    """Choose the resolution and the number of features before any draw.

    The level's resolution if the random numbers it takes are affordable, else the finest that is.
    """
    target, budget = (0.05, 20e6) if context.quick else (0.03, 600e6)
    rate, miss = _LAST * context.false_alarm / n_pairs, _MISS / n_pairs
    n_features = features_needed(max(variance, target**2), target, rate, miss)
    affordable = max(candidate.multiple, int(budget / candidate.cost))
    if n_features <= affordable:
        return target, n_features
    # The number of features needed is proportional to 1 / resolution^2.
    return min(1.0, target * math.sqrt(n_features / affordable)), affordable


def plan(measured: Declared, sample: Sample, n_rows: int) -> list[PlanRow]:
    """Plan the features that one map needs for each error on all pairs of all rows."""
    # With it come all bounds, whose import `mehler verify` would wait for.
    from mehler.planning import plan_map

    candidate = measured.candidate
    # Kernels of groups take an average for every pair.
    several = Declared(candidate, sample.values[: n_planned(sample)])
    declared = measured if candidate.unit else several
    phi = SimpleNamespace(
        n_features=declared.phi.n_features,
        kernel=lambda X: declared.gram,
        gram_variance=lambda X: declared.spread,
    )
    planned = [
        plan_map(phi, declared.rows, eps=error, delta=1 - CONFIDENCE, n_samples=n_rows)
        for error in ERRORS
    ]
    return [
        PlanRow(
            map=candidate.label,
            error=error,
            n_features=int(each.rows[0].features or 0),
            n_features_proved=int(each.rows[1].features or 0),
        )
        for error, each in zip(ERRORS, planned)
    ]


def n_planned(sample: Sample) -> int:
    """Return the number of rows at whose pairs a plan looks at the variance."""
    n, d = sample.values.shape
    return min(n, _PLANNED_ROWS, max(2, _PLANNED_ENTRIES // d))


# Pairs of one picture, features of its one draw, and the chance that one of its intervals misses.
_PAIRS, _FEATURES, _MISSES = 12, 2000, 0.01
# Random numbers of one draw.
_WEIGHTS = 8_000_000
_SHOWN = ("FourierFeatures, rbf", "KitchenSinks, relu", "MaxoutFeatures, q = 4")


def histogram(sample: Sample) -> Plot:
    """Draw how often each correlation of two rows occurs."""
    kept = np.flatnonzero(sample.counts)
    first, last = kept[0], kept[-1] + 1
    n_pairs = int(sample.counts.sum())
    x = np.repeat(sample.edges[first : last + 1], 2)[1:-1]
    y = np.repeat(sample.counts[first:last] / n_pairs, 2)
    low, high = sample.correlations
    bars = Series(label="share of pairs", x=x, y_low=np.zeros(x.size), y_high=y, kind="band")
    return Plot(
        title="Correlations that occur in the data",
        x_label="correlation of two rows",
        y_label="share of pairs",
        series=(bars,),
        caption=f"{count(n_pairs)} pairs from {low:.3f} to {high:.3f}, in bins of width "
        f"{sample.edges[1] - sample.edges[0]:.3g}.",
    )


def gram_against_kernel(series: Sequence[Series]) -> Plot:
    """Draw one draw's Gram matrix of each map against the exact kernel."""
    ends = [min(min(line.x) for line in series), max(max(line.x) for line in series)]
    return Plot(
        title="One empirical Gram matrix against the exact kernel",
        x_label="exact kernel / √(k(x,x) k(y,y))",
        y_label="mean feature product, same unit",
        series=(Series(label="equal", x=ends, y=ends), *series),
        caption=f"{_PAIRS} pairs of rows, one draw of at most {count(_FEATURES)} features a map; "
        "one map of a family, the others are in the table above. Each interval misses the mean "
        f"over draws with probability at most {_MISSES:g}.",
    )


def points_of(declared: Declared, context: Context) -> Series | None:
    """Return the products of one draw with an interval for each mean; None if it is not drawn."""
    candidate, rows = declared.candidate, declared.rows
    if candidate.label not in _SHOWN:
        return None
    size = candidate.rounded(min(_FEATURES, int(_WEIGHTS // candidate.cost)))
    phi = candidate.draw(
        size, seed=context.seed_for(f"picture: {candidate.label}"), like=context.like()
    )
    kernel, variance = declared.gram, declared.phi.variance(rows)
    unit = np.sqrt(np.outer(np.diag(kernel), np.diag(kernel)))
    above = np.triu_indices(len(rows), 1)
    order = np.argsort((kernel / unit)[above], kind="stable")
    chosen = order[np.unique(np.linspace(0, order.size - 1, _PAIRS).round().astype(int))]
    i, j = above[0][chosen], above[1][chosen]
    products = _arrays.to_host(
        phi.products(context.asarray(rows[i]), context.asarray(rows[j]))
    ).astype(np.float64)
    # A unit of several columns is one sample.
    share = declared.phi.n_units / declared.phi.n_features
    ends = [
        intervals.known_variance(row / u, max(float(v) * share / u**2, 1e-12), _MISSES)
        for row, u, v in zip(products, unit[i, j], variance[i, j])
    ]
    return Series(
        label=candidate.label,
        x=(kernel / unit)[i, j],
        y=products.mean(axis=1) / unit[i, j],
        y_low=[low for low, _ in ends],
        y_high=[high for _, high in ends],
        kind="points",
    )


def features_against_error(plan: Sequence[PlanRow]) -> Plot:
    """Draw how many features each of some maps needs for an error."""
    rows = [row for row in plan if row.map in _SHOWN] or plan
    series = [
        Series(
            label=label,
            x=[row.error for row in rows if row.map == label],
            y=[row.n_features for row in rows if row.map == label],
        )
        for label in dict.fromkeys(row.map for row in rows)
    ]
    return Plot(
        title="Features needed on these rows",
        x_label="largest error of the Gram matrix",
        y_label="features",
        series=series,
        x_log=True,
        y_log=True,
        caption="For the inner products themselves, all pairs of rows at once; one map of a "
        "family, the others are in the table below.",
    )


# Rows, entries, and multiplications of all projections of one map, at most.
_MOST_FITTED, _MOST_FITTED_ENTRIES, _MOST_WORK = 3000, 5_000_000, 1e10
_MOST_FEATURES, _FEWEST_FEATURES = 400, 48
_HELD_OUT = 1 / 3
_MOST_CLASSES = 50
# Regularisations, in units of the mean squared length of the features.
_LAMBDAS = 10.0 ** np.arange(-9, 1)
_OUTSIDE = 0.05
RAW = "raw columns"


@dataclass(frozen=True)
class Task:
    """Rows and targets to fit and to score, drawn at random; `classes` is None for numbers."""

    fit: tuple[np.ndarray, np.ndarray]
    held_out: tuple[np.ndarray, np.ndarray]
    classes: Any
    n_features: int

    @property
    def method(self) -> str:
        """Describe in a sentence how scores are computed."""
        kind = "R², the share of variance explained" if self.classes is None else "accuracy"
        return (
            f"Ridge regression fitted to {count(len(self.fit[0]))} rows, its penalty chosen by "
            f"leaving rows out, on {self.n_features} features of each map; scored by {kind} on "
            f"{count(len(self.held_out[0]))} other rows, with an interval of 95 %"
            + (" (normal limit)." if self.classes is None else " (Clopper-Pearson).")
        )


def task_of(rows: DataMatrix, rng: np.random.Generator) -> Task | None:
    """Split rows with a target into two parts; None without target or with too few rows."""
    target = rows.target
    if target is None:
        return None
    held, d = rows.values.shape
    chosen = rng.permutation(held)[: min(_MOST_FITTED, max(60, _MOST_FITTED_ENTRIES // d))]
    values, target = rows.values[chosen], np.asarray(target)[chosen]
    classes = _classes(target)
    if len(chosen) < 10 or len(np.unique(target)) < 2:
        return None
    codes = target.astype(np.float64) if classes is None else learn.one_vs_all(target, classes)[0]
    n = len(chosen) - int(_HELD_OUT * len(chosen))
    wide = _MOST_WORK / (len(chosen) * d * 16)
    return Task(
        (values[:n], codes[:n]),
        (values[n:], codes[n:]),
        classes,
        int(np.clip(wide, _FEWEST_FEATURES, _MOST_FEATURES)),
    )


def _classes(target: np.ndarray) -> Any:
    """Return the classes of labels, of which there are few; None for numbers."""
    if target.dtype.kind == "f":
        return None
    classes = np.unique(target)
    few = len(classes) <= _MOST_CLASSES
    return classes if few or target.dtype.kind not in "iu" else None


def raw_score(task: Task, context: Context) -> Score:
    """Score the raw columns."""
    return _score(RAW, 0, lambda: context.asarray, task)


def score_map(candidate: MapUnderTest, task: Task, context: Context) -> Score | None:
    """Score the features of a map; None if they are no numbers on which to learn."""
    if not candidate.linear:
        return None
    size = candidate.rounded(task.n_features)
    seed = context.seed_for(f"score: {candidate.label}")

    def draw() -> Callable[[np.ndarray], Any]:
        phi = candidate.draw(size, seed=seed, like=context.like())
        return lambda rows: phi(context.asarray(candidate.rows(rows)))

    return _score(candidate.label, size, draw, task)


def _score(
    label: str, n_features: int, draw: Callable[[], Callable[[np.ndarray], Any]], task: Task
) -> Score:
    try:
        value, interval = _held_out(draw(), task)
    except Exception as error:  # a map that fails is reported, never hidden
        reason = f"{type(error).__name__}: {error}"
        return Score(map=label, n_features=n_features, value=None, interval=None, reason=reason)
    return Score(map=label, n_features=n_features, value=value, interval=interval)


def _held_out(phi: Callable[[np.ndarray], Any], task: Task) -> tuple[float, tuple[float, float]]:
    """Fit ridge regression on the features, and score it on the rows held out."""
    # Features of all rows fit in memory, and are computed once.
    Z, new = (
        np.asarray(_arrays.to_host(phi(rows)), dtype=np.float64)
        for rows in (task.fit[0], task.held_out[0])
    )
    truth = task.held_out[1]
    scale = float(np.mean(np.sum((Z - Z.mean(axis=0)) ** 2, axis=1))) or 1.0
    lambdas = [float(lam) for lam in _LAMBDAS * scale]
    predicted = learn.ridge(np.asarray, Z, task.fit[1], lambdas=lambdas).predict(new)
    if task.classes is not None:
        right = int(np.sum(predicted.argmax(axis=1) == truth.argmax(axis=1)))
        low, high = intervals.binomial(right, len(truth), _OUTSIDE)
        return right / len(truth), (float(low), float(high))
    squares, spread = (truth - predicted) ** 2, (truth - task.fit[1].mean()) ** 2
    unexplained = float(squares.mean() / spread.mean())
    # Delta method: a ratio of two means over the same rows, to first order in both.
    deviations = (squares - unexplained * spread) / spread.mean()
    half = float(ndtri(1.0 - _OUTSIDE / 2.0) * deviations.std()) / len(deviations) ** 0.5
    # R^2 is at most 1, which a normal limit does not know.
    return 1.0 - unexplained, (1.0 - unexplained - half, min(1.0, 1.0 - unexplained + half))
