"""Random features with closed forms: cosines on Gaussian inputs, random signs, fitted weights.

Sums of K features phi approximate f* = int alpha* phi, |alpha*| <= C pi, pi the features' density.
Cosines: x ~ N(0, I_d), phi(x; w, b) = cos(<w, x> + b), w ~ N(0, s^2 I_d), b uniform on a circle.
Expectations over x are those of characteristic functions, E cos(<w, x> + b) = cos(b) e^{-|w|^2/2}.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

# Doubles held at once in the largest temporary of a block of draws: about the cache.
_BLOCK = 2**17


def blocks(n: int, size: int) -> list[int]:
    """Cut n draws of `size` numbers each into blocks that stay in the cache."""
    step = max(1, _BLOCK // size)
    return [min(step, n - start) for start in range(0, n, step)]


@dataclass(frozen=True)
class Cosines:
    """Cosine features, their inputs, and labels -1 or 1 with E[y | x] = signal cos(frequency x_1).

    `bandwidth` is s, the standard deviation of the frequencies.
    """

    n_inputs: int
    bandwidth: float = 1.0
    signal: float = 1.0
    frequency: float = 1.0

    def draw(self, rng: np.random.Generator, n: int, n_features: int) -> tuple[Any, Any]:
        """Draw n sets of K frequencies w, shape (n, K, d), and offsets b, shape (n, K)."""
        w = self.bandwidth * rng.standard_normal((n, n_features, self.n_inputs))
        return w, 2 * math.pi * rng.random((n, n_features))

    def sample(self, rng: np.random.Generator, n: int, n_samples: int) -> tuple[Any, Any]:
        """Draw n samples of N inputs x, shape (n, N, d), and their labels y, shape (n, N)."""
        x = rng.standard_normal((n, n_samples, self.n_inputs))
        mean = self.signal * np.cos(self.frequency * x[..., 0])
        return x, np.where(2 * rng.random((n, n_samples)) < 1 + mean, 1.0, -1.0)

    def gram(self, w: Any, b: Any) -> Any:
        """Return E_x phi_k phi_l, phi_k the k-th of K features, shape (n, K, K)."""
        # cos cos = (cos of the sum + cos of the difference) / 2, and e^{-|w +- v|^2/2} factors.
        decay = np.exp(-0.5 * (w**2).sum(axis=-1))
        even, odd = decay * np.cos(b), decay * np.sin(b)
        inner = w @ w.swapaxes(-1, -2)
        return even[..., :, None] * even[..., None, :] * np.cosh(inner) + (
            odd[..., :, None] * odd[..., None, :] * np.sinh(inner)
        )

    def label_products(self, w: Any, b: Any) -> Any:
        """Return g = E y phi, shape (n, K)."""
        # |w +- u|^2 for u along the first axis; e^{-|w|^2/2 - |u|^2/2} cosh(<w, u>).
        decay = np.exp(-0.5 * ((w**2).sum(axis=-1) + self.frequency**2))
        return self.signal * np.cos(b) * decay * np.cosh(self.frequency * w[..., 0])

    @property
    def mean_absolute_product(self) -> float:
        """E |g| over the features, the largest E y f(x) over functions of norm 1."""
        spread = 1 + self.bandwidth**2
        return (
            self.signal
            * (2 / math.pi)
            * spread ** (-self.n_inputs / 2)
            * math.exp(-(self.frequency**2) / (2 * spread))
        )

    def errors(self, w: Any, b: Any) -> Any:
        """Return L2 distances (n,) of averages of K features from f*, of alpha*/pi = sign(cos b).

        f*(x) = E |cos b| E cos(<w, x>) = (2/pi) e^{-s^2 |x|^2/2}.
        """
        weights = np.sign(np.cos(b)) / b.shape[-1]
        spread = 1 + self.bandwidth**2
        # E_x phi e^{-s^2 |x|^2/2} is a Gaussian integral of variance 1/spread.
        with_target = (
            (2 / math.pi)
            * np.cos(b)
            * spread ** (-self.n_inputs / 2)
            * np.exp(-0.5 * (w**2).sum(axis=-1) / spread)
        )
        average = self.gram(w, b) @ weights[..., None]
        square = (weights * (average[..., 0] - 2 * with_target)).sum(axis=-1) + self.norm**2
        return np.sqrt(np.maximum(square, 0.0))

    @property
    def norm(self) -> float:
        """L2 norm of that f*."""
        return 2 / math.pi * (1 + 2 * self.bandwidth**2) ** (-self.n_inputs / 4)

    # E |f_1|^2 = E cos^2(<w, x> + b), as |alpha*| = pi.
    mean_square = 0.5


def cosine_features(x: Any, w: Any, b: Any) -> Any:
    """Return phi of each input, shape (n, N, K)."""
    return np.cos(x @ w.swapaxes(-1, -2) + b[..., None, :])


def average_errors(
    rng: np.random.Generator, instance: Cosines, n_features: int, n_draws: int
) -> Any:
    """Draw L2 errors of averages of K features."""
    return np.concatenate(
        [
            instance.errors(*instance.draw(rng, n, n_features))
            for n in blocks(n_draws, n_features**2)
        ]
    )


# The simplest features, on which bounds are nearly tight: constants of random sign.
#
# phi(x; w) = w with w = -1 or 1, each with probability 1/2. With alpha* = C pi, f* is 0, averages
# are C times the mean of K signs, and fits to N labels C times the sign of the mean label.


def mean_signs(rng: np.random.Generator, n: int, n_draws: int, *, mean: float = 0.0) -> Any:
    """Draw means of n signs with expectation `mean`."""
    return 2 * rng.binomial(n, (1 + mean) / 2, n_draws) / n - 1


def excess_risks(rng: np.random.Generator, n_samples: int, n_draws: int, *, mean: float) -> Any:
    """Draw the excess risk of the fitted sum under (1 - t)/2, C = 1, labels of that mean."""
    fitted = np.sign(mean_signs(rng, n_samples, n_draws, mean=mean))
    return (abs(mean) - mean * fitted) / 2


def log_tail(n: int, threshold: float) -> float:
    """Compute log P(|mean of n fair signs| >= threshold), summed exactly in integers."""
    # Twice the upper tail: more than half of the signs must agree.
    least = math.ceil(n * (1 + threshold) / 2)
    if not 2 * least > n:
        raise ValueError(f"threshold={threshold!r} is not above 0: the two tails overlap")
    term = math.comb(n, least)
    total = 0
    for j in range(least, n + 1):
        total += term
        term = term * (n - j) // (j + 1)
    # Python takes the logarithm of an integer of any size.
    return math.log(2 * total) - n * math.log(2) if total else -math.inf


# Weights fitted to labels under the loss (1 - t)/2, where everything has a closed form.
#
# On [-1, 1] this loss is linear, so for C <= 1 the empirical risk (1 - <alpha, mean of y phi>)/2
# is minimised by hand: over the box by (C/K) times the signs, over the ball by (C/sqrt K) times
# the direction. The best function with norm at most 1 has risk (1 - E |g|)/2, g = E y phi: alpha*
# = pi times the sign of g. Throughout C = 1 and L = 1/2.

LIPSCHITZ = 0.5


@dataclass(frozen=True)
class Products:
    """Means (n, K) of y phi over samples and over everything; `best` is E |g| over the features."""

    empirical: Any
    true: Any
    best: float


# rng, K, N, number of draws -> products
Draw = Callable[[np.random.Generator, int, int, int], Products]


def cosine_products(instance: Cosines) -> Draw:
    """Return the drawing of features and samples for cosine features."""

    def draw(rng: np.random.Generator, n_features: int, n_samples: int, n_draws: int) -> Products:
        empirical, true = [], []
        for n in blocks(n_draws, n_features * n_samples):
            w, b = instance.draw(rng, n, n_features)
            x, y = instance.sample(rng, n, n_samples)
            phi = cosine_features(x, w, b)
            empirical.append((y[:, np.newaxis, :] @ phi)[:, 0, :] / n_samples)
            true.append(instance.label_products(w, b))
        return Products(
            np.concatenate(empirical), np.concatenate(true), instance.mean_absolute_product
        )

    return draw


def excess_over_box(products: Products) -> Any:
    """Compute excess risks of the minimiser over |alpha_k| <= 1/K."""
    alpha = np.sign(products.empirical) / products.empirical.shape[1]
    return LIPSCHITZ * (products.best - (alpha * products.true).sum(axis=1))


def excess_over_ball(products: Products) -> Any:
    """Compute excess risks of the minimiser over |alpha|_2 <= 1/sqrt K."""
    length = np.linalg.norm(products.empirical, axis=1, keepdims=True)
    alpha = products.empirical / length / np.sqrt(products.empirical.shape[1])
    return LIPSCHITZ * (products.best - (alpha * products.true).sum(axis=1))


def largest_gap(products: Products) -> Any:
    """Compute the largest |R - R_emp| over the box, at the corner that agrees with every sign."""
    return LIPSCHITZ * np.abs(products.empirical - products.true).mean(axis=1)
