"""Balls: they contain the reference and the mpmath value, they are small, and they can fail."""

from __future__ import annotations

import re
import sys
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mehler.exact import certified
from mehler.exact.certified import _api, _line, _plane
from mehler.exact.certified import _digits as digits
from mehler.exact.certified._ball import exact_number
from mehler.exact.certified._context import flint, precision
from tests.exact.reference import POOLS, REFERENCE, kernel_values, printed

RHOS = ("-1", "-0.5", "0", "0.25", "0.5", "0.9", "0.99", "1")
# The balls of 128 bits are to have thirty digits.
SMALL = Fraction(1, 10**30)


def fraction(x):
    return exact_number(x, name="x")


def assert_meets(ball, value, slack):
    """The ball and the reference interval hold a common number, and the ball is small."""
    assert ball.proved
    assert fraction(ball.radius) <= max(1, abs(value)) * SMALL
    assert abs(fraction(ball.value) - value) <= fraction(ball.radius) + slack


@pytest.mark.parametrize("q", POOLS)
def test_moment_balls_meet_the_reference(q):
    values = REFERENCE[str(q)]
    for k, name in enumerate(("h1", "sigma2", "Em3", "Em4"), start=1):
        assert_meets(certified.max_moment(k, q), *printed(values[name]))
    assert_meets(certified.sigma2(q), *printed(values["sigma2"]))
    assert_meets(certified.hermite_moment(2, q), *printed(values["h2"]))


@pytest.mark.parametrize("q", POOLS)
def test_coefficient_balls_meet_the_reference(q):
    for ball, text in zip(certified.collision_coefficients(q, 9), REFERENCE[str(q)]["a"]):
        assert_meets(ball, *printed(text))


@pytest.mark.parametrize(
    ("q", "rhos"),
    [
        (2, ("-0.5", "1")),
        (3, ("-1", "0.9")),
        (4, ("-1", "0.5", "0.99")),
        (5, ("-1", "0.25")),
        (16, ("-1", "-0.5", "1")),
        (64, ("-1", "0.9")),
        *(pytest.param(q, RHOS, marks=pytest.mark.full) for q in POOLS[:-1]),
    ],
)
@pytest.mark.full
def test_kernel_balls_meet_the_reference(q, rhos):
    for rho, value, slack in kernel_values("kappa", q, rhos):
        assert_meets(certified.collision_probability(rho, q), value, slack)
    for rho, value, slack in kernel_values("K", q, rhos):
        assert_meets(certified.maxout_kernel(rho, q), value, slack)


@pytest.mark.parametrize(("q", "rho"), [(2, "-0.9"), (7, "0.95")])
@pytest.mark.full
def test_balls_contain_the_multiprecision_value(q, rho):
    # 75 digits: the smallest radius here is 1e-61, where cancellation is least.
    assert digits.collision_probability(rho, q, 75) in certified.collision_probability(rho, q)
    assert digits.maxout_kernel(rho, q, 75) in certified.maxout_kernel(rho, q)
    assert digits.hermite_moment(5, q, 75) in certified.hermite_moment(5, q)


@pytest.mark.full
@pytest.mark.parametrize("q", [3, 4, 6, 9, 17, 33, 64])
@pytest.mark.parametrize("rho", ["-1", "-0.99", "-0.93", "-0.1", "0.6", "0.999999"])
def test_balls_contain_the_multiprecision_value_on_a_grid(q, rho):
    assert digits.collision_probability(rho, q, 75) in certified.collision_probability(rho, q)
    assert digits.maxout_kernel(rho, q, 75) in certified.maxout_kernel(rho, q)


@pytest.mark.parametrize("q", [3, 4])
def test_opposite_balls_contain_the_multiprecision_value(q):
    # mpmath and the balls have one route for each parity.
    assert digits.maxout_kernel(-1, q, 75) in certified.maxout_kernel(-1, q)


@pytest.mark.parametrize("function", [certified.collision_probability, certified.maxout_kernel])
@pytest.mark.sampled(1)
def test_balls_of_any_precision_are_nested_around_the_truth(function):
    sharp = function("0.35", 5, bits=100)
    for bits in (24, 80):
        ball = function("0.35", 5, bits=bits)
        assert ball.contains(sharp)
        # What `bits` says: a radius of about 2^-bits; the guard bits make it smaller.
        assert fraction(ball.radius) <= Fraction(1, 2**bits)


