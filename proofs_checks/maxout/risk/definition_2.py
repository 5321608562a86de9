"""Check the doubling dimension: log2 of how many half-size balls cover the points of any ball.

This is Definition 2 of the maxout paper (Mroueh, Rennie, Goel 2015). `doubling_dimension` gives an
interval, which is compared with the known dimensions of sets. The paper's remark that it is at most
d for d columns is refuted, by a circle and by points of the sphere. Its remark on vectors with s
entries that are not 0, s log d, is compared with a packing and a covering.
"""

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull
from scipy.special import betainc

from mehler import doubling
from mehler.doubling import DoublingDimension
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._comparisons import compute
from ..._plots import plot

# Circles of latitude (polar angle, points, turn), in degrees: 22 caps of 30 degrees.
CAPS = ((0.0, 1, 0.0), (52.0, 6, 0.0), (90.0, 8, 11.25), (128.0, 6, 0.0), (180.0, 1, 0.0))


def area_bound(n_inputs: int) -> float:
    """Return a lower bound, by area, of how many half-size balls cover the unit sphere of R^d.

    It is 6, 15, 35 and 789 for d = 2, 3, 4 and 8.
    """
    return float(2 / betainc((n_inputs - 1) / 2, 0.5, 0.25))


def polygon(n: int) -> Any:
    """Return the regular polygon with n corners on the unit circle, shape (n, 2)."""
    angles = 2 * np.pi * np.arange(n) / n
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def icosahedron() -> Any:
    """Return twelve points of the unit sphere, no two within 63 degrees."""
    golden = (1 + math.sqrt(5)) / 2
    corners = [(0.0, a, b * golden) for a in (-1, 1) for b in (-1, 1)]
    points = [corner[shift:] + corner[:shift] for corner in corners for shift in range(3)]
    return np.asarray(points) / math.sqrt(1 + golden**2)


def in_space(points: Any, n_inputs: int, rng: np.random.Generator) -> Any:
    """Embed points in a subspace of R^d in general position."""
    basis = np.linalg.qr(rng.standard_normal((n_inputs, n_inputs)))[0]
    return points @ basis[: points.shape[1]]


def on_circles(circles: tuple[tuple[float, int, float], ...] = CAPS) -> Any:
    """Return points on circles of latitude of the unit sphere, shape (n, 3)."""
    points = []
    for polar, count, turn in circles:
        t = math.radians(polar)
        for j in range(count):
            p = math.radians(turn + 360 * j / count)
            points.append((math.sin(t) * math.cos(p), math.sin(t) * math.sin(p), math.cos(t)))
    return np.asarray(points)


def covering_angle(centres: Any) -> float:
    """Compute the largest angle, in degrees, from a point of the sphere to the nearest centre."""
    return math.degrees(math.acos(-ConvexHull(centres).equations[:, 3].max()))


Dimension = Callable[[Any], DoublingDimension]
# Sets of R^d, d columns each, that need more than 2^d balls.
_CURVED = {"60 points of a circle": polygon(60), "the icosahedron": icosahedron()}
_OPEN = 3  # the largest number of integers in an interval


@check("maxout.at-most-d", form="printed", name="at most the dimension of the space")
def at_most_d(context: Context, *, sets: Mapping[str, Any] = _CURVED) -> Evidence:
    """Compare how many half-size balls sets of the plane and of space need with 2^d."""
    dimensions = {name: doubling.doubling_dimension(points) for name, points in sets.items()}
    name = max(
        dimensions, key=lambda label: dimensions[label].witness.count / 2 ** sets[label].shape[1]
    )
    balls, columns = dimensions[name].witness.count, sets[name].shape[1]
    return Evidence.from_interval(
        claim=(
            "$2^d$ balls of half the radius cover any section of a set on the sphere of $R^d$; "
            f"{name}"
        ),
        observed=balls,
        interval=(balls, 2 ** dimensions[name].high),
        upper=2**columns,
        method="a packing in a ball from below, covers of all sections from above",
        plots=(_plot_of_spheres(32 if context.quick else 128),),
    )


@check("maxout.at-most-d", form="proved", name="23 half-size balls cover a ball of space")
def half_balls(
    context: Context, *, circles: tuple[tuple[float, int, float], ...] = CAPS
) -> Evidence:
    """Check that no point of the sphere is farther than 30 degrees from 22 cap centres."""
    angle = covering_angle(on_circles(circles))
    claim = "22 caps of 30 degrees cover the sphere, so that $d_M \\le 5$ in $R^3$"
    # Coordinates of size 1 with a handful of roundings, in degrees.
    return compute(
        claim, angle, 1e-9, upper=30.0, method="angles of the facets of the convex hull, in float64"
    )


@check("maxout.definition-2", form="proved", name="intervals contain the known dimensions")
def known_sets(context: Context, *, dimension: Dimension = doubling.doubling_dimension) -> Evidence:
    """Check that the interval of each set contains its known dimension."""
    expected = _of_sets(context)
    dimensions = {name: dimension(points) for name, (points, _) in expected.items()}

    def slack(name: str) -> tuple[bool, int]:
        inside = expected[name][1] in dimensions[name]
        return inside, dimensions[name].low - dimensions[name].high

    # One that is missed first, then the widest interval.
    worst = min(expected, key=slack)
    interval = dimensions[worst]
    return Evidence.from_interval(
        claim=f"the dimension of {worst}, the widest of {len(expected)} intervals",
        observed=(interval.low + interval.high) / 2,
        exact=expected[worst][1],
        interval=(interval.low - 0.5, interval.high + 0.5),
        resolution=_OPEN,
        method="certified integers, half a unit added at each end",
        plots=(_plot_of_circles(context, dimension), _plot_of_points(expected, dimensions)),
    )


