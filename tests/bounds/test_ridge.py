"""Risk of ridge regression on features: against closed forms, simulation of the learner, orders."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mehler import FourierFeatures, bounds, learn
from mehler.bounds import ridge

DECAY = 60 * 0.7 ** np.arange(60)
KNOWN = {"ridge": 0.05, "norm": 2.0, "noise": 0.5, "eigenvalues": DECAY, "sup": 1.0}


def test_more_features_are_never_worse_and_none_cost_the_target():
    result = [ridge.excess_risk(m, **KNOWN)["features"] for m in (1, 10, 100, 10**4, 10**6)]
    assert result == sorted(result, reverse=True)
    assert result[0] <= 4 * (DECAY[0] / 60 - 0.05 / 4) * (1 + 1e-9)


@pytest.mark.parametrize("design", ["rows", "left-out"])
def test_the_learner_keeps_the_bound(design):
    """learn.ridge on 40 rows, targets in the kernel's space, noise drawn anew."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((41, 2))
    noise, lam, m, repeats = 0.3, 0.05, 40, 60
    phi = FourierFeatures.draw(2, m, gamma=0.5, seed=0)
    K = phi.kernel(X)
    weights = rng.standard_normal(41)
    weights /= math.sqrt(weights @ K @ weights)
    target = K @ weights
    result = []
    for seed in range(repeats):
        phi = FourierFeatures.draw(2, m, gamma=0.5, seed=seed)
        y = target + noise * rng.standard_normal(41)
        if design == "rows":
            fit = learn.ridge(phi, X, y, lambdas=lam, intercept=False)
            result.append(np.mean((fit.predict(X).reshape(-1) - target) ** 2))
        else:
            i = seed % 41
            kept = np.arange(41) != i
            fit = learn.ridge(phi, X[kept], y[kept], lambdas=lam * 41 / 40, intercept=False)
            result.append(float((fit.predict(X[i : i + 1]).reshape(-1)[0] - target[i]) ** 2))
    bound = ridge.excess_risk(
        m, ridge=lam, norm=1.0, noise=noise, gram=K, sup=1.0, block=2, design=design
    )
    assert np.mean(result) < bound.value


def test_plain_setting():
    """12 sqrt(N) log(2N) blocks give (B^2 + sigma^2)/sqrt N + B^2/N, for any spectrum."""
    n = 400
    m = math.ceil(12 * math.sqrt(n) * math.log(2 * n))
    for mu in (np.full(n, 1.0), n * 0.5 ** np.arange(1, n + 1), np.eye(n)[0] * n):
        bound = ridge.excess_risk(
            m, ridge=n**-0.5, norm=1.0, noise=1.0, eigenvalues=mu, leverage=n**0.5
        )
        assert bound.value <= 2 / math.sqrt(n) + 1 / n


def test_features_are_the_least_and_the_exact_kernel_is_the_limit():
    m = bounds.solve(ridge.excess_risk, at_most=0.2, n_features=None, **KNOWN)
    assert ridge.excess_risk(m, **KNOWN).value <= 0.2 < ridge.excess_risk(m - 1, **KNOWN).value
    exact = sum(ridge.excess_risk(1, **KNOWN)[name] for name in ("bias", "variance"))
    with pytest.raises(ValueError, match=f"ridge.excess_risk is {exact:.6g}"):
        bounds.solve(ridge.excess_risk, at_most=0.05, n_features=None, **KNOWN)


def test_choice_of_the_ridge_is_the_smallest():
    arguments = {"norm": 1.0, "noise": 0.5, "eigenvalues": DECAY}
    best = ridge.best_ridge(**arguments)

    def value(lam):
        bound = ridge.excess_risk(1, ridge=lam, **arguments, sup=1.0)
        return bound["bias"] + bound["variance"]

    assert all(value(best) <= value(best * factor) for factor in (0.9, 0.97, 1.03, 1.1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sup": None, "leverage": 30.0, "design": "left-out"}, "needs sup"),
        ({"sup": None}, "give sup, leverage or lipschitz"),
        ({"smoothness": 0.0}, "smoothness=0.0 must be positive"),
        ({"smoothness": 1.01}, "smoothness=1.01 must be at most 1"),
    ],
)
def test_bad_input_is_named(change, message):
    with pytest.raises(ValueError, match=message):
        ridge.excess_risk(10, **{**KNOWN, **change})


@pytest.mark.parametrize("sizes", [{"sup": 1.2}, {"lipschitz": 1.2}])
def test_a_ridge_near_the_least_float_gives_the_trivial_bound_or_is_named(sizes):
    arguments = {"norm": 1.0, "noise": 1.0, "eigenvalues": [3.0, 1.0, 0.0], **sizes}
    for lam in (1e-100, 1e-290, 1e-300, 1e-305):
        # The target's own largest mean square, 3/3.
        assert ridge.excess_risk(5, ridge=lam, **arguments)["features"] == pytest.approx(1.0)
    with pytest.raises(ValueError, match="overflow: make it larger"):
        ridge.excess_risk(5, ridge=1e-320, **arguments)


def test_a_row_that_is_left_out_needs_a_ridge_whose_factor_is_a_float():
    with pytest.raises(ValueError, match="too small for design='left-out'"):
        ridge.excess_risk(100, design="left-out", **{**KNOWN, "ridge": 1e-200})


def test_a_row_that_is_left_out_is_predicted_better_than_by_0_or_nothing_is_promised():
    """The mean square of a target, R^2 mu_1/N at most, is the risk of predicting 0."""
    setting = {**KNOWN, "noise": 0.0, "design": "left-out"}
    of_zero = setting["norm"] ** 2 * DECAY[0] / DECAY.size
    target = np.linalg.qr(np.random.default_rng(0).standard_normal((60, 60)))[0] * DECAY**0.5
    assert np.max(np.linalg.norm(target, 2) ** 2 * setting["norm"] ** 2 / 60) <= of_zero * (
        1 + 1e-9
    )
    promised = ridge.excess_risk(10**9, **setting)
    assert promised.value < of_zero
    assert not promised.vacuous
    for change in ({"ridge": 1e-7}, {"noise": 30.0}):
        nothing = ridge.excess_risk(10**9, **{**setting, **change})
        assert nothing.value > of_zero
        assert nothing.vacuous
        assert "the risk of predicting 0" in str(nothing)
        assert not ridge.excess_risk(10**9, **{**setting, **change, "design": "rows"}).unmet
