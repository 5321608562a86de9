"""check_same: rewritten maps hold whatever their law, changed ones are refuted."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from mehler.verify import check_same
from mehler.verify.intervals._undeclared import LEAST
from tests.verify.toys import points, require_rate

# Versions of maps: rewritten without a change of the kernel, or with one.
GAMMA, D = 0.3, 5


def offset(seed, *, m=100, gamma=GAMMA, norm=2.0, used=D, shifts=True, dtype=float):
    """sqrt(norm/m) cos(wx + b)."""
    rng = np.random.default_rng(seed)
    w = np.sqrt(2.0 * gamma) * rng.standard_normal((D, m))
    w[used:] = 0.0
    b = rng.uniform(0.0, 2.0 * np.pi, m) if shifts else np.zeros(m)
    w, b = w.astype(dtype), b.astype(dtype)
    return lambda x: (np.sqrt(norm / m) * np.cos(x.astype(dtype) @ w + b)).astype(dtype)


def pairs(seed, *, m=50, together=False):
    """Cosines and sines, in two blocks or each `together` with its sine."""
    w = np.sqrt(2.0 * GAMMA) * np.random.default_rng(seed).standard_normal((D, m))

    def phi(x):
        z = np.stack([np.cos(x @ w), np.sin(x @ w)]) / np.sqrt(m)
        return z.transpose(1, 2, 0).reshape(len(x), -1) if together else np.hstack(list(z))

    return phi


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


def rectified(seed, *, m=1):
    w = np.random.default_rng(seed).standard_normal((D, m))
    return lambda x: np.maximum(x @ w, 0.0) / np.sqrt(m)


def shifted(draw, by=1000):
    """The same algorithm from other random numbers."""
    return lambda seed: draw(seed + by)


X = 0.6 * points(3, D)
FAR = 2.5 * X / np.linalg.norm(X, axis=1, keepdims=True)
COARSE = {"resolution": 0.05}

TWINS = {
    "other random numbers": (offset, shifted(offset)),
    "more features": (offset, partial(offset, m=150)),
    "offset or pairs": (offset, pairs),
    "orthogonal": (pairs, orthogonal),
    "orthogonal, other numbers": (pairs, shifted(orthogonal)),
    "float32 on one side": (offset, shifted(partial(offset, dtype=np.float32))),
}


@pytest.mark.parametrize("name", TWINS)
@pytest.mark.sampled(1)
def test_the_same_kernel_by_another_law_holds(name):
    verdict = check_same(*TWINS[name], X, **COARSE)
    assert verdict.holds, str(verdict)
    assert verdict.interval[0] <= 0.0 <= verdict.interval[1]
    assert {"a", "b", "i", "j"} <= set(verdict.where)
    assert verdict.detectable <= 2.0 * verdict.resolution


EQUAL = {
    "the same": (offset, offset, "features"),
    "in float32": (offset, partial(offset, dtype=np.float32), "features"),
    "columns in another order": (pairs, partial(pairs, together=True), "products"),
    "signs turned": (offset, lambda seed: lambda x: -offset(seed)(x), "products"),
    "a thousandth of the resolution": (
        offset,
        lambda seed: lambda x: (1.0 + 1e-5) * offset(seed)(x),
        "products",
    ),
}


@pytest.mark.parametrize("name", EQUAL)
def test_what_agrees_seed_by_seed_holds_at_once(name):
    a, b, what = EQUAL[name]
    verdict = check_same(a, b, X)
    assert verdict.holds
    assert verdict.method == f"equal {what} for equal seeds"
    assert verdict.n_draws == 64
    # 1 - (1 - p)^64 = 1 - 1e-9 at p = 0.28.
    assert "28 %" in verdict.assumptions[0]
    assert max(map(abs, verdict.interval)) <= 0.05 * verdict.resolution * verdict.scale


BROKEN = {
    "a factor of sqrt 2 lost": partial(offset, norm=1.0),
    "bandwidth of 2014": partial(offset, gamma=2.0 * 0.3),
    "two columns ignored": partial(offset, used=3),
    "no offset": partial(offset, shifts=False),
    "2 per cent too large": lambda seed: lambda x: 1.02 * offset(seed)(x),
    "wrong for one seed in five": lambda seed: offset(seed, norm=1.0 if seed % 5 == 0 else 2.0),
}


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


def test_a_multiple_is_named():
    verdict = check_same(offset, BROKEN["a factor of sqrt 2 lost"], X)
    assert "about 0.5 times" in verdict.reason


def test_common_seeds_are_taken_where_they_say_more():
    """One feature of a hundred is lost: 1 % of the kernel, far below what single draws scatter."""

    def lost(seed):
        def phi(x):
            z = offset(seed)(x)
            return z[:, 1:]

        return phi

    verdict = check_same(offset, lost, X, resolution=0.01)
    assert verdict.status == "refuted"
    assert "common" in verdict.method
    # Without pairing differences scatter by sqrt(2)/10: 9.5 standard errors, half an interval, are
    # 0.01 from 18,000 draws on.
    assert verdict.n_draws - LEAST < 9_000


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


def test_fixed_maps_are_compared_as_they_are():
    def fixed(factor):
        return lambda seed: lambda x: factor * np.hstack([x, x * x])

    assert check_same(fixed(1.0), fixed(1.0), X).method == "equal features for equal seeds"
    verdict = check_same(fixed(1.0), fixed(1.1), X)
    assert verdict.status == "refuted"
    assert any("one fixed map" in line for line in verdict.assumptions)


def test_libraries_may_differ():
    torch = pytest.importorskip("torch")

    def elsewhere(seed):
        return lambda x: torch.asarray(offset(seed)(x), dtype=torch.float32)

    verdict = check_same(offset, elsewhere, X)
    assert verdict.method == "equal features for equal seeds"
    other = check_same(offset, lambda seed: lambda x: 1.1 * elsewhere(seed + 1)(x), X, **COARSE)
    assert other.status == "refuted"


@pytest.mark.full
def test_it_raises_no_more_alarms_than_it_says():
    options = {"false_alarm": 0.05, "miss": 0.1, "resolution": 0.3, "max_features": 4000}
    sides = rectified, shifted(rectified)
    require_rate(lambda seed: check_same(*sides, X[:2], seed=seed, **options), 30, 0.05)


def test_limits_are_kept():
    few = check_same(offset, shifted(offset), X, max_features=20_000)
    assert few.status == "inconclusive"
    assert few.n_features <= 20_000
    assert "draws would decide" in few.reason
    soon = check_same(offset, shifted(offset), X, time_limit=0.05)
    assert soon.status == "inconclusive"
    assert "time limit" in soon.reason


def test_features_that_are_not_finite_are_refuted_by_name():
    verdict = check_same(offset, lambda seed: lambda x: np.nan * offset(seed)(x), X)
    assert verdict.status == "refuted"
    assert "draw_b" in verdict.reason


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"draw_b": lambda s: lambda x: offset(s)(x)[1:]}, ValueError, "draw_b: .*shape"),
        ({"draw_b": lambda s: offset(s, m=100 + s % 2)}, ValueError, "draw_b: .*same size"),
        ({"draw_a": lambda s: 3}, TypeError, "draw_a: .*not callable"),
        ({"draw_a": 3}, TypeError, "draw_a=3 must be callable"),
        ({"resolution": 2.0}, ValueError, "vacuous"),
        ({"resolution": 1e-16}, ValueError, "finer than the rounding"),
        ({"max_features": 100}, ValueError, "max_features=100"),
        ({"time_limit": -1.0}, ValueError, "time_limit"),
        ({"X": np.zeros((2, D)), "draw_a": step, "draw_b": step}, ValueError, "0 at row 0"),
        ({"Y": np.ones((2, D + 1))}, ValueError, "columns"),
    ],
)
def test_bad_input_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        check_same(**({"draw_a": offset, "draw_b": shifted(offset), "X": X} | options))
