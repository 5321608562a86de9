"""Norms of functions f(x) = int alpha(w) phi(x; w) dw, for features phi at w of density pi.

That of F_pi is the least sup |alpha|/pi over all alpha that represent f, that of the kernel's space
H the least root of int alpha^2/pi. The kernel is E phi(x) phi(y), of cosines or sines below.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.statements import Context, Evidence, Plot, Series, check

from .._comparisons import compute
from .._plots import plot


def norm_pi(alpha: Any, density: Any) -> float:
    """Return sup |alpha|/density; infinity where alpha is not 0 and the density is."""
    return float(np.max(_ratios(np.abs(alpha), density), initial=0.0))


def norm_h(alpha: Any, density: Any, weights: Any = 1.0) -> float:
    """Return the root of the integral of alpha^2/density, by quadrature with weights."""
    values, w = np.abs(alpha), np.broadcast_to(weights, np.shape(alpha))
    support = (w > 0) & (values != 0)
    # In units of the largest value, and by hypot, which neither underflows nor overflows.
    largest = float(np.max(values[support], initial=0.0)) or 1.0
    ratios = _ratios(values[support] / largest, np.sqrt(density[support]))
    return largest * math.hypot(*(np.sqrt(w[support]) * ratios))


def _ratios(values: Any, divisors: Any) -> Any:
    """Divide, with 0 for 0/0 and infinity for what else is divided by 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(values == 0, 0.0, values / divisors)


# The norms of a function: infima over its representations, for finitely many features.


def of_the_representation(alpha: Any, density: Any, features: Any) -> float:
    """Compute the sup norm of the representation itself, whatever function it represents."""
    del features
    return norm_pi(alpha, density)


def least_sup(alpha: Any, density: Any, features: Any) -> float:
    """Compute the least sup norm over all alpha' with the same function, by a linear program.

    `alpha`, `density` (n,); `features` (p, n) at the p points that define functions.
    """
    from scipy.optimize import linprog

    n = len(alpha)
    # Unknown: beta = alpha'/density, and t >= |beta|.
    weighted = features * density
    solution = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=np.block([[np.eye(n), -np.ones((n, 1))], [-np.eye(n), -np.ones((n, 1))]]),
        b_ub=np.zeros(2 * n),
        A_eq=np.hstack([weighted, np.zeros((len(weighted), 1))]),
        b_eq=features @ alpha,
        bounds=[(None, None)] * n + [(0, None)],
        method="highs",
    )
    if not solution.success:
        raise ArithmeticError(f"the linear program was not solved: {solution.message}")
    return float(solution.fun)


def least_square(alpha: Any, density: Any, features: Any) -> float:
    """Compute the least H norm over all alpha' with the same function, by least squares."""
    root = np.sqrt(density)
    # alpha'/sqrt(density) of least length.
    gamma, *_ = np.linalg.lstsq(features * root, features @ alpha, rcond=None)
    return norm_h(gamma * root, density)


def kernel_norm(alpha: Any, density: Any, features: Any) -> float:
    """Compute the norm of the same function in the kernel's space, sqrt(f^T K^+ f)."""
    f = features @ alpha
    kernel = (features * density) @ features.T
    return float(np.sqrt(f @ np.linalg.solve(kernel, f)))


# A function of the kernel's space without bounded weights: x e^(-x^2/2), with sines.


def distance(c: float) -> float:
    """Compute (E (|w| - c)_+^2)^(1/2)."""
    from scipy.special import ndtr

    density = math.exp(-0.5 * c * c) / math.sqrt(2 * math.pi)
    # Cancellation: at c = 6 it is off by 1e-4 of itself.
    return math.sqrt(2 * ((1 + c * c) * float(ndtr(-c)) - c * density))


def distance_at_points(points: Any, c: float) -> float:
    """Compute the part of `distance` that values at some points show, by least squares in a box."""
    from scipy.optimize import lsq_linear

    w, mass = np.polynomial.hermite_e.hermegauss(120)
    support = mass > 1e-14 * mass.max()
    w, mass = w[support], mass[support] / mass.sum()
    features = np.sin(np.outer(points, w))
    kernel = (features * mass) @ features.T
    values, vectors = np.linalg.eigh(kernel)
    # Directions in which the kernel is rounding show nothing.
    positive = values > 1e-10 * values[-1]
    root = vectors[:, positive] / np.sqrt(values[positive])
    target = root.T @ (points * np.exp(-0.5 * points**2))
    solution = lsq_linear(root.T @ (features * mass), target, bounds=(-c, c), tol=1e-12)
    return math.sqrt(2 * float(solution.cost))


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
def zero(context: Context, *, norm: Norm = least_sup) -> Evidence:
    """Compute the norm of the function 0, from a representation whose weights are not 0."""
    alpha, density, features = circle()
    size = float(np.abs(features @ alpha).max())
    if size > 1e-14:
        raise ArithmeticError(f"the function is not 0 but up to {size:.3g}")
    least = norm(alpha, density, features)
    claim = r"the least $\sup|\alpha|/\pi$ over all that represent $f = 0$, as $\pi\cos 2b$ does"
    method = "a linear program over a grid of b"
    return compute(claim, least, _ROUNDING, exact=0.0, resolution=1e-6, method=method)


