"""Any number of digits: against the reference, between routes, and what bad input gets."""

from __future__ import annotations

import math
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import mpmath
import pytest

from mehler.exact.certified import _context, _plane
from mehler.exact.certified import _digits as exact
from mehler.exact.certified._ball import exact_number, exact_rho
from mehler.exact.certified._plane import Wedge
from tests.exact import second_route
from tests.exact.reference import POOLS, REFERENCE, kernel_values, printed

DPS = 30
RHOS = ("-1", "-0.5", "0", "0.25", "0.5", "0.9", "0.99", "1")


def number(x):
    return exact_number(x, name="x")


def assert_printed(x, text, agreed=None, digits=DPS):
    value, slack = printed(text, agreed)
    # The function itself promises these digits, relative or of 1.
    slack += max(abs(value), 1) * Fraction(1, 10**digits)
    assert abs(number(x) - value) <= slack, (mpmath.nstr(x, 35), text)


@pytest.fixture(
    params=[
        ("balls", DPS),
        ("fixed point", 10),
        pytest.param(("fixed point", DPS), marks=pytest.mark.full),
    ],
    ids=lambda param: f"{param[1]} digits by {param[0]}",
)
def digits(request, monkeypatch):
    """Digits by balls, and by what stands in for them without python-flint, which is slow."""
    numbers, number = request.param
    if numbers == "fixed point":
        monkeypatch.setitem(sys.modules, "flint", None)
    else:
        pytest.importorskip("flint")
    return number


def middle(value):
    return number(exact._public(value, 60))


@pytest.mark.parametrize("q", POOLS)
@pytest.mark.sampled(3)
def test_moments_equal_the_reference(q, digits):
    values = REFERENCE[str(q)]
    for k, name in enumerate(("h1", "sigma2", "Em3", "Em4"), start=1):
        assert_printed(exact.max_moment(k, q, digits), values[name], digits=digits)
    assert_printed(exact.hermite_moment(2, q, digits), values["h2"], digits=digits)


@pytest.mark.parametrize("q", POOLS)
@pytest.mark.sampled(4)
def test_coefficients_equal_the_reference(q, digits):
    for a, text in zip(exact.collision_coefficients(q, 9, digits), REFERENCE[str(q)]["a"]):
        assert_printed(a, text, digits=digits)


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize(
    "q", [pytest.param(q, marks=pytest.mark.full if q > 5 else []) for q in POOLS]
)
@pytest.mark.sampled(4)
def test_kappa_and_kernel_equal_the_reference(q, rho, digits):
    for name, function in (("kappa", exact.collision_probability), ("K", exact.maxout_kernel)):
        assert_printed(function(rho, q, digits), *REFERENCE[str(q)][name][rho], digits=digits)


@pytest.mark.parametrize("q", [2, 3])
@pytest.mark.parametrize("rho", [Fraction(-9, 10), Fraction(1, 3), 1 - Fraction(1, 10**12)])
@pytest.mark.sampled(2)
def test_planar_sum_equals_closed_forms(q, rho, digits):
    bits = 10 * digits // 3
    with _context.precision(bits + 90, proved=False) as module:
        wedge = Wedge(module, rho, q, bits + 4)
        pairs = [
            (wedge.collision_probability(), exact.closed_probability(module, rho, q)),
            (wedge.kernel(), exact.closed_kernel(module, rho, q)),
        ]
        # The values are at most 3.
        assert all(abs(middle(a) - middle(b)) < Fraction(3, 10**digits) for a, b in pairs)


@pytest.mark.parametrize("bits", [30, pytest.param(56, marks=pytest.mark.full)])
def test_way_round_minus_one_equals_the_closed_form(bits, digits):
    rho = Fraction(-98, 100)
    with _context.precision(bits + 74, proved=False) as module:
        kernel = _plane.near_minus_one(module, rho, 3, bits)
        truth = exact.closed_kernel(module, rho, 3)
        # Of 56 bits, 1e-15.
        assert abs(middle(kernel) - middle(truth)) < Fraction(72, 2**bits)


def test_partition_formula_equals_arcsine_series():
    # kappa_2 = 1/2 + arcsin(rho)/pi
    general = second_route.coefficients(2, 5)
    for i, (a, b) in enumerate(zip(general, exact.collision_coefficients(2, 8, DPS))):
        k = i // 2
        with mpmath.workdps(DPS + 10):
            arcsine = mpmath.binomial(2 * k, k) / (4**k * (2 * k + 1) * mpmath.pi)
        truth = Fraction(1, 2) if i == 0 else number(arcsine) if i % 2 else Fraction(0)
        assert abs(number(a) - truth) < 1e-25
        assert abs(number(b) - truth) < 1e-30


