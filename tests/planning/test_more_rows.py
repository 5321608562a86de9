"""Rows on spectra, centred units and sampled elements: numbers by other routes."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import gammaln

from mehler import MaxoutFeatures, exact
from mehler.bounds import group_invariant, spectral
from mehler.planning import _table, plan

ROWS = np.random.default_rng(5).standard_normal((30, 4))
UNIT = ROWS / np.linalg.norm(ROWS, axis=1, keepdims=True)
EPS, DELTA, RIDGE = 0.2, 0.05, 0.1


@pytest.fixture(scope="module")
def planned():
    return plan(ROWS, eps=EPS, delta=DELTA, ridge=RIDGE, group_order=24, scale=2.0, measure=False)


def rows_of(planned, start: str):
    (group,) = [rows for name, rows in planned.groups.items() if name.startswith(start)]
    return {row.name: row for row in group}


def test_spectral_rows_are_the_least_numbers_of_their_theorem(planned):
    rows = rows_of(planned, "spectral error of the Gram matrix of 30 rows")
    assert {row.statement for row in rows.values()} == {"features.gram-error"}
    phi = MaxoutFeatures.draw(4, 1, 4, seed=0)
    # Chebyshev's inequality for the Frobenius norm, over the least of K + N lambda.
    total = float(phi.variance(UNIT).sum())
    by_hand = math.ceil(total / (DELTA * (EPS * 30 * RIDGE) ** 2))
    assert abs(rows["Chebyshev, exact variance"].features - by_hand) <= 1
    m = rows["Lipschitz units, largest singular value of the rows"].features
    known = {"ridge": 30 * RIDGE, "delta": DELTA, "gram": phi.kernel(UNIT)}
    known["lipschitz"] = float(np.linalg.norm(UNIT, 2))
    at, before = (spectral.gram_error(size, **known).value for size in (m, m - 1))
    # Eigenvalues of K by another order of sums may change the last feature.
    assert at <= EPS * (1 + 1e-6)
    assert before >= EPS * (1 - 1e-6)
    assert any("d(lambda)" in note for note in planned.notes)


def test_planned_features_keep_the_spectral_error(planned):
    m = min(row.features for row in rows_of(planned, "spectral error").values())
    kernel = MaxoutFeatures.draw(4, 1, 4, seed=0).kernel(UNIT)
    mu, vectors = np.linalg.eigh(kernel)
    root = vectors / np.sqrt(mu + 30 * RIDGE)
    missed = 0
    for seed in range(40):
        off = MaxoutFeatures.draw(4, m, 4, seed=seed).gram(UNIT) - kernel
        missed += np.linalg.norm(root.T @ off @ root, 2) > EPS
    # A binomial of 40 and 0.05 exceeds 11 with probability 3e-7.
    assert missed <= 11


def test_nearest_rows_are_of_the_ball_and_of_one_function(planned):
    rows = rows_of(planned, "mean square distance to functions of norm 2, 30 rows")
    one = rows["Lemma 3, one function of the class"]
    # C^2 sigma^2(q)/m, the variance of a Monte Carlo mean.
    assert one.features == math.ceil(4 * exact.sigma2(4) / EPS)
    assert one.statement == "maxout.lemma-3"
    ball = rows["nearest function, worst of the ball"]
    known = {"norm": 2.0, "lipschitz": float(np.linalg.norm(UNIT, 2))}
    known["gram"] = MaxoutFeatures.draw(4, 1, 4, seed=0).kernel(UNIT)
    assert spectral.approximation(ball.features, **known).value <= EPS
    # Of a grid of ridges: a finer one saves some features, not a fifth of them.
    assert spectral.approximation(int(0.8 * ball.features), **known).value > EPS
    assert ball.statement == "features.nearest"


def test_element_rows_by_the_formula(planned):
    rows = rows_of(
        planned, "error of the invariant kernel by sampled elements, all pairs of 30 rows"
    )
    # kappa = E|t_1|/2 on the sphere of four dimensions; D at most sqrt 2.
    kappa = math.exp(gammaln(2) - gammaln(2.5)) / math.sqrt(math.pi) / 2
    by_range = (math.sqrt(math.sqrt(2)) + math.sqrt(2 * math.log(30 / DELTA))) ** 2
    by_spread = 2 * math.sqrt(2) * math.log(60 / DELTA)
    independent = rows["independent elements"]
    assert independent.features == math.ceil(kappa * min(by_range, by_spread) / EPS)
    distinct = rows["distinct elements of a group of 24"]
    assert distinct.features <= min(24, independent.features)
    known = {"n_inputs": 4, "n_rows": 30, "delta": DELTA, "group_order": 24}
    at = group_invariant.kernel_change_elements(distinct.features, **known).value
    before = group_invariant.kernel_change_elements(distinct.features - 1, **known).value
    assert at <= EPS < before


def test_centred_units_need_fewer(planned):
    rows = rows_of(planned, "excess risk, the part that more features reduce")
    spread = math.sqrt(exact.sigma2(4) - exact.max_moment(1, 4) ** 2)
    by_hand = (2.0 / EPS * (spread + math.sqrt(2 * math.log(1 / DELTA)))) ** 2
    centred = rows["Theorem 2, centred units"]
    assert centred.features == math.ceil(by_hand)
    assert centred.features < rows["Theorem 2, dimension-free"].features


def test_a_planted_pool_size_is_seen():
    """The pool enters each number by hand above: with another one it is another number."""
    facts = {"pool_size": 8, "scale": 2.0, "norm": 2.0, "n_rows": 30, "eps": EPS}
    (row,) = _table.rows_of(_table.SPECTRUM, facts)
    assert row.features == math.ceil(4 * exact.sigma2(8) / EPS)
    assert row.features != math.ceil(4 * exact.sigma2(4) / EPS)


def test_without_their_inputs_there_are_no_such_rows():
    planned = plan(ROWS, measure=False)
    assert not [name for name in planned.groups if "spectral" in name or "elements" in name]
    assert "ridge" not in planned.setting


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_inputs": 3, "ridge": 0.1}, "ridge=0.1 needs data"),
        ({"data": ROWS, "ridge": 0.0}, "ridge=0.0"),
        ({"n_inputs": 3, "group_order": 6}, "group_order=6 needs data, or n_inputs and n_samples"),
        ({"data": ROWS, "group_order": 0}, "group_order=0"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        plan(**options)


@pytest.mark.parametrize("ridge", [1e-300, 1e300])
def test_a_ridge_whose_square_leaves_the_floats_is_named(ridge):
    with pytest.raises(ValueError, match=r"ridge=1e.*: N ridge eps = 3e"):
        plan(np.eye(3), ridge=ridge, measure=False)
