"""Maps on the user's rows: correct ones pass, broken ones are caught, odd rows are survived."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from mehler import _arrays
from mehler.report import _survey, load_rows
from mehler.report._maps import maps_under_test
from mehler.report._rows import MEASURED, choose
from mehler.report._survey import (
    ERRORS,
    RAW,
    Declared,
    Task,
    _held_out,
    check_on_rows,
    design,
    plan,
)
from mehler.statements import Context
from mehler.verify import Ledger, features_needed
from tests.report import toys


def context(**options) -> Context:
    # A thousand looks of 1e-6 would fit; the sections here take at most fifteen.
    return Context(ledger=Ledger(budget=1e-3), false_alarm=1e-6, statement="data", **options)


def chosen(values, seed=0):
    return choose(load_rows(values), np.random.default_rng(seed))


def images(n=60, side=6, seed=2):
    """Blurred noise, so that pixels are like their neighbours on both sides."""
    noise = np.random.default_rng(seed).standard_normal((n, side + 2, side + 2))
    rows = sum(noise[:, i : i + side, j : j + side] for i in range(3) for j in range(3))
    return rows.reshape(n, -1)


SEEN = chosen(toys.rows())
SEEN_IMAGES = chosen(images())
MAPS = {one.label: (one, data) for data in (SEEN_IMAGES, SEEN) for one in maps_under_test(data)}


class Planted:
    """A map with a defect in its features; kernel and variance are left as claimed."""

    def __init__(self, phi, spoil) -> None:
        self.phi, self.spoil = phi, spoil

    def __getattr__(self, name):
        return getattr(self.phi, name)

    def __call__(self, x):
        return self.spoil(self.phi, x)

    def products(self, x, y):
        # As if rows were features already: the map's own sums over the columns of a unit.
        return self.phi._unit_products(self(x), self(y))


def test_every_kind_of_map_is_measured():
    families = {label.partition(",")[0].partition(" ")[0] for label in MAPS}
    assert families == {
        "FourierFeatures",
        "LeverageSampling",
        "KitchenSinks",
        "MaxoutFeatures",
        "DecoupledMaxoutFeatures",
        "MaxoutCodes",
        "GroupInvariantFeatures",
    }


@pytest.mark.parametrize("label", MAPS)
@pytest.mark.sampled(8)
def test_maps_have_their_kernels_on_the_data(label):
    one, data = MAPS[label]
    ledger = context()
    outcome = check_on_rows(Declared.at_measured(one, data), data, ledger)
    assert outcome.status == "holds", outcome.claim
    low, high = outcome.interval
    assert low <= outcome.exact <= high
    assert high - low <= outcome.resolution < 0.3
    assert ledger.ledger.to_dict()["spent"] == pytest.approx(1e-6)
    if not one.whole and not one.unit:
        # Rows in five dimensions are cheap: the quick level's own resolution is met.
        assert outcome.resolution == pytest.approx(0.05)


def test_maps_are_measured_on_another_backend():
    one, _ = MAPS["MaxoutFeatures, q = 16"]
    declared = Declared.at_measured(one, SEEN)
    here, there = (
        check_on_rows(declared, SEEN, context(backend=name)) for name in ("numpy", "dask")
    )
    # The same weights: estimates agree to the rounding of a mean of thousands of products.
    assert there.observed == pytest.approx(here.observed, rel=1e-12)


DEFECTS = {
    "FourierFeatures, rbf": lambda phi, x: phi(x * np.sqrt(2.0)),
    "KitchenSinks, relu": lambda phi, x: np.abs(phi(x)) * 1.1,
    "MaxoutFeatures, q = 4": lambda phi, x: phi(x) * 1.05,
    # The scale of rows lost: seen only because the rows have several lengths.
    "MaxoutFeatures, q = 8": lambda phi, x: phi(x / np.linalg.norm(x, axis=1, keepdims=True)),
    "DecoupledMaxoutFeatures, q = 2": lambda phi, x: np.abs(phi(x)),
    "LeverageSampling of rbf": lambda phi, x: phi(x) * 1.3,
    "GroupInvariantFeatures, quarter turns": lambda phi, x: phi(x[:, ::-1] * 0.5),
}


@pytest.mark.parametrize("label", DEFECTS)
def test_planted_defects_are_refuted(label):
    one, data = MAPS[label]

    def draw(n_features, *, seed, like=None):
        phi = one.draw(n_features, seed=seed, like=like)
        # The claim is made by a map on the host.
        return phi if like is None else Planted(phi, DEFECTS[label])

    declared = Declared.at_measured(replace(one, draw=draw), data)
    assert check_on_rows(declared, data, context()).status == "refuted"


def test_a_map_that_raises_is_an_error_and_the_others_go_on(monkeypatch):
    def broken(n_features, *, seed, like=None):
        raise RuntimeError("no weights today")

    maps = (replace(MAPS["MaxoutFeatures, q = 2"][0], draw=broken), MAPS["FourierFeatures, rbf"][0])
    monkeypatch.setattr(_survey, "maps_under_test", lambda data: maps)
    outcome = toys.measure(load_rows(toys.rows()), context())
    assert [one.status for one in outcome.evidence] == ["error", "holds"]
    assert "RuntimeError: no weights today" in outcome.evidence[0].claim
    assert {row.map for row in outcome.plan} == {"FourierFeatures, rbf"}


def test_too_few_features_are_inconclusive(monkeypatch):
    monkeypatch.setattr(_survey, "design", lambda *args: (0.05, 400))
    real = _survey.check_kernel
    monkeypatch.setattr(
        _survey, "check_kernel", lambda *args, **more: real(*args, max_features=400, **more)
    )
    declared = Declared.at_measured(MAPS["MaxoutFeatures, q = 4"][0], SEEN)
    outcome = check_on_rows(declared, SEEN, context())
    assert outcome.status == "inconclusive"
    assert "features would decide" in outcome.reason


def test_measured_rows_hold_both_extremes_and_are_numbered_as_in_the_source():
    values = np.insert(toys.rows(200, 3), [5, 90], 0.0, axis=0)
    unit = values / np.where(values.any(axis=1), np.linalg.norm(values, axis=1), 1.0)[:, None]
    data = chosen(values)
    assert data.counts.sum() == 200 * 199 // 2
    assert len(data.measured) == MEASURED
    rho = unit[data.source[data.measured]] @ unit[data.source[data.measured]].T
    np.fill_diagonal(rho, 0.0)
    # One inner product and two lengths: a few units of rounding.
    assert not np.all(np.diff(data.source) > 0)
    assert data.correlations == pytest.approx((rho.min(), rho.max()), abs=1e-14)


def test_columns_are_told_from_pixels_and_from_steps():
    rng = np.random.default_rng(3)
    assert chosen(images()).layout == (6, 6)
    assert chosen(np.cumsum(rng.standard_normal((80, 40)), axis=1)).layout in ((40,), ())
    steps = rng.standard_normal((80, 42))
    assert chosen(steps[:, 2:] + steps[:, 1:-1] + steps[:, :-2]).layout == (40,)
    # Without order, of a square number and not; and where all columns are alike.
    assert chosen(rng.standard_normal((80, 36))).layout == ()
    assert chosen(images()[:, rng.permutation(36)]).layout == ()
    assert chosen(rng.standard_normal((80, 1)) + 0.1 * rng.standard_normal((80, 36))).layout == ()


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "values",
    [
        np.ones((2, 3)),
        np.array([[1.0], [-1.0], [2.0]]),
        toys.rows(5) * 1e200,
        toys.rows(5) * 1e-200,
        np.vstack([toys.rows(5), np.zeros((3, 5))]),
    ],
    ids=["equal", "one column", "huge", "tiny", "zeros"],
)
def test_odd_rows_are_survived(values):
    outcome = toys.measure(load_rows(values), context())
    assert {one.status for one in outcome.evidence} == {"holds"}
    assert len(outcome.plan) == len(outcome.evidence) * len(ERRORS)
    assert outcome.n_zero_rows == (3 if len(values) == 8 else 0)


def test_wide_rows_get_a_coarser_resolution_within_the_budget():
    one, _ = MAPS["MaxoutFeatures, q = 4"]
    fine, n_small = design(one, 1.25, 78, context())
    coarse, n_wide = design(replace(one, cost=4 * 20_000), 1.25, 78, context())
    assert fine == 0.05 < coarse <= 1.0
    assert n_wide * 4 * 20_000 <= 20e6
    assert n_wide < n_small
    assert design(one, 1.25, 78, context(level="full"))[0] == 0.03


def failures(one, values, n_features, error, draws=40):
    """Count the draws whose Gram is off by more than the error at some pair."""
    count = 0
    for seed in range(draws):
        phi = one.draw(n_features, seed=seed)
        scale = np.sqrt(np.diag(phi.kernel(values)))
        off = np.abs(phi.gram(values) - phi.kernel(values)) / np.outer(scale, scale)
        count += off.max() > error
    return count


@pytest.mark.parametrize("label", ["MaxoutFeatures, q = 4", "KitchenSinks, erf"])
def test_plan_keeps_its_promise(label):
    """All pairs are within the error in 99 of 100 draws; with a quarter of the features not.

    Three failures or more in 40 draws have probability 0.0075 at a failure rate of 0.01. With a
    quarter of the features the diagonal alone, at 3.5 / 2 standard errors, fails in 8 draws of
    100 for each of six rows.
    """
    values = toys.rows(6, 3)
    one = {one.label: one for one in maps_under_test(chosen(values))}[label]
    row = plan(Declared.at_measured(one, chosen(values)), chosen(values), 6)[0]
    assert failures(one, values, row.n_features, row.error) <= 2
    assert failures(one, values, row.n_features // 4, row.error) > 2


def test_plan_grows_with_accuracy_and_is_larger_without_a_limit_theorem():
    for label in ("FourierFeatures, matern", "MaxoutCodes, q = 4"):
        rows = plan(Declared.at_measured(MAPS[label][0], SEEN), SEEN, 40)
        for first, second in pairwise(rows):
            assert first.n_features < second.n_features
        assert all(row.n_features < row.n_features_proved for row in rows)


def with_target(target, values):
    rows = load_rows(values)
    return replace(rows, target=target(rows.values), target_name="y")


def test_a_target_is_scored_on_every_map_beside_the_raw_columns(monkeypatch):
    """A product of columns: no linear function of them explains it, and smooth kernels do."""
    labels = ("FourierFeatures, rbf", "MaxoutFeatures, q = 2", "MaxoutCodes, q = 4")
    some = lambda data: [one for one in maps_under_test(data) if one.label in labels]  # noqa: E731
    monkeypatch.setattr(_survey, "maps_under_test", some)
    values = np.random.default_rng(4).standard_normal((600, 3))
    outcome = toys.measure(with_target(lambda x: x[:, 0] * x[:, 1], values), context())
    scores = {one.map: one for one in outcome.scores}
    assert next(iter(scores)) == RAW
    real = {one.check for one in outcome.evidence if "Codes" not in one.check}
    assert scores.keys() == {RAW, *real}
    # 200 rows are held out: R² of nothing has a standard error near 0.1.
    assert scores[RAW].value < 0.3
    assert scores["FourierFeatures, rbf"].value > 0.8
    assert all(one.interval[0] <= one.value <= one.interval[1] for one in outcome.scores)
    assert "R²" in outcome.score_method
    assert outcome.target == "y"


def test_labels_are_scored_by_accuracy():
    values = np.random.default_rng(5).standard_normal((300, 3))
    labelled = with_target(lambda x: np.where(x[:, 0] > 0, "up", "down"), values)
    with toys.few_maps():
        outcome = toys.measure(labelled, context())
    scores = {one.map: one.value for one in outcome.scores}
    assert scores[RAW] > 0.85
    assert all(0 <= one <= 1 for one in scores.values())
    assert "accuracy" in outcome.score_method


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "target", [lambda x: np.ones(len(x)), lambda x: np.full(len(x), "a")], ids=["number", "label"]
)
def test_a_constant_target_has_no_score(target):
    with toys.few_maps():
        assert toys.measure(with_target(target, toys.rows()), context()).scores == ()


def test_maps_of_too_few_columns_are_padded():
    one, _ = MAPS["LeverageSampling of rbf"]
    phi, drawn = one.features(64, 3, np), one.draw(64, seed=3)
    rows = SEEN.values[:5]
    assert drawn.n_features < 64 == phi(rows).shape[1]
    np.testing.assert_allclose(phi(rows) @ phi(rows).T, _arrays.to_host(drawn.gram(rows)))


def test_bandwidths_follow_the_median_rule():
    """gamma = 1/(2 median^2) of distances, which are counted here anew, pair by pair."""
    values = toys.rows()
    assert len(values) <= 200  # all pairs are counted
    pairs = [(a, b) for i, a in enumerate(values) for b in values[:i]]
    median = np.median([math.dist(a, b) for a, b in pairs])
    cityblock = np.median([np.abs(a - b).sum() for a, b in pairs])
    maps = {one.label: one.draw(2, seed=0) for one in maps_under_test(chosen(values))[:3]}
    # Of a few operations on a number that is counted in the same way.
    close = pytest.approx
    assert maps["FourierFeatures, rbf"].recipe()["gamma"] == close(0.5 / median**2, rel=1e-12)
    assert maps["FourierFeatures, laplacian"].recipe()["gamma"] == close(1 / cityblock, rel=1e-12)
    assert maps["FourierFeatures, matern"].recipe()["length_scale"] == close(median, rel=1e-12)


def test_scores_of_numbers_have_the_stated_intervals():
    """y = x + e with normal x and e: R^2 is 1 - 1/(1 + Var x), but for 1/n of fitting."""
    rng = np.random.default_rng(8)
    n, repeats = 300, 400
    for signal in (0.3, 1.5, 4.0):
        inside = 0
        for _ in range(repeats):
            x = signal * rng.standard_normal((2 * n, 1))
            y = x + rng.standard_normal((2 * n, 1))
            task = Task((x[:n], y[:n]), (x[n:], y[n:]), None, 1)
            _, (low, high) = _held_out(lambda rows: rows, task)
            inside += low <= 1.0 - 1.0 / (1.0 + signal**2) <= high
        # A binomial of 400 and 0.95 leaves 360 to 397 with probability 1.5e-5. To first order in
        # 1/n = 1/300 the share itself is off by less than 0.01, the interval by its shape.
        assert 360 <= inside <= 397, signal


@pytest.mark.parametrize("level", ["quick", "full"])
def test_designs_can_be_paid_and_decide(level):
    """The planned features are enough for all pairs at once at the planned resolution."""
    for one in maps_under_test(SEEN)[:3]:
        for variance, n_pairs in ((2.0, 10), (0.1, 66)):
            settings = context(level=level)
            resolution, m = design(one, variance, n_pairs, settings)
            rate, miss = 0.75 * settings.false_alarm / n_pairs, 1e-6 / n_pairs
            assert m >= one.multiple
            # m is a whole number, and the resolution follows it to first order.
            assert features_needed(variance, resolution, rate, miss) <= 1.01 * m + one.multiple