@pytest.mark.parametrize("q", [3, 5, 40])
def test_coefficients_equal_the_second_route(q):
    for a, b in zip(exact.collision_coefficients(q, 4, DPS), second_route.coefficients(q, 4)):
        assert abs(number(a) - number(b)) < 1e-25


@pytest.mark.parametrize(("q", "rho"), [(4, -0.75), (5, 0.3), (17, 0.6), (64, -0.2)])
@pytest.mark.sampled(2)
def test_kernel_equals_the_second_route(q, rho, digits):
    kernel, _ = second_route.product_moments(rho, q)
    assert abs(exact.maxout_kernel(rho, q, 12) / kernel - 1) < 1e-9


@pytest.mark.parametrize("q", [4, 7])
@pytest.mark.sampled(1)
def test_series_equals_planar_sum(q):
    n, rho = 14, Fraction(1, 10)
    series = [number(a) for a in exact.collision_coefficients(q, n, DPS)]
    kappa = number(exact.collision_probability(rho, q, DPS))
    kernel = number(exact.maxout_kernel(rho, q, DPS))
    h1 = number(exact.max_moment(1, q, DPS))
    rounding = Fraction(20, 10**DPS)
    # The a_i are non-negative and add up to 1: the tail lies in [0, rho^n].
    rest = kappa - sum(a * rho**i for i, a in enumerate(series))
    assert -rounding <= rest <= rho**n
    rest = kernel - h1**2 - sum(a * rho ** (i + 1) / (i + 1) for i, a in enumerate(series))
    assert -rounding <= rest <= rho ** (n + 1) / (n + 1) + rounding


def test_kernel_is_relatively_accurate_where_it_vanishes():
    # K_2 = (sin t - t cos t)/pi = t^3/(3 pi) (1 - t^2/10 + ...), where 1 + rho = 2 sin(t/2)^2.
    with mpmath.workdps(60):
        t = mpmath.mpf(10) ** -20
        kernel = exact.maxout_kernel(Fraction(-1) + number(2 * mpmath.sin(t / 2) ** 2), 2, 30)
        assert abs(kernel * 3 * mpmath.pi / t**3 - 1) < mpmath.mpf(10) ** -30


def test_probability_increases_and_ends_at_its_limits():
    values = [exact.collision_probability(rho, 6, 12) for rho in (-1, -0.999, 0, 0.999, 1)]
    assert values == sorted(values)
    assert values[0] == 0
    assert values[-1] == 1
    # P(D = D') = 1/q for independent pools.
    assert abs(number(values[2]) - Fraction(1, 6)) < 1e-12


@pytest.mark.full
def test_digits_asked_for_are_digits_got():
    for function in (exact.collision_probability, exact.maxout_kernel):
        fine = function("0.3", 4, 45)
        for dps in (1, 9, 20):
            assert abs(function("0.3", 4, dps) - fine) <= abs(fine) * mpmath.mpf(10) ** -dps
    fine = exact.hermite_moment(7, 12, 60)
    for dps in (1, 9, 55):
        error = abs(number(exact.hermite_moment(7, 12, dps)) - number(fine))
        assert error <= Fraction(1, 10**dps)


@pytest.mark.full
@pytest.mark.parametrize("rho", [Fraction(-1, 2), Fraction(9, 10)])
def test_large_pools_agree_with_a_finer_grid(rho):
    assert abs(exact.maxout_kernel(rho, 1000, 15) / exact.maxout_kernel(rho, 1000, 30) - 1) < 1e-15


def test_float_string_and_mpf_are_exact_numbers():
    assert exact_rho("0.1") == Fraction(1, 10)
    assert exact_rho(0.1) == Fraction(0.1) != Fraction(1, 10)
    with mpmath.workdps(50):
        third = mpmath.mpf(1) / 3
    # Not rounded to a double on the way: mpf calls itself a numbers.Real.
    assert 0 < abs(exact_rho(third) - Fraction(1, 3)) < Fraction(1, 10**50)
    assert exact_rho(mpmath.mpf(-1)) == -1


