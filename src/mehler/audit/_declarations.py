"""Declarations about a map for its checks, by the user, a law or a known transformer."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mehler.audit._target import Target
from mehler.kernels import NamedKernel


@dataclass(frozen=True)
class Declared:
    """Variance or range of the products, and whether each feature is a sample."""

    why: str
    variance: Callable[[Any, Any], Any] | None
    bounds: tuple[float, float] | None
    independent: bool = True


@dataclass(frozen=True)
class _Known:
    """The kernel of a class, its law, and the range of its products for any kernel."""

    kernel: str
    law: str
    bounds: tuple[float, float] | None
    why: str


def declared_for(factory: Any, kernel: Any) -> Declared | None:
    """Return the declarations known for a transformer, or None if fit or transform is overridden.

    `kernel` is the claim, which gives the variance if it is the transformer's own kernel.
    """
    cls = factory if inspect.isclass(factory) else type(factory)
    origins = frozenset(_origin(cls, name) for name in _METHODS if hasattr(cls, name))
    known = _KNOWN.get(origins)
    if known is None:
        return None
    if isinstance(kernel, NamedKernel) and kernel.name == known.kernel:
        law = kernel.laws[known.law]
        return Declared(known.why, law.variance, None, law.independent)
    return None if known.bounds is None else Declared(known.why, None, known.bounds)


def _origin(cls: type, name: str) -> str:
    method = getattr(cls, name)
    qualified = getattr(method, "__qualname__", "").rpartition(".")[0]
    return f"{getattr(method, '__module__', '')}.{qualified}"


def _fourier(name: str, kernel: str) -> _Known:
    # A product 2 cos(s) cos(t) lies in [-2, 2] for every spectrum.
    why = f"{name}: random Fourier features with uniform offsets"
    return _Known(kernel, "cos-offset", (-2.0, 2.0), why)


# Methods that draw and apply the weights, compared with the defining classes.
_METHODS = ("fit", "_make_random_matrix", "transform")
_KNOWN = {
    frozenset({"sklearn.kernel_approximation.RBFSampler"}): _fourier("RBFSampler", "rbf"),
    frozenset({"sklearn.kernel_approximation.SkewedChi2Sampler"}): _fourier(
        "SkewedChi2Sampler", "skewed-chi2"
    ),
    frozenset(
        {
            "sklearn.random_projection.BaseRandomProjection",
            "sklearn.random_projection.GaussianRandomProjection",
        }
    ): _Known("linear", "gaussian", None, "GaussianRandomProjection: independent normal weights"),
    frozenset({"sklearn.kernel_approximation.PolynomialCountSketch"}): _Known(
        "polynomial", "sketch", None, "PolynomialCountSketch: independent hashes and signs"
    ),
}


_NOTHING = "nothing: draws from different seeds are taken to be independent, variance is measured"


@dataclass(frozen=True)
class Declarations:
    """Options of `check_kernel`, and a sentence on their source."""

    options: dict[str, Any]
    words: str

    @property
    def columns_are_samples(self) -> bool:
        """Whether one draw is enough for a statement about the mean."""
        return bool(self.options.get("independent_features"))


def declarations_of(
    target: Target,
    kernel: Any,
    law: str | None,
    bounds: tuple[float, float] | None,
    independent: bool,
) -> Declarations:
    """Return the declarations about a map, the user's first, else known ones.

    Raises ValueError for a `law` that the kernel lacks, that comes with another declaration, or
    that needs many draws of a fixed map.
    """
    if law is not None:
        return _by_law(target, kernel, law, bounds is not None or independent)
    if bounds is not None or independent:
        flags = ["--bounds"] * (bounds is not None) + ["--independent-features"] * independent
        return Declarations(
            {"bounds": bounds, "independent_features": independent}, f"by {' and '.join(flags)}"
        )
    known = declared_for(target.factory, kernel)
    if known is None:
        return Declarations({}, _NOTHING)
    what = "the exact variance of their products" if known.variance else "their products' range"
    words = f"that features are independent and alike, and {what}"
    if not known.independent:
        words = "a bound of the variance of a draw"
    return Declarations(
        {
            "bounds": known.bounds,
            "variance": known.variance,
            "independent_features": known.independent,
        },
        f"{words} ({known.why})",
    )


def _by_law(target: Target, kernel: Any, law: str, more: bool) -> Declarations:
    if more:
        raise ValueError(f"law={law!r} says it all: leave bounds and independent_features out")
    if not isinstance(kernel, NamedKernel):
        raise ValueError(f"law={law!r} belongs to a kernel with a name: give one, or --bounds")
    options = kernel.declarations(law)
    if not (target.random or options["independent_features"]):
        raise ValueError(
            f"law={law!r} speaks of many draws, but {target.name} is {target.assumed}: name a "
            "function seed -> map"
        )
    return Declarations(options, f"by --law {law}: m features {kernel.laws[law].text}")
