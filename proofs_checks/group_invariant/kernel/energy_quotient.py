"""The energy distance of orbits between multiples of their least distance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mehler.bounds import Bound, group_invariant, lower
from mehler.features import groups
from mehler.statements import Context, Evidence, check

from ..._worlds import World, hold_worlds
from . import _orbit_pairs as pairs

Bounding = Callable[..., Bound]
_CLAIM = "energy distance of two orbits"


@check("group-invariant.energy-quotient", form="printed", name="lower bound, closed forms")
def below(context: Context, *, bound: Bounding = lower.energy_distance) -> Evidence:
    """Hold the lower bound for orbits in closed form and for circles."""
    worlds = [
        World(one.name, _ends(bound(one.distance, share=one.share).value), one.energy)
        for one in pairs.finite(context.quick)
    ]
    one, moved = pairs.far_simplices(10**4, 0.01)
    # All elements move a row by no more.
    value = bound(one.distance, share=1.0, radius=moved).value
    worlds.append(World(one.name, _ends(value), one.energy))
    for gap in (1e-3, 0.1, 1.0):
        for part in (0.1, 0.5, 0.9):
            # A turn moves a point of a circle of radius R by 2 R sin(angle/2).
            near = gap * part / 2
            share = (math.asin(near) + math.asin(near / (1 + gap))) / math.pi
            value = bound(gap, share=share, radius=gap * part).value
            worlds.append(World(f"circles, {gap:g} apart", _ends(value), pairs.circles(1 + gap)))
    return hold_worlds(worlds, form="printed", claim=f"{_CLAIM}, lower bound over exact")


@check("group-invariant.energy-quotient", form="printed", name="upper bound, closed forms")
def above(context: Context, *, bound: Bounding = group_invariant.energy_distance) -> Evidence:
    """Hold the upper bound for orbits in closed form."""
    worlds = [
        World(one.name, _ends(one.energy), bound(one.distance, moves=one.moves).value)
        for one in (*pairs.finite(context.quick), pairs.far_simplices(10**4, 0.01)[0])
    ]
    return hold_worlds(worlds, form="printed", claim=f"{_CLAIM}, exact over upper bound")


@check("group-invariant.energy-quotient", form="printed", name="drawn rows")
def drawn(
    context: Context,
    *,
    least: Bounding = lower.energy_distance,
    most: Bounding = group_invariant.energy_distance,
) -> Evidence:
    """Hold both bounds for drawn rows and finite groups, by the definition."""
    rng, worlds = context.rng("rows"), []
    for group in (groups.CyclicShifts(6), groups.Dihedral(5), groups.SignFlips(3)):
        for near in (1e-3, 0.1, 1.0):
            for one in pairs.drawn(group, rng, 20 if context.quick else 400, near=near):
                low = least(one.distance, share=one.share).value
                high = most(one.distance, moves=one.moves).value
                worlds.append(World(one.name, _ends(low), one.energy))
                worlds.append(World(one.name, _ends(one.energy), high))
    return hold_worlds(worlds, form="printed", claim=f"{_CLAIM}, either bound")


def of_circles(gap: float) -> float:
    """Return the bound of the energy distance of circles of radius 1 and 1 + gap."""
    return gap**2 / 2 * (0.5 + math.asinh(2 / gap))


@check("group-invariant.energy-quotient", form="proved", name="circles")
def endless(context: Context, *, bound: Callable[[float], float] = of_circles) -> Evidence:
    """Hold the bound of the second order for circles, where no linear one is true."""
    worlds = [
        World(f"circles, {gap:g} apart", _ends(pairs.circles(1 + gap)), bound(gap))
        for gap in (1e-5, 1e-3, 0.1, 1.0, 100.0)
    ]
    return hold_worlds(worlds, form="proved", claim=f"{_CLAIM}, circles")


@check("group-invariant.energy-quotient", form="proved", name="near circles")
def vanishes(context: Context, *, gap: float = 1e-5) -> Evidence:
    """Compute the energy distance of near circles over their distance."""
    ratio = pairs.circles(1 + gap) / gap
    return Evidence.bound_comparison(
        form="proved",
        claim="energy distance over distance of near circles: no factor is below all of them",
        observed=ratio,
        interval=(ratio - 1e-9, ratio + 1e-9),
        upper=1e-3,
        method="computed: an elliptic integral",
    )


def _ends(value: Any) -> tuple[float, float]:
    value = float(value) - pairs.ROUNDING
    return value, value
