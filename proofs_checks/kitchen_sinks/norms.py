"""The norms of F_pi and of the kernel's space, and the kernel of random cosines."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.statements import Context, Evidence, Plot, Series, check

from . import _infimum
from .worlds import _dense

Norm = Callable[[Any, Any, Any], float]

_ANGLES = 16  # offsets b on a grid: exact for trigonometric polynomials of degree below 16
# Of sums of a hundred numbers of size 1, and of linear programs of that size.
_ROUNDING = 1e-9


def circle() -> tuple[Any, Any, Any]:
    """Return cos(2b) pi(b), pi and the features cos(t + b) at four t, over a grid of b."""
    b = 2 * math.pi * np.arange(_ANGLES) / _ANGLES
    density = np.full(_ANGLES, 1 / _ANGLES)
    features = np.cos(np.array([0.0, 0.4, 1.0, 2.0])[:, np.newaxis] + b)
    return np.cos(2 * b) * density, density, features


@check("kitchen-sinks.norms", form="proved", name="the norm of 0")
def zero(context: Context, *, norm: Norm = _infimum.least_sup) -> Evidence:
    """Take the norm of the function 0, from a representation whose weights are not 0."""
    alpha, density, features = circle()
    size = float(np.abs(features @ alpha).max())
    if size > 1e-14:
        raise ArithmeticError(f"the function is not 0 but up to {size:.3g}")
    least = norm(alpha, density, features)
    return Evidence.exact_comparison(
        form="proved",
        claim=r"the least $\sup|\alpha|/\pi$ over all that represent $f = 0$, as $\pi\cos 2b$ does",
        observed=least,
        exact=0.0,
        interval=(max(0.0, least - _ROUNDING), least + _ROUNDING),
        resolution=1e-6,
        method="a linear program over a grid of b",
    )


def ratio_of_kernels(scale: float) -> tuple[float, float]:
    """Return E phi phi' over e^{-z^2/2} for scale cos(w x + b), where it is farthest from 1."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    b = 2 * math.pi * np.arange(_ANGLES) / _ANGLES
    found = []
    for x, y in ((0.0, 0.0), (0.3, -0.4), (1.0, 0.2), (2.0, 1.0), (-1.0, 1.0)):
        products = np.cos(x * nodes[:, np.newaxis] + b) * np.cos(y * nodes[:, np.newaxis] + b)
        kernel = scale**2 * float(weights @ products.mean(axis=1))
        found.append((kernel / math.exp(-0.5 * (x - y) ** 2), x - y))
    return max(found, key=lambda one: abs(one[0] - 1))


@check("kitchen-sinks.norms", form="proved", name="the kernel of random cosines")
def cosines(context: Context, *, scale: float = math.sqrt(2)) -> Evidence:
    """Compare the kernel of sqrt(2) cos(w x + b) with the function whose transform is pi."""
    ratio, z = ratio_of_kernels(scale)
    return Evidence.exact_comparison(
        form="proved",
        claim=(
            r"$2E\cos(\omega x + b)\cos(\omega y + b)$ over $e^{-z^2/2}$ "
            f"(five pairs; farthest from 1 at $z = {z:g}$)"
        ),
        observed=ratio,
        exact=1.0,
        interval=(ratio - _ROUNDING, ratio + _ROUNDING),
        resolution=1e-6,
        method="Gauss-Hermite quadrature in w, sums in b",
    )


def problems(context: Context) -> list[tuple[Any, Any, Any]]:
    """Return random representations over random densities and features."""
    rng = context.rng("representations")
    found = []
    for _ in range(5 if context.quick else 100):
        n = int(rng.integers(10, 40))
        density = rng.dirichlet(np.ones(n))
        alpha = density * rng.standard_normal(n)
        found.append((alpha, density, rng.standard_normal((6, n))))
    return found


@check("kitchen-sinks.norms", form="proved", name="the two norms of functions")
def infima(
    context: Context,
    *,
    least_sup: Norm = _infimum.least_sup,
    least_square: Norm = _infimum.least_square,
) -> Evidence:
    """Compare the infima of both norms over the representations of random functions."""
    ratio = max(least_square(*one) / least_sup(*one) for one in problems(context))
    return Evidence.bound_comparison(
        form="proved",
        claim=r"$\|f\|_H/\|f\|_\pi$, both infima over representations, largest of some functions",
        observed=ratio,
        interval=(ratio - _ROUNDING, ratio + _ROUNDING),
        upper=1.0,
        method="linear programs and least squares",
        plots=(_plot(context),),
    )


@check("kitchen-sinks.norms", form="proved", name="the norm of the kernel's space")
def kernel_space(context: Context, *, least_square: Norm = _infimum.least_square) -> Evidence:
    """Hold the infimum of the H norm against the kernel's own norm."""
    ratios = [least_square(*one) / _infimum.kernel_norm(*one) for one in problems(context)]
    ratio = max(ratios, key=lambda one: abs(one - 1))
    return Evidence.exact_comparison(
        form="proved",
        claim=(
            r"the least $(\int\alpha^2/\pi)^{1/2}$ over $(f^\top k^{-1}f)^{1/2}$, "
            "farthest from 1 of some functions"
        ),
        observed=ratio,
        exact=1.0,
        interval=(ratio - _ROUNDING, ratio + _ROUNDING),
        resolution=1e-6,
        method="least squares against a linear system",
    )


@check("kitchen-sinks.norms", form="proved", name="one bound on the weights")
def one_bound(context: Context, *, c: float = 1.0) -> Evidence:
    """Look for a function with weights of at most the density near one of the kernel's space."""
    found = _dense.seen_from(np.linspace(0.2, 3.0, 8), c)
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"for $C = 1$ no function of $|\alpha| \le C\pi$ is nearer to $xe^{-x^2/2}$, which has "
            r"norm 1 in $H$, than 0.3; what 8 points show of the distance"
        ),
        observed=found,
        # The density is a sum over 120 nodes.
        interval=(found - 1e-3, found + 1e-3),
        lower=0.3,
        method="least squares in a box",
    )


@check("kitchen-sinks.norms", form="proved", name="all bounds on the weights")
def all_bounds(context: Context, *, c: float = 6.0) -> Evidence:
    """Let the bound grow."""
    found = _dense.distance(c)
    return Evidence.bound_comparison(
        form="proved",
        claim=r"the distance of $xe^{-x^2/2}$ to the functions of $|\alpha| \le C\pi$ falls to 0: "
        "at $C = 6$",
        observed=found,
        interval=(0.999 * found, 1.001 * found),
        upper=1e-4,
        method="closed form, with its rounding",
    )


def _plot(context: Context) -> Plot:
    found = problems(context)
    sups = np.array([_infimum.least_sup(*one) for one in found])
    order = np.argsort(sups)

    def points(label: str, values: Any) -> Series:
        # With ends of length 0: exact values, not a cloud.
        y = np.asarray(values)[order]
        return Series(
            label=label, kind="points", x=np.arange(1, len(y) + 1), y=y, y_low=y, y_high=y
        )

    return Plot(
        title="Norms of random functions, and of the representations they were made from",
        x_label="function, by its norm in F_pi",
        y_label="norm",
        series=(
            points(
                "sup |alpha|/pi of the representation",
                [_infimum.of_the_representation(*one) for one in found],
            ),
            points("its minimum, the norm in F_pi", sups),
            points("the norm in H", [_infimum.least_square(*one) for one in found]),
        ),
        caption="A function's norm is the least over its representations, often far less than one.",
    )
