"""Bounds of the kernel error: formulas by hand, true inverses, and what is refused."""

import math

import numpy as np
import pytest
from scipy import stats

from mehler import exact
from mehler.bounds import kernel_error
from mehler.bounds.kernel_error import _exponent
from mehler.bounds.kernel_error._pairs import sub_gamma_constants


def pair_of_two(rho: float, t: float) -> float:
    """E exp(t M M') for q = 2 from max(a, b) = (u + abs(v))/sqrt 2 with u, v independent.

    Given v and v' the pair (u, u') is Gaussian and the exponent a quadratic form of it.
    """
    nodes, weights = np.polynomial.legendre.leggauss(400)
    v, w = (nodes + 1) * 7, weights * 7
    a, b = v[:, None], v[None, :]
    s2 = 1 - rho * rho
    density = sum(
        np.exp(-(a * a - 2 * r * a * b + b * b) / (2 * s2)) / (math.pi * math.sqrt(s2))
        for r in (rho, -rho)
    )
    # x'Ax with A = (t/4) [[0, 1], [1, 0]] and covariance S = [[1, rho], [rho, 1]].
    A = np.array([[0, t / 4], [t / 4, 0]])
    B = np.eye(2) - 2 * np.array([[1, rho], [rho, 1]]) @ A
    Q = A @ np.linalg.inv(B)
    form = Q[0, 0] * a * a + (Q[0, 1] + Q[1, 0]) * a * b + Q[1, 1] * b * b
    total = (density * np.exp(form) * w[:, None] * w[None, :]).sum()
    return total / math.sqrt(np.linalg.det(B))


@pytest.mark.parametrize("rho", [0.0, 0.5, -0.5, 0.9, 1.0])
def test_sub_gamma_constants_bound_the_exact_moments_of_one_projection(rho):
    """q = 1: log E exp(l (g g' - rho)) = -log((1 - rho l)^2 - l^2)/2 - l rho."""
    v, c = sub_gamma_constants(1, rho)
    x = np.linspace(-0.999, 0.999, 41) / c
    truth = -0.5 * np.log((1.0 - rho * x) ** 2 - x * x) - x * rho
    assert (truth <= 0.5 * x * x * v / (1.0 - c * np.abs(x)) + 1e-15).all()


@pytest.mark.parametrize("q", [1, 2, 4, 64])
def test_methods_in_their_order(q):
    """The exact law is the sharpest; no proved method goes below the central limit's number."""
    for rho in (None, 0.5):
        options = {"delta": 0.01, "pool_size": q, "rho": rho}
        normal = kernel_error.normal_quantile(2000, **options)
        chernoff, sub_gamma = (
            kernel_error.one_pair(2000, method=method, **options).value
            for method in ("chernoff", "sub-gamma")
        )
        assert normal < chernoff < sub_gamma
        assert chernoff < 1.45 * normal


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
@pytest.mark.parametrize("m", [20, 300])
def test_binomial_bound_holds_by_the_exact_law(share, m):
    result = kernel_error.one_pair(m, delta=0.05, collision=share)
    counts = np.arange(m + 1)
    outside = np.abs(counts / m - share) > result.value
    missed = stats.binom.pmf(counts, m, share)[outside].sum()
    assert missed <= 0.05
    hoeffding = kernel_error.one_pair(m, delta=0.05, collision=share, method="hoeffding")
    assert result.value <= hoeffding.value + 1e-12


@pytest.mark.parametrize("q", [1, 2, 8])
def test_exponent_of_increments_bounds_that_of_simulated_ones(q):
    """log E exp(t (G - E G)) <= excess at 2 r t, on a pair of near rows and their partners."""
    rng = np.random.default_rng(q)
    n, r = 400_000, 0.3
    rows = rng.standard_normal((4, 3))
    x, z = rows[0] / np.linalg.norm(rows[0]), rows[1] / np.linalg.norm(rows[1])
    ends = []
    for start, away in ((x, rows[2]), (z, rows[3])):
        away = away - (away @ start) * start
        angle = 2 * math.asin(r / 2)
        ends.append(math.cos(angle) * start + math.sin(angle) * away / np.linalg.norm(away))
    w = rng.standard_normal((n, q, 3))
    maxima = [(w @ entry).max(axis=1) for entry in (x, z, *ends)]
    gain = maxima[2] * maxima[3] - maxima[0] * maxima[1]
    exponents = _exponent.increments(q)
    for at in (0.05, 0.1, 0.2):
        i = int(np.searchsorted(exponents.at, at))
        t = exponents.at[i] / (2 * r)
        for sign in (1, -1):
            sample = math.log(np.exp(sign * t * (gain - gain.mean())).mean())
            assert sample < exponents.upper[i]


def growth(q: int, rho: float, t: float, h: float = 1e-3) -> float:
    """d/drho E exp(t F), by the exponents on both sides."""
    values = []
    for entry in (rho - h, rho + h):
        if q == 2:
            values.append(pair_of_two(entry, t))
            continue
        result = _exponent.at_correlation(q, entry, shared=True)
        psi = np.interp(abs(t), result.at, result.upper if t > 0 else result.lower)
        values.append(math.exp(psi + t * float(exact.maxout_kernel(entry, q))))
    return (values[1] - values[0]) / (2 * h)


@pytest.mark.parametrize("q", [2, 16])
@pytest.mark.parametrize("rho", [-0.9, -0.5, 0.0, 0.6])
@pytest.mark.sampled(3)
def test_expectations_change_as_little_as_the_cells_take(q, rho):
    kappa = float(exact.collision_probability(rho + 1e-3, q))
    for t in _exponent._GRID[-30::6]:
        least = -t * math.exp(-2) * kappa
        assert growth(q, rho, t) >= least - 1e-6
        assert growth(q, rho, -t) <= -least + 1e-6


def test_a_cell_of_two_ends_holds_what_is_inside():
    """Three correlations only: cells so wide that each of their bounds is seen to be needed."""
    rho = np.array([1.0, 0.3, -0.6])
    at = _exponent._GRID[-40:]
    for q in (2, 8):
        ends = [_exponent.at_correlation(q, float(entry), shared=True) for entry in rho]
        upper = np.array([end.upper[-40:] for end in ends])
        lower = np.array([end.lower[-40:] for end in ends])
        simple = _exponent._square_excess(at, q)
        result = _exponent.supremum(q, at, rho, upper, lower, simple)
        for inside in (-0.9, -0.4, 0.0, 0.7, 0.9, 0.99):
            entry = _exponent.at_correlation(q, inside, shared=True)
            assert np.all(entry.upper[-40:] <= result[0])
            assert np.all(entry.lower[-40:] <= result[1])
