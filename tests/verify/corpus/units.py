"""Units averaged over a group."""

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.verify import toys
from tests.verify.corpus.fourier import GAMMA

D = 4
# Lengths mostly in the plane that the group turns.
TURNED = np.array([[1.2, 0.3, 0.2, -0.1], [-0.2, 1.1, -0.3, 0.2], [0.8, -0.9, 0.1, 0.4]])


ORDER = 4


def turn(x: Any, angle: float) -> Any:
    """Rotate the first two coordinates."""
    c, s = math.cos(angle), math.sin(angle)
    return np.column_stack([c * x[:, 0] - s * x[:, 1], s * x[:, 0] + c * x[:, 1], x[:, 2:]])


QUARTERS = tuple(2.0 * math.pi * k / ORDER for k in range(ORDER))


def invariant_kernel(x: Any, y: Any) -> Any:
    """The mean over g, h of k(gx, hy), which for isometries is that over one of the two."""
    return np.mean([toys.rbf(GAMMA)(x, turn(y, angle)) for angle in QUARTERS], axis=0)


def invariant_bound(x: Any, y: Any) -> Any:
    """An upper bound: the variance of a mean is at most the mean variance of its terms."""
    single = toys.offset_variance(GAMMA)
    return np.mean([single(x, turn(y, angle)) for angle in QUARTERS], axis=0)


@dataclass(frozen=True)
class Averaged:
    """sqrt(2/m) times the mean over a group of turns of cos(w_l.gx + b_l)."""

    seed: int
    n_features: int = 1000
    turns: tuple[float, ...] = QUARTERS
    count: int | None = None

    independent_units = True
    n_inputs = D
    kernel = staticmethod(invariant_kernel)
    variance = staticmethod(invariant_bound)

    @functools.cached_property
    def weights(self) -> tuple[Any, Any]:
        rng = np.random.default_rng(self.seed)
        w = math.sqrt(2.0 * GAMMA) * rng.standard_normal((D, self.n_features))
        return w, rng.uniform(0.0, 2.0 * math.pi, self.n_features)

    def __call__(self, x: Any) -> Any:
        w, b = self.weights
        total = sum(np.cos(turn(x, angle) @ w + b) for angle in self.turns)
        return math.sqrt(2.0 / self.n_features) * total / (self.count or len(self.turns))

    def products(self, x: Any, y: Any) -> Any:
        return self.n_features * self(x) * self(y)
