"""Declarations about a map for its checks, by the user, a law or a known transformer."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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


# Methods that draw and apply the weights. By the classes of scikit-learn that define them all: the
# kernel and its law, the reason, and the range of products, which is that of 2 cos(s) cos(t).
_METHODS = ("fit", "_make_random_matrix", "transform")
_PROJECTIONS = ("BaseRandomProjection", "GaussianRandomProjection")
_FOURIER, _WAVES = "random Fourier features with uniform offsets", (-2.0, 2.0)
_NORMAL, _SIGNS = "independent normal weights", "independent hashes and signs"
_KNOWN: dict[frozenset[str], tuple[str, str, str, tuple[float, float] | None]] = {
    frozenset({"RBFSampler"}): ("rbf", "cos-offset", _FOURIER, _WAVES),
    frozenset({"SkewedChi2Sampler"}): ("skewed-chi2", "cos-offset", _FOURIER, _WAVES),
    frozenset(_PROJECTIONS): ("linear", "gaussian", _NORMAL, None),
    frozenset({"PolynomialCountSketch"}): ("polynomial", "sketch", _SIGNS, None),
}


def declared_for(factory: Any, kernel: Any) -> Declared | None:
    """Return the declarations known for a transformer, or None if fit or transform is overridden.

    `kernel` is the claim, which gives the variance if it is the transformer's own kernel.
    """
    cls = factory if inspect.isclass(factory) else type(factory)
    methods = [getattr(cls, name) for name in _METHODS if hasattr(cls, name)]
    if any(not str(getattr(m, "__module__", "")).startswith("sklearn.") for m in methods):
        return None
    defining = frozenset(getattr(m, "__qualname__", "").rpartition(".")[0] for m in methods)
    if defining not in _KNOWN:
        return None
    name, law_name, reason, bounds = _KNOWN[defining]
    why, alike = f"({cls.__name__}: {reason})", "that features are independent and alike, and"
    if isinstance(kernel, NamedKernel) and kernel.name == name:
        law = kernel.laws[law_name]
        what = f"{alike} the exact variance of their products"
        what = what if law.independent else "a bound of the variance of a draw"
        return Declared(f"{what} {why}", law.variance, None, law.independent)
    return bounds and Declared(f"{alike} their products' range {why}", None, bounds, True)


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
    if not (target.random or options["independent_features"]):
        raise ValueError(
            f"law={law!r} speaks of many draws, but {target.name} is {target.assumed}: name a "
            "function seed -> map"
        )
    words = f"by --law {law}: m features {kernel.laws[law].text}"
    return Declared(words, options["variance"], None, options["independent_features"])
