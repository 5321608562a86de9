"""Builders of the named kernels; parameters out of range are refused."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from mehler._validate import positive
from mehler.kernels import _laws as laws
from mehler.kernels import _shapes as shapes
from mehler.kernels._named import NamedKernel


def _rbf(gamma: float = 1.0) -> NamedKernel:
    kernel = partial(shapes.rbf, gamma=positive("gamma", gamma))
    return NamedKernel(
        name="rbf",
        parameters={"gamma": float(gamma)},
        latex=r"k(x, y) = e^{-\gamma |x - y|^2}",
        function=shapes.rbf,
        length=1.0 / math.sqrt(gamma),
        bandwidth="gamma",
        laws=laws.fourier(kernel, partial(shapes.rbf, gamma=4.0 * gamma), isotropic=True),
    )


def _exponential(gamma: float = 1.0) -> NamedKernel:
    kernel = partial(shapes.exponential, gamma=positive("gamma", gamma))
    return NamedKernel(
        name="exp",
        parameters={"gamma": float(gamma)},
        latex=r"k(x, y) = e^{\gamma \langle x, y \rangle}",
        function=shapes.exponential,
        # The variance of positive features grows as e^{4 gamma |x|^2}. `mehler verify` draws rows
        # of up to 1.2 times this length, where it is 3.2 k^2; at twice that length it is 316 k^2.
        length=0.5 / math.sqrt(gamma),
        bandwidth="gamma",
        laws=laws.exponential(kernel, float(gamma)),
    )


def _laplacian(gamma: float = 1.0) -> NamedKernel:
    kernel = partial(shapes.laplacian, gamma=positive("gamma", gamma))
    return NamedKernel(
        name="laplacian",
        parameters={"gamma": float(gamma)},
        latex=r"k(x, y) = e^{-\gamma |x - y|_1}",
        function=shapes.laplacian,
        length=1.0 / gamma,
        metric="cityblock",
        bandwidth="gamma",
        laws=laws.fourier(kernel, partial(shapes.laplacian, gamma=2.0 * gamma), isotropic=False),
    )


def _matern(nu: float = 1.5, length_scale: float = 1.0) -> NamedKernel:
    if nu > 50.0:
        raise ValueError(f"nu={nu!r} is more than 50, where the kernel is the rbf: name that")
    given = {"nu": positive("nu", nu), "length_scale": positive("length_scale", length_scale)}
    kernel = partial(shapes.matern, **given)
    return NamedKernel(
        name="matern",
        parameters={"nu": float(nu), "length_scale": float(length_scale)},
        latex=r"k(x, y) = \frac{2^{1-\nu}}{\Gamma(\nu)} s^\nu K_\nu(s), \quad "
        r"s = \sqrt{2\nu} |x - y| / \ell",
        function=shapes.matern,
        length=float(length_scale),
        bandwidth="length_scale",
        laws=laws.fourier(
            kernel, partial(shapes.matern, nu=nu, length_scale=0.5 * length_scale), isotropic=True
        ),
    )


def _linear() -> NamedKernel:
    return NamedKernel(
        name="linear",
        parameters={},
        latex=r"k(x, y) = \langle x, y \rangle",
        function=shapes.linear,
        laws=laws.projections(shapes.linear),
    )


def _polynomial(degree: float = 2, gamma: float = 1.0, coef0: float = 0.0) -> NamedKernel:
    if not 0.0 <= coef0 < math.inf:
        raise ValueError(f"coef0={coef0!r} must not be negative or infinite: k(x, x) is positive")
    return NamedKernel(
        name="polynomial",
        parameters={
            "degree": _whole("degree", degree),
            "gamma": positive("gamma", gamma),
            "coef0": float(coef0),
        },
        latex=r"k(x, y) = (\gamma \langle x, y \rangle + c_0)^p",
        function=shapes.polynomial,
        length=1.0 / math.sqrt(gamma),
        laws=laws.sketches(int(degree), float(gamma), float(coef0)),
    )


def _arc_cosine(order: float = 1) -> NamedKernel:
    if order not in (0, 1, 2):
        raise ValueError(f"order={order!r} is not one of 0, 1, 2")
    return NamedKernel(
        name="arc-cosine",
        parameters={"order": int(order)},
        latex=r"k(x, y) = \frac{1}{\pi} |x|^n |y|^n J_n(\theta)",
        function=shapes.arc_cosine,
        laws=laws.rectified(
            partial(shapes.arc_cosine, order=int(order)),
            partial(shapes.arc_cosine, order=2 * int(order)),
        ),
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
    kernel = partial(shapes.skewed_chi2, skew=positive("skew", skew))
    return NamedKernel(
        name="skewed-chi2",
        parameters={"skew": float(skew)},
        latex=r"k(x, y) = \prod_i \frac{2 \sqrt{x_i + c} \sqrt{y_i + c}}{x_i + y_i + 2 c}",
        function=shapes.skewed_chi2,
        length=float(skew),
        nonnegative=True,
        # Frequencies act on log(x + skew); doubling it squares x + skew.
        laws=laws.fourier(
            kernel,
            lambda X, Y: kernel((X + skew) ** 2 - skew, (Y + skew) ** 2 - skew),
            isotropic=False,
        ),
    )


def _additive_chi2() -> NamedKernel:
    return NamedKernel(
        name="additive-chi2",
        parameters={},
        latex=r"k(x, y) = \sum_i \frac{2 x_i y_i}{x_i + y_i}",
        function=shapes.additive_chi2,
        nonnegative=True,
    )


def _whole(name: str, value: float) -> int:
    if not math.isfinite(value) or value != int(value) or value < 1:
        raise ValueError(f"{name}={value!r} must be a whole number of at least 1")
    return int(value)


BUILDERS: dict[str, Callable[..., NamedKernel]] = {
    "rbf": _rbf,
    "exp": _exponential,
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
