"""Slopes of named maps: moments against draws, and increments of drawn units against them."""

from __future__ import annotations

import math
import re
from functools import partial

import mpmath
import numpy as np
import pytest

from mehler import FourierFeatures
from mehler.bounds import kernel_error

N = 400_000


def close(result: float, drawn: np.ndarray) -> bool:
    """Whether a mean is within six standard errors of draws."""
    return bool(abs(result - drawn.mean()) < 6 * drawn.std() / math.sqrt(drawn.size))


def weights(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def test_frequencies_of_the_gaussian_kernel():
    setting = kernel_error.slope_fourier(3, gamma=0.7, form="offset")
    lengths = 2 * math.sqrt(1.4) * np.linalg.norm(weights(1, N, 3), axis=1)
    assert close(setting["slope"][0], lengths)
    assert close(setting["slope"][1], lengths**2)
    assert setting["width"] == 4.0


def test_frequencies_of_a_matern_kernel():
    """Student's t of 2 nu = 9 degrees of freedom, by its definition, over the length."""
    chi = np.random.default_rng(2).chisquare(9, N)
    lengths = np.linalg.norm(weights(3, N, 2), axis=1) / np.sqrt(chi / 9) / 0.5
    setting = kernel_error.slope_fourier(2, nu=4.5, length_scale=0.5)
    assert close(setting["slope"][0], lengths)
    assert close(setting["slope"][1], lengths**2)


@pytest.mark.parametrize("law", [{"gamma": 0.7}, {"nu": 3.5, "length_scale": 0.6}])
def test_second_moment_is_the_curvature_of_the_kernel(law):
    """1 - k(h) is h^2 E|w|^2/(2d) to second order, by the map's exact kernel."""
    d, h = 3, 1e-3
    named = {"kernel": "matern"} if "nu" in law else {}
    phi = FourierFeatures.draw(d, 2, seed=0, **named, **law)
    rows = np.array([[0.0, 0.0, 0.0], [h, 0.0, 0.0]])
    curvature = 2 * d * (1 - phi.kernel(rows)[0, 1]) / h**2
    assert kernel_error.slope_fourier(d, **law)["slope"][1] == pytest.approx(curvature, rel=1e-4)


def steepest(product, size: float) -> float:
    """The largest |F - F'| over size (|x - x'| + |z - z'|), of numbers x and z."""
    rng = np.random.default_rng(7)
    x, z = rng.uniform(-3, 3, (2, N))
    x2, z2 = x + 1e-3 * rng.standard_normal(N), z + 1e-3 * rng.standard_normal(N)
    # In half of the draws only one row moves.
    z2 = np.where(np.arange(N) % 2, z, z2)
    moved = np.abs(product(x2, z2) - product(x, z))
    return float((moved / (size * (np.abs(x2 - x) + np.abs(z2 - z)))).max())


def test_slopes_of_the_page_are_kept_and_reached():
    w = 1.7
    for product, size in (
        (lambda x, z: np.cos(w * (x - z)), w),
        (lambda x, z: 2 * np.cos(w * x + 0.4) * np.cos(w * z + 0.4), 2 * w),
        # s - max of projections on a template of length 0.6, of a group of two: t and -t.
        (
            lambda x, z: (
                -0.6
                * sum(np.maximum(a * x, b * z) for a, b in ((1, 1), (1, -1), (-1, 1), (-1, -1)))
                / 4
            ),
            0.6,
        ),
    ):
        assert 0.5 < steepest(product, size) <= 1 + 1e-9
    assert steepest(lambda x, z: np.cos(w * (x - z)), w) > 0.999


def slope_of_sinks(w, b, *, steep, far, base):
    lengths = np.linalg.norm(w, axis=1)
    return steep * lengths * (abs(base) + steep * (far * lengths + abs(b)))


def test_moments_of_kitchen_sinks():
    setting = kernel_error.slope_kitchen_sinks(
        3, lipschitz=1.5, radius=0.8, weight_scale=0.7, bias=0.4, at_zero=-0.3
    )
    drawn = slope_of_sinks(
        0.7 * weights(4, N, 3), 0.4 * weights(5, N), steep=1.5, far=0.8, base=-0.3
    )
    assert close(setting["slope"][0], drawn)
    assert close(setting["slope"][1], drawn**2)


@pytest.mark.parametrize(("d", "q"), [(1, 1), (2, 4), (5, 64)])
def test_moments_of_centred_maxout(d, q):
    setting = kernel_error.slope_maxout_centred(d, pool_size=q)
    w = weights(6, 40_000, q, d)
    longest = np.linalg.norm(w, axis=2).max(axis=1)
    # h_1 by the same draws' first coordinates would be noisy: by quadrature of the maximum.
    t = np.linspace(-10, 10, 20_001)
    cdf = np.array([0.5 * math.erfc(-entry / math.sqrt(2)) for entry in t]) ** q
    h1 = float(10 - np.trapezoid(cdf, t))
    drawn = longest * (longest + h1)
    assert close(setting["slope"][0], drawn)
    assert close(setting["slope"][1], drawn**2)


def activation(u):
    """Slope 1 from -0.2 on, 0 before; 0.2 at 0."""
    return np.maximum(u + 0.2, 0)


def units(name: str, seed: int, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, dict]:
    """Features (units, rows) of unit vectors, the slope of each unit, and what is told."""
    n, d = 100_000, rows.shape[1]
    if name == "sinks":
        w, b = 0.9 * weights(seed, n, d), 0.5 * weights(seed + 100, n)
        setting = kernel_error.slope_kitchen_sinks(
            d, lipschitz=1.0, radius=1.0, weight_scale=0.9, bias=0.5, at_zero=0.2
        )
        slopes = slope_of_sinks(w, b, steep=1.0, far=1.0, base=0.2)
        return activation(w @ rows.T + b[:, None]), slopes, setting
    q = 4
    w = weights(seed, n, q, d)
    h1 = 1.0293753730039641  # E max of 4: tables of order statistics
    longest = np.linalg.norm(w, axis=2).max(axis=1)
    setting = kernel_error.slope_maxout_centred(d, pool_size=q)
    return (w @ rows.T).max(axis=1) - h1, longest * (longest + h1), setting


def near_and_far(seed: int, d: int, r: float) -> np.ndarray:
    """Four unit vectors: x, z, and one at the distance r of each."""
    rng = np.random.default_rng(seed)
    result = []
    for _ in range(2):
        x = rng.standard_normal(d)
        x /= np.linalg.norm(x)
        away = rng.standard_normal(d)
        away -= (away @ x) * x
        angle = 2 * math.asin(r / 2)
        result.append((x, math.cos(angle) * x + math.sin(angle) * away / np.linalg.norm(away)))
    (x, x2), (z, z2) = result
    return np.stack([x, z, x2, z2])


@pytest.mark.parametrize("name", ["sinks", "centred"])
@pytest.mark.parametrize("r", [0.05, 1.0])
def test_drawn_units_keep_slope_and_exponents(name, r):
    """On every unit the slope; of means the sub-gamma exponents of products and of increments."""
    for seed in range(3):
        h, slopes, setting = units(name, seed, near_and_far(seed, 3, r))
        product, moved = h[:, 0] * h[:, 1], h[:, 2] * h[:, 3]
        increments = moved - product
        assert np.all(np.abs(increments) <= 2 * r * slopes * (1 + 1e-9))
        assert np.abs(h[:, 0] - h[:, 2]).max() <= r * slopes.max()
        for drawn, (v, c), scale in (
            (h[:, 0] ** 2, setting["sub_gamma"], 1.0),
            (product, setting["sub_gamma"], 1.0),
            (increments, setting["increments"], 2 * r),
        ):
            for share in (0.1, 0.4, -0.1, -0.4):
                # c t scale = share; only where the draws can tell the exponent.
                t = share / (c * scale)
                centred = drawn - drawn.mean()
                sample = math.log(np.mean(np.exp(t * centred)))
                assert sample < t**2 * scale**2 * v / (2 * (1 - abs(share)))


def exponent_of_squares(y: float) -> float:
    """log of a bound of E exp of increments: the series of E g^(2p) y^p/p! from p = 2 on."""
    return (1 - 2 * y) ** -0.5 - 1 - y


def exponent_of_a_square(s: float, mean: float) -> float:
    """log E exp(s (g + mean)^2), in closed form."""
    return -math.log1p(-2 * s) / 2 + s * mean**2 / (1 - 2 * s)


def least_share(v: float, c: float, exponent, shares) -> float:
    """The least factor of v at which t^2 v/(2 (1 - c t)) is above the exponent at all t."""
    return max(exponent(share / c) * 2 * (1 - share) / (v * (share / c) ** 2) for share in shares)


SHARES = [1e-3, 0.01, 0.1, 0.3, 0.6, 0.9, 0.99]


@pytest.mark.parametrize("base", [0.0, -0.7])
def test_constants_of_kitchen_sinks_are_those_of_their_moments(base):
    """Increments of g^2 times 2 r tau', and squares of tau g + mu: no smaller v holds."""
    steep, far, s, beta = 1.5, 0.8, 0.7, 0.4
    setting = kernel_error.slope_kitchen_sinks(
        3, lipschitz=steep, radius=far, weight_scale=s, bias=beta, at_zero=base
    )
    tau = steep * math.hypot(s * far, beta)
    mu = abs(base) + math.sqrt(2 / math.pi) * tau
    moved = steep * s * (abs(base) + tau)
    v, c = setting["increments"]
    # t stands for 2 r t, the scale of increments.
    share = least_share(v, c, lambda t: exponent_of_squares(t * moved), SHARES)
    assert 0.99 < share <= 1
    v, c = setting["sub_gamma"]
    share = least_share(v, c, lambda t: exponent_of_a_square(4 * t * t * tau**4, mu / tau), SHARES)
    assert 0.99 < share <= 1


@pytest.mark.parametrize(("q", "fourth"), [(1, 3.0), (2, 3 + 8 / math.pi)])
def test_constants_of_centred_maxout_are_those_of_their_moments(q, fourth):
    """Increments of N^2 times 4 r, whose second order is E N^4; squares of g."""
    setting = kernel_error.slope_maxout_centred(5, pool_size=q)
    v, c = setting["increments"]
    # In units of 2 r: y = 2 t.
    assert fourth <= v / 4 <= fourth * (1 + 1e-7)
    if q == 1:
        share = least_share(v, c, lambda t: exponent_of_squares(2 * t), SHARES)
        assert 0.99 < share <= 1
    v, c = setting["sub_gamma"]
    share = least_share(v, c, lambda t: exponent_of_a_square(4 * t * t, 0.0), SHARES)
    assert 0.99 < share <= 1


def test_frequencies_of_all_spectra_are_refused_if_too_rough():
    with pytest.raises(ValueError, match="second moment for nu above 1"):
        kernel_error.slope_fourier(2, nu=1.0)
    with pytest.raises(ValueError, match="nu=51 is more than 50"):
        kernel_error.slope_fourier(2, nu=51)
    with pytest.raises(ValueError, match="give one of gamma"):
        kernel_error.slope_fourier(2)
    with pytest.raises(ValueError, match="give one of gamma"):
        kernel_error.slope_fourier(2, gamma=1.0, nu=2.0)
    with pytest.raises(ValueError, match=r"length_scale=2\.0 goes with nu"):
        kernel_error.slope_fourier(2, gamma=1.0, length_scale=2.0)
    with pytest.raises(ValueError, match="square of a frequency leaves the floats"):
        kernel_error.slope_fourier(2, nu=2.0, length_scale=1e-200)
    with pytest.raises(ValueError, match="form='cosine'"):
        kernel_error.slope_fourier(2, gamma=1.0, form="cosine")


@pytest.mark.parametrize("name", ["lipschitz", "radius", "weight_scale"])
def test_kitchen_sinks_ask_for_positive_numbers(name):
    options = {"lipschitz": 1.0, "radius": 1.0, "weight_scale": 1.0, name: 0.0}
    with pytest.raises(ValueError, match=f"{name}=0.0 must be positive"):
        kernel_error.slope_kitchen_sinks(2, **options)


def test_moments_of_lengths_in_many_dimensions():
    """Of mpmath, which has digits enough for the quotient of gamma functions."""
    for d in (1, 3, 1000, 1001, 10**6, 10**12):
        with mpmath.workdps(60):
            entry = mpmath.sqrt(2) * mpmath.exp(mpmath.loggamma((d + mpmath.mpf(1)) / 2))
            entry /= mpmath.exp(mpmath.loggamma(mpmath.mpf(d) / 2))
            expected = float(entry)
        mean, square = kernel_error.slope_fourier(d, gamma=0.5)["slope"]
        assert mean == pytest.approx(expected, rel=1e-12)
        assert square == pytest.approx(d, rel=1e-14)


def test_kitchen_sinks_name_numbers_that_are_none_or_too_large():
    with pytest.raises(TypeError, match="at_zero"):
        kernel_error.slope_kitchen_sinks(2, lipschitz=1.0, radius=1.0, at_zero="0")
    for far in (1e200, 1e-200):
        with pytest.raises(ValueError, match=f"radius={re.escape(str(far))}, .* leave the floats"):
            kernel_error.slope_kitchen_sinks(2, lipschitz=1.0, radius=far)


def test_neither_the_dimension_of_the_space_enters_the_chain():
    """Only the last term, at a level of any depth, knows the columns of the rows."""
    for make in (
        lambda d: kernel_error.slope_kitchen_sinks(d, lipschitz=1.0, radius=1.0),
        lambda d: kernel_error.slope_maxout_centred(d, pool_size=4),
    ):
        values = [
            kernel_error.uniform_by_slope(
                10_000, dimension=3, diameter=2, delta=0.01, **make(d)
            ).value
            for d in (2, 10_000)
        ]
        assert values[1] < 1.001 * values[0]


@pytest.mark.parametrize(
    "slope",
    [
        partial(kernel_error.slope_fourier, gamma=1.0),
        partial(kernel_error.slope_kitchen_sinks, lipschitz=1.0, radius=1.0),
        partial(kernel_error.slope_maxout_centred, pool_size=4),
    ],
)
def test_columns_of_no_rows_are_refused(slope):
    assert math.isfinite(slope(10**12)["slope"][1])
    with pytest.raises(ValueError, match=r"n_inputs=10+ must be at most 10+$"):
        slope(10**30)
