"""Plots of the section on the data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mehler import _arrays
from mehler.report.model._data_result import PlanRow
from mehler.report.on_data._check import small
from mehler.report.on_data._maps import MapUnderTest
from mehler.report.on_data._rows import Chosen
from mehler.report.render._format import count
from mehler.statements import Context, Plot, Series
from mehler.verify import intervals

# Pairs of one picture, features of its one draw, and the chance that one of its intervals misses.
_PAIRS, _FEATURES, _MISSES = 12, 2000, 0.01
# Random numbers of one draw.
_WEIGHTS = 8_000_000
_SHOWN = ("FourierFeatures, rbf", "KitchenSinks, relu", "MaxoutFeatures, q = 4")


def histogram(seen: Chosen) -> Plot:
    """Draw how often each correlation of two rows occurs."""
    kept = np.flatnonzero(seen.counts)
    first, last = kept[0], kept[-1] + 1
    n_pairs = int(seen.counts.sum())
    x = np.repeat(seen.edges[first : last + 1], 2)[1:-1]
    y = np.repeat(seen.counts[first:last] / n_pairs, 2)
    low, high = seen.correlations
    bars = Series(label="share of pairs", x=x, y_low=np.zeros(x.size), y_high=y, kind="band")
    return Plot(
        title="Correlations that occur in the data",
        x_label="correlation of two rows",
        y_label="share of pairs",
        series=(bars,),
        caption=f"{count(n_pairs)} pairs from {low:.3f} to {high:.3f}, in bins of width "
        f"{seen.edges[1] - seen.edges[0]:.3g}.",
    )


def gram_against_kernel(series: Sequence[Series]) -> Plot:
    """Draw one draw's Gram matrix of each map against the exact kernel."""
    ends = [min(min(one.x) for one in series), max(max(one.x) for one in series)]
    return Plot(
        title="One empirical Gram matrix against the exact kernel",
        x_label="exact kernel / √(k(x,x) k(y,y))",
        y_label="mean feature product, same unit",
        series=(Series(label="equal", x=ends, y=ends), *series),
        caption=f"{_PAIRS} pairs of rows, one draw of at most {count(_FEATURES)} features a map; "
        "one map of a family, the others are in the table above. Each interval misses the mean "
        f"over draws with probability at most {_MISSES:g}.",
    )


def points(one: MapUnderTest, seen: Chosen, context: Context) -> Series | None:
    """Return the products of one draw with an interval for each mean; None if it is not drawn."""
    if one.label not in _SHOWN:
        return None
    rows = one.rows(seen.values[seen.measured])
    size = min(_FEATURES, int(_WEIGHTS // one.cost)) // one.multiple * one.multiple
    phi = one.draw(size, seed=context.seed_for(f"picture: {one.label}"), like=context.like())
    known = small(one)
    kernel, variance = known.kernel(rows), known.variance(rows)
    unit = np.sqrt(np.outer(np.diag(kernel), np.diag(kernel)))
    above = np.triu_indices(len(rows), 1)
    order = np.argsort((kernel / unit)[above], kind="stable")
    chosen = order[np.unique(np.linspace(0, order.size - 1, _PAIRS).round().astype(int))]
    i, j = above[0][chosen], above[1][chosen]
    products = _arrays.to_host(
        phi.products(context.asarray(rows[i]), context.asarray(rows[j]))
    ).astype(np.float64)
    # A unit of several columns is one sample.
    share = products.shape[1] / known.n_features * known.n_units / products.shape[1]
    ends = [
        intervals.known_variance(row / u, max(float(v) * share / u**2, 1e-12), _MISSES)
        for row, u, v in zip(products, unit[i, j], variance[i, j])
    ]
    return Series(
        label=one.label,
        x=(kernel / unit)[i, j],
        y=products.mean(axis=1) / unit[i, j],
        y_low=[low for low, _ in ends],
        y_high=[high for _, high in ends],
        kind="points",
    )


def features_against_error(plan: Sequence[PlanRow]) -> Plot:
    """Draw how many features each of some maps needs for an error."""
    labels = dict.fromkeys(row.map for row in plan if row.map in _SHOWN)
    series = [
        Series(
            label=label,
            x=[row.error for row in plan if row.map == label],
            y=[row.n_features for row in plan if row.map == label],
        )
        for label in labels or dict.fromkeys(row.map for row in plan)
    ]
    return Plot(
        title="Features needed on these rows",
        x_label="largest error of the Gram matrix",
        y_label="features",
        series=series,
        x_log=True,
        y_log=True,
        caption="For the inner products themselves, all pairs of rows at once.",
    )
