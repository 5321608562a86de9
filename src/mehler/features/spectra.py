"""Spectra: laws of random frequencies w, and the kernels E cos <w, x - y> that they define.

:class:`Spectrum` is the interface; pass your own to `FourierFeatures.draw(kernel=...)`.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, fields, is_dataclass
from typing import Any, ClassVar, Literal, NoReturn, TypeAlias

import numpy as np

from mehler import _arrays, _random
from mehler._arrays import Array
from mehler._validate import require_positive
from mehler.features import _correlation

__all__ = ["Gaussian", "Laplacian", "Matern", "Spectrum"]

_SMALL = 1e-4  # variance below which central moments from multiples of z have no digits left
_LARGEST = 1e300  # scale of frequencies at which those of heavy tails do not overflow yet


class Spectrum(ABC):
    r"""A kernel :math:`k(z) = E\cos\langle w, z\rangle`, z = x - y, with its distribution of w.

    Frequencies are standard normal vectors times `scale`, transformed by `entries` and `lengths`
    if a subclass defines them; features need no more. Kernel, variance and kurtosis follow from
    `distance` and `kernel`; methods that need a missing one raise an error naming it.

    Attributes
    ----------
    name : str
        Name in messages, and in recipes of the library's own spectra.
    isotropic : bool
        Whether the distribution of w is rotation invariant, as orthogonal projections require.
        Default no.

    Examples
    --------
    Two bandwidths at once, by lengths of either kind:

    >>> import numpy as np, mehler
    >>> class Both(mehler.features.Spectrum):
    ...     name = "both"
    ...     scale = 1.0
    ...     def lengths(self, seed, n_units, first=0):
    ...         return np.where(np.arange(first, first + n_units) % 2, 3.0, 1.0)
    >>> phi = mehler.FourierFeatures.draw(2, 8, kernel=Both(), seed=0)
    >>> phi(np.eye(2)).shape
    (2, 8)
    >>> phi.kernel(np.eye(2))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    ValueError: the spectrum 'both' has no known distance: define distance(x, y), ...
    """

    name: ClassVar[str]
    isotropic: ClassVar[bool] = False

    # -- frequencies ----------------------------------------------------------------------

    @property
    @abstractmethod
    def scale(self) -> float:
        """Factor of the frequencies, applied after `entries` and before `lengths`."""

    def entries(self, weights: Array) -> Any:
        """Transform normal numbers into entries of frequencies; the default is the identity."""
        return weights

    def lengths(self, seed: int, n_units: int, first: int = 0) -> Any | None:
        """Return factors of the frequencies from `first` on, (n_units,), on the host.

        Unit i must have the same factor however many are requested. The default is none.
        """
        return None

    @property
    def changes_lengths(self) -> bool:
        """Whether it defines `lengths`."""
        return type(self).lengths is not Spectrum.lengths

    # -- what follows ---------------------------------------------------------------------

    def distance(self, x: Array, y: Array | None) -> Any:
        """Compute the argument of `kernel` for all pairs of rows; usually one number per pair."""
        self._lacks("distance", "define distance(x, y), what its kernel is a function of")

    def kernel(self, t: Array, j: int = 1) -> Array:
        """Compute k(j z), shape (n, k), from the `distance` t of z."""
        self._lacks("kernel", "define kernel(t, j=1), the kernel of j z where distance is t")

    def spread(self, t: Array) -> Array:
        """Compute 2 Var cos <w, z> = 1 + k(2 z) - 2 k(z)^2."""
        self._needs_kernel("variance", "spread(t)")
        value = 1.0 + self.kernel(t, 2) - 2.0 * self.kernel(t) ** 2
        xp = _arrays.array_namespace(value)
        return xp.where(value > 0.0, value, xp.zeros_like(value))

    def kurtosis(self, t: Array) -> Array:
        """Compute the kurtosis of cos <w, z>, finite even where that is constant.

        The default uses the kernel at multiples of z, and an upper bound at small variances.
        """
        self._needs_kernel("kurtosis", "kurtosis(t)")
        k, k2, k3, k4 = (self.kernel(t, j) for j in (1, 2, 3, 4))
        half = 0.5 * self.spread(t)
        xp = _arrays.array_namespace(half)
        half = _arrays.clip(xp, half, 8.0 * float(xp.finfo(half.dtype).smallest_normal), 1.0)
        # Moments of the cosine: cos^2, cos^3, cos^4 by multiples of the angle.
        second, third, raw = (1.0 + k2) / 2.0, (3.0 * k + k3) / 4.0, (3.0 + 4.0 * k2 + k4) / 8.0
        fourth = raw - 4.0 * k * third + 6.0 * k**2 * second - 3.0 * k**4
        # |cos - k| <= 2, so the fourth moment is at most 4 Var.
        moving = half > _SMALL
        variance = xp.where(moving, half, xp.ones_like(half))
        return xp.where(moving, fourth / variance**2, 4.0 / half)

    def orthogonal_covariance(self, t: Array, dimension: int) -> Array | None:
        """Compute Cov(cos <w, z>, cos <w', z>) for orthogonal directions in that dimension.

        None if unknown; an upper bound is used then.
        """
        return None

    # -- as a dataclass -------------------------------------------------------------------

    def parameters(self) -> dict[str, float]:
        """Return the dataclass fields: arguments of `FourierFeatures.draw` for named spectra."""
        return asdict(self) if is_dataclass(self) and not isinstance(self, type) else {}

    def _require_positive(self) -> None:
        """Require that all dataclass fields are positive and that frequencies do not overflow."""
        for field in fields(self):  # type: ignore[arg-type]  # subclasses that call it are dataclasses
            value = require_positive(field.name, getattr(self, field.name))
            object.__setattr__(self, field.name, value)
        if not self.scale <= _LARGEST:
            text = ", ".join(f"{name}={value!r}" for name, value in self.parameters().items())
            raise ValueError(f"{text} makes frequencies overflow: scale the rows instead")

    def _needs_kernel(self, what: str, method: str) -> None:
        if type(self).kernel is Spectrum.kernel:
            self._lacks(what, f"define {method}, or kernel(t, j=1), from which it follows")

    def _lacks(self, what: str, remedy: str) -> NoReturn:
        raise ValueError(f"the spectrum {self.name!r} has no known {what}: {remedy}")


@dataclass(frozen=True)
class Gaussian(Spectrum):
    """exp(-gamma |z|^2): w is N(0, 2 gamma I); t = gamma |z|^2."""

    gamma: float = 1.0
    name: ClassVar[str] = "rbf"
    isotropic: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self._require_positive()

    @property
    def scale(self) -> float:
        if self.gamma < 1.0:
            return math.sqrt(2.0 * self.gamma)
        # The same number, and finite where 2 gamma is not.
        return 2.0 * math.sqrt(0.5 * self.gamma)

    def distance(self, x: Array, y: Array | None) -> Array:
        return _correlation.squared_distances(x, y, math.sqrt(self.gamma))

    def kernel(self, t: Array, j: int = 1) -> Array:
        xp, power = _arrays.array_namespace(t), -(float(j) ** 2) * t
        return np.exp(power, out=power) if _arrays.may_be_written(power) else xp.exp(power)

    def spread(self, t: Array) -> Array:
        # (1 - k^2)^2, without cancellation.
        xp = _arrays.array_namespace(t)
        return xp.expm1(-2.0 * t) ** 2

    def kurtosis(self, t: Array) -> Array:
        # The fourth moment has the factor ((1 - x)^2/2)^2, x = k^2: no cancellation near 0.
        x = self.kernel(t) ** 2
        return 0.5 * (3.0 + x * (12.0 + x * (10.0 + x * (4.0 + x))))

    def orthogonal_covariance(self, t: Array, dimension: int) -> Array:
        """Compute the covariance in dimension d, 1F1(d; d/2; -t) - exp(-2t), to 1e-15.

        For w, w' of orthogonal directions and independent lengths chi_d, times sqrt(2 gamma):
        w + w' and w - w' have squared length chi^2_{2d} and a uniform direction.
        """
        from scipy.special import hyp1f1

        _arrays.require_no_gradient(t, what="the variance of orthogonal frequencies")
        host = np.minimum(np.asarray(_arrays.to_host(t), dtype=np.float64), 1e8)
        value = hyp1f1(dimension, dimension / 2, -host) - np.exp(-2.0 * host)
        return _arrays.from_host(value, _arrays.place_of(t), t.dtype)


@dataclass(frozen=True)
class Laplacian(Spectrum):
    """exp(-gamma |z|_1): entries of w are independent Cauchy of scale gamma; t = gamma |z|_1."""

    gamma: float = 1.0
    name: ClassVar[str] = "laplacian"

    def __post_init__(self) -> None:
        self._require_positive()

    @property
    def scale(self) -> float:
        return self.gamma

    def entries(self, weights: Array) -> Any:
        """Map normal to Cauchy variables by quantiles: cot(pi Phi(-g))."""
        from scipy.special import ndtr

        # By the nearer tail, where Phi is accurate.
        return np.sign(weights) / np.tan(np.pi * ndtr(-np.abs(weights)))

    def distance(self, x: Array, y: Array | None) -> Array:
        return _correlation.cityblock_distances(x, y, self.gamma)

    def kernel(self, t: Array, j: int = 1) -> Array:
        xp = _arrays.array_namespace(t)
        return xp.exp(-float(j) * t)

    def spread(self, t: Array) -> Array:
        # 1 - k^2, without cancellation.
        xp = _arrays.array_namespace(t)
        return -xp.expm1(-2.0 * t)


_SMOOTHEST = 50.0  # for larger nu the Matern kernel is practically Gaussian
_ROUGHEST = 0.05  # below, chi^2_{2 nu} underflows with a probability above 2^-53


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
        self._require_positive()
        if self.nu < _ROUGHEST:
            raise ValueError(f"nu={self.nu!r} is less than {_ROUGHEST:g}: frequencies overflow")
        if self.nu > _SMOOTHEST:
            raise ValueError(
                f"nu={self.nu!r} is more than {_SMOOTHEST:g}, where the kernel is "
                "kernel='rbf' with gamma = 1/(2 length_scale^2): take that"
            )

    @property
    def scale(self) -> float:
        return 1.0 / self.length_scale

    def distance(self, x: Array, y: Array | None) -> Array:
        return _correlation.squared_distances(x, y, math.sqrt(2.0 * self.nu) / self.length_scale)

    def kernel(self, t: Array, j: int = 1) -> Array:
        return matern(self.nu, t * float(j) ** 2)

    def lengths(self, seed: int, n_units: int, first: int = 0) -> Any:
        squares = np.empty(n_units)
        for rng, here, there in _random.generators(seed, _random.MIXTURE, first, n_units):
            squares[here] = 2.0 * rng.standard_gamma(self.nu, _random.UNITS_PER_BLOCK)[there]
        return np.sqrt(2.0 * self.nu / squares)


_LARGEST_DEGREE = 8  # largest p for which smoothness p + 1/2 is evaluated by polynomials
_FARTHEST = 745.0  # exp(-s) is 0 beyond, and polynomials of s are finite in float32 too


def matern(nu: float, u: Array) -> Array:
    """Compute the Matern kernel at s^2 = u; a derivative that is infinite at 0 is given as 0."""
    return _arrays.with_derivative(
        functools.partial(_value, nu), functools.partial(_derivative, nu), u
    )


def _value(nu: float, u: Array) -> Array:
    xp = _arrays.array_namespace(u)
    degree = nu - 0.5
    if degree in range(_LARGEST_DEGREE + 1):
        return _half_integer(xp.sqrt(u), int(degree))
    return _arrays.elementwise_on_host(
        lambda host: _bessel(np.sqrt(host), nu), u, what=f"the Matern kernel of nu={nu:g}"
    )


def _derivative(nu: float, u: Array) -> Array:
    if nu > 1.0:
        return matern(nu - 1.0, u) * (-0.25 / (nu - 1.0))
    xp = _arrays.array_namespace(u)
    if nu == 0.5:
        apart = u > 0.0
        s = xp.sqrt(xp.where(apart, u, xp.ones_like(u)))
        return xp.where(apart, -0.5 * xp.exp(-s) / s, xp.zeros_like(u))
    raise TypeError(f"the Matern kernel of nu={nu:g} has no derivative here: take nu > 1, or 1/2")


def _half_integer(s: Array, p: int) -> Array:
    """Compute the kernel of smoothness p + 1/2: exp(-s) times a polynomial of degree p."""
    xp = _arrays.array_namespace(s)
    s = _arrays.clip(xp, s, 0.0, _FARTHEST)
    value = xp.zeros_like(s)
    for i in range(p + 1):
        # Horner, from the highest power of 2 s down.
        above = math.factorial(p) * math.factorial(p + i)
        below = math.factorial(2 * p) * math.factorial(i) * math.factorial(p - i)
        value = value * (2.0 * s) + above / below
    return value * xp.exp(-s)


def _bessel(s: Array, nu: float) -> Any:
    """Compute the kernel of smoothness nu by Bessel's K, on the host, in logarithms."""
    from scipy.special import gammaln, kve

    # For smaller s the kernel is 1 up to rounding; for small nu, K is still finite here.
    least = 1e-12 if nu >= 1.0 else 1e-300
    safe = np.clip(s, least, 1e6)
    # kve(nu, s) = K_nu(s) e^s neither underflows nor overflows away from s = 0.
    log = (1.0 - nu) * math.log(2.0) - gammaln(nu) + nu * np.log(safe) + np.log(kve(nu, safe))
    return np.where(s > least, np.minimum(np.exp(log - safe), 1.0), 1.0)


SpectrumName: TypeAlias = Literal["rbf", "laplacian", "matern"]
NAMED: dict[str, Any] = {law.name: law for law in (Gaussian, Laplacian, Matern)}


def spectrum_of(kernel: Any, **parameters: float | None) -> Spectrum:
    """Return the spectrum of a name and its parameters, or the given one."""
    values = {name: value for name, value in parameters.items() if value is not None}
    if isinstance(kernel, Spectrum):
        for name in values:
            raise ValueError(f"the spectrum {kernel.name!r} has its parameters: leave {name} out")
        return kernel
    if not isinstance(kernel, str) or kernel not in NAMED:
        raise ValueError(
            f"kernel={kernel!r} is not one of {', '.join(map(repr, NAMED))}, nor a Spectrum"
        )
    takes = [field.name for field in fields(NAMED[kernel])]
    for name in values:
        if name not in takes:
            remedy = ", which is 1/(2 length_scale**2)" if kernel == "rbf" else ""
            remedy = remedy if name == "length_scale" else ""
            raise ValueError(
                f"kernel={kernel!r} has no {name}: it takes {' and '.join(takes)}{remedy}"
            )
    spectrum: Spectrum = NAMED[kernel](**values)
    return spectrum


def is_named(spectrum: Spectrum) -> bool:
    """Whether name and parameters make the same spectrum again."""
    return NAMED.get(spectrum.name) is type(spectrum)
