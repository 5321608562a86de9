"""The energy distance of orbits between multiples of their least distance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mehler.bounds import Bound, group_invariant, lower
from mehler.features import groups
from mehler.statements import Check, Context, Evidence, Statement

from ..._dedent import prose
from ..._worlds import World, hold_worlds
from . import _orbit_pairs as pairs

Bounding = Callable[..., Bound]
_CLAIM = "energy distance of two orbits"


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


def above(context: Context, *, bound: Bounding = group_invariant.energy_distance) -> Evidence:
    """Hold the upper bound for orbits in closed form."""
    worlds = [
        World(one.name, _ends(one.energy), bound(one.distance, moves=one.moves).value)
        for one in (*pairs.finite(context.quick), pairs.far_simplices(10**4, 0.01)[0])
    ]
    return hold_worlds(worlds, form="printed", claim=f"{_CLAIM}, exact over upper bound")


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


def endless(context: Context, *, bound: Callable[[float], float] = of_circles) -> Evidence:
    """Hold the bound of the second order for circles, where no linear one is true."""
    worlds = [
        World(f"circles, {gap:g} apart", _ends(pairs.circles(1 + gap)), bound(gap))
        for gap in (1e-5, 1e-3, 0.1, 1.0, 100.0)
    ]
    return hold_worlds(worlds, form="proved", claim=f"{_CLAIM}, circles")


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


STATEMENT = Statement(
    id="group-invariant.energy-quotient",
    source="Ours, for the distance that features of Mroueh, Voinea, Poggio (2015) keep",
    place="Ours; the paper has a mean distance of orbits and no comparison with the least one",
    copy="none",
    hypotheses=prose(r"""
        A compact group of orthogonal maps, finite for the lower bound; $D(x, z) = \mathbb{E}_g|x -
        gz|$, $\mathcal E(x, z) = 2D(x, z) - D(x, x) - D(z, z)$.
        """),
    title="The energy distance of orbits and their least distance",
    expected="holds",
    ground=prose(r"""
        Simplices, cubes, mirrors and circles in closed form, and drawn rows under shifts, dihedral
        groups and sign flips.
        """),
    printed=(
        r"2\,\mathrm{erfc}\left(\sqrt{\log\nu}\right)\delta \le \mathcal E(x, z) \le "
        r"2\,\mathbb{E}_g\left(\sqrt{m_g^2 + \delta^2} - m_g\right) \le 2\delta, \quad "
        r"\delta = \min_g|x - gz|"
    ),
    printed_text=prose(r"""
        $\nu$ is the harmonic mean of the sizes of both orbits, at most the order of the group;
        $m_g$ is how far $g$ moves the point half way between nearest points of the orbits.
        """),
    proved=(
        r"\mathcal E \le \frac{\delta^2}2\left(\frac12 + \mathrm{arsinh}\frac2\delta\right), \quad "
        r"\mathcal E \ge 2\left(\delta\,\mathrm{erfc}(s_0\delta) - "
        r"pr\,\mathrm{erfc}(s_0r)\right)"
    ),
    proved_text=prose(r"""
        For circles of radius 1 and $1 + \delta$ in the plane with all rotations, so that no
        multiple of $\delta$ is a lower bound for all compact groups. With $p$ the share of elements
        that move a row by at most $r < \delta$, the mean of both rows, and $s_0^2 =
        \log(1/p)/(\delta^2 - r^2)$, the second is true for any compact group.
        """),
    proof=prose(r"""
        $|u| = \pi^{-1/2}\int_0^\infty(1 - e^{-s^2|u|^2})s^{-2}ds$, so $\mathcal E$ is the integral
        of $Q(s) = \mathbb{E}[k_s(x, gx) + k_s(z, gz) - 2k_s(x, gz)]$ for Gaussian kernels: never
        negative, and at least $2/\nu - 2e^{-s^2\delta^2}$. From the other side, $x - gz$ and $z -
        gx$ are $m \pm e$ with $|e| \le \delta$, where $x - gx$ and $z - gz$ are $m \pm f$.
        """),
    note=prose(r"""
        The distance of features is of the order of the root of $\delta$: for finite groups between
        two multiples of it. $2\,\mathrm{erfc}(\sqrt{\log n})$ is about $2/(n\sqrt{\pi\log n})$; for
        simplices the factor is about $1/n$.
        """),
    checks=(
        Check(form="printed", name="lower bound, closed forms", run=below),
        Check(form="printed", name="upper bound, closed forms", run=above),
        Check(form="printed", name="drawn rows", run=drawn),
        Check(form="proved", name="circles", run=endless),
        Check(form="proved", name="near circles", run=vanishes),
    ),
)
