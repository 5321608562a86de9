"""Bounds of the energy distance of two orbits {g x}, {g z} by their least distance |x - g z|.

The energy distance, kept by the features of Mroueh, Voinea and Poggio (2015), is 2 D(x, z) - D(x,
x) - D(z, z), with D(x, z) the mean of |x - g z| over a group's elements g. Our bounds are compared
with closed forms and with sums over finite groups. An instance pairs the lower bound with the exact
value, or the exact value with the upper bound.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler.bounds import Bound, Term
from mehler.bounds.lower import LowerBound
from mehler.features import groups
from mehler.statements import Context, Evidence, check

from ..._comparisons import Bounding, Instance, compare_instances, compute
from .rotations import circle

_STATEMENT = "group-invariant.energy-quotient"
_CLAIM = "energy distance of two orbits"
# Sums of distances of order 1, and their differences.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Pair:
    """Two orbits: their energy and least distances, and the arguments of their bounds.

    `share` is the fraction of elements that leave a row alone. `moves` are the distances by which
    elements move the point half way between nearest points.
    """

    name: str
    energy: float
    distance: float
    share: float
    moves: tuple[float, ...]


def fixed_points(distance: float = 3.0) -> Pair:
    return Pair("fixed points", 2 * distance, distance, 1.0, (0.0,))


def mirror(across: float, distance: float = 1.0) -> Pair:
    """Orbits of (a, 0) and (a, delta): a is `across`, mirrored in sign, and delta is `distance`."""
    far = math.hypot(2 * across, distance)
    energy = distance + distance**2 / (far + 2 * across)
    return Pair(f"mirror, a = {across:g}", energy, distance, 0.5, (0.0, 2 * across))


def simplices(n: int) -> Pair:
    """Orthogonal regular simplices of n points, and all shifts of both together.

    The energy distance is sqrt(2) times 2 - 2 sqrt(1 - 1/n).
    """
    root = math.sqrt(1 - 1 / n)
    moves = (0.0, *[math.sqrt(1 / (1 - 1 / n))] * (n - 1))
    return Pair(f"simplices of {n}", math.sqrt(2) * (2 / n) / (1 + root), 2**0.5, 1 / n, moves)


def cubes(d: int) -> Pair:
    """The vertices of a cube with an even, and with an odd number of signs, and even flips.

    The energy distance is 2^(2 - d) times the sum of 2 (-1)^(k+1) C(d, k) sqrt(k).
    """
    sums = math.fsum((-1) ** (k + 1) * math.comb(d, k) * math.sqrt(k) for k in range(d + 1))
    # The middle of an edge has a coordinate of 0; k of the other d - 1 change, in either case.
    moves = tuple(2 * math.sqrt(k) for k in range(d) for _ in range(math.comb(d - 1, k)))
    return Pair(f"cube in {d} dimensions", 2.0 ** (3 - d) * sums, 2.0, 2.0 ** (1 - d), moves)


def far_simplices(n: int, size: float) -> tuple[Pair, float]:
    """Small simplices in orthogonal spaces whose centres are fixed, 1 apart; how far rows move."""
    distance = math.hypot(1.0, math.sqrt(2) * size)
    move = math.sqrt(2) * size * math.sqrt(n / (n - 1))
    # The middle has half of both.
    moves = (0.0, *[move / math.sqrt(2)] * (n - 1))
    energy = 2 * distance - 2 * (1 - 1 / n) * move
    return Pair(f"simplices of {n} apart", energy, distance, 1 / n, moves), move


def finite(quick: bool) -> Iterator[Pair]:
    """Yield pairs of finite orbits in closed form."""
    yield fixed_points()
    yield from map(mirror, (0.01, 1.0, 30.0))
    yield from map(simplices, (2, 3, 10, 10**4))
    yield from map(cubes, (3, 4, 8) if quick else range(3, 14))


def draw_pairs(
    group: Any, rng: np.random.Generator, n_pairs: int, *, near: float
) -> Iterator[Pair]:
    """Draw rows x and z = x + `near` times noise; yield their orbits, by sums over the group."""
    for _ in range(n_pairs):
        x, step = rng.standard_normal((2, group.n_inputs))
        z = x + near * step
        orbits = [np.asarray(group.apply(row[None])).reshape(-1, x.size) for row in (x, z)]
        far = np.linalg.norm(x - orbits[1], axis=1)
        half = (x + orbits[1][far.argmin()]) / 2
        orbit = np.asarray(group.apply(half[None])).reshape(-1, x.size)
        within = [np.linalg.norm(rows - rows[0], axis=1).mean() for rows in orbits]
        yield Pair(
            f"{group!r}, {near:g} apart",
            2 * float(far.mean()) - float(sum(within)),
            float(far.min()),
            1 / len(far),
            tuple(np.linalg.norm(half - orbit, axis=1)),
        )


def least_energy(distance: Any, *, share: Any, radius: Any = 0.0) -> LowerBound:
    """Bound the energy distance from below; a `share` of elements move a row by <= `radius`."""
    from scipy.special import erfcx

    far, near, p = np.asarray(distance, dtype=float), np.asarray(radius, dtype=float), share
    if np.any(near >= far):
        raise ValueError(f"radius={radius} must be below distance={distance}")
    # (delta - r)(delta + r), as squares would under- and overflow.
    start = np.sqrt(-np.log(p) / ((1 - near / far) * (1 + near / far)))
    # erfc(x) = exp(-x^2) erfcx(x), and p exp(-s^2 r^2) = exp(-s^2 delta^2): where both products
    # are small their difference keeps its sign, as x erfcx(x) increases.
    value = 2 * np.exp(-start * start) * (far * erfcx(start) - near * erfcx(start * near / far))
    return LowerBound(terms=(Term("orbits", np.maximum(value, 0.0)),), statement=_STATEMENT)


def largest_energy(distance: Any, *, moves: Any = (0.0,)) -> Bound:
    """Bound it from above, by how far the elements move the point half way, `moves`."""
    lengths, far = np.asarray(moves, dtype=float), np.asarray(distance, dtype=float)[..., None]
    if lengths.ndim != 1 or lengths.size == 0:
        raise ValueError("moves must be lengths, one for each element, (n,)")
    # The difference of the root and m, without cancellation.
    gaps = np.where(far > 0, far / (np.hypot(lengths, far) + lengths) * far, 0.0)
    return Bound(terms=(Term("elements", 2 * gaps.mean(axis=-1)),), statement=_STATEMENT)


def circles(radius: float) -> float:
    """Return the energy distance of concentric circles of radius 1 and another."""
    return 2 * circle(radius) - 4 / math.pi * (1 + radius)


@check("group-invariant.energy-quotient", form="printed", name="lower bound, closed forms")
def below(context: Context, *, bound: Bounding = least_energy) -> Evidence:
    """Compare the lower bound with orbits in closed form, and with circles."""
    instances = [
        Instance(pair.name, _ends(bound(pair.distance, share=pair.share).value), pair.energy)
        for pair in finite(context.quick)
    ]
    pair, move = far_simplices(10**4, 0.01)
    # All elements move a row by no more.
    value = bound(pair.distance, share=1.0, radius=move).value
    instances.append(Instance(pair.name, _ends(value), pair.energy))
    for gap in (1e-3, 0.1, 1.0):
        for part in (0.1, 0.5, 0.9):
            # A turn moves a point of a circle of radius R by 2 R sin(angle/2).
            near = gap * part / 2
            share = (math.asin(near) + math.asin(near / (1 + gap))) / math.pi
            value = bound(gap, share=share, radius=gap * part).value
            instances.append(Instance(f"circles, {gap:g} apart", _ends(value), circles(1 + gap)))
    return compare_instances(f"{_CLAIM}, lower bound over exact", *instances)


@check("group-invariant.energy-quotient", form="printed", name="upper bound, closed forms")
def above(context: Context, *, bound: Bounding = largest_energy) -> Evidence:
    """Compare the upper bound with orbits in closed form."""
    instances = [
        Instance(pair.name, _ends(pair.energy), bound(pair.distance, moves=pair.moves).value)
        for pair in (*finite(context.quick), far_simplices(10**4, 0.01)[0])
    ]
    return compare_instances(f"{_CLAIM}, exact over upper bound", *instances)


@check("group-invariant.energy-quotient", form="printed", name="drawn rows")
def over_pairs(
    context: Context,
    *,
    least: Bounding = least_energy,
    most: Bounding = largest_energy,
) -> Evidence:
    """Compare both bounds with the definition, for drawn rows and finite groups."""
    rng, instances = context.rng("rows"), []
    for group in (groups.CyclicShifts(6), groups.Dihedral(5), groups.SignFlips(3)):
        for near in (1e-3, 0.1, 1.0):
            for pair in draw_pairs(group, rng, 20 if context.quick else 400, near=near):
                low = least(pair.distance, share=pair.share).value
                high = most(pair.distance, moves=pair.moves).value
                instances.append(Instance(pair.name, _ends(low), pair.energy))
                instances.append(Instance(pair.name, _ends(pair.energy), high))
    return compare_instances(f"{_CLAIM}, either bound", *instances)


def of_circles(gap: float) -> float:
    """Return the bound of the energy distance of circles of radius 1 and 1 + gap."""
    return gap**2 / 2 * (0.5 + math.asinh(2 / gap))


@check("group-invariant.energy-quotient", form="proved", name="circles")
def endless(context: Context, *, bound: Callable[[float], float] = of_circles) -> Evidence:
    """Compare the bound of second order for circles, where no linear one is true."""
    instances = [
        Instance(f"circles, {gap:g} apart", _ends(circles(1 + gap)), bound(gap))
        for gap in (1e-5, 1e-3, 0.1, 1.0, 100.0)
    ]
    return compare_instances(f"{_CLAIM}, circles", *instances)


@check("group-invariant.energy-quotient", form="proved", name="near circles")
def vanishes(context: Context, *, gap: float = 1e-5) -> Evidence:
    """Compute the energy distance of near circles over their distance."""
    claim = "energy distance over distance of near circles: no factor is below all of them"
    method = "computed: an elliptic integral"
    ratio = circles(1 + gap) / gap
    return compute(claim, ratio, 1e-9, upper=1e-3, method=method)


def _ends(value: Any) -> tuple[float, float]:
    value = float(value) - ROUNDING
    return value, value