def ratio_of_kernels(scale: float) -> tuple[float, float]:
    """Return E phi phi' over e^{-z^2/2} for scale cos(w x + b), where it is farthest from 1."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    b = 2 * math.pi * np.arange(_ANGLES) / _ANGLES
    ratios = []
    for x, y in ((0.0, 0.0), (0.3, -0.4), (1.0, 0.2), (2.0, 1.0), (-1.0, 1.0)):
        products = np.cos(x * nodes[:, np.newaxis] + b) * np.cos(y * nodes[:, np.newaxis] + b)
        kernel = scale**2 * float(weights @ products.mean(axis=1))
        ratios.append((kernel / math.exp(-0.5 * (x - y) ** 2), x - y))
    return max(ratios, key=lambda pair: abs(pair[0] - 1))


@check("kitchen-sinks.norms", form="proved", name="the kernel of random cosines")
def cosines(context: Context, *, scale: float = math.sqrt(2)) -> Evidence:
    """Compare the kernel of sqrt(2) cos(w x + b) with the function whose transform is pi."""
    ratio, z = ratio_of_kernels(scale)
    claim = (
        r"$2E\cos(\omega x + b)\cos(\omega y + b)$ over $e^{-z^2/2}$ "
        f"(five pairs; farthest from 1 at $z = {z:g}$)"
    )
    method = "Gauss-Hermite quadrature in w, sums in b"
    return compute(claim, ratio, _ROUNDING, exact=1.0, resolution=1e-6, method=method)


def problems(context: Context) -> list[tuple[Any, Any, Any]]:
    """Return random representations over random densities and features."""
    rng = context.rng("representations")
    rows = []
    for _ in range(5 if context.quick else 100):
        n = int(rng.integers(10, 40))
        density = rng.dirichlet(np.ones(n))
        alpha = density * rng.standard_normal(n)
        rows.append((alpha, density, rng.standard_normal((6, n))))
    return rows


@check("kitchen-sinks.norms", form="proved", name="the two norms of functions")
def infima(
    context: Context, *, least_sup: Norm = least_sup, least_square: Norm = least_square
) -> Evidence:
    """Compare the infima of both norms over the representations of random functions."""
    ratio = max(least_square(*problem) / least_sup(*problem) for problem in problems(context))
    claim = r"$\|f\|_H/\|f\|_\pi$, both infima over representations, largest of some functions"
    plots = (_plot(context),)
    return compute(
        claim, ratio, _ROUNDING, upper=1.0, method="linear programs and least squares", plots=plots
    )


@check("kitchen-sinks.norms", form="proved", name="the norm of the kernel's space")
def kernel_space(context: Context, *, least_square: Norm = least_square) -> Evidence:
    """Compare the infimum of the H norm with the kernel's own norm."""
    ratios = [least_square(*problem) / kernel_norm(*problem) for problem in problems(context)]
    ratio = max(ratios, key=lambda ratio: abs(ratio - 1))
    claim = (
        r"the least $(\int\alpha^2/\pi)^{1/2}$ over $(f^\top k^{-1}f)^{1/2}$, "
        "farthest from 1 of some functions"
    )
    method = "least squares against a linear system"
    return compute(claim, ratio, _ROUNDING, exact=1.0, resolution=1e-6, method=method)


@check("kitchen-sinks.norms", form="proved", name="one bound on the weights")
def one_bound(context: Context, *, c: float = 1.0) -> Evidence:
    """Bound how near functions with weights of at most the density come to one of norm 1 in H."""
    nearest = distance_at_points(np.linspace(0.2, 3.0, 8), c)
    claim = (
        r"for $C = 1$ no function of $|\alpha| \le C\pi$ is nearer to $xe^{-x^2/2}$, which has "
        r"norm 1 in $H$, than 0.3; what 8 points show of the distance"
    )
    # The density is a sum over 120 nodes.
    return compute(claim, nearest, 1e-3, lower=0.3, method="least squares in a box")


@check("kitchen-sinks.norms", form="proved", name="all bounds on the weights")
def all_bounds(context: Context, *, c: float = 6.0) -> Evidence:
    """Compute the distance where weights may be 6 times the density."""
    claim = (
        r"the distance of $xe^{-x^2/2}$ to the functions of $|\alpha| \le C\pi$ falls to 0: "
        "at $C = 6$"
    )
    method = "closed form, with its rounding"
    return compute(claim, distance(c), 1e-3, relative=True, upper=1e-4, method=method)


def _plot(context: Context) -> Plot:
    rows = problems(context)
    sups = np.array([least_sup(*problem) for problem in rows])
    order = np.argsort(sups)

    def points(label: str, values: Any) -> Series:
        # With ends of length 0: exact values, not a cloud.
        y = np.asarray(values)[order]
        return Series(
            label=label, kind="points", x=np.arange(1, len(y) + 1), y=y, y_low=y, y_high=y
        )

    return plot(
        "Norms of random functions, and of the representations they were made from",
        "function, by its norm in F_π",
        "norm",
        points("sup |α|/π of the representation", [of_the_representation(*row) for row in rows]),
        points("its minimum, the norm in F_π", sups),
        points("the norm in H", [least_square(*problem) for problem in rows]),
        caption="A function's norm is the least over its representations, often far less than one.",
    )
