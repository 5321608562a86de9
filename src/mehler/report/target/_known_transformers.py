"""Known variances and ranges for third-party transformers, which sharpen their checks."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mehler.verify.kernels import NamedKernel


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
