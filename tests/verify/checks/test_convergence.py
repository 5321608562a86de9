"""check_convergence: shared, repeated and frozen features keep the mean and are found."""

from __future__ import annotations

import numpy as np
import pytest

import mehler
from mehler.verify import check_convergence, check_kernel
from tests.verify.toys import points, require_rate

X = points(4, 8)


def relu(seed, m, *, copies=1, pool=None):
    """Rectified projections; `copies` of each, or all from a pool of fixed size."""
    units = pool or m // copies
    w = np.random.default_rng(seed).standard_normal((8, units))
    if pool:
        w = w[:, np.random.default_rng([seed, 1]).integers(pool, size=m)]
    else:
        w = np.tile(w, copies)
    return lambda x: np.maximum(x @ w, 0.0) / np.sqrt(m)


def orthogonal(seed, m):
    """Blocks of orthogonal directions with chi norms: units dependent, and better for it."""
    rng = np.random.default_rng(seed)
    blocks = [np.linalg.qr(rng.standard_normal((8, 8)))[0] for _ in range(m // 8)]
    w = np.concatenate(blocks, axis=1) * np.sqrt(rng.chisquare(8, m))
    return lambda x: np.maximum(x @ w, 0.0) / np.sqrt(m)


def saturated(seed, m):
    """Random at 64 features, the exact linear kernel at 256: there is no error left."""
    if m > 64:
        return lambda x: np.pad(x, ((0, 0), (0, m - 8)))
    return lambda x: x @ np.random.default_rng(seed).standard_normal((8, m)) / np.sqrt(m)


GOOD = {
    "saturated": saturated,
    "iid": relu,
    "orthogonal": orthogonal,
    "maxout": lambda s, m: mehler.MaxoutFeatures.draw(8, m, 3, seed=s),
    "codes": lambda s, m: mehler.MaxoutCodes.draw(8, m, 3, seed=s),
    # Every unit twice doubles the variance at both sizes: the error still falls as m^{-1/2}.
    "pairs of copies": lambda s, m: relu(s, m, copies=2),
}
BAD = {
    "copies": lambda s, m: relu(s, m, copies=m // 32),
    "a pool of 64": lambda s, m: relu(s, m, pool=64),
    "three seeds": lambda s, m: relu(s % 3, m, copies=m // 64),
    "shared projections": lambda s, m: mehler.MaxoutFeatures.draw(
        8, m, 3, seed=s, n_projections=48
    ),
}


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.sampled(1)
def test_correct_maps_converge(name):
    verdict = check_convergence(GOOD[name], X)
    assert verdict.holds
    assert verdict.method.startswith("bounded kurtosis")
    assert verdict.detectable < 1.0


@pytest.mark.parametrize("name", BAD)
@pytest.mark.sampled(2)
def test_features_that_bring_nothing_new_are_refuted(name):
    verdict = check_convergence(BAD[name], X)
    assert verdict.status == "refuted"
    assert verdict.reason


def test_repeated_features_are_its_business_alone():
    """The mean is right, so the kernel holds."""

    def kernel(x, y):
        lengths = np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1))
        rho = np.clip(x @ y.T / lengths, -1.0, 1.0)
        return lengths * (np.sqrt(1 - rho**2) + rho * np.arccos(-rho)) / (2 * np.pi)

    copies = BAD["copies"]
    assert check_kernel(lambda s: copies(s, 256), kernel, X[:2], resolution=0.1).holds
    assert check_convergence(copies, X[:2]).status == "refuted"


def test_the_interval_is_for_the_ratio():
    verdict = check_convergence(BAD["copies"], X, sizes=(64, 192))
    # 32 features repeated 2 and 6 times: m Var grows exactly by 3.
    assert verdict.interval[0] <= 3.0 <= verdict.interval[1]


def test_too_few_draws_are_inconclusive():
    verdict = check_convergence(relu, X, max_features=800 * 320)
    assert verdict.status == "inconclusive"
    assert "would decide" in verdict.reason


@pytest.mark.full
def test_it_raises_no_more_alarms_than_it_says():
    options = {"sizes": (8, 32), "false_alarm": 0.2, "miss": 0.2, "resolution": 1.0}
    require_rate(lambda seed: check_convergence(relu, X, seed=seed, **options), 80, 0.2)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"resolution": 3.0}, ValueError, "vacuous"),
        ({"sizes": (64, 64)}, ValueError, "must increase"),
        ({"sizes": 64}, ValueError, "two numbers"),
        ({"sizes": (0, 64)}, ValueError, "two numbers"),
        ({"draw": 3}, TypeError, "callable"),
        ({"max_features": 1}, ValueError, "max_features=1"),
        ({"draw": lambda s, m: relu(s, 10)}, ValueError, "has 10 features"),
    ],
)
def test_bad_input_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        check_convergence(**({"draw": relu, "X": X} | options))


def test_a_refutation_has_a_guarantee():
    verdict = check_convergence(BAD["copies"], X)
    assert "asymptotic" not in verdict.method
    assert verdict.assumptions[1].startswith("not that pairs of draws rarer than 1 in ")
    assert "Unless pairs of draws rarer than 1 in " in verdict.reason
    assert 1.0 < verdict.interval[0] <= 4.0 <= verdict.interval[1]


def test_too_few_draws_to_be_sure_are_inconclusive():
    verdict = check_convergence(BAD["copies"], X, max_features=2000 * 320)
    assert verdict.status == "inconclusive"
    assert "too few draws" in verdict.reason


def test_estimates_that_never_move_are_no_evidence():
    """Cosines and sines have length 1 in every draw; step features of these rows are all 0."""

    def waves(seed, m):
        w = np.random.default_rng(seed).standard_normal((8, m // 2))
        return lambda x: np.hstack([np.cos(x @ w), np.sin(x @ w)]) / np.sqrt(m // 2)

    def rare(seed, m):
        w = np.random.default_rng(seed).standard_normal((8, m))
        return lambda x: (x @ w > 6.0 * np.linalg.norm(x, axis=1, keepdims=True)) / np.sqrt(m)

    for draw in (waves, rare, lambda seed, m: relu(7, m)):
        with pytest.raises(ValueError, match="same estimates at all pairs"):
            check_convergence(draw, X[:1])
