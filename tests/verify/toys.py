"""Small maps in plain NumPy with kernels and variances in closed form, and ways to break them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import binom

# Every statistical assertion of this folder fails with at most this probability on right code,
# whatever the seed: verdicts by their own false_alarm, simulations by `most_misses`. There are
# fewer than 200, so the folder raises a false alarm with probability below 2e-7.
FALSE_ALARM = 1e-9


def most_misses(repeats: int, rate: float) -> int:
    """Return a count that Binomial(repeats, rate) exceeds with probability at most 1e-9."""
    return int(binom.isf(FALSE_ALARM, repeats, rate))


def require_rate(check: Callable[[int], Any], repeats: int, rate: float) -> None:
    """Require of checks of a right claim at seeds 0, 1, ... no more alarms than at a rate."""
    alarms = sum(check(seed).status == "refuted" for seed in range(repeats))
    assert alarms <= most_misses(repeats, rate)


def cosine(x: Any, y: Any) -> tuple[Any, Any]:
    norms = np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1))
    return norms, np.clip(x @ y.T / norms, -1.0, 1.0)


def absolute_moment(rho: Any) -> Any:
    """E |v v'| for standard Gaussians of correlation rho."""
    return 2.0 / np.pi * (np.sqrt(1.0 - rho**2) + rho * np.arcsin(rho))


def maxout2_kernel(x: Any, y: Any) -> Any:
    """K_2, from max(a, b) = (u + |v|) / sqrt 2 with u, v = (a +- b) / sqrt 2 independent."""
    norms, rho = cosine(x, y)
    return norms * 0.5 * (rho + absolute_moment(rho))


def maxout2_variance(x: Any, y: Any) -> Any:
    """S_2 - K_2^2 with S_2 = E (u + |v|)^2 (u' + |v'|)^2 / 4 = 1 + rho^2 + rho E|v v'|."""
    norms, rho = cosine(x, y)
    moment = absolute_moment(rho)
    return norms**2 * (1.0 + rho**2 + rho * moment - (0.5 * (rho + moment)) ** 2)


@dataclass(frozen=True)
class Maxout:
    """m maxout units; every field but `seed` is a place for a defect."""

    seed: int
    n_inputs: int = 6
    m: int = 1000
    q: int = 2
    power: float = 0.5
    reduce: Any = np.max
    factor: float = 1.0
    dtype: Any = np.float64

    independent_units = True

    def __call__(self, x: Any) -> Any:
        shape = (self.m * self.q, self.n_inputs)
        w = np.random.default_rng(self.seed).standard_normal(shape).astype(self.dtype)
        h = self.reduce((x @ w.T).reshape(x.shape[0], self.m, self.q), axis=2)
        return self.factor * h / self.m**self.power

    def products(self, x: Any, y: Any) -> Any:
        return self.m * self(x) * self(y)

    variance = staticmethod(maxout2_variance)


def rbf(gamma: float) -> Any:
    def kernel(x: Any, y: Any) -> Any:
        squares = ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2)
        return np.exp(-gamma * squares)

    return kernel


def paired_variance(gamma: float) -> Any:
    """(1 - k^2)^2: m = 2 D columns, Var (1/D) sum cos w_l(x - y) = (1 - k^2)^2 / (2 D)."""
    return lambda x, y: (1.0 - rbf(gamma)(x, y) ** 2) ** 2


def offset_variance(gamma: float) -> Any:
    """(1 - k^2)^2 / 2 + 1/2: 2 cos(wx + b) cos(wy + b) = cos w(x - y) + cos(w(x + y) + 2b)."""
    return lambda x, y: 0.5 * (1.0 - rbf(gamma)(x, y) ** 2) ** 2 + 0.5


def paired_fourier(gamma: float, n_inputs: int, frequencies: int = 100) -> Any:
    """Rows of cos and sin over sqrt D: <phi(x), phi(y)> = mean of cos w(x - y), in [-1, 1]."""

    def draw(seed: int) -> Any:
        rng = np.random.default_rng(seed)
        w = np.sqrt(2.0 * gamma) * rng.standard_normal((n_inputs, frequencies))
        return lambda x: np.hstack([np.cos(x @ w), np.sin(x @ w)]) / np.sqrt(frequencies)

    return draw


def points(n: int, d: int, seed: int = 1) -> Any:
    """Rows in random directions, with norms that differ."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d))
    return x / np.linalg.norm(x, axis=1, keepdims=True) * rng.uniform(0.5, 2.0, (n, 1))
