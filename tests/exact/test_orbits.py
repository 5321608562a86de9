"""Expectations over random templates: closed forms against integrals by other routes."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import gammainc, ndtr, owens_t

from mehler.exact import orbits
from mehler.exact.orbits import Bins, TemplateLaw

DIMENSIONS = (2, 3, 6, 40)
PAIRS = {
    "oblique": ([0.8, 0.0], [0.3, 0.5]),
    "obtuse": ([0.8, 0.0], [-0.6, 0.1]),
    "equal": ([0.7, 0.0], [0.7, 0.0]),
    "opposite": ([0.5, 0.0], [-0.5, 0.0]),
    "parallel": ([0.9, 0.0], [0.3, 0.0]),
    "zero": ([0.6, 0.0], [0.0, 0.0]),
    "longer than the window": ([2.5, 0.0], [0.3, 0.4]),
}


def planar_tail(law, r):
    """P(length of the projection on a plane > r), from the law of t itself."""
    d = law.n_inputs
    if law.name == "sphere":
        return max(0.0, 1 - r * r) ** (d / 2 - 1)
    if law.name == "gaussian":
        return math.exp(-d * r * r / 2)
    c = d * (1 + law.epsilon)
    if d * r * r >= c:
        return 0.0
    # chi^2 of the plane is at u, the other d - 2 leave c - u.
    rest = (lambda u: 1.0) if d == 2 else (lambda u: gammainc(d / 2 - 1, (c - u) / 2))
    within = quad(lambda u: math.exp(-u / 2) / 2 * rest(u), d * r * r, c, epsabs=1e-13)[0]
    return within / gammainc(d / 2, c / 2)


@pytest.mark.parametrize("name", ["sphere", "gaussian", "redraw"])
@pytest.mark.parametrize("d", DIMENSIONS)
def test_wedges_are_integrals_over_an_arc(name, d):
    law = TemplateLaw(name, d)
    for h, theta in ((0.0, 1.2), (0.1, 0.7), (0.35, -1.1), (0.5, math.pi / 2), (0.9, 1.5)):
        top = math.acos(min(1.0, h / law.reach)) if name != "gaussian" else math.pi / 2
        arc = min(abs(theta), top)

        def integrand(v, h=h, arc=arc):
            # sin clusters where the tail vanishes like a root.
            r = h / max(math.cos(arc * math.sin(math.pi * v / 2)), 1e-300) if h else 0.0
            return planar_tail(law, r) * arc * math.cos(math.pi * v / 2) * math.pi / 2

        value = quad(integrand, 0, 1, epsabs=1e-12, limit=200)[0] / (2 * math.pi)
        expected = math.copysign(value, theta)
        assert float(law.wedge(h, theta)) == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("name", ["sphere", "gaussian"])
@pytest.mark.parametrize("d", DIMENSIONS)
def test_wedges_to_thirteen_digits(name, d):
    """Closed forms, held to their stated error by arbitrary precision."""
    law = TemplateLaw(name, d)
    h, theta = mpmath.mpf(0.25), mpmath.mpf(1.1)
    with mpmath.workdps(25):
        p = mpmath.mpf(d - 2) / 2

        def tail(phi):
            r = (h / mpmath.cos(phi)) ** 2
            return mpmath.e ** (-d * r / 2) if name == "gaussian" else (1 - r) ** p

        value = mpmath.quad(tail, mpmath.linspace(0, theta, 5)) / (2 * mpmath.pi)
    assert float(law.wedge(0.25, 1.1)) == pytest.approx(float(value), abs=1e-14)


@pytest.mark.parametrize("name", ["sphere", "gaussian", "redraw"])
@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("y", [0.2, 0.8, 3.0])
@pytest.mark.sampled(12)
def test_wedges_add_up(name, d, y):
    law = TemplateLaw(name, d)
    for theta in (0.4, -1.3, math.pi / 2):
        breaks = [b for b in (law.reach * math.cos(theta), law.reach) if 0 < b < y]
        value = quad(lambda h, at=theta: float(law.wedge(h, at)), 0, y, points=breaks or None,
                     epsabs=1e-12, limit=400)[0]  # fmt: skip
        assert float(law.wedge_below(y, theta)) == pytest.approx(value, abs=1e-10)


@pytest.mark.parametrize("name", ["sphere", "gaussian", "redraw"])
@pytest.mark.parametrize("d", DIMENSIONS)
def test_one_coordinate(name, d):
    """Moments of a coordinate from its density: (1 - u^2)^((d-3)/2), or Gaussian times a chance."""
    law = TemplateLaw(name, d)
    c = d * (1 + law.epsilon)

    def density(u):
        if name == "sphere":
            return 1.0  # in the angle: see below
        rest = 1.0 if name == "gaussian" else stats.chi2.cdf(c - d * u * u, d - 1)
        return math.exp(-0.5 * d * u * u) * rest

    # Sphere: u = sin(v), density cos^(d-2)(v).
    def weighted(f):
        if name == "sphere":
            return quad(lambda v: f(math.sin(v)) * math.cos(v) ** (d - 2), 0, math.pi / 2,
                        epsabs=1e-13, points=[math.asin(0.25)])[0]  # fmt: skip
        return quad(lambda u: f(u) * density(u), 0, min(law.reach, 9.0), epsabs=1e-13,
                    points=[0.25], limit=200)[0]  # fmt: skip

    whole = weighted(lambda u: 1.0)
    assert law.mean_absolute == pytest.approx(weighted(lambda u: u) / whole, abs=1e-10)
    assert law.mean_square == pytest.approx(weighted(lambda u: u * u) / whole, abs=1e-10)
    tail = 0.5 * weighted(lambda u: float(u > 0.25)) / whole
    assert float(law.tail(0.25)) == pytest.approx(tail, abs=1e-9)
    excess = weighted(lambda u: max(u - 0.25, 0.0) ** 2) / whole
    assert float(law.excess_square(0.25)) == pytest.approx(excess, abs=1e-9)


def joint_by_conditioning(law, a, b, tau):
    """P(both <= tau) for t of a law: condition on the first coordinate, then on the second."""
    d = law.n_inputs
    (a1, _), (b1, b2) = a, b
    if law.name == "gaussian":
        if b2 == 0:  # along one line
            low = max((tau / v for v in (a1, b1) if v < 0), default=-np.inf)
            high = min((tau / v for v in (a1, b1) if v > 0), default=np.inf)
            if any(v == 0 for v in (a1, b1)) and tau < 0:
                return 0.0
            return max(0.0, stats.norm.cdf(high * d**0.5) - stats.norm.cdf(low * d**0.5))
        covariance = np.array([[a1 * a1, a1 * b1], [a1 * b1, b1 * b1 + b2 * b2]]) / d
        return stats.multivariate_normal.cdf([tau, tau], cov=covariance, abseps=1e-9, releps=1e-9)

    def second(w):
        """P(w <= coordinate) of the sphere in d - 1 dimensions."""
        if d == 2:
            return 0.5 * (w <= -1) + 0.5 * (w <= 1)
        if d == 3:
            return math.acos(max(-1.0, min(1.0, w))) / math.pi
        return 1 - stats.beta.cdf((1 + max(-1.0, min(1.0, w))) / 2, (d - 2) / 2, (d - 2) / 2)

    def conditional(v):
        u, left = math.sin(v), math.cos(v)
        if a1 * u > tau:
            return 0.0
        room = tau - b1 * u
        if b2 * left == 0:
            return float(room >= 0)
        return (1 - second(room / (b2 * left))) if room / (b2 * left) < 1 else 1.0

    # Angles where either event begins or ends; d = 2 and 3 have roots there.
    breaks = {math.asin(x) for x in (tau / a1,) if -1 < x < 1}
    length = math.hypot(b1, b2)
    if length > abs(tau):
        at = math.atan2(b2, b1)
        for turn in (math.acos(tau / length), -math.acos(tau / length)):
            for phase in (at + turn, -(at + turn), math.pi - at - turn, math.pi + at + turn):
                x = math.asin(math.cos(phase))
                breaks.add(x)
    ends = [-math.pi / 2, *sorted(breaks), math.pi / 2]
    pieces = [
        quad(lambda v: conditional(v) * math.cos(v) ** (d - 2), lo, hi, epsabs=1e-13, limit=200)[0]
        for lo, hi in itertools.pairwise(ends)
        if hi - lo > 1e-12
    ]
    whole = math.sqrt(math.pi) * math.gamma((d - 1) / 2) / math.gamma(d / 2)
    return sum(pieces) / whole


def arguments(a, b):
    a, b = np.array(a), np.array(b)
    return [np.array([v]) for v in (np.linalg.norm(a), np.linalg.norm(b), a @ b)]


@pytest.mark.parametrize("name", ["sphere", "gaussian"])
@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("rule", ["paper", "trapezoid", "midpoint"])
@pytest.mark.sampled(60)
def test_binned_products_are_sums_of_joint_probabilities(name, d, pair, rule):
    law, (a, b) = TemplateLaw(name, d), PAIRS[pair]
    bins = Bins(2, 0.85, rule)
    joint = [joint_by_conditioning(law, a, b, float(tau)) for tau in bins.thresholds]
    first = float(orbits.expected_product(law, bins, *arguments(a, b))[0])
    assert first == pytest.approx(float(bins.weights @ joint), abs=3e-8)
    # Both indicators at two thresholds are those at the smaller one.
    smaller = np.minimum.outer(np.arange(bins.columns), np.arange(bins.columns))
    square = bins.weights @ np.array(joint)[smaller] @ bins.weights
    second = float(orbits.expected_square(law, bins, *arguments(a, b))[0])
    assert second == pytest.approx(square, abs=3e-8)


@pytest.mark.parametrize("name", ["sphere", "gaussian", "redraw", "zero"])
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.sampled(8)
def test_dithered_products_are_the_limit_of_fine_bins(name, pair):
    """The midpoint rule errs by h/2 where the joint distribution function jumps, else by h^2."""
    law, at = TemplateLaw(name, 6), arguments(*PAIRS[pair])
    fine, dither = Bins(34, 0.85, "midpoint"), Bins(1, 0.85, "dither")
    h = fine.step
    exact = float(orbits.expected_product(law, dither, *at)[0])
    approximate = float(orbits.expected_product(law, fine, *at)[0])
    # One vector 0: a jump at 0, which the midpoints straddle.
    assert exact == pytest.approx(approximate, abs=0.51 * h if pair == "zero" else h * h)
    # The upper sum is above the integral by a cell of s/32 at most, and h^2/4 for the offset.
    square = float(orbits.expected_square(law, fine, *at)[0])
    bound = float(orbits.expected_square(law, dither, *at)[0])
    assert square - 2 * h <= bound <= square + 2 * h + 0.85**2 * (1 / 4 + 2 / 32)


@pytest.mark.parametrize("d", [3, 10])
def test_table_of_unclipped_kernels(d):
    """E1: s - kappa D with kappa as printed for each law, and p s - kappa D for zero features."""
    window, distance = 1.5, math.sqrt(0.64 + 0.34 - 2 * 0.24)
    lengths = arguments(*PAIRS["oblique"])
    c = d * 1.3
    p, q = (stats.chi2.cdf(c, d + k) for k in (0, 1))
    root = math.sqrt(2 * math.pi * d)
    sphere = math.gamma(d / 2) / (2 * math.sqrt(math.pi) * math.gamma((d + 1) / 2))
    expected = {
        "sphere": window - sphere * distance,
        "redraw": window - q / p / root * distance,
        "zero": p * window - q / root * distance,
    }
    for name, value in expected.items():
        law = TemplateLaw(name, d)
        kernel = float(orbits.expected_product(law, Bins(3, window, "dither"), *lengths)[0])
        assert kernel == pytest.approx(value, abs=1e-13)
        assert law.slope * distance == pytest.approx(law.mass * window - value, abs=1e-13)


def test_gaussian_window_by_owens_formula():
    """E2 as printed in the theory, for unit vectors."""
    d, s, r = 10, 0.6, 0.3
    S, alpha = s * math.sqrt(d), math.sqrt((1 - r) / (1 + r))
    phi = math.exp(-S * S / 2) / math.sqrt(2 * math.pi)
    value = (
        S * (1 - 4 * owens_t(S, alpha))
        + 2 * phi * (2 * ndtr(alpha * S) - 1)
        - math.sqrt((1 - r) / math.pi) * (2 * ndtr(S * math.sqrt(2 / (1 + r))) - 1)
    ) / math.sqrt(d)
    law, unit = TemplateLaw("gaussian", d), np.ones(1)
    kernel = orbits.expected_product(law, Bins(2, s, "dither"), unit, unit, r * unit)
    assert float(kernel[0]) == pytest.approx(value, abs=1e-14)


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_variances_over_samples_are_enumerated(order, replacement):
    rng = np.random.default_rng(order)
    matrix = rng.standard_normal((order, order)) + 3.0
    values = rng.standard_normal(order)
    circulant = np.array([[values[(j - i) % order] for j in range(order)] for i in range(order)])
    even = 0.5 * (values + values[(-np.arange(order)) % order])
    for size in range(1, min(order, 4) + 1):
        samples = list(
            itertools.product(range(order), repeat=size) if replacement
            else itertools.combinations(range(order), size)
        )  # fmt: skip
        means = np.array([[m[np.ix_(i, i)].mean() for i in samples] for m in (matrix, circulant)])
        kind = {"replacement": replacement}
        variances = means.var(axis=1)
        assert orbits.sample_variance(matrix, size, **kind) == pytest.approx(variances[0])
        # F(g, h) = f(h - g): symmetric f exactly, any f from above.
        assert orbits.orbit_sample_variance(even, size, **kind) == pytest.approx(
            variances[1], abs=1e-15
        )
        assert orbits.orbit_sample_variance(values, size, **kind) >= variances[1] - 1e-15
        w = orbits.coincidence_weight(size, order, **kind)
        mixed = (1 - w) * matrix.mean() + w * np.diag(matrix).mean()
        assert mixed == pytest.approx(means[0].mean())


@pytest.mark.parametrize("name", ["sphere", "gaussian", "redraw"])
@pytest.mark.parametrize("kind", ["pairs", "one"])
def test_limit_variance_bound_is_met_within_its_slack(name, kind):
    """d = 2: the mean over angles is a sum, the radius factors out."""
    law = TemplateLaw(name, 2)
    rng = np.random.default_rng(3)
    a, b = rng.standard_normal((2, 1 if kind == "one" else 4, 2))
    angle = 2 * math.pi * (np.arange(20000) + 0.5) / 20000
    t = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    pairs = np.maximum((t @ a.T)[:, :, None], (t @ b.T)[:, None, :])
    unit = pairs.mean(axis=(1, 2))
    # E rho^2 = 2 mean_square and E rho = (pi/2) mean_absolute in the plane.
    variance = (
        2 * law.mean_square * (unit**2).mean()
        - (0.5 * math.pi * law.mean_absolute * unit.mean()) ** 2
    )
    u = (a[:, None] - b[None]).reshape(-1, 2)
    length = np.linalg.norm(u, axis=1)
    spread = (u.T / length) @ u / len(u)
    bound = orbits.limit_variance_bound(
        law, float(((a.mean(0) + b.mean(0)) ** 2).sum()), length.mean(), float((spread**2).sum())
    )
    slack = 0.25 * law.mean_square * (1 - 2 / math.pi) * float((spread**2).sum()) * 0.125
    assert variance - 1e-7 <= bound <= variance + slack + 1e-7


@pytest.mark.parametrize("law", ["sphere", "gaussian", "redraw", "zero"])
def test_rows_of_zeros_count_all_thresholds(law):
    """<t, 0> = 0: B is the window, half of it more for the threshold 0 itself, and none by u."""
    law = TemplateLaw(law, 3)
    for rule, value in (("paper", 1.0 + 0.5), ("trapezoid", 1.25), ("dither", 1.0)):
        mean = orbits.expected_product(law, Bins(2, 1.0, rule), 0.0, 0.0, 0.0)
        assert float(mean) == pytest.approx(law.mass * value, rel=1e-14)


@pytest.mark.parametrize("name", orbits.LAWS)
@pytest.mark.parametrize("far", [1e300, math.inf])
def test_huge_and_infinite_lengths_are_beyond_all_templates(name, far):
    law = TemplateLaw(name, 5)
    for theta in (0.3, 0.5, 0.5 * math.pi):
        assert law.tail(far) == law.wedge(far, theta) == law.excess_square(far) == 0.0
        # All of the half plane below: E min(rho, oo) sin / (2 pi).
        below = float(law.wedge_below(far, theta))
        assert below == pytest.approx(math.sin(theta) * law.mean_absolute / 4, rel=1e-12)


def test_samples_beyond_the_floats():
    assert orbits.coincidence_weight(10**400, 5, replacement=True) == 0.0
