"""Expected kernels E a(u) a(v) of activations a, u, v Gaussian: closed forms, Mehler's series.

u and v have correlation rho and deviations s, t. `mehler.exact` is compared with other integrals.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import KitchenSinks, exact, verify
from mehler.statements import Context, Evidence, Plot, Series, check

from .._comparisons import compute, run_check
from .._plots import plot

_STEP, _REACH = 0.15, 9.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)


def by_angle(order: int, rho: float) -> float:
    """Integrate powers of the positive part: radius in closed form, angle by Gauss's rule.

    With (g, h) = r (cos t, sin t) the product is r^(2n) cos^n t cos^n(t - theta) where both are
    positive, E r^(2n) = 2^n n!, and t is uniform; n is `order`, theta = arccos rho.
    """
    theta = math.acos(rho)
    low, high = theta - math.pi / 2, math.pi / 2
    t = (low + high) / 2 + (high - low) / 2 * _NODES
    angular = (high - low) / 2 * float(_WEIGHTS @ (np.cos(t) * np.cos(t - theta)) ** order)
    return 2**order * math.factorial(order) * angular / (2 * math.pi)


def by_trapezoid(a: Callable[[Any], Any], rho: float, s: float, t: float) -> float:
    """Integrate smooth functions by the trapezoidal rule in the plane.

    For functions that are analytic in a strip of half-width c its error is e^(-2 pi c/h): below
    1e-14 for tanh(3 g), whose strip is pi/6 wide, at h = 0.1, and for all others here.
    """
    step = min(_STEP, 0.3 / max(s, t, 1.0))
    g = np.arange(-_REACH, _REACH + step / 2, step)
    density = step * np.exp(-0.5 * g * g) / math.sqrt(2 * math.pi)
    v = rho * g[:, None] + math.sqrt(max(0.0, 1 - rho * rho)) * g
    return float((density * a(s * g)) @ a(t * v) @ density)


def absolute(rho: float) -> float:
    """Compute E |g| |g'|, which has a kink, by the area between two lines."""
    return 2 / math.pi * (math.sqrt(max(0.0, 1 - rho * rho)) + rho * math.asin(rho))


Kernel = Callable[..., Any]

_RHO = (-1.0, -0.8, -0.3, 0.0, 0.2, 0.5, 0.9, 0.999, 1.0)
# Closed forms to 64 roundings, references to a hundred: of the value at equal rows.
_ROUNDING = 1e-13
_D = 5


def _others() -> dict[str, Any]:
    from scipy.special import erf

    return {"erf": erf, "cos": np.cos, "sin": np.sin}


@check("kitchen-sinks.kernel", form="printed", name="closed forms")
def closed(context: Context, *, kernel: Kernel = exact.activation_kernel) -> Evidence:
    """Compare closed forms with integrals over the angle, or over the plane."""
    worst, n_values = 0.0, 0
    for rho in _RHO:
        for order, name in enumerate(("step", "relu", "relu2")):
            gap = kernel(name, rho, 0.5, 2.0) - by_angle(order, rho)
            worst = max(worst, abs(gap) / by_angle(order, 1.0))
            n_values += 1
        for name, function in _others().items():
            for s, t in ((1.0, 1.0), (0.5, 1.5)):
                gap = kernel(name, rho, s, t) - by_trapezoid(function, rho, s, t)
                worst = max(worst, abs(gap))
                n_values += 1
    claim = (
        "step, relu, relu2, erf, cos, sin: largest deviation of the closed form over the value "
        f"at equal rows, {n_values} correlations and lengths"
    )
    plots = (_plot(),)
    method = "Gauss-Legendre in the angle, trapezoidal rule in the plane"
    return compute(claim, worst, _ROUNDING, exact=0.0, method=method, plots=plots)


@check("kitchen-sinks.kernel", form="proved", name="the stated error")
def series(context: Context, *, error: Kernel = exact.activation_kernel_error) -> Evidence:
    """Compare the stated error of Mehler's series with its true error."""
    settings: list[tuple[Callable[[Any], Any], float, float, float, float]] = []
    for rho in _RHO:
        settings += [
            (np.tanh, rho, s, t, by_trapezoid(np.tanh, rho, s, t))
            for s, t in ((1.0, 1.0), (0.5, 3.0))
        ]
        settings.append((np.abs, rho, 1.0, 1.0, absolute(rho)))
    ratios = [
        abs(exact.activation_kernel(a, rho, s, t) - true) / (error(a, rho, s, t) + 1e-14)
        for a, rho, s, t, true in settings
    ]
    worst = float(max(ratios))
    claim = (
        "Mehler's series is off by at most the error that it states: largest share of it, for "
        "tanh and for the absolute value, at correlations from -1 to 1"
    )
    method = "trapezoidal rule in the plane; a closed form for the absolute value"
    return compute(claim, worst, 1e-9, upper=1.0, method=method)


@check("kitchen-sinks.kernel", form="proved", name="features of tanh")
def by_features(context: Context, *, draw: Callable[..., Any] = KitchenSinks.draw) -> Evidence:
    """Compare the kernel of tanh(<w, x> + b) with drawn features."""
    rows = context.rng("rows").standard_normal((3, _D)) / math.sqrt(_D)
    options: dict[str, Any] = {"activation": "tanh", "weight_scale": 1.5, "bias": 0.5}
    truth = KitchenSinks.draw(_D, 1, seed=0, **options)
    return run_check(
        context,
        verify.check_kernel,
        lambda seed: draw(_D, 2000, seed=seed, like=context.like(), **options),
        lambda x, y: truth.kernel(x, y),
        context.asarray(rows),
        label="tanh with a bias",
        resolution=(0.03, 0.005),
        seed=context.seed_for("measured"),
        claim=r"$E\tanh(\langle w,x\rangle+b)\tanh(\langle w,y\rangle+b)$ by Mehler's series, "
        r"$w \sim N(0, 2.25 I)$, $b \sim N(0, 1/4)$",
    )


def _plot() -> Plot:
    rho = np.linspace(-1.0, 1.0, 81)
    lines = []
    for name in ("step", "relu", "relu2", "erf", "tanh"):
        value = np.asarray(exact.activation_kernel(name, rho))
        lines.append(Series(label=name, x=rho, y=value / value[-1]))
    return plot(
        "Expected kernels of activations, over their value at equal rows",
        "correlation of the rows, of length 1",
        "kernel",
        *lines,
        caption="An odd activation has an odd kernel. Those of erf and tanh lie on each other.",
    )
