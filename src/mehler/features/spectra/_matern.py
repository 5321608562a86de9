"""Matern kernels, whose frequencies are Gaussian with random lengths."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mehler import _arrays, _random
from mehler.features import _distances
from mehler.features.spectra._matern_function import matern
from mehler.features.spectra._spectrum import Spectrum

# For larger nu the Matern kernel is practically Gaussian.
_SMOOTHEST = 50.0
# Below, chi^2_{2 nu} is less than the least float with a probability above 2^-53.
_ROUGHEST = 0.05


@dataclass(frozen=True)
class Matern(Spectrum):
    r"""2^(1-nu)/Gamma(nu) s^nu K_nu(s) at s = sqrt(2 nu) |z|/length; t = s^2.

    w is Student's t of 2 nu degrees of freedom over the length: N(0, I) over
    length sqrt(chi^2_{2 nu}/(2 nu)).
    """

    nu: float = 1.5
    length_scale: float = 1.0
    name: ClassVar[str] = "matern"
    isotropic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._check_positive()
        if self.nu < _ROUGHEST:
            raise ValueError(
                f"nu={self.nu!r} is less than {_ROUGHEST:g}: frequencies are beyond the floats"
            )
        if self.nu > _SMOOTHEST:
            raise ValueError(
                f"nu={self.nu!r} is more than {_SMOOTHEST:g}, where the kernel is "
                "kernel='rbf' with gamma = 1/(2 length_scale^2): take that"
            )

    @property
    def scale(self) -> float:
        return 1.0 / self.length_scale

    def distance(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        return _distances.squared(x, y, math.sqrt(2.0 * self.nu) / self.length_scale)

    def kernel(self, t: _arrays.Array, j: int = 1) -> _arrays.Array:
        return matern(self.nu, t * float(j) ** 2)

    def lengths(self, seed: int, n_units: int, first: int = 0) -> Any:
        drawn = _random.by_blocks(
            seed,
            _random.MIXTURE,
            n_units,
            lambda rng, n: 2.0 * rng.standard_gamma(self.nu, size=n),
            first,
        )
        return np.sqrt(2.0 * self.nu / drawn)
