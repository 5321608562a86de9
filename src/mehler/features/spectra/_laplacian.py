"""The Laplacian kernel, whose frequencies have Cauchy entries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mehler import _arrays
from mehler.features import _distances
from mehler.features.spectra._spectrum import Spectrum


@dataclass(frozen=True)
class Laplacian(Spectrum):
    """exp(-gamma |z|_1): entries of w are independent Cauchy of scale gamma; t = gamma |z|_1."""

    gamma: float = 1.0
    name: ClassVar[str] = "laplacian"

    def __post_init__(self) -> None:
        self._check_positive()

    @property
    def scale(self) -> float:
        return self.gamma

    def entries(self, weights: Any) -> Any:
        """Map normal to Cauchy variables by quantiles: cot(pi Phi(-g))."""
        from scipy.special import ndtr

        # By the nearer tail, where Phi is accurate.
        return np.sign(weights) / np.tan(np.pi * ndtr(-np.abs(weights)))

    def distance(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        return _distances.cityblock(x, y, self.gamma)

    def kernel(self, t: _arrays.Array, j: int = 1) -> _arrays.Array:
        xp = _arrays.array_namespace(t)
        return xp.exp(-float(j) * t)

    def spread(self, t: _arrays.Array) -> _arrays.Array:
        # 1 - k^2, without cancellation.
        xp = _arrays.array_namespace(t)
        return -xp.expm1(-2.0 * t)
