"""Risk of ridge regression on features: against closed forms, simulation of the learner, orders."""

import math

import numpy as np
import pytest
from mehler.proofs_checks.features.clipped_ridge import left_out
from mehler.proofs_checks.group_invariant.risk.ridge_gain import least_squares_risk, ridge_risk
from scipy import stats

from mehler import FourierFeatures, learn
from mehler.bounds import ridge
from mehler.features import groups

DECAY = 60 * 0.7 ** np.arange(60)
KNOWN = {"ridge": 0.05, "norm": 2.0, "noise": 0.5, "eigenvalues": DECAY, "sup": 1.0}


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
            others = np.arange(41) != i
            fit = learn.ridge(phi, X[others], y[others], lambdas=lam * 41 / 40, intercept=False)
            result.append(float((fit.predict(X[i : i + 1]).reshape(-1)[0] - target[i]) ** 2))
    bound = ridge.excess_risk(
        m, ridge=lam, norm=1.0, noise=noise, gram=K, sup=1.0, block=2, design=design
    )
    assert np.mean(result) < bound.value


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


def test_the_inequality_for_each_set_of_rows():
    """Fits without each row by solving anew, leverages by the inverse; any weights beside them."""
    rng = np.random.default_rng(0)
    nearest = 0.0
    for _ in range(300):
        n, m = int(rng.integers(2, 9)), int(rng.integers(1, 5))
        penalty, clip = 10 ** rng.uniform(-4, 2), rng.uniform(0.5, 2)
        z = rng.standard_normal((n, m)) * 10 ** rng.uniform(-1, 1, (n, 1))
        signs = rng.random() < 0.5
        y = clip * (np.sign(rng.standard_normal(n)) if signs else rng.uniform(-1, 1, n))
        solution = np.linalg.solve(z.T @ z + penalty * np.eye(m), z.T @ y)
        d = float(np.trace(z @ np.linalg.inv(z.T @ z + penalty * np.eye(m)) @ z.T))
        risk = left_out(z, y, penalty, clip).mean()
        for w in (solution, 2 * solution, np.zeros(m), rng.standard_normal(m)):
            of_rows = {"ridge": penalty / (n - 1), "clip": clip, "degrees_of_freedom": d}
            norm = float(np.linalg.norm(w))
            bound = ridge.excess_risk_clipped(n - 1, norm=norm, **of_rows)
            excess = risk - np.mean((z @ w - y) ** 2)
            assert excess <= bound.total * (1 + 1e-9)
            nearest = max(nearest, excess / bound.total)
    assert nearest > 0.6


@pytest.mark.parametrize("m", [1, 5])
def test_coins_in_cells_are_an_eighth(m):
    """The excess is sum_j p_j E mean_j^2 where cell j has rows, and 0 where it has none."""
    n = 400 * m
    count = np.arange(1, n + 1)
    excess = m * (1 / m) * float(np.sum(stats.binom(n, 1 / m).pmf(count) / count))
    bound = ridge.excess_risk_clipped(n, ridge=1e-12, norm=0.0, clip=1.0, degrees_of_freedom=m)
    assert excess / bound.total == pytest.approx(1 / 8, rel=0.02)


AVERAGES = ("none", "after", "before")
GROUP = groups.CyclicShifts(5)
ROWS = np.random.default_rng(3).standard_normal((7, 5))
RIDGE = 0.03


def kernel(X, Y):
    return np.exp(-((X[:, None] - Y[None]) ** 2).sum(axis=2) / 7)


def moved(X=ROWS):
    return np.stack([kernel(X, move(X)) for move in GROUP.actions])


def smoother(average):
    """Targets to values at all g x_j, by fitting each unit vector of targets."""
    orbit = np.concatenate([np.asarray(move(ROWS)) for move in GROUP.actions])
    size = len(ROWS)
    if average == "before":
        # All images, each with the target of its row.
        weights = np.linalg.inv(kernel(orbit, orbit) + len(orbit) * RIDGE * np.eye(len(orbit)))
        return kernel(orbit, orbit) @ weights @ np.tile(np.eye(size), (GROUP.order, 1))
    plain = kernel(orbit, ROWS) @ np.linalg.inv(kernel(ROWS, ROWS) + size * RIDGE * np.eye(size))
    if average == "none":
        return plain
    return np.tile(plain.reshape(GROUP.order, size, size).mean(axis=0), (GROUP.order, 1))


@pytest.mark.parametrize("average", AVERAGES)
def test_risk_by_the_definition_of_each_predictor(average):
    f = np.sin(ROWS.sum(axis=1))
    S = smoother(average)
    result = ridge_risk(moved(), ridge=RIDGE, noise=0.7, target=f, average=average)
    assert result["bias"] == pytest.approx(np.mean((S @ f - np.tile(f, 5)) ** 2), rel=1e-9)
    assert result["variance"] == pytest.approx(0.49 * np.sum(S**2) / len(S), rel=1e-9)


@pytest.mark.parametrize("average", AVERAGES)
def test_the_norm_is_for_the_worst_invariant_target(average):
    """No target of the norm has more bias, and one has as much, to which powers converge."""
    grams = moved()
    setting = {"ridge": RIDGE, "noise": 0.0, "average": average}
    worst = ridge_risk(grams, norm=2.0, **setting).value
    root = np.linalg.cholesky(grams.mean(axis=0))
    away = smoother(average) - np.tile(np.eye(7), (5, 1))
    v = np.random.default_rng(0).standard_normal(7)
    for _ in range(2000):
        v = root.T @ (away.T @ (away @ (root @ v)))
        v *= 2 / np.linalg.norm(v)
        bias = ridge_risk(grams, target=root @ v, **setting).value
        assert bias <= worst * (1 + 1e-9)
    assert bias == pytest.approx(worst, rel=1e-6)


@pytest.mark.parametrize(("n", "d", "k"), [(3, 8, 2), (12, 6, 3), (6, 14, 1)])
def test_least_squares_on_gaussian_rows(n, d, k):
    """20,000 draws of the solution of least length: means within five standard errors."""
    rng = np.random.default_rng(n)
    X = rng.standard_normal((20_000, n, d))
    inverse = np.linalg.pinv(X)
    w = np.eye(d)[0]
    signal, noise = np.einsum("aij,aj->ai", inverse, X @ w) - w, inverse
    inside = np.arange(d) < k
    sample = {
        "none": (np.sum(signal**2, axis=1), np.sum(noise**2, axis=(1, 2))),
        "after": (
            np.sum(signal[:, inside] ** 2, axis=1),
            np.sum(noise[:, inside] ** 2, axis=(1, 2)),
        ),
    }
    inner = np.linalg.pinv(X[:, :, inside])
    before = np.einsum("aij,aj->ai", inner, X @ w) - w[inside]
    sample["before"] = (np.sum(before**2, axis=1), np.sum(inner**2, axis=(1, 2)))
    setting = {"n_inputs": d, "n_fixed": k, "noise": 1.0, "norm": 1.0}
    for average, columns in sample.items():
        bound = least_squares_risk(n, average=average, **setting)
        for name, draws in zip(("signal", "noise"), columns, strict=True):
            if np.isfinite(bound[name]):
                error = draws.std() / math.sqrt(len(draws))
                assert abs(draws.mean() - bound[name]) <= 5 * error + 1e-12, (average, name)
