"""Maps on the user's rows: correct ones pass, broken ones are caught, odd rows are survived."""

import re
from dataclasses import replace
from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest

from mehler import report
from mehler.report import _survey, load_rows
from mehler.report._maps import MEASURED, candidates, choose
from mehler.report._survey import BOOSTING, RAW, Split, _score, check_on_rows, split_of
from mehler.report.render._pages import render_html, render_markdown
from mehler.statements import Context
from mehler.verify import Ledger
from tests.report import toys


def context(**options) -> Context:
    # A thousand looks of 1e-6 would fit; the sections here take at most fifteen.
    return Context(ledger=Ledger(budget=1e-3), false_alarm=1e-6, statement="data", **options)


def checked(entry, data, **options):
    settings = {"level": "quick", "seed": 0, "backend": "numpy", "false_alarm": 1e-6}
    return check_on_rows(entry, data, settings | options)


def choice(values, seed=0):
    return choose(load_rows(values), np.random.default_rng(seed))


SEEN = choice(toys.rows())
MAPS = {entry.label: (entry, SEEN) for entry in candidates(SEEN)}


@pytest.mark.parametrize("label", [label for label in MAPS if "Leverage" not in label])
@pytest.mark.sampled(3)
def test_maps_have_their_kernels_on_the_data(label):
    kind, data = MAPS[label]
    outcome, entries = checked(kind, data)
    assert outcome.status == "holds", outcome.claim
    low, high = outcome.interval
    assert low <= outcome.exact <= high
    assert high - low <= outcome.resolution < 0.3
    assert sum(entry.false_alarm for entry in entries) == pytest.approx(1e-6)
    # Rows in five dimensions are cheap: nearly the quick level's own resolution is met.
    assert outcome.resolution <= 0.06


# What is drawn in the place of a map; `tests/verify/faults` runs them.
FAULTS = {
    "Fourier features, rbf": {"gamma": lambda gamma: 1.5 * gamma},
    "Kitchen sinks, relu": {"weight_scale": lambda scale: 1.1 * scale},
    "Maxout features, q = 4": {"pool_size": lambda q: 5},
}


def with_fault(label):
    """The status and the words of the report on a map with its fault."""
    entry, data = MAPS[label]

    def draw(n_features, *, seed, like=None):
        changed = {
            name: change(entry.draw.keywords[name]) for name, change in FAULTS[label].items()
        }
        # The claim is made by a map on the host.
        faulty = {} if like is None else changed
        return partial(entry.draw, **faulty)(n_features, seed=seed, like=like)

    outcome = checked(replace(entry, draw=draw), data)[0]
    return outcome.status, outcome.claim


def test_a_map_that_raises_is_an_error_and_the_others_go_on(monkeypatch):
    def broken(n_features, *, seed, like=None):
        raise RuntimeError("no weights today")

    maps = (
        replace(MAPS["Maxout features, q = 2"][0], draw=broken),
        MAPS["Fourier features, rbf"][0],
    )
    monkeypatch.setattr(_survey, "candidates", lambda data: maps)
    outcome = toys.measure(load_rows(toys.rows()), context())
    assert [entry.status for entry in outcome.evidence] == ["error"]
    assert "RuntimeError: no weights today" in outcome.evidence[0].claim
    scored = toys.measure(with_target(lambda x: x[:, 0], toys.rows()), context())
    assert any("RuntimeError: no weights today" in entry.reason for entry in scored.scores)
    assert scored.best.map == "Fourier features, rbf"


def test_measured_rows_hold_both_extremes_and_are_numbered_as_in_the_source():
    values = np.insert(toys.rows(200, 3), [5, 90], 0.0, axis=0)
    unit = values / np.where(values.any(axis=1), np.linalg.norm(values, axis=1), 1.0)[:, None]
    data = choice(values)
    assert len(data.probes) == MEASURED
    rho, all_rho = (x @ x.T for x in (unit[data.source[data.probes]], unit))
    for part in (rho, all_rho):
        np.fill_diagonal(part, 0.0)
    # One inner product and two lengths: a few units of rounding.
    assert not np.all(np.diff(data.source) > 0)
    assert (rho.min(), rho.max()) == pytest.approx((all_rho.min(), all_rho.max()), abs=1e-14)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "values",
    [
        np.ones((2, 3)),
        np.array([[1.0], [-1.0], [2.0]]),
        toys.rows(5) * 1e70,
        toys.rows(5) * 1e-70,
        np.vstack([toys.rows(5), np.zeros((3, 5))]),
    ],
    ids=["equal", "one column", "huge", "tiny", "zeros"],
)
def test_odd_rows_are_survived(values):
    outcome = toys.measure(load_rows(values), context())
    # Where all rows are equal no bandwidth shows.
    equal = np.ptp(values, axis=0).max() == 0
    assert [entry.status for entry in outcome.evidence] == ["inconclusive" if equal else "holds"]
    assert outcome.n_zero_rows == (3 if len(values) == 8 else 0)


def with_target(target, values):
    rows = load_rows(values)
    return replace(rows, target=target(rows.values), target_name="y")


