"""The bounds for weighted sums of random features, each against a second route to its constants."""

import math

import mpmath
import pytest
from mehler.proofs_checks.kitchen_sinks import _published

from mehler.bounds import kitchen_sinks


def test_lemma_1_with_known_moments_is_the_exact_mean_square():
    """Two orthonormal features, each drawn with probability 1/2, f* = (phi_1 + phi_2) / 2."""
    k = 10
    # K times the average counts phi_1: the error is sqrt(2) |count/K - 1/2|, count binomial.
    mean_square = sum(math.comb(k, j) / 2**k * 2 * (j / k - 0.5) ** 2 for j in range(k + 1))
    bound = kitchen_sinks.approximation(
        k, scale=1.0, delta=0.1, mean_square=1.0, norm=math.sqrt(0.5)
    )
    assert bound["mean"] == pytest.approx(math.sqrt(mean_square), rel=1e-13)
    assert bound["mean"] < kitchen_sinks.approximation(k, scale=1.0, delta=0.1)["mean"]
    assert bound.trivial == math.sqrt(0.5)


def test_greedy_on_equal_weights():
    """n orthonormal features of weight 1/n: K steps leave (1/K)(1 - K/n), by hand."""
    n, k = 100, 10
    bound = kitchen_sinks.approximation_greedy(k, total_weight=1.0, norm=n**-0.5)
    # The error with K equal weights: K (1/K - 1/n)^2 + (n - K)/n^2.
    assert math.sqrt(k * (1 / k - 1 / n) ** 2 + (n - k) / n**2) < bound.value
    assert bound.value**2 == pytest.approx((1 - 1 / n) / k, rel=1e-13)
    published = _published.greedy(k, total_weight=2.0, c=3.0)
    assert published.value == pytest.approx(6 / math.sqrt(10))


def test_mean_lengths_in_closed_form():
    scale = kitchen_sinks.feature_scale_maxout
    # |g|; the longer of two of them; a normal vector in the plane and in space.
    assert scale(1, 1, radius=1.0) == pytest.approx(math.sqrt(2 / math.pi), rel=1e-13)
    assert scale(1, 2, radius=1.0, by="longest") == pytest.approx(2 / math.sqrt(math.pi), rel=1e-12)
    for by in ("frobenius", "longest"):
        for d, length in ((2, math.sqrt(math.pi / 2)), (3, math.sqrt(8 / math.pi))):
            assert scale(d, 1, radius=3.0, by=by) == pytest.approx(3 * length, rel=1e-12)
    # The longest of q plane vectors: squared lengths are exponential with mean 2,
    # E max = sum over j of (-1)^(j+1) C(q, j) sqrt(pi / (2 j)).
    q = 7
    exact = mpmath.fsum(
        (-1) ** (j + 1) * mpmath.binomial(q, j) * mpmath.sqrt(mpmath.pi / (2 * j))
        for j in range(1, q + 1)
    )
    assert scale(2, q, radius=1.0, by="longest") == pytest.approx(float(exact), rel=1e-12)
