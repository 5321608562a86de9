"""Laws of leverage scores: identities, limits, closed forms, every library, fifty digits."""

import functools
import itertools

import mpmath
import numpy as np
import pytest
import scipy.linalg

from mehler import _arrays
from mehler.features.leverage import ridge_leverage_scores
from tests.places import CPU

METHODS = ("svd", "gram")
EPS = np.finfo(float).eps
# Errors of factorisations of matrices up to 60 x 60 with |A| <= 2 and lam >= 1e-3: eps |A|^2/lam.
CLOSE = 60 * EPS * 4 / 1e-3

shapes = pytest.mark.parametrize("shape", [(40, 12), (12, 40), (20, 20)], ids=str)
methods = pytest.mark.parametrize("method", METHODS)
places = pytest.mark.parametrize("place", CPU, ids=lambda place: place.name)


def pool(shape, seed=0):
    rng = np.random.default_rng(seed)
    weights = rng.random(shape[1]) + 0.1
    return rng.standard_normal(shape), weights / weights.sum()


@shapes
@methods
def test_a_score_is_the_weight_times_the_leverage(shape, method):
    """E5: tau_i = p_i <phi_i, (Sigma + lam)^-1 phi_i>, with Sigma on the rows."""
    phi, p = pool(shape)
    n = shape[0]
    sigma = (phi * p) @ phi.T / n
    leverage = np.sum(phi * np.linalg.solve(sigma + 0.01 * np.eye(n), phi), axis=0) / n
    scores = ridge_leverage_scores(phi, 0.01, pool_weights=p, method=method)
    assert np.abs(scores.scores - p * leverage).max() < CLOSE
    assert scores.largest == pytest.approx(leverage.max(), rel=1e-10)
    assert scores.gain == pytest.approx(leverage.max() / (p @ leverage), rel=1e-10)


@shapes
@methods
def test_scores_are_from_0_to_1_and_decrease_in_the_ridge(shape, method):
    phi, p = pool(shape)
    phi[:, 3] = 0.0
    scores = [
        ridge_leverage_scores(phi, lam, pool_weights=p, method=method).scores
        for lam in (1e-6, 1e-3, 0.1, 10.0)
    ]
    for tau in scores:
        assert np.all(tau >= 0)
        # A matrix of full column rank has scores that are near 1, up to rounding.
        assert np.all(tau < 1 + 100 * EPS)
        assert tau[3] == 0
    for more, less in itertools.pairwise(scores):
        assert np.all(np.delete(more - less, 3) > 0)


def test_groups_are_summed():
    phi, p = pool((30, 12))
    alone = ridge_leverage_scores(phi, 0.01, pool_weights=p)
    labels = np.array([7, 2, 2, 7, 2, 9, 1, 1, 1, 1, 4, 9])
    scores = ridge_leverage_scores(phi, 0.01, pool_weights=p, groups=labels)
    sums = [alone.scores[labels == label].sum() for label in (1, 2, 4, 7, 9)]
    weights = [p[labels == label].sum() for label in (1, 2, 4, 7, 9)]
    assert scores.group_scores == pytest.approx(sums, rel=1e-14)
    assert scores.group_weights == pytest.approx(weights, rel=1e-14)
    assert scores.largest == pytest.approx(max(np.divide(sums, weights)), rel=1e-14)
    assert scores.probabilities == pytest.approx(np.divide(sums, np.sum(sums)), rel=1e-14)
    assert np.array_equal(scores.scores, alone.scores)


@pytest.mark.slow
@places
@shapes
@methods
@pytest.mark.sampled(18)
def test_every_library(place, shape, method):
    phi, p = pool(shape)
    exact = ridge_leverage_scores(phi, 0.01, pool_weights=p).group_scores

    def score(x):
        scores = ridge_leverage_scores(
            x, 0.01, pool_weights=p, groups=np.arange(shape[1]) // 2, method=method
        )
        return scores.scores, scores.group_scores

    if place.jit:
        import jax

        score = jax.jit(score)
    x = place.asarray(phi)
    tau, sums = score(x)
    assert _arrays.array_namespace(tau) is _arrays.array_namespace(x)
    eps = EPS if place.has_float64 else np.finfo(np.float32).eps
    close = 60 * eps * 4 / 0.01
    assert np.abs(_arrays.to_host(tau) - exact).max() < close
    assert np.abs(_arrays.to_host(sums) - exact.reshape(-1, 2).sum(axis=1)).max() < close


