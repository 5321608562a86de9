"""The instances in which kitchen sinks are measured, each closed form against another route."""

import math

import mpmath
import numpy as np
import pytest
from mehler.proofs_checks._plots import quantile_interval
from mehler.proofs_checks.kitchen_sinks import _instances, estimation_lemma
from mehler.proofs_checks.kitchen_sinks._instances import Cosines, cosine_features
from mehler.proofs_checks.kitchen_sinks.lemma_1 import Units
from scipy import optimize, stats

from mehler import exact, verify
from tests.proofs_checks.conftest import BY_ID


def gaussian_grid(d: int):
    """Nodes and weights for expectations over N(0, I_d), exact to degree 119 in each axis."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    x = np.stack(np.meshgrid(*[nodes] * d, indexing="ij"), axis=-1).reshape(-1, d)
    w = np.prod(np.stack(np.meshgrid(*[weights] * d, indexing="ij"), axis=-1), axis=-1).ravel()
    return x, w


@pytest.mark.parametrize(("d", "bandwidth"), [(1, 1.0), (2, 0.5)])
def test_cosines_in_closed_form_are_those_of_quadrature(d, bandwidth):
    instance = Cosines(d, bandwidth, signal=0.7, frequency=1.3)
    w, b = instance.draw(np.random.default_rng(3), 5, 4)
    x, weight = gaussian_grid(d)
    phi = cosine_features(x[np.newaxis], w, b)
    gram = np.einsum("p,npk,npl->nkl", weight, phi, phi)
    np.testing.assert_allclose(instance.gram(w, b), gram, atol=1e-13)
    labels = instance.signal * np.cos(instance.frequency * x[:, 0])
    np.testing.assert_allclose(
        instance.label_products(w, b), np.einsum("p,npk->nk", weight * labels, phi), atol=1e-13
    )
    target = 2 / math.pi * np.exp(-0.5 * bandwidth**2 * (x**2).sum(axis=1))
    average = (phi @ np.sign(np.cos(b))[..., np.newaxis])[..., 0] / 4
    errors = np.sqrt(((average - target) ** 2) @ weight)
    np.testing.assert_allclose(instance.errors(w, b), errors, atol=1e-12)
    assert instance.norm == pytest.approx(math.sqrt(weight @ target**2), rel=1e-12)


@pytest.mark.parametrize("threshold", [1e-3, 0.1339, 0.5, 0.999])
@pytest.mark.parametrize("n", [10, 101, 4000])
def test_exact_tails_are_binomial(n, threshold):
    least = math.ceil(n * (1 + threshold) / 2)
    # Gamma functions of mpmath, term by term, against products of integers.
    count = mpmath.fsum(mpmath.binomial(n, j) for j in range(least, n + 1))
    route = float(mpmath.log(count) - (n - 1) * mpmath.log(2))
    assert _instances.log_tail(n, threshold) == pytest.approx(route, rel=1e-9)


@pytest.mark.parametrize("by", [None, "frobenius", "longest"])
def test_divided_units_are_small_and_keep_their_function(by):
    """Times the scale, the mean of a divided unit under its density is h_1 |x|, as undivided."""
    units = Units(3, 4, by)
    rng = np.random.default_rng(8)
    x = units.points(rng)[0]
    assert np.linalg.norm(x) == pytest.approx(math.sqrt(3))
    values = (units.draw(rng, 200_000) @ x).max(axis=1)
    if by is not None:
        assert np.abs(values).max() <= 1
    truth = exact.max_moment(1, 4) * math.sqrt(3)
    verdict = verify.check_mean(units.feature_scale * values, truth, resolution=0.05 * truth)
    assert verdict.status == "holds", verdict


def test_fitted_weights_minimise_the_empirical_risk():
    rng = np.random.default_rng(6)
    products = _instances.Products(rng.standard_normal((20, 5)), rng.standard_normal((20, 5)), 0.4)
    box, ball_of = _instances.excess_over_box(products), _instances.excess_over_ball(products)
    of_draws = zip(products.empirical, products.true, box, ball_of, strict=True)
    for empirical, true, over_box, over_ball in of_draws:
        solution = optimize.linprog(-empirical, bounds=[(-0.2, 0.2)] * 5)
        assert over_box == pytest.approx(0.5 * (0.4 - solution.x @ true), rel=1e-9)
        ball = optimize.minimize(
            lambda a, g=empirical: -a @ g,
            np.zeros(5),
            constraints={"type": "ineq", "fun": lambda a: 1 / 5 - a @ a},
            options={"ftol": 1e-14},
        )
        assert over_ball == pytest.approx(0.5 * (0.4 - ball.x @ true), abs=1e-5)
        corners = np.array(np.meshgrid(*[[-0.2, 0.2]] * 5)).reshape(5, -1).T
        largest = 0.5 * np.abs(corners @ (empirical - true)).max()
        row = _instances.Products(empirical[np.newaxis], true[np.newaxis], 0.4)
        assert _instances.largest_gap(row)[0] == pytest.approx(largest)


def test_numbers_that_the_texts_quote():
    restored = estimation_lemma.as_restored
    for log_delta, quote in ((-40.0, "e^{-38.3}"), (-100.0, "e^{-64.4}")):
        tail = _instances.log_tail(4000, restored(4000, log_delta=log_delta))
        assert quote in BY_ID["kitchen-sinks.estimation-lemma"].sections["What is wrong"]
        assert f"e^{{{tail:.1f}}}" == quote
    assert "0.7071" in BY_ID["kitchen-sinks.greedy"].sections["What is wrong"]
    assert f"{math.sqrt(0.5):.4f}" == "0.7071"
    assert "5.24" in BY_ID["kitchen-sinks.theorem"].sections["As it holds"]
    assert 5.23 < 2 * math.sqrt(2) + 2 / math.sqrt(math.log(2)) < 5.24
    assert r"\frac12\kappa" in BY_ID["kitchen-sinks.norms"].proved


def test_intervals_of_quantiles_contain_the_quantile():
    """One in a hundred may miss: of 300 at most 13, which 1 % exceeds with probability 3e-6."""
    rng = np.random.default_rng(2)
    truth = stats.norm.ppf(0.9)
    ends = [quantile_interval(rng.standard_normal(200), 0.9) for _ in range(300)]
    assert sum(not low < truth < high for low, high in ends) <= 13
    assert np.median([high - low for low, high in ends]) < 0.7
    # Of 3 draws none lies below with probability 0.001, at most one with 0.028.
    assert quantile_interval(np.arange(3.0), 0.9) == (0.0, 2.0)
