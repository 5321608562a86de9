"""The float64 layer against other routes, at its stated accuracy; tables are built once."""

import functools
import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from mehler import exact
from mehler.exact import _table
from mehler.exact._table import evaluate, pool_table
from mehler.exact.activations import _series
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
    closed = second_route.closed_kernel(rho, q)
    assert np.max(np.abs(evaluate(table.kernel, rho) - closed)) <= STATED
    if q == 3:
        assert np.max(np.abs(kernel / closed - 1)) <= STATED


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
    kappa = exact.collision_probability(np.cos(theta), q)
    integral = np.sum(weights * np.sin(theta) * kappa) * np.arccos(rho) / 2
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


@pytest.mark.parametrize(
    ("q", "rho"), [(4, -0.75), (4, 0.3), (5, 0.3), (16, -0.4), (17, 0.6), (64, -0.2), (64, 0.8)]
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
            of = special.hermitenorm(i).coef[::-1] / np.sqrt(special.factorial(i))
            terms = of * [exact.max_moment(k, q) for k in range(i + 1)]
            # Cancellation: the terms of the sum are this large.
            slack = STATED * max(1, np.abs(terms).sum())
            assert abs(exact.hermite_moment(i, q) - terms.sum()) <= slack


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


@pytest.mark.parametrize("q", [2, 5, 8, 64])
def test_decoupled_covariance_by_quadrature(q):
    """(1 - rho^2) kappa' of the table against a difference of kappa."""
    rho, h = 0.4, 1e-4
    # Central differences of sixth order: error h^6 kappa^(7)/140 < 1e-16, rounding 1e-14/h.
    stencil = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60
    slope = stencil @ exact.collision_probability(rho + h * np.arange(-3, 4), q) / h
    value = evaluate(pool_table(q).slope, np.array([rho]))[0]
    assert abs(value - (1 - rho**2) * slope) <= 1e-9


@pytest.mark.parametrize("q", [3, 8, 1000, 10**6])
def test_collision_near_one(q):
    """kappa_q = 1 - sqrt(2/pi) h_1 sqrt(1 - rho) + O(1 - rho)."""
    rho, h1 = 1 - np.array([1e-8, 1e-10, 1e-12]), exact.max_moment(1, q)
    # 1 - rho is exact for the rounded correlation.
    leading = 1 - np.sqrt(2 / np.pi) * h1 * np.sqrt(1 - rho)
    # The next term is a multiple of 1 - rho that grows like h_1^2 (theorem pages); 10 h_1^2 holds.
    gap = leading - exact.collision_probability(rho, q)
    assert np.all(np.abs(gap) <= 10 * h1**2 * (1 - rho) + STATED)


@pytest.mark.parametrize("q", [2, 3, 4, 5])
def test_collision_near_minus_one(q):
    angle = 1e-2
    rho = float(np.cos(np.pi - angle))
    leading = second_route.antipodal_constant(q) * angle ** (q - 1)
    # Relative correction O(angle^2) with a constant below 10, and the table's 1e-13.
    truth = exact.collision_probability(rho, q)
    assert abs(truth - leading) <= 10 * angle**2 * leading + STATED


def test_shapes_scalars_and_rounding_beyond_one():
    assert exact.collision_probability(1 + 1e-15, 5) == exact.collision_probability(1.0, 5)
    assert isinstance(exact.maxout_kernel(0.5, 4), float)
    assert exact.maxout_kernel(np.zeros((2, 3)), 4).shape == (2, 3)
    assert exact.maxout_kernel(np.zeros((0,)), 4).shape == (0,)
    assert exact.collision_probability(np.float32([0.5]), 4).dtype == np.float32


RHO = np.array(
    [-1.0, -0.97, -0.6, -0.1, -1e-3, -1e-9, 0.0, 1e-12, 1e-5, 0.02, 0.4, 0.9, 0.999, 1.0]
)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


def integral(rho: float, q: int) -> float:
    """By a rule of another number of nodes, in the angle, of values that are right to 1e-13."""
    angle = np.pi / 2 + (np.arccos(rho) - np.pi / 2) * (1 + NODES) / 2
    kappa = exact.collision_probability(np.cos(angle), q)
    return float((kappa * np.sin(angle)) @ WEIGHTS * (np.pi / 2 - np.arccos(rho)) / 2)


@pytest.mark.parametrize("q", [1, 2, 3, 8, 100, 1000, 10**6])
def test_float64_is_right_in_units_of_the_correlation(q):
    values = exact.centred_kernel(RHO, q)
    for rho, value in zip(RHO.tolist(), values.tolist(), strict=True):
        # pi/2 - acos(rho) loses digits of a small rho; there the integrand is constant to 1e-4.
        if abs(rho) > 1e-4:
            assert abs(value - integral(rho, q)) <= 1e-13 * abs(rho)
        else:
            kappa = exact.collision_probability(0.0, q)
            assert abs(value - rho * kappa) <= 1e-13 * abs(rho) + rho**2
        assert exact.centred_kernel(rho, q) == pytest.approx(value, rel=1e-12, abs=0.0)
    assert exact.centred_kernel(0.0, q) == 0.0


@pytest.mark.parametrize("q", [1, 2, 3, 1000, 10**6])
def test_float32_is_right_in_units_of_the_correlation(q):
    rho = RHO.astype(np.float32)
    values = exact.centred_kernel(rho, q)
    assert values.dtype == np.float32
    wide = exact.centred_kernel(rho.astype(np.float64), q)
    assert np.all(np.abs(values - wide) <= 1e-6 * np.abs(rho))
    negative = (rho < 0) & (q <= 1000)
    assert np.all(np.abs(values - wide)[negative] <= 2e-4 * np.abs(wide)[negative])


THREADS = 8


TABLES = {
    "pool": (_table, "_build", lambda: _table.pool_table(7)),
    "wedge": (_table, "_build_grid", _table.wedge_grid),
    "activation": (_series, "_build", lambda: _series.table(8, 64)),
}


@pytest.mark.parametrize(("module", "build", "ask"), TABLES.values(), ids=TABLES)
def test_one_build_for_all_threads(monkeypatch, module, build, ask):
    """Building takes a while, so that every thread comes before the first one is done."""
    original, builds = getattr(module, build).__wrapped__, []

    def counted(*key):
        builds.append(key)
        time.sleep(0.05)
        return original(*key)

    monkeypatch.setattr(module, build, functools.cache(counted))
    start = threading.Barrier(THREADS)
    with ThreadPoolExecutor(THREADS) as pool:
        tables = list(pool.map(lambda _: (start.wait(), ask())[1], range(THREADS)))
    assert len(builds) == 1
    assert all(table is tables[0] for table in tables)


def test_coefficients_of_high_order_of_a_pool_of_two():
    """Those of 1/2 + arcsin(rho)/pi."""
    arcsine = [math.comb(2 * k, k) / 4**k / (2 * k + 1) / math.pi for k in range(32)]
    coefficients = exact.collision_coefficients(2, 64)
    np.testing.assert_allclose(coefficients[1::2], arcsine, rtol=0, atol=1e-13)
