"""Matern kernels, whose frequencies are Gaussian with random lengths."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mehler import _arrays, _random
from mehler.features import _distances
from mehler.features.spectra._spectrum import Spectrum

# Largest p for which smoothness p + 1/2 is evaluated by polynomials.
_LARGEST_DEGREE = 8
# exp(-s) is 0 beyond, and polynomials of s are finite in float32 too.
_FARTHEST = 745.0
# For larger nu the Matern kernel is practically Gaussian.
_SMOOTHEST = 50.0


@dataclass(frozen=True)
class Matern(Spectrum):
    r"""2^(1-nu)/Gamma(nu) s^nu K_nu(s) at s = sqrt(2 nu) |z|/length; t = s.

    w is Student's t of 2 nu degrees of freedom over the length: N(0, I) over
    length sqrt(chi^2_{2 nu}/(2 nu)).
    """

    nu: float = 1.5
    length_scale: float = 1.0
    name: ClassVar[str] = "matern"
    isotropic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._check_positive()
        if self.nu > _SMOOTHEST:
            raise ValueError(
                f"nu={self.nu!r} is more than {_SMOOTHEST:g}, where the kernel is "
                "kernel='rbf' with gamma = 1/(2 length_scale^2): take that"
            )

    @property
    def scale(self) -> float:
        return 1.0 / self.length_scale

    def distance(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        xp = _arrays.array_namespace(x)
        return xp.sqrt(_distances.squared(x, y, math.sqrt(2.0 * self.nu) / self.length_scale))

    def kernel(self, t: _arrays.Array, j: int = 1) -> _arrays.Array:
        degree = self.nu - 0.5
        if degree in range(_LARGEST_DEGREE + 1):
            return _half_integer(t * float(j), int(degree))
        host = _bessel(np.asarray(_arrays.to_host(t), dtype=np.float64) * j, self.nu)
        return _arrays.from_host(host, _arrays.place_of(t), t.dtype)

    def lengths(self, seed: int, n_units: int, first: int = 0) -> Any:
        drawn = _random.by_blocks(
            seed,
            _random.MIXTURE,
            n_units,
            lambda rng, n: 2.0 * rng.standard_gamma(self.nu, size=n),
            first,
        )
        return np.sqrt(2.0 * self.nu / drawn)


def _half_integer(s: _arrays.Array, p: int) -> _arrays.Array:
    """Compute the kernel of smoothness p + 1/2: exp(-s) times a polynomial of degree p."""
    xp = _arrays.array_namespace(s)
    s = xp.clip(s, 0.0, _FARTHEST)
    value = xp.zeros_like(s)
    for i in range(p + 1):
        # Horner, from the highest power of 2 s down.
        above = math.factorial(p) * math.factorial(p + i)
        below = math.factorial(2 * p) * math.factorial(i) * math.factorial(p - i)
        value = value * (2.0 * s) + above / below
    return value * xp.exp(-s)


def _bessel(s: Any, nu: float) -> Any:
    """Compute the kernel of smoothness nu by Bessel's K, on the host, in logarithms."""
    from scipy.special import gammaln, kve

    # For smaller s the kernel is 1 up to rounding; for small nu, K is still finite here.
    least = 1e-12 if nu >= 1.0 else 1e-300
    safe = np.clip(s, least, 1e6)
    # kve(nu, s) = K_nu(s) e^s neither underflows nor overflows away from s = 0.
    log = (1.0 - nu) * math.log(2.0) - gammaln(nu) + nu * np.log(safe) + np.log(kve(nu, safe))
    return np.where(s > least, np.minimum(np.exp(log - safe), 1.0), 1.0)
