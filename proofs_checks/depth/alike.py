"""Correlations of maxout layers tend to 1 with depth: fixed point and rate."""

import math
from collections.abc import Callable

import numpy as np

from mehler import DeepKernel, exact
from mehler.statements import Context, Evidence, check

from .._comparisons import Instance, compare_instances, compute

# q: pool size; rho: correlation of two rows; C(rho): that after a layer, of maxout kernel K_q.

# Of exact.maxout_kernel and exact.sigma2, relative.
ERROR = 3e-13


def layer_gap(rho: float, q: int) -> float:
    """Return 1 - C(rho) = 1 - K_q(rho)/sigma^2(q), with sigma^2(q) = K_q(1), to `ERROR`."""
    return 1.0 - float(exact.maxout_kernel(rho, q)) / float(exact.sigma2(q))


def angle_after(theta: float, q: int, depth: int) -> float:
    """Return the angle of two rows after so many layers, from the covariances of the network."""
    rows = np.array([[1.0, 0.0], [math.cos(theta), math.sin(theta)]])
    k = DeepKernel("maxout", depth, pool_size=q, weight_variance=1 / exact.sigma2(q)).nngp(rows)
    return float(np.arccos(np.clip(k[0, 1] / math.sqrt(k[0, 0] * k[1, 1]), -1.0, 1.0)))


def gaps(
    q: int, depths: tuple[int, ...], weight_variance: float, bias_variance: float
) -> list[float]:
    """Return 1 - rho of two orthogonal rows after each depth."""
    distances = []
    for depth in depths:
        network = DeepKernel(
            "maxout",
            depth,
            pool_size=q,
            weight_variance=weight_variance,
            bias_variance=bias_variance,
        )
        k = network.nngp(np.eye(2))
        distances.append(1.0 - float(k[0, 1] / k[0, 0]))
    return distances


_POOLS = (2, 3, 4, 16, 64, 1024)
_RHO = (-1.0, -0.6, 0.0, 0.4, 0.9, 0.999)
Gap = Callable[[float, int], float]


def most(rho: float, q: int) -> float:
    """Return the promised upper bound of 1 - C(rho)."""
    return (1.0 - rho) / float(exact.sigma2(q))


def least(rho: float, q: int) -> float:
    """Return the promised lower bound: kappa_q(rho), the chance of equal winners, times `most`."""
    return float(exact.collision_probability(rho, q)) * most(rho, q)


def angle_most(theta: float, depth: int) -> float:
    """Return the promised upper bound of the angle after so many layers of pools of two."""
    return 3 * math.pi / (depth + 3 * math.pi / theta)


@check("depth.alike", form="printed", name="one layer from above")
def above(context: Context, *, bound: Gap = most) -> Evidence:
    """Hold one layer's 1 - C against (1 - rho)/sigma^2."""
    instances = [
        Instance(f"q = {q}, rho = {rho:g}", _about(layer_gap(rho, q)), bound(rho, q))
        for q in _POOLS
        for rho in _RHO
    ]
    claim = r"$1 - C(\rho) \le (1 - \rho)/\sigma^2(q)$"
    return compare_instances(claim, *instances)


@check("depth.alike", form="printed", name="one layer from below")
def below(context: Context, *, bound: Gap = least) -> Evidence:
    """Hold the lower bound, which with the upper one makes 1/sigma^2 the slope at 1."""
    instances = [
        Instance(f"q = {q}, rho = {rho:g}", (value, value), layer_gap(rho, q) + ERROR)
        for q in _POOLS
        for rho in _RHO
        if (value := bound(rho, q)) > 0
    ]
    claim = r"$1 - C(\rho) \ge \kappa_q(\rho)(1 - \rho)/\sigma^2(q)$"
    return compare_instances(claim, *instances)


@check("depth.alike", form="printed", name="ten layers")
def deep(
    context: Context, *, rate: Callable[[int], float] = lambda q: 1 / exact.sigma2(q)
) -> Evidence:
    """Hold the exponential rate against networks of up to ten layers."""
    instances = []
    for q in (3, 4, 16):
        depths = tuple(range(1, 11))
        angles = [1.0, *gaps(q, depths, 1.0, 0.0)]
        instances += [
            Instance(f"q = {q}, layer {k}", _about(angles[k]), rate(q) * angles[k - 1])
            for k in depths
        ]
    claim = r"$1 - \rho_{l+1} \le (1 - \rho_l)/\sigma^2(q)$ in networks"
    return compare_instances(claim, *instances)


@check("depth.alike", form="printed", name="a thousand layers of pools of two")
def pools_of_two(
    context: Context, *, bound: Callable[[float, int], float] = angle_most
) -> Evidence:
    """Hold the polynomial rate of pools of two, from three starts."""
    instances = []
    for theta in (0.02, math.pi / 2, math.pi):
        for depth in (1, 10, 1000) if context.quick else (1, 10, 100, 1000, 10_000):
            angle = angle_after(theta, 2, depth)
            # 1 - rho is good to 1e-14.
            slack = 2e-14 / angle
            name = f"angle {theta:.3g}, {depth} layers"
            instances.append(Instance(name, (angle - slack, angle + slack), bound(theta, depth)))
    claim = r"$\theta_l \le 3\pi/(l + 3\pi/\theta_0)$ for $q = 2$"
    return compare_instances(claim, *instances)


@check("depth.alike", form="printed", name="the slope with biases")
def with_biases(context: Context, *, slope: Callable[[float], float] = lambda w: w) -> Evidence:
    """Hold the slope at 1 with biases, the weight variance sigma_w^2, against the last layers."""
    w, q = 0.5, 4
    before, after = gaps(q, (17, 18), w, 1.0)
    ratio = after / before
    # Gaps lose 1e-14; the next term of the map is of the order of their root.
    rounding = 4e-14 / before + 3 * math.sqrt(before)
    claim = rf"$1 - \rho$ falls by $\sigma_w^2 = {w}$ a layer with biases, $q = {q}$"
    method = "computed, with a bound of the next term"
    return compute(claim, ratio, rounding, exact=slope(w), resolution=0.05, method=method)


def _about(value: float) -> tuple[float, float]:
    return value - ERROR, value + ERROR
