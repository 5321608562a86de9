"""Maps on sets of known dimension, and draws of their largest error over a grid of the set.

A grid of a set has at most the set's error, so that what is seen is a lower bound of the supremum.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mehler import FourierFeatures, KitchenSinks, MaxoutFeatures
from mehler.bounds import Bound, Term, kernel_error
from mehler.features import groups
from mehler.statements import Context

from ..group_invariant._shared import draw_products, limit
from ._gram_draws import Draw, grams

_ANGLES = np.arange(24) * (math.pi / 12)
# 24 points of a circle of radius 1, whose dimension is 3 at most; 25 of a segment, a line's is 1.
CIRCLE = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
SEGMENT = np.linspace(0, 3, 25)[:, None] * np.array([[2.0, -1.0, 2.0]]) / 3
ON_CIRCLE: dict[str, Any] = {"dimension": 3, "diameter": 2.0}
ON_SEGMENT: dict[str, Any] = {"dimension": 1, "diameter": 3.0}
# Every image of a row under the group, bins by trapezoids: off by half a bin on every draw.
_GROUP: dict[str, Any] = {"group": groups.SignFlips(2), "window": 1.0, "rule": "trapezoid"}
_BINS = 10


@dataclass(frozen=True)
class Setting:
    """A map ``draw(count, seed=, like=)`` on rows, with m units in blocks of columns."""

    name: str
    draw: Draw
    rows: Any
    m: int
    known: dict[str, Any]
    block: int = 1


def settings(*, quick: bool) -> Iterator[Setting]:
    """Yield the maps; at the quick level one of each kind, and few units."""
    yield _fourier("pairs", 100, gamma=0.5)
    yield _fourier("offset", 100, gamma=0.5)
    yield Setting("relu", _sinks, CIRCLE, 30, _of_sinks())
    yield Setting("centred maxout", _centred, CIRCLE, 30, _of_centred())
    if not quick:
        yield _fourier("pairs", 1000, gamma=0.5)
        yield _fourier("pairs", 100, gamma=8.0)
        yield _fourier("pairs", 100, nu=1.5, length_scale=0.5, rows=SEGMENT)
        yield _fourier("offset", 100, nu=2.5, rows=SEGMENT)


def errors(context: Context, one: Setting, n_draws: int) -> Any:
    """Return the largest error (n_draws,) over all pairs of rows."""
    kernel = one.draw(one.block, seed=0).kernel(one.rows)
    blocks = grams(
        context,
        one.draw,
        f"{one.name}/{one.m}",
        one.rows,
        n_features=one.m * one.block,
        n_draws=n_draws,
    )
    return np.concatenate([np.abs(gram - kernel).max(axis=(1, 2)) for gram in blocks])


def group_errors(context: Context, m: int, n_draws: int) -> Any:
    """Return the largest error (n_draws,) of m templates of a whole group of four."""
    rows = CIRCLE[::2]
    drawn = draw_products(context, "group", rows, {**_GROUP, "n_bins": _BINS}, m, n_draws)
    exact = limit(rows, {**_GROUP, "n_bins": _BINS})
    return np.abs(drawn - exact).max(axis=1)


def of_group(bound: Callable[..., Bound], m: int, delta: float) -> Bound:
    """Return the bound for templates of length 1, and half a bin."""
    found = bound(m, delta=delta, slope=(1.0, 1.0), width=2.0, **ON_CIRCLE)
    return dataclasses.replace(found, terms=(*found.terms, Term("binning", 0.5 / _BINS)))


def _fourier(form: Literal["pairs", "offset"], m: int, rows: Any = CIRCLE, **law: Any) -> Setting:
    d = rows.shape[1]
    named: dict[str, Any] = {"kernel": "matern"} if "nu" in law else {}

    def draw(count: int, **options: Any) -> Any:
        return FourierFeatures.draw(d, count, form=form, **named, **law, **options)

    place = ON_CIRCLE if rows is CIRCLE else ON_SEGMENT
    known = {**place, **kernel_error.slope_fourier(d, form=form, **law)}
    name = ", ".join([form, *(f"{key} {value:g}" for key, value in law.items())])
    return Setting(name, draw, rows, m, known, 2 if form == "pairs" else 1)


def _sinks(count: int, **options: Any) -> Any:
    return KitchenSinks.draw(2, count, activation="relu", **options)


def _of_sinks() -> dict[str, Any]:
    return {**ON_CIRCLE, **kernel_error.slope_kitchen_sinks(2, lipschitz=1.0, radius=1.0)}


def _centred(count: int, **options: Any) -> Any:
    return MaxoutFeatures.draw(2, count, 4, centred=True, **options)


def _of_centred() -> dict[str, Any]:
    return {**ON_CIRCLE, **kernel_error.slope_maxout_centred(2, pool_size=4)}
