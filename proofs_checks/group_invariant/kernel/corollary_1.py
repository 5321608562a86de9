"""Corollary 1: inner products and distances of features estimate distances of orbits."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from mehler.bounds import Bound
from mehler.bounds import group_invariant as bounds
from mehler.exact.orbits import TemplateLaw
from mehler.features.groups import energy_distance, mean_distance
from mehler.statements import Context, Evidence, check

from ..._violations import Case, hold_bounds
from .._errors import drawn_products
from .._measured_kernel import BLOCKS, unit_rows
from ._gaps import deltas

_EPSILON, _DELTA, _POINTS, _M = 0.3, 0.1, 4, 40
_OPTIONS: dict[str, Any] = {
    "group": BLOCKS,
    "templates": "redraw",
    "epsilon": _EPSILON,
    "window": 1 + _EPSILON,
    "rule": "paper",
    "n_bins": 20,
}


def _drawn(context: Context) -> tuple[Any, Any]:
    n_draws = 250 if context.quick else 20_000
    rows = unit_rows(context, _POINTS, 6)
    return rows, drawn_products(context, "draw", rows, _OPTIONS, _M, n_draws)


def _theorem_2() -> Bound:
    return bounds.kernel_error(
        _M,
        n_bins=20,
        n_rows=_POINTS,
        delta=_DELTA,
        window=1 + _EPSILON,
        templates="redraw",
        n_inputs=6,
    )


def _held(context: Context, form: Any, claim: str, drawn: Any, bound: Bound) -> Any:
    return hold_bounds(
        [Case(drawn=drawn, bound=bound, where={"m": _M, "d": 6})],
        form=form,
        claim=claim,
        false_alarm=context.false_alarm,
        n_features=len(drawn) * _M * 41,
    )


def times(factor: float) -> Bound:
    """Multiply the bound of Theorem 2 by a factor."""
    inner = _theorem_2()
    return dataclasses.replace(
        inner,
        statement="group-invariant.corollary-1",
        terms=tuple(dataclasses.replace(t, value=factor * t.value) for t in inner.terms),
    )


def _one() -> Bound:
    """Return the whole interval that is allowed, as a fraction of itself."""
    inner = _theorem_2()
    term = dataclasses.replace(inner.terms[0], name="allowed", value=1.0, formula="1")
    return dataclasses.replace(inner, statement="group-invariant.corollary-1", terms=(term,))


@check("group-invariant.corollary-1", form="restored", name="inner products", pays=True)
def restored(context: Context, *, allowed: float = 1.0) -> Evidence:
    """Hold inner products against 1 - d_G with the restored deltas and Theorem 2's error."""
    rows, products = _drawn(context)
    d_g = mean_distance(BLOCKS, rows)[np.triu_indices(_POINTS)] / math.sqrt(2 * math.pi * 6)
    gap = products - (1 + _EPSILON - d_g)
    above, below = (allowed * (delta + _theorem_2().value) for delta in deltas(6, _EPSILON))
    return _held(
        context,
        "restored",
        r"$\langle\Phi(x),\Phi(z)\rangle - (1 - d_G)$ leaves $[\epsilon - \delta_2 - \epsilon_0, "
        r"\epsilon + \delta_1 + \epsilon_0]$ with probability at most $\delta$, $\epsilon_0$ the "
        "proved bound of Theorem 2",
        np.maximum(gap / above, -gap / below).max(axis=1),
        _one(),
    )


@check("group-invariant.corollary-1", form="proved", name="inner products, exactly", pays=True)
def inner_products(context: Context, *, slope: float = 1.0) -> Evidence:
    """Hold inner products against s - kappa D, without deltas."""
    rows, products = _drawn(context)
    kappa = slope * TemplateLaw("redraw", 6, _EPSILON).slope
    exact = 1 + _EPSILON - kappa * mean_distance(BLOCKS, rows)[np.triu_indices(_POINTS)]
    return _held(
        context,
        "proved",
        r"$|\langle\Phi(x),\Phi(z)\rangle - s + \kappa D|$ exceeds $\epsilon_0$ with probability "
        r"at most $\delta$",
        np.abs(products - exact).max(axis=1),
        times(1.0),
    )


@check("group-invariant.corollary-1", form="proved", name="squared distances", pays=True)
def distances(context: Context, *, slope: float = 1.0) -> Evidence:
    """Hold squared distances of features against kappa times the energy distance of orbits."""
    rows, products = _drawn(context)
    grams = np.zeros((len(products), _POINTS, _POINTS))
    first, second = np.triu_indices(_POINTS)
    grams[:, first, second] = grams[:, second, first] = products
    own = np.diagonal(grams, axis1=1, axis2=2)
    squared = own[:, :, None] + own[:, None, :] - 2 * grams
    kappa = slope * TemplateLaw("redraw", 6, _EPSILON).slope
    gap = np.abs(squared - kappa * energy_distance(BLOCKS, rows))
    return _held(
        context,
        "proved",
        r"$|\|\Phi(x)-\Phi(z)\|^2 - \kappa\,\mathcal{E}(x,z)|$ exceeds $4\epsilon_0$ with "
        r"probability at most $\delta$",
        gap.max(axis=(1, 2)),
        times(4.0),
    )