def test_closed_forms_lie_in_the_planar_balls():
    with mpmath.workdps(60):
        rho = mpmath.mpf("0.35")
        kappa = mpmath.mpf(1) / 2 + mpmath.asin(rho) / mpmath.pi
    # One ulp of the sixty digits against a radius of 1e-42.
    assert kappa in certified.collision_probability(rho, 2)


def test_planar_kernel_ball_of_two_meets_its_closed_form():
    with precision(200) as module:
        planar = _plane.Wedge(module, Fraction(1, 5), 2, 128).kernel()
    planar = certified.Ball.from_arb(planar)
    assert planar.overlaps(certified.maxout_kernel("0.2", 2))
    assert planar.digits > 30


def test_bracket_near_minus_one_holds_the_closed_form():
    # The bracket for all pools and the closed form of three are two routes; the radius is
    # (1 + rho) kappa/2, with kappa_3 about 0.168 t^2 and t^2/2 = 1 + rho.
    rho = Fraction(-9981, 10000)
    with precision(100) as module:
        kappa = digits.collision_enclosure(module, rho, 3, 32)
        bracket = certified.Ball.from_arb(_api._bracket(module, rho, 3, 32, kappa))
    ball = certified.maxout_kernel(rho, 3)
    assert bracket.contains(ball)
    assert bracket.radius < 7e-7
    assert fraction(ball.radius) <= SMALL


def test_kernel_of_three_meets_the_planar_sum():
    rho = Fraction(-1, 2)
    with precision(200) as module:
        planar = certified.Ball.from_arb(_plane.Wedge(module, rho, 3, 48).kernel())
    assert planar.overlaps(certified.maxout_kernel(rho, 3, bits=48))


def test_coefficients_are_a_distribution():
    balls = certified.collision_coefficients(64, 9)
    assert all(ball.value > 0 for ball in balls)
    assert all(fraction(ball.radius) < SMALL for ball in balls)
    assert sum(fraction(ball.value) for ball in balls) < 1
    assert Fraction(1, 64) in balls[0]
    # a_1 = h_1^2/(q-1) (theory sheet 1.4): a second route.
    h1 = certified.max_moment(1, 64)
    expected = fraction(h1.value) ** 2 / 63
    assert abs(fraction(balls[1].value) - expected) < SMALL


def test_printed_kernel_is_below_the_true_one():
    for rho in ("-0.5", "0", "0.5"):
        printed_kernel = certified.locally_linear_kernel(rho, 4, bits=30)
        true = certified.maxout_kernel(rho, 4, bits=30)
        assert not printed_kernel.overlaps(true)
        assert printed_kernel.value < true.value
    # The theory sheet's values at +-1/2 (section 1.2), five decimals.
    half = Fraction(1, 2 * 10**5)
    for rho, text in (("0.5", "0.35688"), ("-0.5", "-0.07444")):
        ball = certified.locally_linear_kernel(rho, 4, bits=30)
        assert abs(fraction(ball.value) - Fraction(text)) <= half


def test_wrong_pool_size_is_outside():
    for rho, value, _ in kernel_values("kappa", 5, ("0.5",)):
        assert not certified.collision_probability(rho, 4, bits=60).contains(value)
    for rho, value, _ in kernel_values("K", 5, ("0.5",)):
        assert not certified.maxout_kernel(rho, 4, bits=60).contains(value)
    assert not certified.sigma2(4).contains(REFERENCE["5"]["sigma2"])


@pytest.mark.parametrize(
    ("module", "compute"),
    [
        (_plane, lambda bits: certified.collision_probability("0.5", 4, bits=bits)),
        (_plane, lambda bits: certified.maxout_kernel("0.5", 4, bits=bits)),
        (_plane, lambda bits: certified.maxout_kernel(-1, 4, bits=bits)),
        (_plane, lambda bits: certified.maxout_kernel(-1, 5, bits=bits)),
        (_line, lambda bits: certified.sigma2(4, bits=bits)),
        (_line, lambda bits: certified.hermite_moment(3, 4, bits=bits)),
    ],
    ids=["kappa", "K", "K even", "K odd", "sigma2", "h_3"],
)
@pytest.mark.sampled(3)
def test_ball_without_its_errors_excludes_the_truth(monkeypatch, module, compute):
    ball, truth = compute(60), compute(110)
    assert ball.contains(truth)
    # Injected fault: tails, step errors and remainders dropped; only rounding is left.
    monkeypatch.setattr(module, "error", lambda flint, bound: flint.arb(0))
    assert not compute(60).overlaps(truth)


