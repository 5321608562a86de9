"""The kernels that have names, each from its parameters, which are refused where out of range."""

from __future__ import annotations

import math
from collections.abc import Callable

from mehler.verify import _kernel_shapes as shapes
from mehler.verify._named_kernel import NamedKernel


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


BUILDERS: dict[str, Callable[..., NamedKernel]] = {
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
