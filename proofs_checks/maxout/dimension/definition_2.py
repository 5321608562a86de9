"""Definition 2: the Assouad (doubling) dimension, which may exceed the dimension of the space."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mehler import doubling
from mehler.doubling import DoublingDimension
from mehler.statements import Context, Evidence, Plot, Series, check

from ._half_balls import (
    CAPS,
    area_bound,
    covering_angle,
    icosahedron,
    in_space,
    on_circles,
    polygon,
)

Dimension = Callable[[Any], DoublingDimension]
# Sets of R^d, d columns each, that need more than 2^d balls.
_CURVED = {"60 points of a circle": polygon(60), "the icosahedron": icosahedron()}
# No interval may leave more integers open than this.
_OPEN = 3


@check("maxout.definition-2", form="printed", name="at most the dimension of the space")
def at_most_d(context: Context, *, sets: Mapping[str, Any] = _CURVED) -> Evidence:
    """Count the half-size balls that sets of the plane and of space need, against 2^d."""
    found = {name: doubling.doubling_dimension(points) for name, points in sets.items()}
    name = max(found, key=lambda one: found[one].witness.count / 2 ** sets[one].shape[1])
    needed, columns = found[name].witness.count, sets[name].shape[1]
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            "$2^d$ balls of half the radius cover any section of a set on the sphere of $R^d$; "
            f"{name}"
        ),
        observed=needed,
        interval=(needed, 2 ** found[name].high),
        upper=2**columns,
        method="a packing in a ball from below, covers of all sections from above",
        plots=(_plot_of_spheres(32 if context.quick else 128),),
    )


@check("maxout.definition-2", form="proved", name="23 half-size balls cover a ball of space")
def half_balls(
    context: Context, *, circles: tuple[tuple[float, int, float], ...] = CAPS
) -> Evidence:
    """Measure how far a point of the sphere can be from the 22 cap centres."""
    angle = covering_angle(on_circles(circles))
    return Evidence.bound_comparison(
        form="proved",
        claim="22 caps of 30 degrees cover the sphere, so that $d_M \\le 5$ in $R^3$",
        observed=angle,
        # Coordinates of size 1 with a handful of roundings, in degrees.
        interval=(angle - 1e-9, angle + 1e-9),
        upper=30.0,
        method="angles of the facets of the convex hull, in float64",
    )


@check("maxout.definition-2", form="proved", name="intervals contain the known dimensions")
def known_sets(context: Context, *, dimension: Dimension = doubling.doubling_dimension) -> Evidence:
    """Hold the interval of each set of known dimension against that."""
    known = _known(context)
    found = {name: dimension(points) for name, (points, _) in known.items()}

    def room(name: str) -> tuple[bool, int]:
        inside = known[name][1] in found[name]
        return inside, found[name].low - found[name].high

    # One that is missed first, then the widest interval.
    worst = min(known, key=room)
    one = found[worst]
    return Evidence.exact_comparison(
        form="proved",
        claim=f"the dimension of {worst}, the widest of {len(known)} intervals",
        observed=(one.low + one.high) / 2,
        exact=known[worst][1],
        interval=(one.low - 0.5, one.high + 0.5),
        resolution=_OPEN,
        method="certified integers, half a unit added at each end",
        plots=(_plot_of_circles(context, dimension), _plot_of_points(known, found)),
    )


def _known(context: Context) -> dict[str, tuple[Any, int]]:
    """Return sets and their dimensions."""
    rng = context.rng("subspaces")
    many = 120 if context.quick else 600
    sets = {
        "a segment in $R^4$": (np.outer(np.arange(60.0), [1, -2, 3, 0.5]), 1),
        "a pentagon": (polygon(5), 3),
        f"{many} points of a circle in $R^9$": (in_space(polygon(many), 9, rng), 3),
    }
    for n in (3, 9, 17, 33):
        sets[f"{n} equidistant points"] = (np.eye(n), math.ceil(math.log2(n)))
    for d in (4, 8, 24):
        signs = np.concatenate([np.eye(d), -np.eye(d)])
        sets[f"the {2 * d} unit vectors of the axes"] = (signs, math.ceil(math.log2(2 * d)))
    return sets


def _plot_of_points(
    known: Mapping[str, tuple[Any, int]], found: Mapping[str, DoublingDimension]
) -> Plot:
    order = sorted(known, key=lambda name: len(known[name][0]))
    x = [len(known[name][0]) for name in order]
    return Plot(
        title="Sets of known doubling dimension",
        x_label="number of points n",
        y_label="dimension",
        series=(
            Series(
                label="interval",
                kind="points",
                x=x,
                y=[(found[name].low + found[name].high) / 2 for name in order],
                y_low=[found[name].low for name in order],
                y_high=[found[name].high for name in order],
            ),
            Series(label="known", kind="points", x=x, y=[known[name][1] for name in order]),
        ),
        caption="Equidistant points and the axes have logarithmic dimension, curves a small one.",
    )


def _plot_of_circles(context: Context, dimension: Dimension) -> Plot:
    rng = context.rng("circles")
    sizes = (4, 5, 6, 8, 12, 24, 48) if context.quick else (*range(3, 25), 32, 48, 96, 192, 384)
    found = [dimension(in_space(polygon(n), 9, rng)) for n in sizes]
    return Plot(
        title="Points on a circle, in nine columns",
        x_label="number of points n",
        y_label="dimension",
        series=(
            Series(
                label="interval",
                kind="band",
                x=sizes,
                y_low=[one.low for one in found],
                y_high=[one.high for one in found],
            ),
            Series(label="known for the circle", x=sizes, y=[3] * len(sizes)),
            Series(label="as printed, at most d = 2", x=sizes, y=[2] * len(sizes)),
        ),
        caption="From five points on a circle may need more than two; the whole one has three.",
    )


def _plot_of_spheres(most: int) -> Plot:
    d = np.arange(2, most + 1)
    return Plot(
        title="Doubling dimension of the sphere of R^d",
        x_label="dimension d of the space",
        y_label="dimension over d",
        series=(
            Series(
                label="at least, by area", x=d, y=[math.log2(area_bound(int(n))) / n for n in d]
            ),
            Series(label="as printed, at most", x=d, y=np.ones(d.size)),
            Series(label="at most, by volume", x=d, y=np.full(d.size, math.log2(5))),
        ),
        caption="The area bound stays above the printed one in every dimension from two on.",
    )
