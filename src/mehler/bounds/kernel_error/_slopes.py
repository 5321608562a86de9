r"""Uniform error of any map whose products have slopes with two moments.

A union over the pairs of cells of one level J; then increments down to a level L, a levels at a
time (chaining); what is left between a row and its representative at L is bounded by the mean of
the slopes. Without increments, L = J, this is the net.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _validate
from mehler.bounds._bound import (
    Assumption,
    Bound,
    Term,
    require_count,
    require_positive,
    require_probability,
)
from mehler.bounds.kernel_error._knowledge import Knowledge, know

STATEMENT = "features.uniform"
_LOG2 = math.log(2)
# Levels tried, and the largest logarithm of a number of pairs: probabilities stay above 1e-300.
_LEVELS, _MOST = 200, 600.0
# Levels between two links of the chain, and the largest number of links.
_STRIDES, _LINKS = (1, 2, 3, 4, 6, 8), 60


@dataclass(frozen=True)
class Slopes:
    """E G and Var G; and pairs (v, c, falls) that bound increments of pairs that move by r.

    log E exp(t (I - E I)) <= t^2 (2r)^2 v/(2 (1 - c' abs(t))), c' = 2 r c if it falls, else c.
    """

    mean: float
    variance: float
    increments: tuple[tuple[float, float, bool], ...]


@dataclass(frozen=True)
class _Set:
    """m units on a set: logarithms of twice the pairs, and distances, of the levels."""

    m: int
    delta: float
    pairs: Any
    length: Any


def log_pairs(k: float, level: Any) -> Any:
    """Compute log T (T + 1), with T (T + 1) twice the number of pairs at a level: both tails."""
    # T + 1 = T (1 + 1/T), so that 2^(k j) need not be a float.
    return 2 * k * _LOG2 * level + np.log1p(np.exp2(-k * level))


def uniform_by_slope(
    m: int,
    dimension: float,
    diameter: float,
    delta: float,
    slope: Any,
    told: dict[str, Any],
    *,
    increments: Any = None,
    route: str | None = None,
) -> Bound:
    """Return the smallest sum over levels, strides and numbers of links."""
    (m,) = require_count(n_features=m)
    if dimension != 0:
        require_positive(dimension=dimension)
    require_positive(diameter=diameter)
    require_probability(delta=delta)
    known = know(route=None, pool_size=None, rho=None, collision=None, **told)
    slopes = _slopes(slope, told["width"], increments)
    if route not in (None, "chaining", "net"):
        raise ValueError(f"route={route!r} is not one of chaining, net")
    if route == "chaining" and not slopes.increments:
        raise ValueError("route='chaining' needs width or increments, which bound increments")
    levels = np.arange(_LEVELS + max(_STRIDES) * _LINKS)
    where = _Set(
        m,
        delta,
        log_pairs(dimension, levels),
        diameter * np.minimum(1.0, np.exp2(1.0 - levels)),
    )
    return Bound(
        statement=STATEMENT,
        form="proved",
        quantity="largest error of the kernel, all pairs of the set",
        terms=_finite(_best(known, slopes, where, route), diameter, slope),
        probability=1 - delta,
        assumptions=(
            *known.assumptions,
            Assumption("its doubling dimension is at most this", None, f"{dimension:g}"),
            Assumption("its diameter is at most this", None, f"{diameter:g}"),
            Assumption(
                "slopes of products have these mean and variance",
                None,
                f"{slopes.mean:g}, {slopes.variance:g}",
            ),
        ),
        trivial=known.trivial,
    )


def _finite(terms: tuple[Term, ...], diameter: float, slope: Any) -> tuple[Term, ...]:
    if not terms:
        raise ValueError(
            f"diameter={diameter!r}, slope={slope!r}: the bound leaves the floats, give rows in "
            "other units"
        )
    return terms


@np.errstate(over="ignore")
def _best(known: Knowledge, slopes: Slopes, where: _Set, route: str | None) -> tuple[Term, ...]:
    best: tuple[float, tuple[Term, ...]] = (math.inf, ())
    for level in range(_LEVELS):
        pairs = float(where.pairs[level]) - _LOG2
        if level and pairs - math.log(where.delta) > _MOST:
            break
        net = known.terms(where.m, where.delta / 2 * math.exp(-pairs))
        paid = math.fsum(one.value for one in net)
        # Deeper levels have more pairs, so that they cost more before anything else is added.
        if paid >= best[0]:
            break
        found = []
        if route != "chaining":
            found.append(_links(where, slopes, level, 1, 0))
        if route != "net" and slopes.increments:
            found += [_links(where, slopes, level, stride, _LINKS) for stride in _STRIDES]
        for parts in found:
            total = paid + parts.sum(axis=0)
            at = int(np.argmin(total))
            if total[at] < best[0]:
                best = (float(total[at]), (*net, *_terms(parts[:, at])))
    return best[1]


def _terms(parts: Any) -> tuple[Term, ...]:
    formulas = (
        ("increments", r"\sum_i 2r_i\sqrt{2vu_i}"),
        ("range", r"\sum_i c_iu_i"),
        ("between", r"4r_L\,\mathbb{E}G"),
        ("spread", r"2r_L\sqrt{\mathrm{Var}\,G\,(1-\delta_L)/(m\delta_L)}"),
    )
    return tuple(
        Term(name, float(value), formula)
        for (name, formula), value in zip(formulas, parts, strict=True)
    )


def _links(where: _Set, slopes: Slopes, level: int, stride: int, most: int) -> Any:
    """Return the parts (4, numbers of links): 1 to `most` of them, or none where that is 0."""
    sums = np.zeros((2, 1))
    if most:
        at = level + stride * np.arange(most)
        # The link i takes delta 2^(-i - 2) of the probability.
        logs = where.pairs[at + stride] + _LOG2 * np.arange(2, most + 2) - math.log(where.delta)
        sums = np.cumsum(_cheapest(slopes, 2 * where.length[at], logs / where.m), axis=1)
    links = np.arange(1, most + 1) if most else np.zeros(1, dtype=int)
    length = where.length[level + stride * links]
    # Cantelli: the mean of m slopes exceeds its own by this with probability share at most.
    share = where.delta * np.exp2(-1.0 - links)
    # Its inverse may leave the floats, the root does not.
    root = math.sqrt(where.delta) * np.exp2((-1.0 - links) / 2)
    beyond = np.sqrt(slopes.variance * (1 - share) / where.m) / root
    return np.stack([*sums, 4 * length * slopes.mean, 2 * length * beyond])


def _cheapest(slopes: Slopes, length: Any, cost: Any) -> Any:
    """Return both parts (2, links) of the deviation of increments, by the best law for each."""
    found = [
        np.stack([length * np.sqrt(2 * v * cost), c * cost * (length if falls else 1.0)])
        for v, c, falls in slopes.increments
    ]
    least = np.argmin([one.sum(axis=0) for one in found], axis=0)
    return np.take_along_axis(np.stack(found), least[None, None, :], axis=0)[0]


def _slopes(slope: Any, width: float | None, increments: Any) -> Slopes:
    """Check moments of the slope, and collect what bounds increments."""
    if not isinstance(slope, tuple | list) or len(slope) != 2:
        raise ValueError(
            f"slope={slope!r}: give pool_size, or the two moments (E G, E G^2) of the slope"
        )
    mean, square = (_validate.require_positive("slope", one) for one in slope)
    # The product may leave the floats; a power would raise.
    if square < mean * mean * (1 - 1e-12):
        raise ValueError(f"slope={slope!r}: E G^2 is less than the square of E G")
    # The rounding of both, which matters where they nearly cancel.
    square = max(square, mean * mean) * (1 + 1e-15)
    laws = []
    if width is not None:
        # Bernstein: an increment lies in [-b, b], and its second moment is (2r)^2 E G^2 at most.
        laws.append((square, float(width) / 3, False))
    if increments is not None:
        if not isinstance(increments, tuple | list) or len(increments) != 2:
            raise ValueError(f"increments={increments!r} is not a pair (v, c) of numbers")
        v, c = (_validate.require_positive("increments", one) for one in increments)
        laws.append((v, c, True))
    return Slopes(mean, square - mean * mean, tuple(laws))