def test_precision_of_flint_is_put_back():
    module = flint()
    before = module.ctx.prec
    certified.sigma2(3, bits=300)
    with pytest.raises(ValueError, match="rho"):
        certified.maxout_kernel(2, 3)
    assert module.ctx.prec == before


def test_missing_flint_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "flint", None)
    with pytest.raises(ImportError, match=r'pip install "\.\[certified\]"'):
        certified.sigma2(3)


def test_ball_holds_numbers_strings_and_balls():
    ball = certified.Ball(mpmath.mpf(1), mpmath.mpf("0.5"), True)
    inner = certified.Ball(mpmath.mpf("1.25"), mpmath.mpf("0.25"), True)
    assert "1.5" in ball
    assert 0.4999999 not in ball
    assert ball.contains(inner)
    assert not inner.contains(ball)
    assert inner.overlaps(ball)
    assert not certified.Ball(mpmath.mpf(3), mpmath.mpf(1)).overlaps(ball)
    with pytest.raises(ValueError, match="x must be a finite number"):
        ball.contains("one")


PRINTED = re.compile(r"Ball\(value=mpf\('(.+?)'\), radius=mpf\('(.+?)'\), proved=True\)")


@given(
    numerator=st.integers(-(10**60), 10**60),
    exponent=st.integers(-400, 400),
    radius=st.integers(0, 2**30),
    shift=st.integers(-900, 20),
)
def test_a_printed_ball_holds_the_ball_and_its_value_lies_inside(
    numerator, exponent, radius, shift
):
    with mpmath.workprec(400):
        ball = certified.Ball(
            mpmath.ldexp(numerator, exponent), mpmath.ldexp(radius, exponent + shift)
        )
    value, around = map(Fraction, PRINTED.fullmatch(repr(ball)).groups())
    low, high = ball._ends()
    assert low <= value <= high
    assert value - around <= low
    assert high <= value + around
    # Three digits of it, and a value that is rounded to a tenth of it.
    assert around <= (high - low) / 2 * Fraction(107, 100)


@pytest.mark.parametrize("q", [1, 4, 1000])
@pytest.mark.parametrize("bits", [24, 128, 400])
def test_what_is_printed_of_a_certified_number_lies_in_its_ball(q, bits):
    balls = [certified.sigma2(q, bits=bits), *certified.collision_coefficients(q, 3, bits=bits)]
    # A list prints them too.
    for ball, (value, around) in zip(balls, PRINTED.findall(str(balls)), strict=True):
        assert value in ball
        assert Fraction(around) >= abs(Fraction(value) - fraction(ball.value))


@pytest.mark.parametrize("bits", [23, 0, -5])
def test_too_few_bits_are_refused(bits):
    with pytest.raises(ValueError, match=r"precision bits=.* must be at least 24"):
        certified.collision_probability(0.5, 3, bits=bits)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: certified.sigma2(0), ValueError, "pool size q=.* must be at least 1"),
        (lambda: certified.sigma2(2.5), TypeError, "pool size q=.* must be an integer"),
        (lambda: certified.max_moment(-1, 3), ValueError, "order k=.* must be at least 0"),
        (lambda: certified.hermite_moment(-1, 3), ValueError, "order i=.* must be at least 0"),
        (lambda: certified.collision_coefficients(3, 0), ValueError, "n=.* must be at least 1"),
        (lambda: certified.maxout_kernel(1.5, 3), ValueError, r"rho must lie in \[-1, 1\]"),
        (lambda: certified.maxout_kernel(float("nan"), 3), ValueError, "rho must be a finite"),
        (lambda: certified.locally_linear_kernel([0], 3), TypeError, "rho must be one"),
    ],
)
def test_bad_arguments_are_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()
