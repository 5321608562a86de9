"""Kernels by name, with parameters: what ``mehler verify --kernel`` holds a map against.

Float64 in, float64 out, on NumPy arrays. `make` builds one from a name and parameters.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mehler.verify import _kernel_shapes as shapes

__all__ = ["NAMES", "NamedKernel", "make"]


@dataclass(frozen=True, kw_only=True)
class NamedKernel:
    r"""A kernel k(x, y) with its name, its parameters, and what inputs show it best.

    Parameters
    ----------
    name : str
    parameters : mapping of str to float
    latex : str
        The formula, for a page.
    length : float
        The distance over which the kernel varies, where it has one; else 1.
    metric : {"euclidean", "cityblock"}
        Of that distance.
    bandwidth : str
        The parameter that scales distances: the one that a diagnosis may find wrong. Empty where
        there is none.
    nonnegative : bool
        Whether inputs must have no negative entries.

    Examples
    --------
    >>> import numpy as np
    >>> k = make("rbf", gamma=0.5)
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

    def __call__(self, X: Any, Y: Any) -> Any:
        """Return the kernel of all rows of `X` with all rows of `Y`, shape (n, k)."""
        left, right = (np.asarray(rows, dtype=np.float64) for rows in (X, Y))
        if self.nonnegative and (left.min() < 0.0 or right.min() < 0.0):
            raise ValueError(f"{self}: inputs must not be negative; give data that are not")
        return self.function(left, right, **self.parameters)

    def __str__(self) -> str:
        """Return the name with its parameters."""
        inside = ", ".join(f"{key}={value:g}" for key, value in self.parameters.items())
        return f"{self.name}({inside})" if inside else self.name

    def replace(self, **parameters: float) -> NamedKernel:
        """Return the kernel of the same name with other parameters."""
        return make(self.name, **{**self.parameters, **parameters})


def make(name: str, **parameters: float) -> NamedKernel:
    r"""Build a kernel from its name and parameters.

    - ``rbf``: exp(-gamma d^2), d the Euclidean distance; gamma = 1
    - ``laplacian``: exp(-gamma d), d the sum of absolute differences; gamma = 1
    - ``matern``: Matern of smoothness nu at distance over length; nu = 1.5, length = 1
    - ``linear``: the inner product
    - ``polynomial``: (gamma <x, y> + coef0)^degree; degree = 2, gamma = 1, coef0 = 0
    - ``arc-cosine``: Cho and Saul's, of order 0, 1 or 2; order = 1
    - ``maxout``: lengths times K_q(rho), of maxout units; q = 2
    - ``collision``: kappa_q(rho), of codes; q = 2
    - ``skewed-chi2``: prod 2 sqrt(u v)/(u + v), u = x + skew; skew = 1
    - ``additive-chi2``: sum 2 x y/(x + y)

    Parameters
    ----------
    name : str
    **parameters : float
        Those that are left out have the defaults above.

    Returns
    -------
    NamedKernel

    Raises
    ------
    ValueError
        An unknown name or parameter, or a value out of range.

    Notes
    -----
    Distances come from differences of rows and angles from 2 atan2(|u - v|, |u + v|), so equal and
    nearly equal rows lose no digits.

    References
    ----------
    Y. Cho and L. K. Saul (2009), equations 3 to 7 (arc-cosine, here with the factor 1/pi); C. E.
    Rasmussen and C. K. I. Williams (2006), equation 4.14 (Matern).

    Examples
    --------
    >>> str(make("matern", nu=2.5))
    'matern(nu=2.5, length=1)'
    >>> make("linear", gamma=2.0)
    Traceback (most recent call last):
        ...
    ValueError: kernel linear has no parameter 'gamma': it takes none
    """
    if name not in _BUILDERS:
        raise ValueError(
            f"kernel={name!r} is not known: one of {', '.join(NAMES)}, or MODULE:FUNCTION"
        )
    builder = _BUILDERS[name]
    known = tuple(inspect.signature(builder).parameters)
    for key, value in parameters.items():
        if key not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise ValueError(f"kernel {name} has no parameter {key!r}: {takes}")
        if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
            raise ValueError(f"kernel {name}: {key}={value!r} must be a number")
    return builder(**parameters)


def _rbf(gamma: float = 1.0) -> NamedKernel:
    return NamedKernel(
        name="rbf",
        parameters={"gamma": _positive("gamma", gamma)},
        latex=r"k(x, y) = e^{-\gamma |x - y|^2}",
        function=shapes.rbf,
        length=1.0 / math.sqrt(gamma),
        bandwidth="gamma",
    )


