"""The draws behind Theorem 2's checks, each against another route."""

import itertools
import math

import numpy as np
import pytest
from mehler.proofs_checks.maxout.risk import _risks, density, lemma_2, lemma_3
from scipy import integrate, stats

from mehler import exact

ALPHA = 1e-9


def test_units_follow_the_law_of_a_maximum():
    phi = _risks.units(np.random.default_rng(2), np.array([[0.6, 0.8]]), 5, (20_000,))[:, 0]
    # P(h <= t) = Phi(t)^q, so that the transformed samples are uniform.
    assert stats.kstest(stats.norm.cdf(phi) ** 5, "uniform").pvalue > ALPHA


def test_mean_size_for_one_weight():
    """For q = 1, b is <w, E[y x]>."""
    law = _risks.Law.at_random(np.random.default_rng(4), 8, 3)
    sizes = {"n_features": (40,), "n_samples": (100,), "n_draws": 5000, "pool_size": 1}
    rng = np.random.default_rng(8)
    low, high = _risks.draw_risks(rng, law, scale=0.1, false_alarm=ALPHA, **sizes).mean_size
    length = np.linalg.norm(law.label_mean @ law.points) / law.size
    assert low < math.sqrt(2 / math.pi) * length < high
    assert high - low < 0.1 * high
    assert law.second_moment(1) == pytest.approx(length**2)


def test_the_minimiser_is_the_minimiser():
    """Signs of the empirical means against all corners of the box, by the ramp itself."""
    rng = np.random.default_rng(6)
    law = _risks.Law.at_random(rng, 5, 3)
    m, scale = 4, 0.2
    phi = rng.standard_normal((m, 5))
    counts = law.label_counts(rng, 50, 1)[0]
    positive = rng.random(5)  # counts of +1 and -1 that differ by `seen`
    negative = positive - counts

    def ramp(t):
        return np.clip((1 - t) / 2, 0, 1)

    def empirical(alpha):
        f = alpha @ phi
        return (positive * ramp(f) + negative * ramp(-f)).sum()

    corners = [np.array(s) * scale / m for s in itertools.product((-1, 1), repeat=m)]
    best = min(corners, key=empirical)
    np.testing.assert_array_equal(np.sign(best), np.sign(phi @ counts))
    # The linear part of the ramp makes its minimum over the box one over the corners.
    inside = rng.uniform(-1, 1, (200, m)) * scale / m
    assert min(map(empirical, inside)) >= empirical(best) - 1e-12


def test_excess_is_the_risk_of_the_ramp():
    """Replayed with the same generator: risk by the ramp, minus that of the infinite class."""
    law = _risks.Law.at_random(np.random.default_rng(7), 6, 3)
    m, n, q, scale, bound = 5, 30, 3, 0.2, 2.0
    sizes = {"n_features": (2, m), "n_samples": (n,), "n_draws": 400, "pool_size": q}
    options = {"scale": scale, "false_alarm": ALPHA, "loss_bound": bound}
    risks = _risks.draw_risks(np.random.default_rng(9), law, **sizes, **options)
    rng = np.random.default_rng(9)
    phi = _risks.units(rng, law.points, q, (400, m))
    counts = law.label_counts(rng, n, 400)
    infimum = bound * (0.5 - scale / 2 * risks.mean_size[1])
    for size in (2, m):
        alpha = np.sign(np.einsum("bmn,bn->bm", phi[:, :size], counts)) * scale / size
        f = np.einsum("bm,bmn->bn", alpha, phi[:, :size])
        right, wrong = (bound * np.clip((1 - t) / 2, 0, 1) for t in (f, -f))
        risk = ((1 + law.label_mean) * right + (1 - law.label_mean) * wrong).mean(axis=1) / 2
        # Single precision, and a sign where the empirical mean is 0.
        np.testing.assert_allclose(risks.excess[size, n], risk - infimum, atol=2e-6)
        assert np.all(risks.best[size] <= risks.excess[size, n] + 1e-12)


def test_suprema_on_a_fine_circle_follow_the_exact_law():
    angle = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    points = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    suprema = lemma_2.draw_suprema(np.random.default_rng(3), points, 4, 3, 4000)
    # The points miss the maximum by a factor cos(pi/400): 3e-5.
    level = [1 - lemma_2.failure(value, 2, 12) for value in suprema]
    assert stats.kstest(level, "uniform").pvalue > ALPHA


def test_the_probability_of_a_shortfall():
    """P(|max(g, g')| < E|g|) by the density of the larger of two."""
    mean = math.sqrt(2 / math.pi)

    def larger(t):
        return 2.0 * stats.norm.pdf(t) * stats.norm.cdf(t)

    truth = integrate.quad(larger, -mean, mean)[0]
    assert lemma_3.shortfall_probability(0.0) == pytest.approx(truth)
    assert lemma_3.shortfall_probability(1.0) == 0.0


@pytest.mark.parametrize("scale", [0.0, 0.5, 1.0, 1.2])
def test_one_weight_in_closed_form(scale):
    """For q = 1 the class is the functions <x, v> with |v| <= C E|g|: the lower bound is exact."""
    low, high = density.distance_ends(scale, 1)
    assert low == pytest.approx(max(0.0, 1 - scale * math.sqrt(2 / math.pi)), abs=1e-11)
    assert low <= high + 1e-12  # equal at C = 0


@pytest.mark.parametrize("q", [1, 4, 64])
def test_moments_of_the_excess(q):
    assert density.excess_moment(0.0, q, 2) == pytest.approx(exact.sigma2(q), abs=1e-11)

    def integrand(t):
        law = q * math.exp(-t * t / 2) / math.sqrt(2 * math.pi)
        return max(abs(t) - 1.5, 0.0) * law * (0.5 * math.erfc(-t / math.sqrt(2))) ** (q - 1)

    truth = sum(integrate.quad(integrand, *ends)[0] for ends in ((-12, -1.5), (1.5, 12)))
    assert density.excess_moment(1.5, q, 1) == pytest.approx(truth, abs=1e-9)
