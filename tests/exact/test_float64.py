"""The float64 layer against other routes, at the accuracy that its docstrings state."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, special

from mehler import exact
from mehler.exact._table import evaluate, pool_table
from tests.exact import second_route

STATED = 1e-13
POOLS = st.one_of(st.integers(1, 80), st.integers(1, 10**6), st.sampled_from([2, 3, 10**6]))
# Both ends to within 1e-12, and all between.
RHOS = st.one_of(
    st.floats(-1, 1),
    st.floats(0, 1e-12).map(lambda e: 1 - e),
    st.floats(0, 1e-12).map(lambda e: -1 + e),
)


@pytest.mark.parametrize("q", [1, 2, 3])
def test_table_against_closed_forms(q):
    ends = 10.0 ** -np.arange(1, 16)
    rho = np.concatenate([np.linspace(-1, 1, 4001), 1 - ends, ends - 1])
    table = pool_table(q)
    kappa, kernel = (f(rho, q) for f in (second_route.closed_probability, exact.maxout_kernel))
    assert np.max(np.abs(evaluate(table.kappa, rho) - kappa)) <= STATED
    # The table is absolutely accurate; q <= 2, where K vanishes at -1, takes the closed form.
    assert (
        np.max(np.abs(evaluate(table.kernel, rho) - second_route.closed_kernel(rho, q))) <= STATED
    )
    if q == 3:
        assert np.max(np.abs(kernel / second_route.closed_kernel(rho, q) - 1)) <= STATED


@pytest.mark.parametrize("e", [1e-15, 1e-12, 1e-6, 1e-2, 0.15, 0.9])
def test_kernel_of_two_is_relatively_accurate_next_to_minus_one(e):
    rho = -1 + e
    with mpmath.workdps(60):
        t = mpmath.acos(-mpmath.mpf(rho))
        truth = (mpmath.sin(t) - t * mpmath.cos(t)) / mpmath.pi
        assert abs(exact.maxout_kernel(rho, 2) / truth - 1) <= STATED


@given(POOLS, RHOS)
def test_kernel_is_the_integral_of_the_collision_probability(q, rho):
    # K(1) - K(rho) = int_rho^1 kappa: Gauss-Legendre in theta, where kappa is analytic.
    nodes, weights = np.polynomial.legendre.leggauss(60)
    theta = np.arccos(rho) * (nodes + 1) / 2
    integral = np.sum(weights * np.sin(theta) * exact.collision_probability(np.cos(theta), q)) * (
        np.arccos(rho) / 2
    )
    gap = exact.sigma2(q) - integral - exact.maxout_kernel(rho, q)
    assert abs(gap) <= 2 * STATED * exact.sigma2(q)


@given(POOLS)
def test_special_values(q):
    sigma2, h1 = exact.sigma2(q), exact.max_moment(1, q)
    equal, zero, minus = exact.maxout_kernel(np.array([1.0, 0.0, -1.0]), q)
    assert abs(equal / sigma2 - 1) <= STATED
    assert abs(zero - h1**2) <= STATED * h1**2
    assert minus >= 0 or q == 1
    kappa = exact.collision_probability(np.array([1.0, 0.0, -1.0]), q)
    assert np.max(np.abs(kappa - [1, 1 / q, 0 if q > 1 else 1])) <= STATED
    assert abs(exact.product_second_moment(0.0, q) / sigma2**2 - 1) <= STATED
    assert abs(exact.product_second_moment(1.0, q) / exact.max_moment(4, q) - 1) <= STATED
    v = sigma2 - h1**2
    assert abs(exact.centred_variance(0.0, q) / v**2 - 1) <= 1e-10


@given(POOLS, RHOS, RHOS)
def test_monotone_in_rho(q, a, b):
    low, high = sorted((a, b))
    for f in (exact.collision_probability, exact.maxout_kernel):
        assert f(low, q) <= f(high, q) + 2 * STATED * max(1.0, exact.sigma2(q))


@pytest.mark.parametrize(
    ("q", "rho"),
    [(4, -0.75), (4, 0.3), (5, 0.3), (16, -0.4), (17, 0.6), (64, -0.2), (64, 0.8)],
)
def test_moments_equal_the_second_route(q, rho):
    kernel, second = second_route.product_moments(rho, q)
    # 2e5 terms of size eps times step^2 leave 1e-13.
    assert abs(exact.maxout_kernel(rho, q) - kernel) <= 1e-12
    assert abs(exact.product_second_moment(rho, q) / second - 1) < 1e-9


@pytest.mark.parametrize("rho", [-0.999, -0.4, 0.3, 0.9])
def test_second_moment_of_two_in_closed_form(rho):
    """M = (u + |v|)/sqrt 2: S = 1 + 2 rho K_2, as u and |v| are independent."""
    truth = 1 + 2 * rho * second_route.closed_kernel(rho, 2)
    assert abs(exact.product_second_moment(rho, 2) / truth - 1) <= 2 * STATED


@pytest.mark.parametrize("q", [1, 2, 3, 7, 100, 10**4, 10**6])
@pytest.mark.parametrize("k", [0, 1, 2, 3, 4, 9, 40, 150])
@pytest.mark.sampled(6)
def test_moments_against_adaptive_quadrature(k, q):
    """The same integral by mpmath at 30 digits: another rule, another arithmetic."""
    with mpmath.workdps(30):
        centre = mpmath.sqrt(2 * mpmath.log(q)) if q > 1 else mpmath.mpf(0)
        peaks = [-25, -12, -6, -3, 0, centre / 2, centre, centre + 3, 8, 12, 14, 20, 30, 45]
        truth = mpmath.quad(
            lambda t: t**k * q * mpmath.npdf(t) * mpmath.ncdf(t) ** (q - 1), sorted(set(peaks))
        )
        if q == 1 and k % 2:
            assert exact.max_moment(k, q) == 0
        else:
            assert abs(exact.max_moment(k, q) / truth - 1) <= STATED


def test_hermite_moments_by_polynomials():
    for q in (1, 2, 3, 11, 4096):
        for i in range(12):
            polynomial = special.hermitenorm(i)
            moments = sum(c * exact.max_moment(k, q) for k, c in enumerate(polynomial.coef[::-1]))
            scale = np.sqrt(float(special.factorial(i)))
            # Cancellation: the terms of the sum are this large.
            size = sum(
                abs(c) * abs(exact.max_moment(k, q)) for k, c in enumerate(polynomial.coef[::-1])
            )
            assert abs(exact.hermite_moment(i, q) - moments / scale) <= STATED * max(
                1, size / scale
            )


@pytest.mark.slow
@pytest.mark.parametrize("q", [3, 4, 6, 7, 33, 1000])
@pytest.mark.sampled(2)
def test_coefficients_sum_to_the_collision_probability(q):
    a = exact.collision_coefficients(q, 100)
    assert a.min() >= 0
    assert a.sum() <= 1
    for rho in (-0.6, -0.1, 0.5, 0.65):
        tail = 0.65**100  # the a_i sum to one, so what is left out is below rho^100
        value = np.polynomial.polynomial.polyval(rho, a)
        assert abs(value - exact.collision_probability(rho, q)) <= 2 * STATED + tail


def test_coefficients_of_two_in_closed_form():
    # 1/2 + arcsin(rho)/pi, term by term.
    a = exact.collision_coefficients(2, 128)
    k = np.arange(64)
    ratio = np.cumprod(np.concatenate([[1.0], (2 * k[1:] - 1) / (2 * k[1:])]))
    assert np.max(np.abs(a[1::2] - ratio / (2 * k + 1) / np.pi)) <= STATED
    assert a[0] == pytest.approx(0.5, abs=STATED)
    assert np.max(a[2::2]) <= STATED


@pytest.mark.parametrize("q", [2, 5, 8, 64])
def test_decoupled_covariance_by_quadrature(q):
    """(1 - rho^2) kappa' of the table against a difference of kappa."""
    rho, h = 0.4, 1e-4
    # Central differences of sixth order: error h^6 kappa^(7)/140 < 1e-16, rounding 1e-14/h.
    stencil = {1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
    slope = (
        sum(
            c
            * (
                exact.collision_probability(rho + k * h, q)
                - exact.collision_probability(rho - k * h, q)
            )
            for k, c in stencil.items()
        )
        / h
    )
    value = evaluate(pool_table(q).slope, np.array([rho]))[0]
    assert abs(value - (1 - rho**2) * slope) <= 1e-9


@pytest.mark.parametrize("q", [4, pytest.param(8, marks=pytest.mark.full)])
def test_variance_by_simulation_of_a_million_pairs(q):
    """z-scores of second moments, standard errors from eighth moments by the same draws."""
    rng = np.random.default_rng(11)
    g = rng.standard_normal((2, 10**6, q))
    for rho in (-0.5, 0.0, 0.9):
        m = g[0].max(axis=1)
        m2 = (rho * g[0] + np.sqrt(1 - rho**2) * g[1]).max(axis=1)
        h1 = exact.max_moment(1, q)
        for product, mean, variance in (
            (m * m2, exact.maxout_kernel(rho, q), exact.maxout_variance(rho, q)),
            (
                (m - h1) * (m2 - h1),
                exact.centred_kernel(rho, q),
                exact.centred_variance(rho, q),
            ),
        ):
            # 7 standard errors: false alarm below 1e-10 for each of the 12 by normal tails.
            assert abs(product.mean() - mean) <= 7 * np.sqrt(variance / 10**6)
            square = (product - mean) ** 2
            assert abs(square.mean() - variance) <= 7 * square.std() / 1000


@pytest.mark.parametrize("q", [3, 8, 1000, 10**6])
def test_collision_near_one(q):
    """kappa_q = 1 - sqrt(2/pi) h_1 sqrt(1 - rho) + O(1 - rho)."""
    rho, h1 = 1 - np.array([1e-8, 1e-10, 1e-12]), exact.max_moment(1, q)
    # 1 - rho is exact for the rounded correlation.
    leading = 1 - np.sqrt(2 / np.pi) * h1 * np.sqrt(1 - rho)
    # The next term is a multiple of 1 - rho that grows like h_1^2 (theorem pages); 10 h_1^2 holds.
    gap = leading - exact.collision_probability(rho, q)
    assert np.all(np.abs(gap) <= 10 * h1**2 * (1 - rho) + STATED)


def test_antipodal_constant_against_the_sheet():
    # Printed to six decimals in the theory (2.6), by direct evaluation of the cone integral.
    printed = {2: -1.144730, 3: -1.784512, 4: -2.170120, 5: -2.390670, 8: -2.419747, 16: 0.061422}
    for q, value in printed.items():
        assert abs(np.log(second_route.antipodal_constant(q)) - value) <= 5.1e-7


@pytest.mark.parametrize("q", [2, 3, 4, 5])
def test_collision_near_minus_one(q):
    angle = 1e-2
    rho = float(np.cos(np.pi - angle))
    leading = second_route.antipodal_constant(q) * angle ** (q - 1)
    # Relative correction O(angle^2) with a constant below 10, and the table's 1e-13.
    truth = exact.collision_probability(rho, q)
    assert abs(truth - leading) <= 10 * angle**2 * leading + STATED


@pytest.mark.full
@pytest.mark.parametrize(("q", "error"), [(3, 0.004), (4, 0.01), (8, 0.004), (64, 0.002)])
def test_coefficients_of_high_order(q, error):
    """a_i ~ h_1/(sqrt 2 pi) i^(-3/2) for q >= 3."""
    leading = exact.max_moment(1, q) / (np.sqrt(2) * np.pi) * 127**-1.5
    assert abs(exact.collision_coefficients(q, 128)[-1] / leading - 1) <= error


def test_dblquad_agrees():
    """kappa_q = q E[...] by scipy's adaptive routine on the density of the winner."""
    q, rho = 5, 0.3
    s = np.sqrt(1 - rho**2)

    def integrand(v, x):
        y = rho * x + s * v
        mvn = (special.ndtr(x) + special.ndtr(y)) / 2
        mvn -= special.owens_t(x, (y - rho * x) / (x * s)) + special.owens_t(
            y, (x - rho * y) / (y * s)
        )
        mvn -= 0.5 if x * y < 0 else 0.0
        return q * np.exp(-(x * x + v * v) / 2) / (2 * np.pi) * mvn ** (q - 1)

    value, _ = integrate.dblquad(integrand, -8.01, 8.02, -8.03, 8.04, epsabs=1e-9, epsrel=1e-9)
    assert abs(value - exact.collision_probability(rho, q)) <= 2e-9


@pytest.mark.parametrize(
    "name",
    ["collision_probability", "maxout_kernel", "locally_linear_kernel", "product_second_moment"],
)
@pytest.mark.parametrize(
    ("rho", "q", "error", "words"),
    [
        (0.5, 0, ValueError, "pool size q=.* must be at least 1"),
        (0.5, 2.5, TypeError, "pool size q=.* must be an integer"),
        (0.5, 10**6 + 1, ValueError, "at most 1000000"),
        (1.0 + 1e-9, 3, ValueError, r"rho must lie in \[-1, 1\]"),
        (np.nan, 3, ValueError, r"rho must lie in \[-1, 1\]"),
        (np.array([0.1, -2.0]), 3, ValueError, "-2.0"),
        (1j, 3, TypeError, "rho"),
        ("0.5", 3, TypeError, "rho"),
    ],
)
def test_bad_arguments(name, rho, q, error, words):
    with pytest.raises(error, match=words):
        getattr(exact, name)(rho, q)


def test_rounding_beyond_one_is_forgiven():
    assert exact.collision_probability(1 + 1e-15, 5) == exact.collision_probability(1.0, 5)


def test_shapes_and_scalars():
    assert isinstance(exact.maxout_kernel(0.5, 4), float)
    assert exact.maxout_kernel(np.zeros((2, 3)), 4).shape == (2, 3)
    assert exact.maxout_kernel(np.zeros((0,)), 4).shape == (0,)
    assert exact.collision_probability(np.float32([0.5]), 4).dtype == np.float32


@settings(max_examples=20)
@given(POOLS.filter(lambda q: q >= 4), RHOS)
def test_a_wrong_pool_size_is_far_off(q, rho):
    """The accuracy stated is fine enough to tell q from q - 1: these tests can fail."""
    if q > 2000 or abs(rho) > 0.999:
        return
    assert abs(exact.maxout_kernel(rho, q) - exact.maxout_kernel(rho, q - 1)) > 10 * STATED
