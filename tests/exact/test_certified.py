"""Balls contain the truth, are small and can fail; digits are those of the balls."""

import math
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mehler import exact
from mehler.exact import _digits, certified
from mehler.exact._digits import exact_number, exact_rho
from mehler.exact.certified import Ball
from tests.exact import second_route
from tests.exact.reference import POOLS, REFERENCE, kernel_values, printed

DPS = 30
STATED = 1e-13
# The balls of 128 bits are to have thirty digits.
SMALL = Fraction(1, 10**DPS)
RHOS = ("-1", "-0.5", "0", "0.25", "0.5", "0.9", "0.99", "1")


def fraction(x):
    return exact_number(x, name="x")


def assert_meets(ball, digits, value, slack):
    """Ball, digits and the reference interval agree, and the ball is small."""
    size = max(1, abs(value))
    assert ball.proved
    assert fraction(ball.radius) <= size * SMALL
    assert abs(fraction(ball.value) - value) <= fraction(ball.radius) + slack
    assert abs(fraction(digits) - value) <= size * SMALL + slack


def assert_digits(name, *arguments, dps=DPS):
    """The digits asked for are those of a ball of more: relative, or of 1 where that is stated."""
    ball = getattr(certified, name)(*arguments, bits=24 + math.ceil(dps * math.log2(10)))
    digits = getattr(exact, name)(*arguments, dps=dps)
    balls, digits = (x if isinstance(x, list) else [x] for x in (ball, digits))
    relative = name in ("max_moment", "sigma2", "maxout_kernel", "collision_coefficients")
    for ball, x in zip(balls, digits, strict=True):
        size = abs(fraction(ball.value))
        slack = (size if relative else max(1, size)) / 10**dps + fraction(ball.radius)
        assert abs(fraction(x) - fraction(ball.value)) <= slack
        assert fraction(ball.radius) <= Fraction(1, 10**dps) * max(1, size)
    return balls


@pytest.mark.slow
@pytest.mark.parametrize("q", [pytest.param(q, marks=[pytest.mark.full] * (q > 64)) for q in POOLS])
@pytest.mark.sampled(3)
def test_moments_and_coefficients_meet_the_reference(q):
    values = REFERENCE[str(q)]
    for k, name in enumerate(("h1", "sigma2", "Em3", "Em4"), start=1):
        pair = certified.max_moment(k, q), exact.max_moment(k, q, dps=DPS)
        assert_meets(*pair, *printed(values[name]))
    pair = certified.hermite_moment(2, q), exact.hermite_moment(2, q, dps=DPS)
    assert_meets(*pair, *printed(values["h2"]))
    pairs = certified.collision_coefficients(q, 9), exact.collision_coefficients(q, 9, dps=DPS)
    for *pair, text in zip(*pairs, values["a"]):
        assert_meets(*pair, *printed(text))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("q", "rhos"),
    [
        (3, ("-1", "0.9")),
        (4, ("-1", "0.25")),
        (5, ("-1", "1")),
        *(pytest.param(q, RHOS, marks=pytest.mark.full) for q in POOLS[:-1]),
    ],
)
def test_kernels_meet_the_reference(q, rhos):
    for name, of in (("collision_probability", "kappa"), ("maxout_kernel", "K")):
        for rho, value, slack in kernel_values(of, q, rhos):
            digits = getattr(exact, name)(rho, q, dps=DPS)
            assert_meets(getattr(certified, name)(rho, q), digits, value, slack)


@pytest.mark.parametrize(
    ("name", "arguments", "dps"),
    [
        ("max_moment", (7, 10**6), 20),
        ("max_moment", (300, 3), 9),
        ("hermite_moment", (100, 5), 45),
        ("collision_coefficients", (40, 6), 25),
        ("collision_probability", ("0.999999", 5), 1),
        pytest.param("maxout_kernel", ("-0.95", 6), 12, marks=pytest.mark.slow),
        pytest.param("maxout_kernel", (-1, 7), 25, marks=pytest.mark.slow),
        ("locally_linear_kernel", ("0.3", 5), 20),
        *(
            pytest.param(name, (rho, q), dps, marks=pytest.mark.full)
            for name in ("collision_probability", "maxout_kernel")
            for rho in ("-0.99", "-0.1", "0.6", "0.999999")
            for q, dps in ((4, 75), (17, 30), (64, 15))
        ),
    ],
)
def test_digits_are_those_of_the_balls(name, arguments, dps):
    assert_digits(name, *arguments, dps=dps)


@pytest.mark.parametrize("q", [1, 2, 3, 7, 64])
def test_coefficients_in_float64(q):
    balls = certified.collision_coefficients(q, 17)
    for ours, ball in zip(exact.collision_coefficients(q, 17), balls, strict=True):
        assert abs(ours - ball.value) <= STATED


@pytest.mark.slow
def test_near_minus_one_balls_and_digits_meet_the_closed_form():
    # The bracket's radius is (1 + rho) kappa/2, kappa_3 about 0.168 t^2 with t^2/2 = 1 + rho.
    rho = Fraction(-9981, 10000)
    ball = certified.maxout_kernel(rho, 3)
    with certified._precision(100) as flint:
        kappa = certified._collision(flint, rho, 3, 32)
        bracket = Ball.from_arb(certified.bracket(flint, rho, 3, 32, kappa))
    assert bracket.contains(ball)
    assert bracket.radius < 7e-7
    mp, nats = _digits._context(9, 16)
    digits = _digits._near_opposite(mp, *_digits._half_angle(mp, rho), 3, nats)
    assert abs(digits - ball.value) < 1e-9


