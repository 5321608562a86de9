r"""What is known of other people's maps by derivation, so that their checks are sharp.

Features sqrt(2/m) cos(w . x + b), b uniform on a circle, have the products
2 cos(s + b) cos(t + b) = cos(s - t) + cos(s + t + 2b), s = w . x and t = w . y. The second term
has mean 0 and second moment 1/2 given w, and is uncorrelated with the first, so

.. math:: V = E \cos^2(s - t) + \tfrac12 - k^2 = 1 + \tfrac12 k_2 - k^2, \quad
          k_2 = E \cos(2 (s - t)),

the kernel at twice the distance. A product lies in [-2, 2] whatever the law of w.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mehler.verify.kernels import NamedKernel


@dataclass(frozen=True)
class Declared:
    """That features are independent and alike, with their products' variance or range."""

    why: str
    variance: Callable[[Any, Any], Any] | None
    bounds: tuple[float, float] | None


def declared_for(factory: Any, kernel: Any) -> Declared | None:
    """Look up what is known of a transformer; nothing once fit or transform is overridden.

    Parameters
    ----------
    factory : object
    kernel : callable
        The claim: the variance of a Fourier feature follows from it.

    Returns
    -------
    Declared or None
    """
    cls = factory if inspect.isclass(factory) else type(factory)
    origins = {_origin(cls, name) for name in ("fit", "transform")}
    if len(origins) != 1 or next(iter(origins)) not in _FOURIER:
        return None
    origin = next(iter(origins))
    why = f"{origin.rpartition('.')[2]}: random Fourier features with uniform offsets"
    name = kernel.name if isinstance(kernel, NamedKernel) else ""
    if name != _FOURIER[origin]:
        return Declared(why, None, (-2.0, 2.0))
    return Declared(why, lambda X, Y: _fourier_variance(kernel, X, Y), None)


def _fourier_variance(kernel: NamedKernel, X: Any, Y: Any) -> Any:
    # Twice the distance: of rows for the rbf kernel, of log(x + skew) for the skewed chi2 one.
    skew = kernel.parameters.get("skew")

    def twice(rows: Any) -> Any:
        return 2.0 * rows if skew is None else (rows + skew) ** 2 - skew

    at_twice = kernel.function(twice(X), twice(Y), **kernel.parameters)
    return 1.0 + 0.5 * at_twice - kernel(X, Y) ** 2


def _origin(cls: type, name: str) -> str:
    method = getattr(cls, name, None)
    qualified = getattr(method, "__qualname__", "").rpartition(".")[0]
    return f"{getattr(method, '__module__', '')}.{qualified}"


_FOURIER = {
    "sklearn.kernel_approximation.RBFSampler": "rbf",
    "sklearn.kernel_approximation.SkewedChi2Sampler": "skewed-chi2",
}
