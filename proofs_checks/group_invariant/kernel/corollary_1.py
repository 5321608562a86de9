"""Corollary 1: inner products and distances of features estimate distances of orbits.

In Mroueh, Voinea and Poggio (2015) a random vector t, a *template*, gives a row x the distribution
function of <t, g x> over a group's elements g, in a window [-s, s]. At unit rows these features
have the mean inner product s - kappa D: D is the mean distance of two orbits {g x}, {g z}, kappa =
E|t_1|/2. The paper has d_G = D/sqrt(2 pi d) for kappa D, up to delta_1 above and delta_2 below.
Drawn features are compared with both, within Theorem 2's bound of their error.
"""

import dataclasses
import math
from typing import Any

import numpy as np

from mehler.bounds import Bound
from mehler.bounds import group_invariant as bounds
from mehler.features.groups import energy_distance, mean_distance
from mehler.statements import Context, Evidence, check

from ..._comparisons import Case, compare_with_bounds
from .._shared import BLOCKS, EPSILON, LAW, PAPER, draw_products, unit_rows
from .theorem_1 import restored_deltas

_DELTA, _POINTS, _M = 0.1, 4, 40
_OPTIONS: dict[str, Any] = {**PAPER, "group": BLOCKS, "rule": "paper", "n_bins": 20}


def _products(context: Context) -> tuple[Any, Any]:
    n_draws = 250 if context.quick else 20_000
    rows = unit_rows(context, _POINTS, 6)
    return rows, draw_products(context, "draw", rows, _OPTIONS, _M, n_draws)


def multiple_of_theorem_2(factor: float) -> Bound:
    """Multiply the bound of Theorem 2, as we prove it, by a factor."""
    sizes: Any = {"n_bins": 20, "n_rows": _POINTS, "n_inputs": 6, "window": PAPER["window"]}
    theorem_2 = bounds.kernel_error(_M, delta=_DELTA, templates="redraw", **sizes)
    return dataclasses.replace(
        theorem_2,
        statement="group-invariant.corollary-1",
        terms=tuple(dataclasses.replace(t, value=factor * t.value) for t in theorem_2.terms),
    )


def _compare(context: Context, claim: str, squares: Any, bound: Bound) -> Evidence:
    return compare_with_bounds(
        claim,
        [Case(draws=squares, bound=bound, where={"m": _M, "d": 6})],
        context.false_alarm,
        n_features=len(squares) * _M * 41,
    )


@check("group-invariant.corollary-1", form="restored", name="inner products", pays=True)
def restored(context: Context, *, most: float = 1.0) -> Evidence:
    """Compare inner products with 1 - d_G, the restored deltas and Theorem 2's error."""
    rows, products = _products(context)
    d_g = mean_distance(BLOCKS, rows)[np.triu_indices(_POINTS)] / math.sqrt(2 * math.pi * 6)
    gap = products - (PAPER["window"] - d_g)
    theorem_2 = multiple_of_theorem_2(1.0)
    above, below = (most * (delta + theorem_2.value) for delta in restored_deltas(6, EPSILON))
    # As a fraction of the interval that is allowed on its side.
    whole = dataclasses.replace(theorem_2.terms[0], name="allowed", value=1.0)
    return _compare(
        context,
        r"$\langle\Phi(x),\Phi(z)\rangle - (1 - d_G)$ leaves $[\epsilon - \delta_2 - \epsilon_0, "
        r"\epsilon + \delta_1 + \epsilon_0]$ with probability at most $\delta$, $\epsilon_0$ the "
        "proved bound of Theorem 2",
        np.maximum(gap / above, -gap / below).max(axis=1),
        dataclasses.replace(theorem_2, terms=(whole,)),
    )


@check("group-invariant.corollary-1", form="proved", name="inner products, exactly", pays=True)
def inner_products(context: Context, *, slope: float = 1.0) -> Evidence:
    """Compare inner products with s - kappa D, without deltas."""
    rows, products = _products(context)
    kappa = slope * LAW.slope
    exact = PAPER["window"] - kappa * mean_distance(BLOCKS, rows)[np.triu_indices(_POINTS)]
    return _compare(
        context,
        r"$|\langle\Phi(x),\Phi(z)\rangle - s + \kappa D|$ exceeds $\epsilon_0$ with probability "
        r"at most $\delta$",
        np.abs(products - exact).max(axis=1),
        multiple_of_theorem_2(1.0),
    )


@check("group-invariant.corollary-1", form="proved", name="squared distances", pays=True)
def distances(context: Context, *, slope: float = 1.0) -> Evidence:
    """Compare squared distances with kappa times the energy 2 D(x, z) - D(x, x) - D(z, z)."""
    rows, products = _products(context)
    grams = np.zeros((len(products), _POINTS, _POINTS))
    first, second = np.triu_indices(_POINTS)
    grams[:, first, second] = grams[:, second, first] = products
    norms = np.diagonal(grams, axis1=1, axis2=2)
    squared = norms[:, :, None] + norms[:, None, :] - 2 * grams
    kappa = slope * LAW.slope
    gap = np.abs(squared - kappa * energy_distance(BLOCKS, rows))
    return _compare(
        context,
        r"$|\|\Phi(x)-\Phi(z)\|^2 - \kappa\,\mathcal{E}(x,z)|$ exceeds $4\epsilon_0$ with "
        r"probability at most $\delta$",
        gap.max(axis=(1, 2)),
        multiple_of_theorem_2(4.0),
    )
