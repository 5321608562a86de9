"""Declarations about a map for its checks, by the user, a law or a known transformer."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from mehler.cli._target import Target
from mehler.kernels import NamedKernel


@dataclass(frozen=True)
class Declared:
    """Variance or range of products, whether each feature is a sample, and who says so."""

    words: str
    variance: Callable[[Any, Any], Any] | None = None
    bounds: tuple[float, float] | None = None
    independent: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """Options of `check_kernel`; none where nothing is declared."""
        if self.variance is None and self.bounds is None and not self.independent:
            return {}
        names = ("variance", "bounds", "independent_features")
        return dict(zip(names, (self.variance, self.bounds, self.independent), strict=True))


class _Known(NamedTuple):
    """The kernel of a class, its law, and the range of its products for any kernel."""

    kernel: str
    law: str
    why: str
    bounds: tuple[float, float] | None = None


# Methods that draw and apply the weights, compared with the defining classes.
_METHODS = ("fit", "_make_random_matrix", "transform")
_APPROXIMATION, _PROJECTION = "sklearn.kernel_approximation.", "sklearn.random_projection."
# A product 2 cos(s) cos(t) lies in [-2, 2] for every spectrum.
_FOURIER = "random Fourier features with uniform offsets"
_KNOWN = {
    frozenset({f"{_APPROXIMATION}RBFSampler"}): _Known(
        "rbf", "cos-offset", f"RBFSampler: {_FOURIER}", (-2.0, 2.0)
    ),
    frozenset({f"{_APPROXIMATION}SkewedChi2Sampler"}): _Known(
        "skewed-chi2", "cos-offset", f"SkewedChi2Sampler: {_FOURIER}", (-2.0, 2.0)
    ),
    frozenset(
        {f"{_PROJECTION}BaseRandomProjection", f"{_PROJECTION}GaussianRandomProjection"}
    ): _Known("linear", "gaussian", "GaussianRandomProjection: independent normal weights"),
    frozenset({f"{_APPROXIMATION}PolynomialCountSketch"}): _Known(
        "polynomial", "sketch", "PolynomialCountSketch: independent hashes and signs"
    ),
}


def declared_for(factory: Any, kernel: Any) -> Declared | None:
    """Return the declarations known for a transformer, or None if fit or transform is overridden.

    `kernel` is the claim, which gives the variance if it is the transformer's own kernel.
    """
    cls = factory if inspect.isclass(factory) else type(factory)
    methods = [getattr(cls, name) for name in _METHODS if hasattr(cls, name)]
    known = _KNOWN.get(frozenset(map(_origin, methods)))
    if known is None:
        return None
    alike = "that features are independent and alike, and"
    if isinstance(kernel, NamedKernel) and kernel.name == known.kernel:
        law = kernel.laws[known.law]
        what = f"{alike} the exact variance of their products"
        what = what if law.independent else "a bound of the variance of a draw"
        return Declared(f"{what} ({known.why})", law.variance, None, law.independent)
    if known.bounds is None:
        return None
    return Declared(f"{alike} their products' range ({known.why})", None, known.bounds, True)


def _origin(method: Any) -> str:
    qualified = getattr(method, "__qualname__", "").rpartition(".")[0]
    return f"{getattr(method, '__module__', '')}.{qualified}"


def declarations_of(
    target: Target,
    kernel: Any,
    law: str | None,
    bounds: tuple[float, float] | None,
    independent: bool,
) -> Declared:
    """Return the declarations about a map, the user's first, else known ones.

    Raises ValueError for a `law` that the kernel lacks, that comes with another declaration, or
    that needs many draws of a fixed map.
    """
    flags = ["--bounds"] * (bounds is not None) + ["--independent-features"] * independent
    if law is None:
        if flags:
            return Declared(f"by {' and '.join(flags)}", None, bounds, independent)
        return declared_for(target.factory, kernel) or Declared(
            "nothing: draws from different seeds are taken to be independent, variance is measured"
        )
    if flags:
        raise ValueError(f"law={law!r} says it all: leave bounds and independent_features out")
    if not isinstance(kernel, NamedKernel):
        raise ValueError(f"law={law!r} belongs to a kernel with a name: give one, or --bounds")
    options = kernel.declarations(law)
    alone = options["independent_features"]
    if not (target.random or alone):
        raise ValueError(
            f"law={law!r} speaks of many draws, but {target.name} is {target.assumed}: name a "
            "function seed -> map"
        )
    words = f"by --law {law}: m features {kernel.laws[law].text}"
    return Declared(words, options["variance"], None, alone)