def _laplacian(gamma: float = 1.0) -> NamedKernel:
    return NamedKernel(
        name="laplacian",
        parameters={"gamma": _positive("gamma", gamma)},
        latex=r"k(x, y) = e^{-\gamma |x - y|_1}",
        function=shapes.laplacian,
        length=1.0 / gamma,
        metric="cityblock",
        bandwidth="gamma",
    )


def _matern(nu: float = 1.5, length: float = 1.0) -> NamedKernel:
    if nu > 50.0:
        raise ValueError(f"nu={nu!r} is more than 50, where the kernel is the rbf: name that")
    return NamedKernel(
        name="matern",
        parameters={"nu": _positive("nu", nu), "length": _positive("length", length)},
        latex=r"k(x, y) = \frac{2^{1-\nu}}{\Gamma(\nu)} s^\nu K_\nu(s), \quad "
        r"s = \sqrt{2\nu} |x - y| / \ell",
        function=shapes.matern,
        length=float(length),
        bandwidth="length",
    )


def _linear() -> NamedKernel:
    return NamedKernel(
        name="linear",
        parameters={},
        latex=r"k(x, y) = \langle x, y \rangle",
        function=shapes.linear,
    )


def _polynomial(degree: float = 2, gamma: float = 1.0, coef0: float = 0.0) -> NamedKernel:
    if coef0 < 0.0:
        raise ValueError(f"coef0={coef0!r} must not be negative: k(x, x) must be positive")
    return NamedKernel(
        name="polynomial",
        parameters={
            "degree": _whole("degree", degree),
            "gamma": _positive("gamma", gamma),
            "coef0": float(coef0),
        },
        latex=r"k(x, y) = (\gamma \langle x, y \rangle + c_0)^p",
        function=shapes.polynomial,
        length=1.0 / math.sqrt(gamma),
    )


def _arc_cosine(order: float = 1) -> NamedKernel:
    if order not in (0, 1, 2):
        raise ValueError(f"order={order!r} is not one of 0, 1, 2")
    return NamedKernel(
        name="arc-cosine",
        parameters={"order": int(order)},
        latex=r"k(x, y) = \frac{1}{\pi} |x|^n |y|^n J_n(\theta)",
        function=shapes.arc_cosine,
    )


def _maxout(q: float = 2) -> NamedKernel:
    return NamedKernel(
        name="maxout",
        parameters={"q": _whole("q", q)},
        latex=r"k(x, y) = |x|\,|y|\, K_q(\rho)",
        function=shapes.maxout,
    )


def _collision(q: float = 2) -> NamedKernel:
    return NamedKernel(
        name="collision",
        parameters={"q": _whole("q", q)},
        latex=r"k(x, y) = \kappa_q(\rho)",
        function=shapes.collision,
    )


def _skewed_chi2(skew: float = 1.0) -> NamedKernel:
    return NamedKernel(
        name="skewed-chi2",
        parameters={"skew": _positive("skew", skew)},
        latex=r"k(x, y) = \prod_i \frac{2 \sqrt{x_i + c} \sqrt{y_i + c}}{x_i + y_i + 2 c}",
        function=shapes.skewed_chi2,
        length=float(skew),
        nonnegative=True,
    )


def _additive_chi2() -> NamedKernel:
    return NamedKernel(
        name="additive-chi2",
        parameters={},
        latex=r"k(x, y) = \sum_i \frac{2 x_i y_i}{x_i + y_i}",
        function=shapes.additive_chi2,
        nonnegative=True,
    )


def _positive(name: str, value: float) -> float:
    if not 0.0 < value < math.inf:
        raise ValueError(f"{name}={value!r} must be positive and finite")
    return float(value)


def _whole(name: str, value: float) -> int:
    if value != int(value) or value < 1:
        raise ValueError(f"{name}={value!r} must be a whole number of at least 1")
    return int(value)


_BUILDERS: dict[str, Callable[..., NamedKernel]] = {
    "rbf": _rbf,
    "laplacian": _laplacian,
    "matern": _matern,
    "linear": _linear,
    "polynomial": _polynomial,
    "arc-cosine": _arc_cosine,
    "maxout": _maxout,
    "collision": _collision,
    "skewed-chi2": _skewed_chi2,
    "additive-chi2": _additive_chi2,
}
NAMES = tuple(_BUILDERS)
