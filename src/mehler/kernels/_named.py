"""NamedKernel: a kernel with its name, parameters, length scale and feature laws."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mehler._validate import reals
from mehler.kernels._laws import Law


@dataclass(frozen=True, kw_only=True)
class NamedKernel:
    """A kernel k(x, y) with its name, parameters and feature laws.

    Parameters
    ----------
    name : str
        Name of the kernel, as `make` takes it.
    parameters : mapping of str to float
        Values of all parameters.
    latex : str
        The formula in LaTeX.
    length : float
        Length scale of the kernel, where it has one; else 1.
    metric : {"euclidean", "cityblock"}
        Metric of that length scale.
    bandwidth : str
        The parameter that scales distances, which a diagnosis may find wrong; empty if none.
    nonnegative : bool
        Whether inputs must have no negative entries.
    laws : mapping of str to Law
        Feature constructions of known variance; see `told`.
    builder : callable, optional
        Builds the kernel from parameters, for `replace`; `make` sets it.

    See Also
    --------
    make : Build a kernel from its name.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import kernels
    >>> k = kernels.make("rbf", gamma=0.5)
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0]])
    >>> k(X, X).round(4).tolist()
    [[1.0, 0.3679], [0.3679, 1.0]]
    >>> str(k.replace(gamma=1.0))
    'rbf(gamma=1)'
    """

    name: str
    parameters: Mapping[str, float]
    latex: str
    function: Callable[..., Any] = field(repr=False)
    length: float = 1.0
    metric: str = "euclidean"
    bandwidth: str = ""
    nonnegative: bool = False
    laws: Mapping[str, Law] = field(default_factory=dict, repr=False)
    builder: Callable[..., NamedKernel] | None = field(default=None, repr=False, compare=False)

    def __call__(self, X: Any, Y: Any) -> Any:
        """Return the kernel of all rows of `X` with all rows of `Y`, shape (n, k)."""
        left, right = reals("X", X), reals("Y", Y)
        if left.ndim != 2 or right.ndim != 2 or left.shape[1] != right.shape[1]:
            raise ValueError(
                f"X and Y have shapes {left.shape} and {right.shape}: give two matrices of one "
                "width"
            )
        if self.nonnegative and (left.min() < 0.0 or right.min() < 0.0):
            raise ValueError(f"{self}: inputs must not be negative; give data that are not")
        return self.function(left, right, **self.parameters)

    def __str__(self) -> str:
        """Return the name with its parameters."""
        inside = ", ".join(f"{key}={value:g}" for key, value in self.parameters.items())
        return f"{self.name}({inside})" if inside else self.name

    def told(self, law: str) -> dict[str, Any]:
        """Return the options that tell `check_kernel` the variance of features of a law.

        Parameters
        ----------
        law : str
            A name in `laws`.

        Returns
        -------
        dict
            ``variance`` and ``independent_features``, options of `check_kernel`.

        Raises
        ------
        ValueError
            If the kernel has no such law.

        Examples
        --------
        Positive features of the exponential kernel, which makes the softmax of attention:

        >>> import numpy as np
        >>> from mehler import kernels
        >>> from mehler.verify import check_kernel
        >>> k = kernels.make("exp", gamma=1.0)
        >>> def draw(seed):
        ...     w = np.random.default_rng(seed).standard_normal((3, 2000))
        ...     return lambda X: np.exp(X @ w - 0.5 * (X**2).sum(1, keepdims=True)) / np.sqrt(2000)
        >>> X = 0.4 * np.random.default_rng(0).standard_normal((4, 3))
        >>> check_kernel(draw, k, X, resolution=0.1, **k.told("positive")).status
        'holds'
        """
        if not isinstance(law, str) or law not in self.laws:
            known = f"one of {', '.join(self.laws)}" if self.laws else "none is known"
            raise ValueError(f"law={law!r} is not known for the kernel {self.name}: {known}")
        one = self.laws[law]
        return {"variance": one.variance, "independent_features": one.independent}

    def replace(self, **parameters: float) -> NamedKernel:
        """Return the kernel with some parameters replaced."""
        if self.builder is None:
            raise TypeError(f"{self} was not made by kernels.make: make another kernel instead")
        return build(self.name, self.builder, {**self.parameters, **parameters})


def build(
    name: str, builder: Callable[..., NamedKernel], parameters: Mapping[str, float]
) -> NamedKernel:
    """Call a builder; raise ValueError for parameters that it does not take."""
    known = tuple(inspect.signature(builder).parameters)
    for key, value in parameters.items():
        if key not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise ValueError(f"kernel {name} has no parameter {key!r}: {takes}")
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            raise ValueError(f"kernel {name}: {key}={value!r} must be a number")
    return dataclasses.replace(builder(**parameters), builder=builder)
