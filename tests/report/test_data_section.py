"""Maps on the user's rows: correct ones pass, broken ones are caught, odd rows are survived."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from mehler.report.inputs._data import load_rows
from mehler.report.on_data import _section
from mehler.report.on_data._maps import maps_under_test, products_of
from mehler.report.on_data._pairs import survey
from mehler.report.on_data._plan import ERRORS, plan
from mehler.statements import Context
from mehler.verify import Ledger
from tests.report import toys

MAPS = {one.label: one for one in maps_under_test()}


def context(**options) -> Context:
    # A million looks of 1e-6 would fit; the sections here take six.
    return Context(ledger=Ledger(budget=1e-3), false_alarm=1e-6, statement="data", **options)


def check(one, values, seed=0):
    seen = survey(values, 16, np.random.default_rng(seed))
    return _section._check(one, values, seen, context(seed=seed))[0]


class Planted:
    """A map with a defect in its products; kernel and variance are left as claimed."""

    def __init__(self, phi, spoil) -> None:
        self.phi, self.spoil = phi, spoil

    def __getattr__(self, name):
        return getattr(self.phi, name)

    def products(self, x, y):
        return self.spoil(self.phi, x, y)


@pytest.mark.parametrize("label", MAPS)
def test_maps_have_their_kernels_on_the_data(label):
    found = check(MAPS[label], toys.rows())
    assert found.status == "holds"
    # Rows in five dimensions are cheap: the quick level's own resolution is met.
    assert found.interval[1] - found.interval[0] <= found.resolution == 0.05


def test_maps_are_measured_on_another_backend():
    one, values = MAPS["MaxoutFeatures, q = 16"], toys.rows()
    seen = survey(values, 16, np.random.default_rng(0))
    here, there = (
        _section._check(one, values, seen, context(backend=backend))[0]
        for backend in ("numpy", "dask")
    )
    # The same weights: estimates agree to the rounding of a mean of thousands of products.
    assert there.observed == pytest.approx(here.observed, rel=1e-12)


DEFECTS = {
    "MaxoutFeatures, q = 4": lambda phi, x, y: phi.products(x, y) * 1.1,
    # The scale of rows lost: seen only because the rows have several lengths.
    "MaxoutFeatures, q = 8": lambda phi, x, y: phi.products(
        x / np.linalg.norm(x, axis=1, keepdims=True), y
    ),
    "MaxoutCodes, q = 4": lambda phi, x, y: phi.products(x, -y),
    "DecoupledMaxoutFeatures, q = 2": lambda phi, x, y: np.abs(phi.products(x, y)),
}


@pytest.mark.parametrize("label", DEFECTS)
def test_planted_defects_are_refuted(label):
    one = MAPS[label]
    broken = replace(one, draw=lambda *args: Planted(one.draw(*args), DEFECTS[label]))
    assert check(broken, toys.rows()).status == "refuted"


def test_too_few_features_are_inconclusive(monkeypatch):
    monkeypatch.setattr(_section, "design", lambda *args: (400, 0.05))
    assert check(MAPS["MaxoutFeatures, q = 4"], toys.rows()).status == "inconclusive"


def test_pairs_show_all_correlations_and_both_extremes():
    values = toys.rows(200, 3)
    unit = values / np.linalg.norm(values, axis=1, keepdims=True)
    upper = (unit @ unit.T)[np.triu_indices(200, 1)]
    seen = survey(values, 64, np.random.default_rng(0))
    assert seen.complete
    assert seen.n_pairs == seen.counts.sum() == 200 * 199 // 2
    # One inner product and two lengths: a few units of rounding.
    assert seen.low == pytest.approx(upper.min(), abs=1e-14)
    assert seen.high == pytest.approx(upper.max(), abs=1e-14)
    assert len(seen.pairs) == 64
    assert np.all(np.diff(seen.rho) >= 0)
    # Of 32 strata of a range of 2, none is empty here: no gap exceeds two of them.
    assert np.diff(seen.rho).max() <= 2 * 2 / 32
    np.testing.assert_allclose(seen.rho, [unit[i] @ unit[j] for i, j in seen.pairs], atol=1e-14)


def test_many_rows_are_sampled(monkeypatch):
    from mehler.report.on_data import _pairs

    monkeypatch.setattr(_pairs, "ALL_PAIRS_UP_TO", 50)
    seen = survey(toys.rows(200, 3), 64, np.random.default_rng(0))
    assert not seen.complete
    assert seen.n_pairs == 50 * 49 // 2
    assert seen.pairs.max() >= 50


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
    found = _section.measure(load_rows(values), context())
    assert {one.status for one in found.evidence} == {"holds"}
    assert len(found.plan) == len(MAPS) * len(ERRORS)
    assert found.n_zero_rows == (3 if len(values) == 8 else 0)


def test_wide_rows_get_a_coarser_resolution_within_the_budget():
    one = MAPS["MaxoutFeatures, q = 4"]
    n_small, fine = _section.design(one, 1.25, 64, 64, context())
    n_wide, coarse = _section.design(one, 1.25, 2000, 64, context())
    assert fine == 0.05 < coarse <= 0.1
    assert n_wide < n_small
    assert _section.design(one, 1.25, 64, 64, context(level="full"))[1] == 0.03


def test_products_are_drawn_in_pieces_that_do_not_repeat(monkeypatch):
    from mehler.report.on_data import _maps

    one, values = MAPS["MaxoutFeatures, q = 2"], toys.rows(4)
    monkeypatch.setattr(_maps, "_WEIGHTS_A_DRAW", one.weights(5) * 10)
    found = products_of(one, values[:2], values[2:], 25, context())
    assert found.shape == (2, 25)
    assert np.unique(found).size == 50


def failures(one, values, n_features, error, draws=40):
    """Count the draws whose Gram is off by more than the error at some pair."""
    count = 0
    for seed in range(draws):
        phi = one.draw(values.shape[1], n_features, seed, None)
        scale = np.sqrt(np.diag(phi.kernel(values)))
        off = np.abs(phi.gram(values) - phi.kernel(values)) / np.outer(scale, scale)
        count += off[np.triu_indices(len(values), 1)].max() > error
    return count


def test_plan_keeps_its_promise():
    """All pairs are within the error in 99 of 100 draws; with a quarter of the features not.

    Three failures or more in 40 draws have probability 0.0075 at a failure rate of 0.01. With a
    quarter of the features the worst pair alone, at 3.4 / 2 standard errors, fails in 9 draws of
    100, and the other 14 add to it.
    """
    values = toys.rows(6, 3)
    one = MAPS["MaxoutFeatures, q = 4"]
    row = plan([one], survey(values, 15, np.random.default_rng(0)), 6)[0]
    assert failures(one, values, row.n_features, row.error) <= 2
    assert failures(one, values, row.n_features // 4, row.error) > 2


def test_plan_grows_with_accuracy_and_is_larger_without_a_limit_theorem():
    seen = survey(toys.rows(6, 3), 15, np.random.default_rng(0))
    rows = plan(list(MAPS.values()), seen, 6)
    for first, second in pairwise(rows):
        if first.label == second.label:
            assert first.n_features < second.n_features
    assert all(row.n_features < row.n_features_robust for row in rows)