def _of_sets(context: Context) -> dict[str, tuple[Any, int]]:
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
    expected: Mapping[str, tuple[Any, int]], dimensions: Mapping[str, DoublingDimension]
) -> Plot:
    order = sorted(expected, key=lambda name: len(expected[name][0]))
    x = [len(expected[name][0]) for name in order]
    return plot(
        "Sets of known doubling dimension",
        "number of points n",
        "dimension",
        Series(label="binary logarithm of n", x=x, y=np.log2(x)),
        Series(
            label="interval",
            kind="points",
            x=x,
            y=[(dimensions[name].low + dimensions[name].high) / 2 for name in order],
            y_low=[dimensions[name].low for name in order],
            y_high=[dimensions[name].high for name in order],
        ),
        Series(label="known", kind="points", x=x, y=[expected[name][1] for name in order]),
        log="x",
        caption="Equidistant points and the axes have logarithmic dimension, curves a small one.",
    )


def _plot_of_circles(context: Context, dimension: Dimension) -> Plot:
    rng = context.rng("circles")
    sizes = (4, 5, 6, 8, 12, 24, 48) if context.quick else (*range(3, 25), 32, 48, 96, 192, 384)
    dimensions = [dimension(in_space(polygon(n), 9, rng)) for n in sizes]
    return plot(
        "Points on a circle, in nine columns",
        "number of points n",
        "dimension",
        Series(
            label="interval",
            kind="points",
            x=sizes,
            y=[(interval.low + interval.high) / 2 for interval in dimensions],
            y_low=[interval.low for interval in dimensions],
            y_high=[interval.high for interval in dimensions],
        ),
        Series(label="known for the circle", x=sizes, y=[3] * len(sizes)),
        Series(label="as printed, at most d = 2", x=sizes, y=[2] * len(sizes)),
        caption="From five points on a circle may need more than two; the whole one has three.",
    )


def _plot_of_spheres(most: int) -> Plot:
    d = np.arange(2, most + 1)
    area = [math.log2(area_bound(int(n))) / n for n in d]
    return plot(
        "Doubling dimension of the sphere in d dimensions",
        "dimension d of the space",
        "dimension over d",
        Series(label="at least, by area", x=d, y=area),
        Series(label="as printed, at most", x=d, y=np.ones(d.size)),
        Series(label="at most, by volume", x=d, y=np.full(d.size, math.log2(5))),
        caption="The area bound stays above the printed one in every dimension from two on.",
    )


# The number s of entries that are not 0, and a prime b that is at least s: d = s b columns.
_CODES = ((2, 11), (3, 31), (4, 31), (5, 7), (6, 7))
# The same, where the words need not be listed.
_LARGE = ((2, 1009), (8, 1009), (50, 10007), (200, 1000003))


def words(s: int, b: int) -> np.ndarray:
    """Return a code's words, polynomials mod b at s places, as unit vectors (b^ceil(s/2), s b)."""
    coefficients = np.asarray(list(itertools.product(range(b), repeat=math.ceil(s / 2))))
    powers = np.asarray([[x**k % b for x in range(s)] for k in range(coefficients.shape[1])])
    symbols = coefficients @ powers % b
    rows = np.zeros((len(symbols), s * b))
    rows[np.arange(len(symbols))[:, None], symbols + b * np.arange(s)] = 1 / math.sqrt(s)
    return rows


@check("maxout.definition-2", form="proved", name="a packing of sparse vectors")
def separated(context: Context, *, code: Callable[[int, int], np.ndarray] = words) -> Evidence:
    """Check that words are farther apart than 1, the radius of their ball: a packing."""
    nearest = math.inf
    for s, b in _CODES:
        rows = code(s, b)
        gram = rows @ rows.T
        np.fill_diagonal(gram, -1.0)
        nearest = min(nearest, math.sqrt(2 - 2 * float(gram.max())))
    claim = (
        r"$b^{\lceil s/2\rceil}$ unit vectors with $s$ entries in $sb$ columns are farther "
        "than 1 apart: smallest distance"
    )
    return compute(claim, nearest, 1e-9, lower=1.0 + 1e-6, method="all pairs of words, computed")


def sparse_order(s: int, d: int) -> float:
    """Return the published order of the dimension."""
    return s * math.log2(d)


@check("maxout.definition-2", form="printed", name="sparse vectors")
def sparse(context: Context, *, rate: Callable[[int, int], float] = sparse_order) -> Evidence:
    """Compare both bounds of the dimension with s log d, for d of at least s^2."""
    places = []
    for s, b in (*_CODES, *_LARGE):
        d = s * b
        low = math.ceil(s / 2) * math.log2(b)
        choices = (math.lgamma(d + 1) - math.lgamma(s + 1) - math.lgamma(d - s + 1)) / math.log(2)
        places += [(low / rate(s, d), s, d), ((choices + s * math.log2(5)) / rate(s, d), s, d)]
    place, s, d = max(places, key=lambda row: abs(math.log(row[0] / math.sqrt(0.5))))
    claim = (
        r"the dimension of $s$-sparse unit vectors over $s\log_2d$ lies between 1/4 and 2: "
        f"bounds (farthest: $s = {s}$, $d = {d}$)"
    )
    return compute(
        claim, place, 1e-9, lower=0.25, upper=2.0, method="a packing and a covering, counted"
    )
