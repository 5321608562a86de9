"""check_same: rewritten maps hold whatever their law, changed ones are refuted."""

from functools import partial

import numpy as np
import pytest

from mehler.verify import check_same
from tests.verify.toys import points

# Versions of maps: rewritten without a change of the kernel, or with one.
GAMMA, D = 0.3, 5


def offset(seed, *, m=100, gamma=GAMMA, norm=2.0, shifts=True, dtype=float):
    """sqrt(norm/m) cos(wx + b)."""
    rng = np.random.default_rng(seed)
    w = np.sqrt(2.0 * gamma) * rng.standard_normal((D, m))
    b = rng.uniform(0.0, 2.0 * np.pi, m) if shifts else np.zeros(m)
    w, b = w.astype(dtype), b.astype(dtype)
    return lambda x: (np.sqrt(norm / m) * np.cos(x.astype(dtype) @ w + b)).astype(dtype)


def pairs(seed, *, m=50):
    """Cosines and sines."""
    w = np.sqrt(2.0 * GAMMA) * np.random.default_rng(seed).standard_normal((D, m))
    return lambda x: np.hstack([np.cos(x @ w), np.sin(x @ w)]) / np.sqrt(m)


def orthogonal(seed, *, m=50):
    rng = np.random.default_rng(seed)
    blocks = [np.linalg.qr(rng.standard_normal((D, D)))[0] for _ in range(m // D)]
    w = np.concatenate(blocks, axis=1) * np.sqrt(2.0 * GAMMA * rng.chisquare(D, m))
    return lambda x: np.hstack([np.cos(x @ w), np.sin(x @ w)]) / np.sqrt(m)


def exponential(seed, *, m=64, factor=1.0):
    """Positive features of softmax attention: products have a log-normal law."""
    w = np.random.default_rng(seed).standard_normal((D, m))
    return lambda x: factor * np.exp(x @ w - 0.5 * (x * x).sum(axis=1)[:, None]) / np.sqrt(m)


def step(seed, *, m=20):
    w = np.random.default_rng(seed).standard_normal((D, m))
    return lambda x: (x @ w > 0.0) * np.sqrt(1.0 / m)


def shifted(draw, by=1000):
    """The same algorithm from other random numbers."""
    return lambda seed: draw(seed + by)


X = 0.6 * points(3, D)
FAR = 2.5 * X / np.linalg.norm(X, axis=1, keepdims=True)
COARSE = {"resolution": 0.05}

TWINS = {
    "other random numbers": (offset, shifted(offset)),
    "orthogonal, other numbers": (pairs, shifted(orthogonal)),
    "float32 on one side": (offset, shifted(partial(offset, dtype=np.float32))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", TWINS)
@pytest.mark.sampled(1)
def test_the_same_kernel_by_another_law_holds(name):
    verdict = check_same(*TWINS[name], X, **COARSE)
    assert verdict.holds, str(verdict)
    assert verdict.interval[0] <= 0.0 <= verdict.interval[1]
    assert {"a", "b", "i", "j"} <= set(verdict.where)
    assert verdict.detectable <= 2.0 * verdict.resolution


EQUAL = {
    "in float32": (partial(offset, dtype=np.float32), True),
    "columns in another order": (lambda seed: lambda x: offset(seed)(x)[:, ::-1], False),
    "a thousandth of the resolution": (
        lambda seed: lambda x: (1.0 + 1e-5) * offset(seed)(x),
        False,
    ),
}


@pytest.mark.parametrize("name", EQUAL)
def test_equal_features_hold_at_once_and_equal_products_after_some_draws(name):
    pair, at_once = EQUAL[name]
    verdict = check_same(offset, pair, X)
    assert verdict.holds
    assert (verdict.method == "equal features for equal seeds") == at_once
    assert (verdict.n_draws == 64) == at_once
    # 1 - (1 - p)^64 = 1 - 1e-9 at p = 0.28.
    assert ("28 %" in verdict.assumptions[0]) == at_once
    assert max(map(abs, verdict.interval)) <= 0.05 * verdict.resolution * verdict.scale


BROKEN = {
    "bandwidth of 2014": partial(offset, gamma=2.0 * 0.3),
    "no offset": partial(offset, shifts=False),
    "2 per cent too large": lambda seed: lambda x: 1.02 * offset(seed)(x),
    "wrong for one seed in five": lambda seed: offset(seed, norm=1.0 if seed % 5 == 0 else 2.0),
}


@pytest.mark.slow
@pytest.mark.parametrize("where", ["new", "old", "other numbers"])
@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.sampled(2)
def test_a_changed_kernel_is_refuted(name, where):
    broken = BROKEN[name]
    sides = {
        "new": (offset, broken),
        "old": (broken, offset),
        "other numbers": (shifted(offset), broken),
    }
    fine = {} if name == "2 per cent too large" else COARSE
    verdict = check_same(*sides[where], X, **fine)
    assert verdict.status == "refuted", str(verdict)
    assert "bounded kurtosis" in verdict.method
    assert abs(verdict.where["b"] - verdict.where["a"] - verdict.observed) < 1e-9


def test_heavy_tails_are_open_and_say_what_to_do():
    verdict = check_same(exponential, shifted(exponential), FAR, max_features=1_200_000)
    assert verdict.status == "inconclusive"
    assert "draw larger maps" in verdict.reason
    assert any("few large samples" in line for line in verdict.assumptions)


def test_samples_that_never_vary_refute_nothing():
    """Nearly opposite rows: a feature of both is 1 in 20,000 draws or so."""
    x = np.zeros((2, D))
    x[:, 0], x[1, 1] = [1.0, -1.0], 3e-4
    verdict = check_same(step, shifted(step), x[:1], x[1:], max_features=200_000)
    assert verdict.status != "refuted", str(verdict)


def test_products_that_never_move_are_no_agreement():
    """Both lengths are 1 in every draw; 0 in nearly every draw of step features."""
    verdict = check_same(pairs, shifted(pairs), X[:1])
    assert verdict.holds
    assert "equal" not in verdict.method
    assert verdict.n_draws > 1000