@pytest.mark.parametrize(
    ("shape", "lam", "cheaper"),
    [
        ((12, 40), 1e-3, "gram"),
        ((20, 20), 1e-3, "gram"),
        ((40, 12), 1e-3, "gram"),
        ((12, 40), 1e-9, "svd"),
        ((40, 12), 1e-9, "svd"),
    ],
)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_default_is_the_cheaper_of_the_accurate(shape, lam, cheaper, dtype):
    """By shapes alone, while products of rows keep nine digits: lam >= 1e9 eps |A|^2."""
    phi, p = pool(shape)
    phi = phi.astype(dtype)
    scores = ridge_leverage_scores(phi, lam, pool_weights=p).scores
    wide = ridge_leverage_scores(phi.astype(float), lam, pool_weights=p, method=cheaper).scores
    exact = ridge_leverage_scores(phi.astype(float), lam, pool_weights=p, method="svd").scores
    # |A|^2 is below 4; a float32 score is rounded once, and 'svd' computes in it where it may.
    size = 4 / lam if cheaper != "svd" else (4 / lam) ** 0.5
    close = 60 * EPS * size
    if dtype == "float64":
        assert scores.tolist() == wide.tolist()
    else:
        eps = np.finfo(np.float32).eps
        close = 60 * eps * (1 if cheaper != "svd" else size)
    assert np.abs(scores - exact).max() < close


@functools.cache
def ill_conditioned(case):
    """A matrix with singular values from 1 to 1e-9, exactly in float64."""
    rng = np.random.default_rng(case)
    n, m = ((14, 8), (8, 14), (10, 10))[case]
    k = min(n, m)
    u = np.linalg.qr(rng.standard_normal((n, k)))[0]
    v = np.linalg.qr(rng.standard_normal((m, k)))[0]
    return (u * np.logspace(0, -9, k)) @ v.T * np.logspace(0, -4, m)


def fifty_digits(a, lam):
    with mpmath.workdps(50):
        a = mpmath.matrix(a.tolist())
        inverse = mpmath.inverse(a * a.T + mpmath.mpf(lam) * mpmath.eye(a.rows))
        return [(a[:, i].T * inverse * a[:, i])[0] for i in range(a.cols)]


@pytest.mark.parametrize("case", range(3))
@pytest.mark.parametrize("lam", [1e-2, 1e-6, 1e-10])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_fifty_digits(case, lam, dtype):
    """The accuracy that the docstring states, on matrices of condition number 1e9 and more."""
    a = ill_conditioned(case).astype(dtype)
    n, m = a.shape
    truth = fifty_digits(a.astype(float), lam)
    eps = float(np.finfo(dtype).eps)
    size = float(np.linalg.norm(a, 2))
    phi = a.astype(dtype) * np.asarray((n * m) ** 0.5, dtype=dtype)
    for method in METHODS:
        stated = eps * (size / lam**0.5 if method == "svd" else size**2 / lam)
        # Products of rows in double precision are the best there is.
        if method != "svd" and lam < 1e3 * EPS * float(np.sum(a.astype(float) ** 2)):
            with pytest.raises(ValueError, match="use method='svd'"):
                ridge_leverage_scores(phi, lam, method=method)
            continue
        tau = ridge_leverage_scores(phi, lam, method=method).scores
        error = max(abs(float(label - mpmath.mpf(float(t)))) for label, t in zip(truth, tau))
        # A factor of 10 for the dimension: LAPACK's bounds grow with it.
        assert error < 10 * stated


SMALL = 1e-8


