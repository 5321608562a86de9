"""The uniform error of any map: against draws, sums by hand, and known forms."""

import math

import numpy as np
import pytest
from mehler.proofs_checks.features.uniform import of_centred, of_sinks

from mehler.bounds import kernel_error

N = 400_000


def close(result: float, draws: np.ndarray) -> bool:
    """Whether a mean is within six standard errors of draws."""
    return bool(abs(result - draws.mean()) < 6 * draws.std() / math.sqrt(draws.size))


def weights(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def test_frequencies_of_a_matern_kernel():
    """Student's t of 2 nu = 9 degrees of freedom, by its definition, over the length."""
    chi = np.random.default_rng(2).chisquare(9, N)
    lengths = np.linalg.norm(weights(3, N, 2), axis=1) / np.sqrt(chi / 9) / 0.5
    setting = kernel_error.slope_fourier(2, nu=4.5, length_scale=0.5)
    assert close(setting["slope"][0], lengths)
    assert close(setting["slope"][1], lengths**2)


def test_moments_of_kitchen_sinks():
    setting = of_sinks(3, lipschitz=1.5 * 0.7, radius=0.8)
    lengths = np.linalg.norm(0.7 * weights(4, N, 3), axis=1)
    moment = 1.5 * lengths * (1.5 * 0.8 * lengths)
    assert close(setting["slope"][0], moment)
    assert close(setting["slope"][1], moment**2)


@pytest.mark.parametrize(("d", "q"), [(1, 1), (2, 4), (5, 64)])
def test_moments_of_centred_maxout(d, q):
    setting = of_centred(d, pool_size=q)
    w = weights(6, 40_000, q, d)
    longest = np.linalg.norm(w, axis=2).max(axis=1)
    # h_1 by the same draws' first coordinates would be noisy: by quadrature of the maximum.
    t = np.linspace(-10, 10, 20_001)
    cdf = np.array([0.5 * math.erfc(-entry / math.sqrt(2)) for entry in t]) ** q
    h1 = float(10 - np.trapezoid(cdf, t))
    moment = longest * (longest + h1)
    assert close(setting["slope"][0], moment)
    assert close(setting["slope"][1], moment**2)


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


def test_constants_of_kitchen_sinks_are_those_of_their_moments():
    """Increments of g^2 times 2 r tau', and squares of tau g + mu: no smaller v holds."""
    steep, far, s = 1.5, 0.8, 0.7
    setting = of_sinks(3, lipschitz=steep * s, radius=far)
    tau = steep * s * far
    mu = math.sqrt(2 / math.pi) * tau
    distance = steep * s * tau
    v, c = setting["increments"]
    # t stands for 2 r t, the scale of increments.
    share = least_share(v, c, lambda t: exponent_of_squares(t * distance), SHARES)
    assert 0.99 < share <= 1
    v, c = setting["sub_gamma"]
    share = least_share(v, c, lambda t: exponent_of_a_square(4 * t * t * tau**4, mu / tau), SHARES)
    assert 0.99 < share <= 1


@pytest.mark.parametrize(("q", "fourth"), [(1, 3.0), (2, 3 + 8 / math.pi)])
def test_constants_of_centred_maxout_are_those_of_their_moments(q, fourth):
    """Increments of N^2 times 4 r, whose second order is E N^4; squares of g."""
    setting = of_centred(5, pool_size=q)
    v, c = setting["increments"]
    # In units of 2 r: y = 2 t.
    assert fourth <= v / 4 <= fourth * (1 + 1e-7)
    if q == 1:
        share = least_share(v, c, lambda t: exponent_of_squares(2 * t), SHARES)
        assert 0.99 < share <= 1
    v, c = setting["sub_gamma"]
    share = least_share(v, c, lambda t: exponent_of_a_square(4 * t * t, 0.0), SHARES)
    assert 0.99 < share <= 1
