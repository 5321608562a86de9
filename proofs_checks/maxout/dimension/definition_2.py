"""Definition 2: the Assouad (doubling) dimension, which may exceed the dimension of the space."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mehler import doubling
from mehler.doubling import DoublingDimension
from mehler.statements import Check, Context, Evidence, Plot, Series, Statement

from ..._dedent import prose
from . import _sparse as sparse_vectors
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


STATEMENT = Statement(
    id="maxout.definition-2",
    source="Mroueh, Rennie, Goel (2015), Definition 2 and the remarks after it and Theorem 2",
    place=prose("""
        Section 3, Definition 2 and the remarks after it, and after Theorem 2; our copy, lines 129
        to 131 and 149
        """),
    hypotheses=prose(r"""
        $\mathcal M$ is the part of a set of $\mathbb R^d$ on the unit sphere (line 123). The
        definition is as printed, balls with any centres. That $d_{\mathcal M} \le d$ is said in
        passing, after Theorem 2. "A hyperplane of $\mathbb R^r$ with $r < d$" is a misprint.
        """),
    title="Definition 2: the doubling dimension",
    expected="refuted, repaired",
    ground=prose(r"""
        Corners of regular polygons on the unit circle, and of the icosahedron on the unit sphere:
        more half-size balls are needed than $2^d$, by a packing, exactly. The definition stands,
        and so do the orders $O(\cdot)$ beside it; what is refuted is the inequality.
        """),
    printed=(
        r"d_{\mathcal M} = \min\left\{k : N\left(\mathcal M \cap B(c, r), r/2\right) \le 2^k "
        r"\text{ for all } c \in \mathbb R^d, r > 0\right\}, \qquad d_{\mathcal M} \le d"
    ),
    printed_text=prose(r"""
        The least $k$ such that the part of the set in any ball is covered by $2^k$ balls of half
        the radius. It is said to be at most the dimension $d$ of the space, and of the order of $r$
        for an $r$-dimensional hyperplane of $\mathbb R^r$.
        """),
    proved=(
        r"d_{\mathcal M} \le \lceil d \log_2 5 \rceil, \qquad "
        r"2^{d_{S^{d-1}}} \ge \frac{2}{I_{1/4}(\frac{d-1}{2}, \frac12)} > 2^d \quad (d \ge 2)"
    ),
    proved_text=prose(r"""
        Any set of $\mathbb R^d$ has dimension at most $d \log_2 5$, rounded up, and at most 1, 3
        and 5 in one, two and three dimensions; the sphere's is more than $d$ for every $d \ge 2$.
        For finite sets the dimension is certified between a packing and covers.
        """),
    flaw=prose(r"""
        A regular pentagon lies in the plane, and its corners are farther apart than the radius of
        the circle around them: no ball of half that radius holds two, five are needed, and $2^2 =
        4$ do not do. The hyperplane should lie in $\mathbb R^d$. What is defined is not the Assouad
        dimension, which is 0 for finite sets, but the doubling dimension.
        """),
    proof=prose(r"""
        Volume: of points of a unit ball that are more than $1/2$ apart there are at most $5^d$,
        since balls of radius $1/4$ around them are disjoint and lie in one of radius $5/4$; as many
        as possible are centres of a cover. In the plane and in space one ball covers the inner
        half, and caps of 30 degrees the rest: 6 and 22 of them. Sphere: a ball of radius $1/2$
        meets it in a cap of at most 30 degrees, and that has the share $\frac12
        I_{1/4}(\frac{d-1}2, \frac12) < 2^{-d}$ of its area. Interval, from below: points of a ball
        of radius $r$ that are farther than $r$ apart need a half-size ball each. From above: a
        section of diameter $D$ lies in two balls of radius $D$ around points at distance $D$, and
        half-size balls have radius at least $D/4$: one cover of the whole set for each range of
        $D$, counted where both balls meet it.
        """),
    note=prose(r"""
        With centres of balls in the set only, the circle has dimension 2 instead of 3, and equally
        spaced points of a line 2 instead of 1. For $s$-sparse unit vectors the dimension is of the
        order $s \log(ed/s)$, so that the printed $O(s\log d)$ is right (proof on its page).
        """),
    checks=(
        Check(form="printed", name="at most the dimension of the space", run=at_most_d),
        Check(form="proved", name="23 half-size balls cover a ball of space", run=half_balls),
        Check(form="proved", name="intervals contain the known dimensions", run=known_sets),
        Check(form="proved", name="a packing of sparse vectors", run=sparse_vectors.separated),
        Check(form="proved", name="sparse vectors", run=sparse_vectors.sparse),
    ),
)