def test_a_target_is_scored_on_every_map_beside_other_learners(monkeypatch):
    """A product of columns: no linear function of them explains it, and smooth kernels do."""
    labels = ("Fourier features, rbf", "Maxout features, q = 2")
    few = lambda data: [entry for entry in candidates(data) if entry.label in labels]  # noqa: E731
    monkeypatch.setattr(_survey, "candidates", few)
    values = np.random.default_rng(4).standard_normal((600, 3))
    outcome = toys.measure(with_target(lambda x: x[:, 0] * x[:, 1], values), context())
    assert {entry.map for entry in outcome.scores} == {RAW, BOOSTING, *labels}
    best = {entry.map: entry.value for entry in outcome.scores}  # of the most features
    # 200 rows are held out: R² of nothing has a standard error near 0.1.
    assert best[RAW] < 0.3
    assert outcome.best.map == "Fourier features, rbf"
    assert outcome.best.value > 0.8
    assert all(entry.interval[0] <= entry.value <= entry.interval[1] for entry in outcome.scores)
    enough = outcome.enough
    assert (enough.map, outcome.target) == (outcome.best.map, "y")
    assert enough.n_features <= outcome.best.n_features
    assert enough.value >= outcome.best.interval[0]
    assert "R²" in outcome.score_method
    first = f"R² of y: {outcome.best.map} {outcome.best.value:.2f} with {outcome.best.n_features} "
    assert outcome.headline.startswith(first)
    assert f"raw columns {round(best[RAW], 2) + 0.0:.2f}" in outcome.headline


@pytest.mark.slow
def test_a_learner_without_a_score_has_its_reason_on_every_page(monkeypatch):
    monkeypatch.setattr(_survey, "_boost", Mock(side_effect=ImportError("there is none")))
    with toys.few_maps():
        result = report.run((), data=with_target(lambda x: x[:, 1], toys.rows(60, 3)))
    assert result.exit_status == 0
    for page in (render_html(result), render_markdown(result)):
        assert "there is none" in page


def test_the_first_in_the_headline_is_the_best_learner():
    """A linear target: the raw columns explain all of it, and no map more."""
    with toys.few_maps():
        outcome = toys.measure(
            with_target(
                lambda x: x @ [1.0, -2.0, 3.0], np.random.default_rng(6).normal(size=(90, 3))
            ),
            context(),
        )
    assert outcome.headline.startswith("R² of y: raw columns 1.00; Fourier features")


def test_columns_of_several_units_are_standardized_where_that_helps():
    rng = np.random.default_rng(9)
    values = rng.standard_normal((400, 2)) * [1.0, 1e4]
    with toys.few_maps():
        outcome = toys.measure(with_target(lambda x: x[:, 0], values), context())
        plain = toys.measure(with_target(lambda x: x[:, 1], values), context())
    assert re.match(
        r"Columns are standardized: R² is [\d.]+ then, and .* as they are", outcome.scaling
    )
    assert outcome.evidence[0].status == "holds"
    # The target is a function of the long column alone, so that nothing is gained.
    assert plain.scaling == ""


def test_labels_are_scored_by_accuracy():
    values = np.random.default_rng(5).standard_normal((300, 3))
    labelled = with_target(lambda x: np.where(x[:, 0] > 0, "up", "down"), values)
    with toys.few_maps():
        outcome = toys.measure(labelled, context())
    scores = {entry.map: entry.value for entry in outcome.scores}
    assert min(scores[RAW], scores[BOOSTING]) > 0.85
    assert outcome.headline.startswith("Accuracy of y: ")


@pytest.mark.parametrize(
    ("target", "n", "words"),
    [
        (lambda x: np.ones(len(x)), 40, "the target y is the same in all rows"),
        (lambda x: np.arange(len(x)) == 7, 400, "the same in nearly all rows"),
        (lambda x: x[:, 0], 10, "10 rows are too few to hold some out, 30 are needed"),
        (lambda x: np.arange(len(x)).astype(str), 40, "the target y has 40 classes in 40 rows"),
    ],
)
def test_a_target_without_a_score_is_a_sentence(target, n, words):
    sentence = split_of(with_target(target, toys.rows(n)), context())
    assert sentence.startswith("No score: ")
    assert words in sentence


def test_the_mean_of_the_fit_scores_nothing():
    y = np.array([[1e3], [1e3 + 1.0], [1e3], [1e3 + 1.0]])
    same = Split((y, y), (y, y), None, ())
    assert _score("mean", 0, np.full((4, 1), 1e3 + 0.5), same).value == pytest.approx(0.0, abs=1e-9)


def test_scores_of_numbers_have_the_stated_intervals():
    """y = x + e with normal x and e: R^2 is 1 - 1/(1 + Var x), but for 1/n of fitting."""
    rng = np.random.default_rng(8)
    n, repeats = 300, 400
    for signal in (0.3, 1.5, 4.0):
        inside = 0
        for _ in range(repeats):
            x = signal * rng.standard_normal((2 * n, 1))
            y = x + rng.standard_normal((2 * n, 1))
            parts = Split((x[:n], y[:n]), (x[n:], y[n:]), None, ())
            predicted = _survey._predict(x[:n], x[n:], parts)
            low, high = _score("x", 0, predicted, parts).interval
            inside += low <= 1.0 - 1.0 / (1.0 + signal**2) <= high
        # A binomial of 400 and 0.95 leaves 360 to 397 with probability 1.5e-5. To first order in
        # 1/n = 1/300 the share itself is off by less than 0.01, the interval by its shape.
        assert 360 <= inside <= 397, signal
