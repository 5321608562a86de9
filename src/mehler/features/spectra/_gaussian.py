"""The Gaussian kernel, whose frequencies are Gaussian."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mehler import _arrays
from mehler.features import _distances
from mehler.features.spectra._spectrum import Spectrum


@dataclass(frozen=True)
class Gaussian(Spectrum):
    """exp(-gamma |z|^2): w is N(0, 2 gamma I); t = gamma |z|^2."""

    gamma: float = 1.0
    name: ClassVar[str] = "rbf"
    isotropic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._check_positive()

    @property
    def scale(self) -> float:
        if self.gamma < 1.0:
            return math.sqrt(2.0 * self.gamma)
        # The same number, and finite where 2 gamma is not.
        return 2.0 * math.sqrt(0.5 * self.gamma)

    def distance(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        return _distances.squared(x, y, math.sqrt(self.gamma))

    def kernel(self, t: _arrays.Array, j: int = 1) -> _arrays.Array:
        xp = _arrays.array_namespace(t)
        return xp.exp(-(float(j) ** 2) * t)

    def spread(self, t: _arrays.Array) -> _arrays.Array:
        # (1 - k^2)^2, without cancellation.
        xp = _arrays.array_namespace(t)
        return xp.expm1(-2.0 * t) ** 2

    def kurtosis(self, t: _arrays.Array) -> _arrays.Array:
        # The fourth moment has the factor ((1 - x)^2/2)^2, x = k^2: no cancellation near 0.
        x = self.kernel(t) ** 2
        return 0.5 * (3.0 + x * (12.0 + x * (10.0 + x * (4.0 + x))))

    def orthogonal_covariance(self, t: _arrays.Array, dimension: int) -> _arrays.Array:
        """Compute 1F1(d; d/2; -t) - exp(-2t), to 1e-15.

        For w, w' of orthogonal directions and independent lengths chi_d, times sqrt(2 gamma):
        w + w' and w - w' have squared length chi^2_{2d} and a uniform direction.
        """
        from scipy.special import hyp1f1

        _arrays.require_no_gradient(t, what="the variance of orthogonal frequencies")
        host = np.minimum(np.asarray(_arrays.to_host(t), dtype=np.float64), 1e8)
        value = hyp1f1(dimension, dimension / 2, -host) - np.exp(-2.0 * host)
        return _arrays.from_host(value, _arrays.place_of(t), t.dtype)
