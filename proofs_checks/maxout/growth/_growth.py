"""Compute bounds and limits of h_1(q), the mean of the largest M of q normals, for enormous q."""

import math

import numpy as np
from scipy.special import log_ndtr

# A pool beyond every use, at which log q = 690.8 and the limits show.
LARGEST = 1e300


def upper_mean(q: float) -> float:
    """Compute sqrt(2 log q), an upper bound of h_1(q)."""
    return math.sqrt(2 * math.log(q))


def lower_mean(q: float) -> float:
    """Maximise t P(M > t) - 2^(1-q)/sqrt(2 pi) over t, a lower bound of h_1(q)."""
    t = np.linspace(0.01, 1.0, 1000) * upper_mean(q)
    exceeds = -np.expm1(q * log_ndtr(t))
    negative = 2.0 ** (1 - min(q, 1000.0)) / math.sqrt(2 * math.pi)
    # log P(g <= t), g normal, has a relative error of some 1e-15, which 1e-12 covers for any q.
    return float((t * exceeds).max()) * (1 - 1e-12) - negative


def _moment(q: float, centre: float, power: int) -> float:
    """Compute E (M - centre)^power, by the trapezoid rule over the density of M."""
    step = 1 / 256
    t = np.arange(-12.0, upper_mean(q) + 12.0, step)
    log_density = math.log(q) + (q - 1) * log_ndtr(t) - t * t / 2 - math.log(2 * math.pi) / 2
    return float(((t - centre) ** power * np.exp(log_density)).sum() * step)


def mean(q: float) -> float:
    """Compute h_1(q) for any pool size q."""
    return _moment(q, 0.0, 1)


def variance(q: float) -> float:
    """Compute V(q), the variance of M, for any pool size q, to 1e-9."""
    return _moment(q, mean(q), 2)


def expansion(q: float) -> float:
    """Compute the expansion of h_1(q)^2: 2 log q - log(4 pi log q) + 2 gamma, Euler's constant."""
    return 2 * math.log(q) - math.log(4 * math.pi * math.log(q)) + 2 * float(np.euler_gamma)


def variance_rate(q: float) -> float:
    """Compute the asymptotic value of V(q): pi^2/(12 log q)."""
    return math.pi**2 / (12 * math.log(q))


RATED = (1e3, 1e6, 1e20, 1e100, 1e300)  # pool sizes at which rates are compared with values


def in_next_order(error: float, q: float) -> float:
    """Express an error in units of log log q / log q, the next order of Gumbel's limit."""
    return abs(error) * math.log(q) / math.log(math.log(q))
