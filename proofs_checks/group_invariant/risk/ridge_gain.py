"""The gain of invariance for ridge regression and least squares, exactly, for finite groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from mehler.bounds import Bound, group_invariant
from mehler.statements import Context, Evidence, check

from ..._worlds import World, hold_worlds
from . import _gaussian_rows as gaussian
from ._orbits import APART, FOUR, THREE, VALUES, Orbits

Bounding = Callable[..., Bound]
_RIDGE = Fraction(1, 10)
# Floats of small systems against fractions, and quadrature of closed densities.
_ROUNDING, _QUADRATURE = 1e-11, 1e-8


def of_kernel(size: int, *, ridge: float, largest: float, off: float) -> float:
    """Return the known lower bound of the gain by noise of variance 1: N off/(N (M + lambda))^2."""
    return size * off / (size * (largest + ridge)) ** 2


@check("group-invariant.ridge-gain", form="printed", name="the known lower bound")
def known(context: Context, *, bound: Callable[..., float] = of_kernel) -> Evidence:
    """Hold the known lower bound against the gain in the mean over all designs."""
    worlds = []
    for name, world in (("one orbit", FOUR), ("three orbits", THREE)):
        points = range(len(world.points))
        off = _off(world)
        for size in (1, 2) if context.quick else (1, 2, 3):
            gains = []
            for rows in world.designs(size):
                values = [Fraction(0)] * len(points)
                free, tied = (
                    world.risk(rows, values, _RIDGE, average, points)[1]
                    for average in ("none", "after")
                )
                gains.append(free - tied)
            gain = float(sum(gains, Fraction(0)) / len(gains))
            largest = float(max(world.kernel[i][i] for i in points))
            value = bound(size, ridge=float(_RIDGE), largest=largest, off=off)
            ends = (value * (1 - _ROUNDING), value * (1 - _ROUNDING))
            worlds.append(World(f"{name}, {size} rows", ends, gain))
    return hold_worlds(worlds, form="printed", claim="gain by averaging, known over exact")


def _off(world: Orbits) -> float:
    """Return the mean square of the kernel less its average, over two even points."""
    size = len(world.points)
    grams = np.array(world.grams(range(size)), dtype=float)
    return float(np.mean((grams[0] - grams.mean(axis=0)) ** 2))


@check("group-invariant.ridge-gain", form="proved", name="variation on orbits")
def split(
    context: Context,
    *,
    values: Sequence[Fraction] = VALUES,
    tests: Sequence[int] = range(7),
) -> Evidence:
    """Compute the difference of risks less the predictor's variation on orbits, in fractions."""
    gap = Fraction(0)
    for rows in THREE.designs(2):
        target = [values[i] + Fraction(k, 3) for k, i in enumerate(rows)]
        free, tied = (
            THREE.predictions(rows, target, _RIDGE, average) for average in ("none", "after")
        )
        nought = Fraction(0)
        risks = [sum(((f[p] - values[p]) ** 2 for p in tests), nought) for f in (free, tied)]
        varies = sum(((free[p] - tied[p]) ** 2 for p in tests), nought)
        gap = max(gap, abs(risks[0] - risks[1] - varies))
    return Evidence.exact_comparison(
        form="proved",
        claim="risk less that of the average, less the variation on orbits, 49 designs",
        observed=float(gap),
        exact=0.0,
        # A report shows no interval of length 0.
        interval=(float(gap) - 1e-15, float(gap) + 1e-15),
        method="computed in fractions",
    )