def test_no_precision_but_its_own_is_read_or_set():
    with mpmath.workdps(7):
        inside = exact.maxout_kernel("0.3", 4, 20)
        assert mpmath.mp.dps == 7
    assert inside == exact.maxout_kernel("0.3", 4, 20)


def test_threads_get_the_same_numbers():
    jobs = [(k, q, dps) for k in (1, 2) for q in (3, 9) for dps in (10, 40)]
    alone = [exact.max_moment(*job) for job in jobs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda job: exact.max_moment(*job), jobs))
    assert alone == together


def test_wrong_pool_size_is_not_taken_for_right():
    # The comparison with the reference can fail: q - 1 is far outside its slack.
    rho, value, slack = kernel_values("kappa", 5, ("0.5",))[0]
    assert abs(number(exact.collision_probability(rho, 4, DPS)) - value) > 10**20 * slack


def test_too_coarse_a_step_is_noticed(monkeypatch):
    """The injected fault: four times the step."""
    step_for = _plane.step_for
    monkeypatch.setattr(_plane, "step_for", lambda module, q, bits: step_for(module, q, bits / 16))
    kernel = exact.maxout_kernel("0.5", 4, 20)
    assert abs(kernel / mpmath.mpf(second_route.product_moments(0.5, 4)[0]) - 1) > 1e-4


REFUSED = [
    *(
        (exact.max_moment, (1, q), ValueError, r"pool size q=.* must be at least 1")
        for q in (0, -3)
    ),
    *(
        (exact.collision_coefficients, (q, 3), TypeError, r"pool size q=.* must be an integer")
        for q in (2.0, "2", True)
    ),
    *(
        (exact.maxout_kernel, (rho, 4), ValueError, r"rho must lie in \[-1, 1\].*divide")
        for rho in (1.0000001, "-1.5", mpmath.mpf(2))
    ),
    *(
        (exact.collision_probability, (rho, 4), ValueError, "rho must be a finite number")
        for rho in (math.nan, math.inf, mpmath.mpf("nan"), mpmath.inf, "x", "1/0")
    ),
    *(
        (exact.locally_linear_kernel, (rho, 4), TypeError, "rho must be")
        for rho in ([0.5], None, 1j, True)
    ),
    (exact.max_moment, (-1, 4), ValueError, r"order k=.* must be at least 0"),
    (exact.hermite_moment, (-1, 4), ValueError, r"order i=.* must be at least 0"),
    (exact.collision_coefficients, (4, 0), ValueError, "number of coefficients n=0 must be at"),
]


@pytest.mark.parametrize(("function", "arguments", "error", "message"), REFUSED)
def test_bad_arguments_are_refused(function, arguments, error, message):
    with pytest.raises(error, match=message):
        function(*arguments, 20)


@pytest.mark.parametrize("dps", [0, -1])
def test_digits_below_one_are_refused(dps):
    with pytest.raises(ValueError, match=r"dps=.* must be at least 1"):
        exact.collision_probability(0.5, 4, dps)


@pytest.mark.parametrize("exponent", [19, 400, 5000])
@pytest.mark.parametrize(
    ("function", "arguments", "name"),
    [
        (exact.max_moment, {"k": 2, "q": 4}, {"k": "order k", "q": "pool size q"}),
        (exact.hermite_moment, {"i": 2, "q": 4}, {"i": "order i", "q": "pool size q"}),
        (
            exact.collision_coefficients,
            {"q": 4, "n": 2},
            {"q": "pool size q", "n": "number of coefficients n"},
        ),
        (exact.collision_probability, {"rho": 0.3, "q": 4}, {"q": "pool size q", "rho": "rho"}),
        (exact.maxout_kernel, {"rho": 0.3, "q": 4}, {"q": "pool size q", "rho": "rho"}),
        (exact.locally_linear_kernel, {"rho": 0.3, "q": 4}, {"q": "pool size q", "rho": "rho"}),
    ],
)
def test_sums_that_nobody_would_wait_for_are_refused(function, arguments, name, exponent):
    for argument, title in name.items():
        with pytest.raises(ValueError, match=rf"^{title}.*(at most|\[-1, 1\])"):
            function(**{**arguments, argument: 10**exponent}, dps=20)


def test_hermite_moments_vanish_by_symmetry():
    assert exact.hermite_moment(3, 1, 20) == 0
    assert exact.hermite_moment(4, 2, 20) == 0
    assert exact.hermite_moment(0, 5, 20) - 1 < 1e-20
