"""What is known of other people's maps by derivation, so that their checks are sharp."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mehler.verify.kernels import NamedKernel


@dataclass(frozen=True)
class Declared:
    """The variance of products or their range, and whether each feature is a sample."""

    why: str
    variance: Callable[[Any, Any], Any] | None
    bounds: tuple[float, float] | None
    independent: bool = True


@dataclass(frozen=True)
class _Known:
    """Which kernel a class has, by which law, and its products' range whatever the kernel is."""

    kernel: str
    law: str
    bounds: tuple[float, float] | None
    why: str


def declared_for(factory: Any, kernel: Any) -> Declared | None:
    """Look up what is known of a transformer; nothing once fit or transform is overridden.

    Parameters
    ----------
    factory : object
    kernel : callable
        The claim: the variance follows from it where it is the transformer's own.

    Returns
    -------
    Declared or None
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
    # A product 2 cos(s) cos(t) lies in [-2, 2] whatever the spectrum.
    why = f"{name}: random Fourier features with uniform offsets"
    return _Known(kernel, "cos-offset", (-2.0, 2.0), why)


# What draws the weights and applies them, and which classes define that.
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
