"""Check the critical weight variance, at which maxout layers keep the mean square of a row's units.

It is 1/sigma^2(q), where sigma^2(q) = E M^2 and M is the largest of q standard normals, as a unit
is of q projections. Checked are its digits, two moments of the mean square in drawn networks, and
the factor by which a layer changes squared gradients.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate, special

from mehler import DeepFeatures, DeepKernel, exact, verify
from mehler.features.deep import critical_weight_variance
from mehler.statements import Context, Evidence, check

from .._comparisons import compute, run_check


def mean_square(q: int, width: int, depth: int, weight_variance: float) -> float:
    """Return the mean squared length of a unit's gradient in the row, where all widths are equal.

    The component along the row has the mean square of the signal, by homogeneity. Those across it
    have the mean square `across`, which follows a recursion over layers.
    """
    across = along = 1.0
    for _ in range(depth):
        across = weight_variance * ((1.0 - 1.0 / width) * across + along / width)
        along *= weight_variance * exact.sigma2(q)
    return (1.0 - 1.0 / width) * across + along / width


def squared_gradients(
    rng: np.random.Generator, n: int, q: int, width: int, depth: int, weight_variance: float
) -> Any:
    """Draw n networks, and return the mean squared length of their units' gradients, (n,)."""
    h = np.tile(rng.standard_normal(width), (n, 1))
    jacobian = np.tile(np.eye(width), (n, 1, 1))
    for _ in range(depth):
        layer = rng.standard_normal((n, q, width, width)) * (weight_variance / width) ** 0.5
        projections = np.einsum("nquw,nw->nqu", layer, h)
        largest = projections.argmax(axis=1)[:, None]
        h = np.take_along_axis(projections, largest, axis=1)[:, 0]
        jacobian = np.take_along_axis(layer, largest[..., None], axis=1)[:, 0] @ jacobian
    return np.sum(jacobian**2, axis=(1, 2)) / width


_ROW = np.array([[0.6, -1.1, 0.4]])
Draw = Callable[..., Any]


def relative_variance(q: int, width: int, depth: int) -> float:
    """Return the promised relative variance of the mean square after so many layers."""
    fourth = exact.max_moment(4, q) / exact.sigma2(q) ** 2
    return float((1.0 + (fourth - 1.0) / width) ** depth - 1.0)


def fourth_power(q: int, width: int) -> float:
    """Return E of the fourth power of a layer's mean square over that of the layer before."""
    second = exact.sigma2(q)
    first, square, three, four = (exact.max_moment(2 * k, q) / second**k for k in (1, 2, 3, 4))
    pairs = width * (width - 1)  # ordered choices of distinct units
    triples = pairs * (width - 2)
    total = (
        width * four
        + pairs * (4 * three * first + 3 * square**2)
        + triples * 6 * square * first**2
        + triples * (width - 3) * first**4
    )
    return float(total / width**4)


@check("depth.critical-variance", form="printed", name="digits of the variance")
def digits(
    context: Context, *, value: Callable[[int], float] = critical_weight_variance
) -> Evidence:
    """Compare ten digits of the variance with the integral of x^2 over the law of M."""

    def second(q: int) -> float:
        def density(x: float) -> float:
            weight = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
            return x * x * q * weight * float(special.ndtr(x)) ** (q - 1)

        halves = [
            integrate.quad(density, *ends, epsabs=1e-14, limit=200) for ends in ((-12, 2), (2, 12))
        ]
        return float(sum(half[0] for half in halves))

    pools = (1, 2, 3, 5, 16, 64) if context.quick else range(1, 65)
    gaps = {q: value(q) * second(q) - 1.0 for q in pools}
    q = max(gaps, key=lambda q: abs(gaps[q]))
    claim = rf"$\sigma_w^2\,\sigma^2(q) = 1$, by quadrature (largest difference at $q = {q}$)"
    return compute(claim, gaps[q], 1e-11, exact=0.0, resolution=1e-10, method="adaptive quadrature")


