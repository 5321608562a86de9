"""Random kitchen sinks: cosines with an offset, pairs of cosine and sine, orthogonal frequencies.

Written for the corpus: every field below the sizes is a place for a defect, and the declarations
(kernel, variance, products) do not see it. The claim is exp(-GAMMA |x - y|^2) throughout.
"""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import hyp1f1

from tests.verify import toys

D = 4
GAMMA = 0.3
ROWS = toys.points(3, D)


def frequencies(rng: Any, shape: tuple[int, int], spectral: float, distinct: int | None) -> Any:
    """Columns with independent entries of variance spectral * GAMMA; `distinct` of them, tiled."""
    w = math.sqrt(spectral * GAMMA) * rng.standard_normal((shape[0], distinct or shape[1]))
    return w[:, np.arange(shape[1]) % w.shape[1]]


def arcsine_cdf(x: Any, t: Any) -> Any:
    """P(sqrt(2) cos(w.x + b) <= t) for b uniform on a full turn, whatever x."""
    t = np.clip(np.asarray(t) / math.sqrt(2.0), -1.0, 1.0)
    return np.broadcast_to(1.0 - np.arccos(t) / np.pi, np.broadcast_shapes(t.shape))


@dataclass(frozen=True)
class Cosines:
    """sqrt(2/m) cos(w_l.x + b_l), l < m."""

    seed: int
    n_features: int = 1000
    spectral: float = 2.0
    gain: float = math.sqrt(2.0)
    power: float = 0.5
    widest: float = 2.0 * math.pi
    sign: float = 1.0
    distinct: int | None = None

    independent_units = True
    n_inputs = D
    kernel = staticmethod(toys.rbf(GAMMA))
    variance = staticmethod(toys.offset_variance(GAMMA))

    @functools.cached_property
    def weights(self) -> tuple[Any, Any]:
        rng = np.random.default_rng(self.seed)
        w = frequencies(rng, (D, self.n_features), self.spectral, self.distinct)
        b = rng.uniform(0.0, self.widest, self.distinct or self.n_features)
        return w, b[np.arange(self.n_features) % b.size]

    def __call__(self, x: Any) -> Any:
        w, b = self.weights
        return self.gain * np.cos(x @ w + self.sign * b) / self.n_features**self.power

    def products(self, x: Any, y: Any) -> Any:
        return self.n_features * self(x) * self(y)


@dataclass(frozen=True)
class Pairs:
    """(cos w_l.x, sin w_l.x) / sqrt(m/2), l < m/2: one unit a frequency."""

    seed: int
    n_features: int = 1000
    spectral: float = 2.0
    gain: float = 1.0
    power: float = 0.5
    second: Any = np.sin
    order: int = 1

    independent_units = True
    n_inputs = D
    kernel = staticmethod(toys.rbf(GAMMA))
    variance = staticmethod(toys.paired_variance(GAMMA))

    @functools.cached_property
    def weights(self) -> Any:
        rng = np.random.default_rng(self.seed)
        return frequencies(rng, (D, self.n_features // 2), self.spectral, None)

    def __call__(self, x: Any) -> Any:
        angle = x @ self.weights
        halves = (np.cos(angle), self.second(angle))[:: self.order]
        return self.gain * np.hstack(halves) / (self.n_features // 2) ** self.power

    def products(self, x: Any, y: Any) -> Any:
        half = self.n_features // 2
        both = half * self(x) * self(y)
        return both[:, :half] + both[:, half:]


def chi_norms(rng: Any, blocks: int) -> Any:
    """Lengths of Gaussian vectors: with them a row of Haar's matrix is Gaussian again."""
    return np.sqrt(rng.chisquare(D, size=(blocks, 1, D)))


def constant_norms(rng: Any, blocks: int) -> Any:
    """sqrt(d) for each: the mean square is right, the law is not."""
    return np.full((blocks, 1, D), math.sqrt(D))


def block_variance(x: Any, y: Any) -> Any:
    """Of orthogonal pairs, times m: 2 ((1 - k^2)^2/2 + (d - 1) c), exact.

    Of two orthogonal Gaussian-length rows w, w' and z = GAMMA |s|^2, s = x - y, the vectors
    w +- w' have squared length chi^2_{2d} and Haar's direction, so that
    c = E cos(w.s) cos(w'.s) - k^2 = 1F1(d; d/2; -z) - exp(-2z).
    """
    k = toys.rbf(GAMMA)(x, y)
    z = -np.log(k)
    covariance = hyp1f1(D, D / 2, -z) - k**2
    return 2.0 * (0.5 * (1.0 - k**2) ** 2 + (D - 1) * covariance)


@dataclass(frozen=True)
class Orthogonal:
    """Pairs at blocks of d orthogonal frequencies (Yu et al. 2016); one unit a block."""

    seed: int
    n_features: int = 800
    norms: Any = chi_norms
    transposed: bool = False

    independent_units = True
    n_inputs = D
    kernel = staticmethod(toys.rbf(GAMMA))
    variance = staticmethod(block_variance)

    @functools.cached_property
    def weights(self) -> Any:
        """Shape (d, m/2): blocks side by side."""
        rng = np.random.default_rng(self.seed)
        blocks = self.n_features // (2 * D)
        q, r = np.linalg.qr(rng.standard_normal((blocks, D, D)))
        # Signs of R's diagonal make Q Haar's (Mezzadri 2007).
        q = q * np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
        if self.transposed:
            q = q.transpose(0, 2, 1)
        w = math.sqrt(2.0 * GAMMA) * q * self.norms(rng, blocks)
        return w.transpose(1, 0, 2).reshape(D, blocks * D)

    def __call__(self, x: Any) -> Any:
        angle = x @ self.weights
        return np.hstack([np.cos(angle), np.sin(angle)]) / math.sqrt(self.n_features / 2)

    def products(self, x: Any, y: Any) -> Any:
        """Shape (n, blocks)."""
        cosines = np.cos(x @ self.weights - y @ self.weights)
        return cosines.reshape(len(x), -1, D).mean(axis=2)