def test_kernel_is_relatively_accurate_where_it_vanishes():
    # K_2 = (sin t - t cos t)/pi = t^3/(3 pi) (1 - t^2/10 + ...), where 1 + rho = 2 sin(t/2)^2.
    with mpmath.workdps(60):
        t = mpmath.mpf(10) ** -20
        rho = Fraction(-1) + fraction(2 * mpmath.sin(t / 2) ** 2)
        for kernel in (exact.maxout_kernel(rho, 2, dps=30), certified.maxout_kernel(rho, 2).value):
            assert abs(kernel * 3 * mpmath.pi / t**3 - 1) < mpmath.mpf(10) ** -30


@pytest.mark.parametrize("q", [2, 3, 5, 40])
def test_coefficients_equal_the_second_route(q):
    digits = exact.collision_coefficients(q, 4, dps=DPS)
    for a, b in zip(digits, second_route.coefficients(q, 4)):
        assert abs(fraction(a) - fraction(b)) < 1e-25


@pytest.mark.slow
def test_balls_of_any_precision_are_nested_around_the_truth():
    for function in (certified.collision_probability, certified.maxout_kernel):
        sharp = function("0.35", 5, bits=100)
        for bits in (24, 80):
            ball = function("0.35", 5, bits=bits)
            assert ball.contains(sharp)
            assert fraction(ball.radius) <= Fraction(1, 2**bits)


@pytest.mark.slow
@pytest.mark.parametrize(
    "compute",
    [
        lambda bits: certified.collision_probability("0.5", 4, bits=bits),
        lambda bits: certified.maxout_kernel("0.5", 4, bits=bits),
        lambda bits: certified.maxout_kernel(-1, 5, bits=bits),
        lambda bits: certified.collision_coefficients(4, 2, bits=bits)[1],
    ],
    ids=["kappa", "K", "K at -1", "a_1"],
)
def test_ball_without_its_errors_excludes_the_truth(monkeypatch, compute):
    ball, truth = compute(60), compute(110)
    assert ball.contains(truth)
    # Injected fault: tails, step errors and remainders dropped; only rounding is left.
    monkeypatch.setattr(certified, "_error", lambda flint, bound: flint.arb(0))
    certified._coefficients.cache_clear()
    assert not compute(60).overlaps(truth)


def test_float_string_and_mpf_are_exact_numbers():
    assert exact_rho("0.1") == Fraction(1, 10)
    assert exact_rho(0.1) == Fraction(0.1) != Fraction(1, 10)
    with mpmath.workdps(50):
        third = mpmath.mpf(1) / 3
    # Not rounded to a double on the way: mpf calls itself a numbers.Real.
    assert 0 < abs(exact_rho(third) - Fraction(1, 3)) < Fraction(1, 10**50)


def test_no_precision_but_its_own_is_read_or_set():
    flint = pytest.importorskip("flint")
    before = flint.ctx.prec, flint.ctx.cap
    with mpmath.workdps(7):
        inside = exact.maxout_kernel("0.3", 4, dps=20)
        certified.maxout_kernel("0.3", 4, bits=30)
        assert mpmath.mp.dps == 7
    assert inside == exact.maxout_kernel("0.3", 4, dps=20)
    with pytest.raises(ValueError, match="rho"):
        certified.maxout_kernel(2, 3)
    assert (flint.ctx.prec, flint.ctx.cap) == before


def test_threads_get_the_same_numbers():
    jobs = [(k, q, dps) for k in (1, 2) for q in (3, 9) for dps in (10, 40)]
    alone = [exact.max_moment(*job) for job in jobs]
    with ThreadPoolExecutor(4) as pool:
        assert alone == list(pool.map(lambda job: exact.max_moment(*job), jobs))


def test_without_flint_digits_are_the_same_and_balls_name_the_extra(monkeypatch):
    before = exact.maxout_kernel("0.3", 4, dps=15)
    monkeypatch.setitem(sys.modules, "flint", None)
    assert exact.maxout_kernel("0.3", 4, dps=15) == before
    with pytest.raises(ImportError, match=r'pip install "\.\[certified\]"'):
        certified.sigma2(3)


def test_ball_holds_numbers_strings_and_balls():
    ball = Ball(mpmath.mpf(1), mpmath.mpf("0.5"), True)
    inner = Ball(mpmath.mpf("1.25"), mpmath.mpf("0.25"), True)
    assert "1.5" in ball
    assert 0.4999999 not in ball
    assert ball.contains(inner)
    assert not inner.contains(ball)
    assert inner.overlaps(ball)
    assert not Ball(mpmath.mpf(3), mpmath.mpf(1)).overlaps(ball)


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
        ball = Ball(mpmath.ldexp(numerator, exponent), mpmath.ldexp(radius, exponent + shift))
    value, around = map(Fraction, str(ball).split(" +/- "))
    low, high = ball._ends()
    assert low <= value <= high
    assert value - around <= low
    assert high <= value + around
    # Three digits of it, and a value that is rounded to a tenth of it.
    assert around <= (high - low) / 2 * Fraction(107, 100)


@pytest.mark.parametrize(
    ("value", "radius", "text"),
    [
        ("0.333333333333333", "1e-9", "0.333333333333 +/- 1.01E-9"),
        ("123456.789", "20", "123456.8 +/- 20.1"),
        ("-2.5e-20", "1e-30", "-2.5000000000000E-20 +/- 1.01E-30"),
        ("0", "1e-9", "0 +/- 1.01E-9"),
        ("0.375", "0", "0.375 +/- 0"),
    ],
)
def test_known_balls(value, radius, text):
    assert str(Ball(mpmath.mpf(value), mpmath.mpf(radius))) == text