def decaying(dtype, m=60, n=400):
    """Features with singular values from 1 to 1e-6, and their degrees of freedom at SMALL."""
    rng = np.random.default_rng(3)
    singular = np.geomspace(1.0, 1e-6, m)
    left, right = (np.linalg.qr(rng.standard_normal((k, m)))[0] for k in (n, m))
    a = ((left * singular) @ right.T).astype(dtype)
    # Of the numbers that the dtype holds, in double precision.
    s = scipy.linalg.svdvals(a.astype(float))
    return a * np.asarray((n * m) ** 0.5, dtype=dtype), float(np.sum(s**2 / (s**2 + SMALL)))


@methods
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("turned", [False, True])
def test_a_ridge_below_the_rounding_of_float32(method, dtype, turned):
    """Products in float32 left eigenvalues of 1e-7, which a ridge of 1e-8 counts as features."""
    phi, true = decaying(dtype)
    phi = phi.T if turned else phi
    scores = ridge_leverage_scores(phi, SMALL, method=method)
    assert scores.degrees_of_freedom == pytest.approx(true, rel=1e-5)
    assert scores.scores.dtype == dtype


def test_without_double_precision_products_are_refused(monkeypatch):
    monkeypatch.setattr(_arrays, "widest_float", lambda xp, device=None: xp.float32)
    phi, true = decaying("float32")
    with pytest.raises(ValueError, match=r"of \|A\|\^2 in float32.*use method='svd'"):
        ridge_leverage_scores(phi, SMALL, method="gram")
    assert ridge_leverage_scores(phi, SMALL).degrees_of_freedom == pytest.approx(true, rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("place", [p for p in CPU if p.jit], ids=lambda p: p.name)
def test_traced_scores_are_nan_where_others_refuse(place):
    import jax

    phi, true = decaying("float32")

    def degrees(method, lam):
        score = jax.jit(lambda x: ridge_leverage_scores(x, lam, method=method).scores)
        return float(np.sum(_arrays.to_host(score(place.asarray(phi, "float32")))))

    assert np.isnan(degrees("gram", 1e-20))
    if place.has_float64:
        assert degrees("gram", SMALL) == pytest.approx(true, rel=1e-5)
    else:
        assert np.isnan(degrees("gram", SMALL))
    assert degrees("svd", SMALL) == pytest.approx(true, rel=1e-3)


def test_integers_become_floats():
    scores = ridge_leverage_scores(np.array([[1, 0], [0, 1]]), 1.0)
    # A = I/2, so tau = (1/4)/(1/4 + 1).
    assert scores.scores == pytest.approx([0.2, 0.2], rel=1e-15)


def test_rounding_of_rank_scores_nothing():
    """Fifty columns of rank 3: at a ridge of almost 0 the scores sum to 3."""
    rng = np.random.default_rng(1)
    phi = rng.standard_normal((40, 3)) @ rng.standard_normal((3, 50))
    scores = ridge_leverage_scores(phi, 1e-40, method="svd")
    assert scores.degrees_of_freedom == pytest.approx(3, rel=1e-10)


def test_weights_sum_to_one_up_to_the_rounding_of_float32():
    p = np.full(50, np.float32(0.02))
    ridge_leverage_scores(np.eye(50), 1.0, pool_weights=p)
    with pytest.raises(ValueError, match=r"sum to 1\.001"):
        ridge_leverage_scores(np.eye(50), 1.0, pool_weights=1.001 * p)


def circle():
    """sqrt2 cos(kx + b) on a grid, three phases for each of 25 frequencies, and their weights."""
    k, b = np.repeat(np.arange(25), 3), np.tile(np.arange(3) * 2 * np.pi / 3, 25)
    law = np.exp(-(k**2) / 18)
    x = 2 * np.pi * np.arange(100) / 100
    return np.sqrt(2) * np.cos(np.outer(x, k) + b), law / law.sum()


def test_a_fast_spectrum_pays():
    phi, p = circle()
    assert ridge_leverage_scores(phi, 1e-3, pool_weights=p).gain > 20
    assert ridge_leverage_scores(phi, 1.0, pool_weights=p).gain < 20