@check("depth.critical-variance", form="printed", name="mean squares are kept")
def preserved(
    context: Context,
    *,
    value: Callable[[int], float] = critical_weight_variance,
    draw: Draw = DeepFeatures.draw,
) -> Evidence:
    """Measure the mean square of a row in narrow networks, where it is promised exactly."""
    q, widths = 4, (12, 12, 12)
    w = value(q)
    scale = float(np.sum(_ROW**2)) / 3

    options: Any = {"pool_size": q, "weight_variance": w, "dtype": "float64"}
    options |= {"activation": "maxout", "like": context.like()}

    def claimed(x: Any, y: Any = None) -> Any:
        # The read-out's variance times the mean square, which no layer changes.
        return np.full((len(x), len(x if y is None else y)), w * scale)

    def spread(x: Any, y: Any) -> Any:
        return 1.1 * widths[-1] * relative_variance(q, widths[0], 3) * claimed(x, y) ** 2

    return run_check(
        context,
        verify.check_kernel,
        lambda seed: draw(3, widths, seed=seed, **options),
        claimed,
        context.asarray(_ROW),
        variance=spread,
        label="kept",
        # A lost factor of 2 in one layer's variance doubles or halves the kernel.
        resolution=(0.3, 0.1),
        claim=f"the mean square after three layers of {widths[0]} units is that of the row",
    )


@check("depth.critical-variance", form="printed", name="their second moment", pays=True)
def varies(
    context: Context, *, claimed: Callable[[int, int, int], float] = relative_variance
) -> Evidence:
    """Measure the second moment of the mean square in networks of three layers of 8 units."""
    q, width, depth, n = 4, 8, 3, 24_000 if context.quick else 400_000
    rng, rows = context.rng("networks"), []
    for _ in range(n // 4000):
        h = np.ones((4000, width))
        for _ in range(depth):
            weights = rng.standard_normal((4000, q, width, width))
            h = np.einsum("rquw,rw->rqu", weights, h / width**0.5).max(axis=1)
            h /= exact.sigma2(q) ** 0.5
        rows.append((h**2).mean(axis=1) ** 2)
    squares = np.concatenate(rows)
    most = 1.1 * fourth_power(q, width) ** depth
    low, high = verify.intervals.known_variance(squares, most, context.false_alarm)
    promised = 1.0 + claimed(q, width, depth)
    return Evidence.from_interval(
        claim=f"the second moment of the mean square after {depth} layers of {width} units",
        observed=float(np.clip(squares.mean(), low, high)),
        exact=promised,
        interval=(low, high),
        n_features=n * width,
        false_alarm=context.false_alarm,
        resolution=high - low,
        method=f"Catoni's interval of {n} networks",
        assumptions=("networks are independent", "a variance of at most 1.1 times the computed"),
    )


@check("depth.critical-variance", form="printed", name="gradients in the tangent kernel")
def gradients(
    context: Context, *, factor: Callable[[int], float] = lambda q: 1 / exact.sigma2(q)
) -> Evidence:
    """Compare a layer's factor of squared gradients with the diagonal of the tangent kernel."""
    row = np.array([[1.0, 0.0]])
    worst, at = 0.0, 0
    for q in (1, 2, 4, 16):
        w = critical_weight_variance(q)
        # Without biases Theta_L = sum over layers of w (|x|^2/d) times factors of those above it.
        norms = [
            float(DeepKernel("maxout", depth, pool_size=q, weight_variance=w).ntk(row)[0, 0])
            for depth in (1, 2, 3)
        ]
        promised = [0.5 * w * sum(factor(q) ** k for k in range(n + 1)) for n in (1, 2, 3)]
        gap = max(abs(a / b - 1.0) for a, b in zip(norms, promised, strict=True))
        if gap >= worst:
            worst, at = gap, q
    claim = rf"gradients shrink by $1/\sigma^2(q)$ a layer (largest difference at $q = {at}$)"
    return compute(
        claim, worst, 1e-11, exact=0.0, resolution=1e-10, method="float64 with its error bound"
    )


@check("depth.critical-variance", form="printed", name="gradients of networks")
def gradients_of_networks(
    context: Context, *, claimed: Callable[[int, int, int, float], float] = mean_square
) -> Evidence:
    """Measure squared gradients of narrow networks, where the formula depends on the width."""
    q, width, depth, n = 4, 4, 3, 30_000 if context.quick else 150_000
    w = critical_weight_variance(q)
    verdict = verify.check_mean(
        squared_gradients(context.rng("gradients"), n, q, width, depth, w),
        claimed(q, width, depth, w),
        false_alarm=context.false_alarm,
        # A lost factor of 2 in one layer's variance doubles or halves it.
        resolution=(0.3 if context.quick else 0.1) * mean_square(q, width, depth, w),
        ledger=context.ledger,
        name=f"{context.statement}: gradients",
    )
    return Evidence.from_verdict(
        verdict, claim=f"squares of gradients in the row, through {depth} layers of {width} units"
    )
