"""Measure feature maps on the user's rows: scores of learners, and the kernel of the best map.

Learners are ridge regression, on the raw columns or on a map's features, and gradient boosting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import ndtri

from mehler import _arrays, learn
from mehler._text import install_command
from mehler._validate import require_probability
from mehler.report._maps import MapLearner, Sample, candidates, choose
from mehler.report._model import DataResult, Score
from mehler.report._read import DIGITS, DataMatrix, standardized
from mehler.report.render._format import count, number
from mehler.statements import Context, Evidence, Plot, Series
from mehler.verify import BudgetExceeded, Entry, Ledger, check_kernel, intervals

RAW, BOOSTING = "raw columns", "gradient boosting"  # of scikit-learn, at its defaults
# Numbers of features, multiples of 16 as some maps need; how many of them the quick level takes.
SIZES = (32, 64, 128, 256, 512, 1024, 2048)
_QUICK = 5
# Rows, entries, and multiplications of all projections of one map, at most; rows at least.
_MOST_ROWS, _MOST_ENTRIES, _MOST_WORK, _FEWEST_ROWS = 3000, 5_000_000, 2e10, 30
_HELD_OUT, _OUTSIDE = 1 / 3, 0.05
_MOST_CLASSES = 50
# Ridge penalties, in units of the mean squared length of the centred features.
_LAMBDAS = 10.0 ** np.arange(-9, 1)
# Tests that the budget of a run covers, several times those of all statements.
_TESTS = 1000


def fresh_context(settings: Mapping[str, Any], statement: str = "") -> Context:
    """Return a context of these settings with its own ledger, the account of error rates."""
    rate = require_probability("false_alarm", settings["false_alarm"])
    ledger = Ledger(budget=min(0.5, _TESTS * rate))
    return Context(ledger=ledger, statement=statement, **settings)


def pay(ledger: Ledger, evidence: Sequence[Evidence], entries: Sequence[Entry]) -> list[Evidence]:
    """Charge a job's error rates to the ledger; evidence beyond its budget becomes an error."""
    try:
        for entry in entries:
            ledger.spend(entry.label, entry.false_alarm, entry.looks)  # a look: one test
    except BudgetExceeded as error:
        return [replace(error_evidence(e.form, e.check, error), seed=e.seed) for e in evidence]
    return list(evidence)


def error_evidence(form: Any, check: str, error: Exception) -> Evidence:
    """Return the evidence of a check that raised, which is reported, never hidden."""
    return Evidence(
        form=form,
        check=check,
        status="error",
        claim=f"could not be checked: {type(error).__name__}: {error}",
        method="none: the check raised",
    )


@dataclass(frozen=True)
class Split:
    """Rows and targets to fit and to score, drawn at random; `classes` is None for numbers."""

    fit: tuple[np.ndarray, np.ndarray]
    held_out: tuple[np.ndarray, np.ndarray]
    classes: Any
    sizes: tuple[int, ...]

    @property
    def measure(self) -> str:
        """The name of the score."""
        return "R²" if self.classes is None else "accuracy"

    @property
    def method(self) -> str:
        """Describe in a sentence how scores are computed."""
        share = " (the share of variance explained)" if self.classes is None else ""
        limit = "normal limit" if self.classes is None else "Clopper-Pearson"
        return (
            f"Scores are {self.measure}{share} on {count(len(self.held_out[0]))} held-out rows, "
            f"with an interval of 95 % ({limit}). The linear model is ridge regression on "
            f"{count(len(self.fit[0]))} other rows, its penalty chosen by leaving rows out. The "
            "best of several maps on the same rows is a little too good."
        )


