"""Theorem 2's settings: maps, rows, errors over all pairs, and the bounds beside them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.bounds import Bound
from mehler.bounds import group_invariant as bounds
from mehler.features import groups
from mehler.statements import Context, Plot, Series

from ..._violations import Case
from ...kitchen_sinks._quantiles import quantile_points
from .._errors import drawn_products, limit
from .._measured_kernel import BLOCKS, unit_rows

DELTA, POINTS = 0.1, 5


def sizes(context: Context) -> tuple[tuple[dict[str, Any], ...], int]:
    """Return sizes and options of maps, and the number of draws of each."""
    base = {"group": BLOCKS, "window": 1.0, "n_bins": 10}
    settings: tuple[dict[str, Any], ...] = (
        {"m": 30, **base, "rule": "paper"},
        {"m": 10, **base, "rule": "midpoint", "n_bins": 5, "n_elements": 20, "replacement": True},
    )
    if not context.quick:
        settings += (
            {"m": 100, **base, "rule": "trapezoid", "n_bins": 3},
            {"m": 50, **base, "rule": "dither", "templates": "redraw", "window": 1.2},
            {"m": 50, **base, "rule": "paper", "templates": "zero", "window": 1.2},
            {"m": 40, **base, "rule": "paper", "n_elements": 50, "replacement": True},
        )
    distinct = {"m": 100, **base, "rule": "paper", "group": groups.Dihedral(6), "n_elements": 10}
    settings += (distinct,)
    return settings, 250 if context.quick else 20_000


def cases(context: Context, bound: Callable[..., Bound] = bounds.kernel_error) -> list[Case]:
    """Return the largest errors over all pairs beside the bounds, in both forms."""
    settings, n_draws = sizes(context)
    found = []
    for place, setting in enumerate(settings):
        options = {k: v for k, v in setting.items() if k != "m"}
        rows = unit_rows(context, POINTS, 6, f"rows {place}")
        products = drawn_products(context, f"draw {place}", rows, options, setting["m"], n_draws)
        worst = np.abs(products - limit(rows, options)).max(axis=1)
        common = {
            "n_bins": options["n_bins"],
            "n_rows": POINTS,
            "delta": DELTA,
            "window": options["window"],
            "n_elements": options.get("n_elements"),
            "group_order": _order_of(options),
            "templates": options.get("templates", "sphere"),
            "rule": options["rule"],
        }
        dims: tuple[int | None, ...] = (None,) if common["templates"] == "zero" else (None, 6)
        for n_inputs in dims:
            found.append(
                Case(
                    drawn=worst,
                    bound=bound(setting["m"], n_inputs=n_inputs, **common),
                    where={**common, "m": setting["m"], "d": 6, "lipschitz": n_inputs is not None},
                )
            )
    return found


def _order_of(options: dict[str, Any]) -> int | None:
    """Return the order of the group of which distinct elements are drawn."""
    sampled = "n_elements" in options and not options.get("replacement", False)
    return options["group"].order if sampled else None


def plot(context: Context) -> Plot:
    """Draw the largest error over all pairs and both bounds over the number of templates."""
    sizes = (10, 30, 100) if context.quick else (10, 30, 100, 300, 1000)
    options = {"group": BLOCKS, "window": 1.0, "n_bins": 10, "rule": "midpoint"}
    rows = unit_rows(context, POINTS, 6, "plot rows")
    exact = limit(rows, options)
    drawn = [
        np.abs(drawn_products(context, f"plot {m}", rows, options, m, 40) - exact).max(axis=1)
        for m in sizes
    ]
    common = {"n_bins": 10, "rule": "midpoint", "n_rows": POINTS, "delta": DELTA, "window": 1.0}
    x = np.log10(sizes)
    lines = [
        Series(
            label=label,
            x=x,
            y=[math.log10(bounds.kernel_error(m, n_inputs=d, **common).value) for m in sizes],
        )
        for label, d in (("proved, from the range", None), ("proved, Lipschitz", 6))
    ]
    return Plot(
        title="Theorem 2: largest error over all pairs, whole group",
        x_label="log10 of the number of templates",
        y_label="log10 of the error",
        series=(*lines, quantile_points("observed, 90 % quantile", x, drawn, 1 - DELTA)),
        caption=(
            "Templates have small projections in high dimension: the Lipschitz form sees it, the "
            "range does not."
        ),
    )
