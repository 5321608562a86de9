"""Check how fast the correlation of two rows tends to 1 through infinitely wide maxout layers.

A unit is the largest of q projections; q is the pool size. A layer turns the correlation rho into
C(rho) = K_q(rho)/sigma^2(q), by the kernel K_q of maxout units and their mean square sigma^2(q) =
K_q(1). Bounds of 1 - C(rho) are checked for one layer, and their consequences for networks.
"""

import math
from collections.abc import Callable

import numpy as np

from mehler import DeepKernel, exact
from mehler.statements import Context, Evidence, check

from .._comparisons import Instance, compare_instances, compute

ERROR = 3e-13  # relative error of exact.maxout_kernel and exact.sigma2


def layer_gap(rho: float, q: int) -> float:
    """Return 1 - C(rho), with an error of at most `ERROR`."""
    return 1.0 - float(exact.maxout_kernel(rho, q)) / float(exact.sigma2(q))


def angle_after(theta: float, q: int, depth: int) -> float:
    """Return the angle after `depth` layers of two rows at angle theta, by the network's kernel."""
    rows = np.array([[1.0, 0.0], [math.cos(theta), math.sin(theta)]])
    k = DeepKernel("maxout", depth, pool_size=q, weight_variance=1 / exact.sigma2(q)).nngp(rows)
    return float(np.arccos(np.clip(k[0, 1] / math.sqrt(k[0, 0] * k[1, 1]), -1.0, 1.0)))


def gaps(
    q: int, depths: tuple[int, ...], weight_variance: float, bias_variance: float
) -> list[float]:
    """Return 1 less the correlation, after each depth, of two rows that were orthogonal."""
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
    """Return the promised lower bound: `most` times the chance that both rows' maxima agree."""
    return float(exact.collision_probability(rho, q)) * most(rho, q)


def angle_most(theta: float, depth: int) -> float:
    """Return the promised upper bound of the angle after so many layers of pools of two."""
    return 3 * math.pi / (depth + 3 * math.pi / theta)


@check("depth.alike", form="printed", name="one layer from above")
def above(context: Context, *, bound: Gap = most) -> Evidence:
    """Compare 1 - C(rho) with its upper bound."""
    instances = [
        Instance(f"q = {q}, rho = {rho:g}", _about(layer_gap(rho, q)), bound(rho, q))
        for q in _POOLS
        for rho in _RHO
    ]
    claim = r"$1 - C(\rho) \le (1 - \rho)/\sigma^2(q)$"
    return compare_instances(claim, *instances)


@check("depth.alike", form="printed", name="one layer from below")
def below(context: Context, *, bound: Gap = least) -> Evidence:
    """Compare 1 - C(rho) with its lower bound; both bounds make 1/sigma^2(q) the slope at 1."""
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
    """Compare the exponential rate of pools of three and more with networks of ten layers."""
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
    """Compare the polynomial rate of pools of two with networks, from three starting angles."""
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
    """Compare the rate with biases, the weight variance sigma_w^2, with that of the last layers."""
    w, q = 0.5, 4
    before, after = gaps(q, (17, 18), w, 1.0)
    ratio = after / before
    # Gaps are right to 1e-14; the next term of C is of the order of their root.
    rounding = 4e-14 / before + 3 * math.sqrt(before)
    claim = rf"$1 - \rho$ falls by $\sigma_w^2 = {w}$ a layer with biases, $q = {q}$"
    method = "computed, with a bound of the next term"
    return compute(claim, ratio, rounding, exact=slope(w), resolution=0.05, method=method)


def _about(value: float) -> tuple[float, float]:
    return value - ERROR, value + ERROR