def split_of(rows: DataMatrix, context: Context) -> Split | str:
    """Split rows with a target into two parts, or return a sentence with the reason why not."""
    target, name = rows.target, rows.target_name
    if target is None:
        return "No target is given: --target scores the maps, and mehler plan counts features"
    n_rows, d = rows.values.shape
    index = context.rng("split").permutation(n_rows)[: min(_MOST_ROWS, max(60, _MOST_ENTRIES // d))]
    values, target = rows.values[index], np.asarray(target)[index]
    n, n_values = len(index), len(np.unique(target))
    if n_values < 2:
        return f"No score: the target {name} is the same in all rows"
    if n < _FEWEST_ROWS:
        return f"No score: {n} rows are too few to hold some out, {_FEWEST_ROWS} are needed"
    classes = None
    if target.dtype.kind != "f" and (n_values <= _MOST_CLASSES or target.dtype.kind not in "iu"):
        classes = np.unique(target)
        if n_values > n // 2:
            return f"No score: the target {name} has {n_values} classes in {n} rows"
    codes = target.astype(np.float64) if classes is None else learn.one_vs_all(target, classes)[0]
    n -= int(_HELD_OUT * n)
    if min(len(np.unique(part, axis=0)) for part in (codes[:n], codes[n:])) < 2:
        return f"No score: the target {name} is the same in nearly all rows"
    wide = max(_MOST_WORK / (len(index) * d * 16), SIZES[1])
    return Split(
        (values[:n], codes[:n]),
        (values[n:], codes[n:]),
        classes,
        tuple(size for size in SIZES[: _QUICK if context.quick else None] if size <= wide),
    )


def scores_of(learner: Any, split: Split, settings: Mapping[str, Any]) -> tuple[Score, ...]:
    """Score a map at each number of features, `RAW` or `BOOSTING`; a failure has its reason."""
    label, context = str(getattr(learner, "label", learner)), fresh_context(settings, "data")
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # what is no number has no score
            if isinstance(learner, MapLearner):
                return tuple(_map_scores(learner, split, context))
            if learner == BOOSTING:
                prediction = _boost(split, context.seed)
            else:
                prediction = _predict(split.fit[0], split.held_out[0], split)
            return (_score(label, 0, prediction, split),)
    except Exception as error:  # a map that fails is reported, never hidden
        reason = f"{type(error).__name__}: {error}"
        return (Score(map=label, n_features=0, value=None, interval=None, reason=reason),)


def _map_scores(candidate: MapLearner, split: Split, context: Context) -> Iterator[Score]:
    """Yield the scores at all numbers of features; larger maps extend the weights of smaller."""
    seed = context.seed_for(f"score: {candidate.label}")
    rows = [context.asarray(X) for X in (split.fit[0], split.held_out[0])]
    for n in dict.fromkeys(candidate.rounded(size) for size in split.sizes):
        phi = candidate.draw(n, seed=seed, like=context.like())
        Z, new = (np.asarray(_arrays.to_host(phi(X)), dtype=float) for X in rows)
        yield _score(candidate.label, n, _predict(Z, new, split), split)


def _boost(split: Split, seed: int) -> np.ndarray:
    try:
        from sklearn import ensemble
    except ImportError:
        raise ImportError(f"needs scikit-learn: {install_command('sklearn')}") from None
    if split.classes is None:
        model = ensemble.HistGradientBoostingRegressor(random_state=seed)
        return np.asarray(model.fit(*split.fit).predict(split.held_out[0]))
    model = ensemble.HistGradientBoostingClassifier(random_state=seed)
    model.fit(split.fit[0], split.fit[1].argmax(axis=1))
    return np.asarray(np.eye(len(split.classes))[model.predict(split.held_out[0])])


def _predict(Z: np.ndarray, new: np.ndarray, split: Split) -> np.ndarray:
    """Fit ridge regression on features, and predict the targets of new rows."""
    scale = float(np.mean(np.sum((Z - Z.mean(axis=0)) ** 2, axis=1))) or 1.0
    lambdas = [float(lam) for lam in _LAMBDAS * scale]
    return np.asarray(learn.ridge(np.asarray, Z, split.fit[1], lambdas=lambdas).predict(new))


def _score(label: str, n_features: int, prediction: np.ndarray, split: Split) -> Score:
    truth = split.held_out[1]
    if split.classes is not None:
        right = int(np.sum(prediction.argmax(axis=1) == truth.argmax(axis=1)))
        value = right / len(truth)
        low, high = intervals.binomial(right, len(truth), _OUTSIDE)
    else:
        squares, spread = (truth - prediction) ** 2, (truth - split.fit[1].mean()) ** 2
        unexplained = float(squares.mean() / spread.mean())
        # Delta method: a ratio of two means over the same rows, to first order in both.
        deviations = (squares - unexplained * spread) / spread.mean()
        half = float(ndtri(1.0 - _OUTSIDE / 2.0) * deviations.std()) / len(deviations) ** 0.5
        value = 1.0 - unexplained
        # R^2 is at most 1, which a normal limit does not know.
        low, high = value - half, min(1.0, value + half)
    if not np.isfinite([value, low, high]).all():
        raise ValueError("the score overflows: standardize the columns")
    interval = (float(low), float(high))
    return Score(map=label, n_features=n_features, value=value, interval=interval)


# Maps in the plot; features of a draw that is checked; ratio of deviations to standardise from.
_DRAWN, _FEATURES, _UNLIKE = 4, 1024, 3.0
_EXAMPLES = ("Fourier features, rbf", "Kitchen sinks, relu", "Maxout features, q = 4")


class Survey:
    """The measurements on rows: `jobs`, one per learner, and `result`, made of their scores."""

    def __init__(self, rows: DataMatrix, context: Context, settings: Mapping[str, Any]) -> None:
        self.context, self._settings = context.for_statement("data"), settings
        self._rows, self._scaling = self._standardise(rows)
        self._sample, self._split = self._prepare(self._rows)
        self._maps = candidates(self._sample)
        learners: tuple[Any, ...] = (BOOSTING, RAW, *self._maps)
        if rows.name == DIGITS:  # an example: one map of a family, and no boosting of seconds
            self._maps = tuple(c for c in self._maps if c.label in _EXAMPLES)
            learners = (RAW, *self._maps)
        split = self._split
        self.jobs: list[Callable[[], tuple[Score, ...]]] = []
        if isinstance(split, Split):
            self.jobs = [partial(scores_of, learner, split, settings) for learner in learners]

    def _prepare(self, rows: DataMatrix) -> tuple[Sample, Split | str]:
        return choose(rows, self.context.rng("rows")), split_of(rows, self.context)

    def _standardise(self, rows: DataMatrix) -> tuple[DataMatrix, str]:
        """Standardise the columns if the first map's best score rises beyond both intervals."""
        spread = np.std(rows.values, axis=0)
        spread = spread[spread > 0]
        alike = not spread.size or spread.max() < _UNLIKE * spread.min()
        values = rows.values if alike or rows.target is None else standardized(rows.values)
        if values is rows.values or not np.any(values, axis=1).all():
            return rows, ""
        standard = replace(rows, values=values)
        best: list[Any] = []
        for sample, split in map(self._prepare, (rows, standard)):
            if isinstance(split, str):
                return rows, ""
            few = replace(split, sizes=split.sizes[:3])
            scores = scores_of(candidates(sample)[0], few, self._settings)
            best.append(max((s for s in scores if s.interval), key=lambda s: s.rank, default=None))
        before, after = best
        if after is None or (before and after.interval[0] <= before.interval[1]):
            return rows, ""
        raw = f"{number(before.value, digits=3)} as they are" if before else "none as they are"
        first = f"Columns are standardized: {few.measure} is {number(after.value, digits=3)} then"
        return standard, f"{first}, and {raw} ({after.map})."

    def result(self, scores: Sequence[Score]) -> DataResult:
        """Combine the results of the jobs, and check the kernel of the best map."""
        rows, sample = self._rows, self._sample
        split = self._split if isinstance(self._split, Split) else None
        maps = {c.label: c for c in self._maps}
        of_maps = [s for s in scores if s.value is not None and s.map in maps]
        best = max(of_maps, key=lambda s: s.rank, default=None)
        enough = best and min(
            (s for s in of_maps if s.map == best.map and s.rank >= (best.interval or (0.0,))[0]),
            key=lambda s: s.n_features,
        )
        candidate = maps[best.map] if best else self._maps[0]
        evidence, entries = check_on_rows(
            self._maps[0] if candidate.dependent else candidate, sample, self._settings
        )
        return DataResult(
            name=rows.name,
            example=rows.name == DIGITS,
            n_rows=rows.n_rows,
            n_columns=rows.values.shape[1],
            n_zero_rows=rows.n_zero_rows,
            columns=tuple(
                {"name": name, "low": float(low), "high": float(high)}
                for name, low, high in zip(rows.columns, rows.lows, rows.highs)
            ),
            warnings=rows.warnings,
            choices=rows.choices,
            notes=sample.notes,
            target=rows.target_name,
            measure=split.measure if split else "",
            scores=tuple(scores),
            best=best,
            enough=enough,
            no_score="" if isinstance(self._split, Split) else self._split,
            scaling=self._scaling,
            score_method=split.method if split else "",
            settings={c.label: c.setting for c in self._maps},
            measured=tuple(int(sample.source[i]) for i in sample.probes),
            evidence=tuple(pay(self.context.ledger, [evidence], entries)),
            plots=(score_plot(scores, split),) if best and split else (),
        )


def check_on_rows(
    candidate: MapLearner, sample: Sample, settings: Mapping[str, Any]
) -> tuple[Evidence, tuple[Entry, ...]]:
    """Compare the mean empirical Gram with the exact kernel at all pairs of the measured rows.

    Values are in units of sqrt(k(x,x) k(y,y)). An exception is evidence of status ``"error"``.
    """
    context, m = fresh_context(settings, "data"), candidate.rounded(_FEATURES)
    rows = sample.values[sample.probes]
    # The budget of random numbers shows 12 standard errors, for variances of 6 k(x,x) k(y,y): 30.
    finest, budget = (0.05, 20e6) if context.quick else (0.03, 600e6)
    resolution = min(1.0, max(finest, 30.0 * math.sqrt(candidate.cost / budget)))
    try:
        verdict = check_kernel(
            lambda seed: candidate.draw(m, seed=seed, like=context.like()),
            candidate.draw(candidate.multiple, seed=0).kernel,
            context.asarray(rows),
            false_alarm=context.false_alarm,
            resolution=resolution,
            seed=context.seed_for(candidate.label),
            ledger=context.ledger,
            name=f"data: {candidate.label}",
        )
    except Exception as error:
        return error_evidence("proved", candidate.label, error), ()
    # Rows are numbered as in the source.
    where = {s: int(sample.source[sample.probes[verdict.where[s]]]) for s in ("i", "j")}
    scale, (low, high) = verdict.scale, verdict.interval
    verdict = replace(
        verdict,
        observed=verdict.observed / scale,
        exact=verdict.exact / scale,
        interval=(low / scale, high / scale),
        scale=1.0,
        where={**verdict.where, **where},
    )
    pairs = len(rows) * (len(rows) + 1) // 2
    claim = f"at {pairs} pairs of {len(rows)} rows the mean empirical Gram is the exact kernel"
    evidence = Evidence.from_verdict(verdict, form="proved", check=candidate.label, claim=claim)
    return evidence, context.ledger.entries


def score_plot(scores: Sequence[Score], split: Split) -> Plot:
    """Plot the scores of the best maps and of other learners over the number of features."""
    curves: dict[str, list[Score]] = {}
    for score in scores:
        if score.n_features:
            curves.setdefault(score.map, []).append(score)
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
    sizes = [n for curve in series for n in curve.x]
    alone = [s for s in scores if not s.n_features and s.value is not None]
    series += [Series(label=s.map, x=[min(sizes), max(sizes)], y=[s.rank] * 2) for s in alone]
    return Plot(
        title=f"{split.measure[0].upper()}{split.measure[1:]} over the number of features",
        x_label="features",
        y_label=split.measure,
        series=series,
        x_log=True,
        caption=f"On {count(len(split.held_out[0]))} rows held out; the best {len(first)} maps, "
        "and the interval of 95 % of the best. The others are in the table.",
    )