@check("group-invariant.ridge-gain", form="proved", name="all designs of three orbits")
def enumerated(context: Context, *, risk: Bounding = group_invariant.ridge_excess_risk) -> Evidence:
    """Hold the formula against predictors that are computed by their definition."""
    gap = 0.0
    for size in (1, 2) if context.quick else (1, 2, 3):
        for rows in THREE.designs(size):
            grams = np.array(THREE.grams(rows), dtype=float)
            tests = [THREE.moved(g, i) for g in range(THREE.n) for i in rows]
            target = [float(VALUES[i]) for i in rows]
            for average in ("none", "after", "before"):
                found = THREE.risk(rows, VALUES, _RIDGE, average, tests)
                told: dict[str, Any] = {"target": target, "average": average}
                value = risk(grams, ridge=float(_RIDGE), noise=1.0, **told)
                pairs = zip(("bias", "variance"), found, strict=True)
                gap = max(gap, *(abs(value[name] - float(one)) for name, one in pairs))
    return _none(gap, "risk at the orbits of rows, all designs of three orbits", _ROUNDING)


def split_spectrum(own: Any, mean: Any, ridge: float) -> float:
    """Return the gain for rows that are whole orbits, noise of variance 1."""
    size = len(own)
    mu = np.linalg.eigvalsh(own - mean)
    return float(np.sum((mu / (mu + size * ridge)) ** 2)) / size


@check("group-invariant.ridge-gain", form="proved", name="rows that are whole orbits")
def whole_orbits(
    context: Context, *, gain: Callable[..., float] = split_spectrum, copies: int = 3
) -> Evidence:
    """Hold the gain by the spectrum against predictors, for designs that are whole orbits."""
    gap = 0.0
    # The fixed point is as often a row as an orbit has points, or once.
    for rows in (range(4), (0, 1, 2, *[6] * copies), range(7)):
        world = FOUR if len(rows) == 4 else THREE
        values = VALUES if world is THREE else [Fraction(5)] * 4
        grams = np.array(world.grams(rows), dtype=float)
        tests = [world.moved(g, i) for g in range(world.n) for i in rows]
        free, tied, early = (
            world.risk(rows, values, _RIDGE, average, tests)
            for average in ("none", "after", "before")
        )
        found = gain(grams[0], grams.mean(axis=0), float(_RIDGE))
        same = max(abs(free[0] - tied[0]), abs(tied[0] - early[0]), abs(tied[1] - early[1]))
        gap = max(gap, float(same), abs(float(free[1] - tied[1]) - found))
    return _none(gap, "gain by the spectrum, and three equal biases, whole orbits", _ROUNDING)


@check("group-invariant.ridge-gain", form="proved", name="least squares, Gaussian rows")
def least_squares(
    context: Context, *, risk: Bounding = group_invariant.least_squares_excess_risk
) -> Evidence:
    """Hold the formula against the laws of one direction, and an even design of directions."""
    gap = 0.0
    for told, found in gaussian.cases():
        value = risk(noise=1.0, norm=1.0, **told)
        for name, one in zip(("signal", "noise"), found, strict=True):
            if np.isfinite(one) or np.isfinite(value[name]):
                gap = max(gap, abs(value[name] - one))
    return _none(gap, "risk of least squares, Gaussian rows", _QUADRATURE)


def _none(gap: float, claim: str, rounding: float) -> Evidence:
    return Evidence.exact_comparison(
        form="proved",
        claim=f"{claim}: largest difference of the formula and another route",
        observed=gap,
        exact=0.0,
        interval=(gap - rounding, gap + rounding),
        method="computed: fractions against floats, and quadrature",
    )


@check("group-invariant.ridge-gain", form="proved", name="the invariant kernel may lose")
def not_ordered(context: Context, *, average: str = "before") -> Evidence:
    """Compute a world where the invariant kernel at the same ridge is worse than none."""
    nought = [Fraction(0)] * 4
    free, early = (APART.risk((0,), nought, _RIDGE, one, range(4))[1] for one in ("none", average))
    ratio = float(early / free)
    return Evidence.bound_comparison(
        form="proved",
        claim="one row and orthogonal images: the invariant kernel's risk over the plain one's",
        observed=ratio,
        interval=(ratio * (1 - _ROUNDING), ratio * (1 + _ROUNDING)),
        lower=1.0,
        method="computed in fractions",
    )
