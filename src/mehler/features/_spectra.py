"""Kernels of differences by their spectra: which frequencies give which kernel."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from mehler import _arrays, _random
from mehler.features import _distances

# Matern kernels of half-integer smoothness up to p + 1/2 by their polynomials.
_LARGEST_DEGREE = 8
# exp(-s) is 0 from here on, and polynomials of s are finite in float32 too.
_FARTHEST = 745.0


class Spectrum(ABC):
    """A kernel k(z), z = x - y, as k(z) = E cos <w, z>.

    `distance` gives a number t for each pair of rows; `kernel(t, j)` is k(j z).
    """

    name: ClassVar[str]
    # Whether w is a direction times an independent length; then projections of any kind do.
    isotropic: ClassVar[bool] = True

    def parameters(self) -> dict[str, float]:
        """Return the arguments of `FourierFeatures.draw`."""
        # These are dataclasses, which an abstract base cannot say.
        return asdict(self)  # type: ignore[call-overload]

    @property
    @abstractmethod
    def scale(self) -> float:
        """What a Gaussian vector is multiplied by to become a frequency, before any mixing."""

    @abstractmethod
    def distance(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        """Return t for all pairs of rows, shape (n, k)."""

    @abstractmethod
    def kernel(self, t: _arrays.Array, j: int = 1) -> _arrays.Array:
        """Return k(j z) at distances t."""

    def spread(self, t: _arrays.Array) -> _arrays.Array:
        """Return 2 Var cos <w, z> = 1 + k(2 z) - 2 k(z)^2."""
        xp = _arrays.array_namespace(t)
        value = 1.0 + self.kernel(t, 2) - 2.0 * self.kernel(t) ** 2
        return xp.where(value > 0.0, value, xp.zeros_like(value))

    def lengths(self, seed: int, n_units: int, first: int = 0) -> Any | None:
        """Return factors of frequencies from `first` on, (n_units,), where the spectrum mixes."""
        return None


@dataclass(frozen=True)
class Gaussian(Spectrum):
    """exp(-gamma |z|^2): w is N(0, 2 gamma I); t = gamma |z|^2."""

    gamma: float
    name: ClassVar[str] = "gaussian"

    @property
    def scale(self) -> float:
        return math.sqrt(2.0 * self.gamma)

    def distance(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        return _distances.squared(x, y, math.sqrt(self.gamma))

    def kernel(self, t: _arrays.Array, j: int = 1) -> _arrays.Array:
        xp = _arrays.array_namespace(t)
        return xp.exp(-(float(j) ** 2) * t)

    def spread(self, t: _arrays.Array) -> _arrays.Array:
        # (1 - k^2)^2, without cancellation.
        xp = _arrays.array_namespace(t)
        return xp.expm1(-2.0 * t) ** 2


@dataclass(frozen=True)
class Laplacian(Spectrum):
    """exp(-gamma |z|_1): entries of w are independent Cauchy of scale gamma; t = gamma |z|_1."""

    gamma: float
    name: ClassVar[str] = "laplacian"
    isotropic: ClassVar[bool] = False

    @property
    def scale(self) -> float:
        return self.gamma

    def distance(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        return _distances.cityblock(x, y, self.gamma)

    def kernel(self, t: _arrays.Array, j: int = 1) -> _arrays.Array:
        xp = _arrays.array_namespace(t)
        return xp.exp(-float(j) * t)

    def spread(self, t: _arrays.Array) -> _arrays.Array:
        # 1 - k^2, without cancellation.
        xp = _arrays.array_namespace(t)
        return -xp.expm1(-2.0 * t)


@dataclass(frozen=True)
class Matern(Spectrum):
    r"""2^(1-nu)/Gamma(nu) s^nu K_nu(s) at s = sqrt(2 nu) |z|/length; t = s.

    w is Student's t of 2 nu degrees of freedom over the length: N(0, I) over
    length sqrt(chi^2_{2 nu}/(2 nu)).
    """

    smoothness: float
    length: float
    name: ClassVar[str] = "matern"

    @property
    def scale(self) -> float:
        return 1.0 / self.length

    def distance(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        xp = _arrays.array_namespace(x)
        return xp.sqrt(_distances.squared(x, y, math.sqrt(2.0 * self.smoothness) / self.length))

    def kernel(self, t: _arrays.Array, j: int = 1) -> _arrays.Array:
        degree = self.smoothness - 0.5
        if degree in range(_LARGEST_DEGREE + 1):
            return _half_integer(t * float(j), int(degree))
        host = _bessel(np.asarray(_arrays.to_host(t), dtype=np.float64) * j, self.smoothness)
        return _arrays.from_host(host, _arrays.place_of(t), t.dtype)

    def lengths(self, seed: int, n_units: int, first: int = 0) -> Any:
        drawn = _random.by_blocks(
            seed,
            _random.MIXTURE,
            n_units,
            lambda rng, n: 2.0 * rng.standard_gamma(self.smoothness, size=n),
            first,
        )
        return np.sqrt(2.0 * self.smoothness / drawn)


def cauchy(weights: Any) -> Any:
    """Return Cauchy variables for normal ones: cot(pi Phi(-g)), the same quantile of each."""
    from scipy.special import ndtr

    # By the nearer tail, where Phi keeps its digits.
    return np.sign(weights) / np.tan(np.pi * ndtr(-np.abs(weights)))


def _half_integer(s: _arrays.Array, p: int) -> _arrays.Array:
    """Return the kernel of smoothness p + 1/2: exp(-s) times a polynomial of degree p."""
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
    """Return the kernel of smoothness nu by Bessel's K, on the host, in logarithms."""
    from scipy.special import gammaln, kve

    # Nearer than this the kernel is 1 to rounding, or, for rough ones, K is still a number.
    least = 1e-12 if nu >= 1.0 else 1e-300
    safe = np.clip(s, least, 1e6)
    # kve(nu, s) = K_nu(s) e^s neither under- nor overflows where s does not vanish.
    log = (1.0 - nu) * math.log(2.0) - gammaln(nu) + nu * np.log(safe) + np.log(kve(nu, safe))
    return np.where(s > least, np.minimum(np.exp(log - safe), 1.0), 1.0)
