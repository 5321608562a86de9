"""Base class of spectra: how frequencies are drawn, and the moments that follow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import asdict, fields, is_dataclass
from typing import Any, ClassVar, NoReturn

from mehler import _arrays
from mehler._validate import positive

# Below this variance, central moments from multiples of z have no digits left.
_SMALL = 1e-4
# Largest scale of frequencies, so that those of heavy tails are floats, too.
_LARGEST = 1e300


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

    See Also
    --------
    mehler.FourierFeatures : Features of the kernel.

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
    ValueError: the spectrum 'both' carries no distance: define distance(x, y), ...
    """

    name: ClassVar[str]
    isotropic: ClassVar[bool] = False

    # -- frequencies ----------------------------------------------------------------------

    @property
    @abstractmethod
    def scale(self) -> float:
        """Factor of the frequencies, applied after `entries` and before `lengths`."""

    def entries(self, weights: Any) -> Any:
        """Transform standard normal numbers into entries of frequencies, elementwise on the host.

        The default is the identity.
        """
        return weights

    def lengths(self, seed: int, n_units: int, first: int = 0) -> Any | None:
        """Return factors of the frequencies from `first` on, (n_units,), on the host.

        Unit i must have the same factor however many are requested. The default is none.
        """
        return None

    @property
    def changes_entries(self) -> bool:
        """Whether it defines `entries`."""
        return type(self).entries is not Spectrum.entries

    @property
    def changes_lengths(self) -> bool:
        """Whether it defines `lengths`."""
        return type(self).lengths is not Spectrum.lengths

    # -- what follows ---------------------------------------------------------------------

    def distance(self, x: _arrays.Array, y: _arrays.Array | None) -> Any:
        """Compute the argument of `kernel` for all pairs of rows; usually one number per pair."""
        self._lacks("distance", "define distance(x, y), what its kernel is a function of")

    def kernel(self, t: Any, j: int = 1) -> _arrays.Array:
        """Compute k(j z), shape (n, k), from the `distance` t of z."""
        self._lacks("kernel", "define kernel(t, j=1), the kernel of j z where distance is t")

    def spread(self, t: Any) -> _arrays.Array:
        """Compute 2 Var cos <w, z> = 1 + k(2 z) - 2 k(z)^2."""
        self._needs_kernel("variance", "spread(t)")
        value = 1.0 + self.kernel(t, 2) - 2.0 * self.kernel(t) ** 2
        xp = _arrays.array_namespace(value)
        return xp.where(value > 0.0, value, xp.zeros_like(value))

    def kurtosis(self, t: Any) -> _arrays.Array:
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

    def orthogonal_covariance(self, t: Any, dimension: int) -> _arrays.Array | None:
        """Compute Cov(cos <w, z>, cos <w', z>) for orthogonal directions in that dimension.

        None if unknown; an upper bound is used then.
        """
        return None

    # -- as a dataclass -------------------------------------------------------------------

    def parameters(self) -> dict[str, float]:
        """Return the dataclass fields: arguments of `FourierFeatures.draw` for named spectra."""
        return asdict(self) if is_dataclass(self) and not isinstance(self, type) else {}

    def _check_positive(self) -> None:
        """Check that all dataclass fields are numbers above 0, and frequencies are floats."""
        for field in fields(self):  # type: ignore[arg-type]  # subclasses that call it are dataclasses
            value = positive(field.name, getattr(self, field.name))
            object.__setattr__(self, field.name, value)
        if not self.scale <= _LARGEST:
            given = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self))  # type: ignore[arg-type]  # as above
            raise ValueError(f"{given} gives frequencies beyond the floats: scale the rows instead")

    def _needs_kernel(self, what: str, method: str) -> None:
        if type(self).kernel is Spectrum.kernel:
            self._lacks(what, f"define {method}, or kernel(t, j=1), from which it follows")

    def _lacks(self, what: str, remedy: str) -> NoReturn:
        raise ValueError(f"the spectrum {self.name!r} carries no {what}: {remedy}")
