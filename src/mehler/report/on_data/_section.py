"""Check maps against their exact kernels at the correlations of the user's rows."""

from __future__ import annotations

import math
from dataclasses import replace
from time import perf_counter

import numpy as np

from mehler.report.inputs._data import DataMatrix
from mehler.report.model._report import DataResult
from mehler.report.on_data import _plan
from mehler.report.on_data._maps import MapUnderTest, maps_under_test, products_of
from mehler.report.on_data._pairs import Correlations, survey
from mehler.report.render._format import count
from mehler.statements import Context, Evidence, Plot, Series
from mehler.verify import features_needed, intervals

_PAIRS = 64
_MISS = 1e-6
_LOWEST, _HIGHEST = -100, 100  # exponents of two at which a product of four lengths is safe


def measure(rows: DataMatrix, context: Context) -> DataResult:
    """Check the maps' feature products at pairs of rows that cover all their correlations.

    One look per map; values are in units of sqrt(k(x,x) k(y,y)).
    """
    start = perf_counter()
    context = context.for_statement("data")
    values, notes = _moderate(rows.values)
    seen = survey(values, _PAIRS, context.rng("pairs"))
    if rows.n_not_held:
        seen = replace(seen, complete=False)
        notes.append(
            f"All {count(rows.n_rows)} rows were checked, and {count(values.shape[0])} of them, "
            "evenly spaced, are looked at."
        )
    maps = maps_under_test()
    evidence, picture = [], None
    for one in maps:
        found, drawn = _check(one, values, seen, context)
        evidence.append(found)
        if one.name == "MaxoutFeatures" and one.pool_size == 4:
            picture = drawn
    plots = tuple(plot for plot in (_histogram(seen), picture) if plot is not None)
    if rows.n_zero_rows:
        n = rows.n_zero_rows
        notes.append(f"{n} {'row' if n == 1 else 'rows'} of zeros left out: no direction.")
    if not seen.complete:
        notes.append(f"Correlations are those of {count(seen.n_pairs)} pairs of random rows.")
    n_rows, n_columns = rows.n_rows, values.shape[1]
    return DataResult(
        name=rows.name,
        n_rows=n_rows,
        n_columns=n_columns,
        n_zero_rows=rows.n_zero_rows,
        notes=tuple(notes),
        n_correlations=seen.n_pairs,
        correlation_range=(seen.low, seen.high),
        pairs=tuple(
            (int(rows.index[i]), int(rows.index[j]), float(rho))
            for (i, j), rho in zip(seen.pairs, seen.rho)
        ),
        evidence=tuple(evidence),
        plan=_plan.plan(maps, seen, n_rows),
        plan_method=_plan.method(seen, n_rows),
        plots=plots,
        seconds=perf_counter() - start,
    )


def _moderate(values: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Scale rows whose kernel would overflow or vanish to lengths in [1, 2], by powers of two."""
    largest = np.max(np.abs(values), axis=1, keepdims=True)
    _, exponent = np.frexp(largest)
    odd = (exponent < _LOWEST) | (exponent > _HIGHEST)
    if not odd.any():
        return values, []
    scaled = np.where(odd, np.ldexp(values, -exponent), values)
    return scaled, [f"{int(odd.sum())} rows of extreme length scaled by a power of two."]


def design(
    one: MapUnderTest, variance: float, n_inputs: int, n_looks: int, context: Context
) -> tuple[int, float]:
    """Choose n_features and resolution before any draw.

    The level's resolution if the random numbers it takes are affordable; else the finest affordable
    one, but none coarser than the level allows.
    """
    target, coarsest, budget = (0.05, 0.1, 60e6) if context.quick else (0.03, 0.05, 600e6)
    alpha, miss = context.false_alarm / n_looks, _MISS / n_looks
    wanted = features_needed(variance, target, alpha, miss)
    afford = budget / one.weights(n_inputs)
    if wanted <= afford:
        return wanted, target
    # The number of features needed is proportional to 1 / resolution^2.
    resolution = min(coarsest, target * math.sqrt(wanted / afford))
    return features_needed(variance, resolution, alpha, miss), resolution


def _check(
    one: MapUnderTest, values: np.ndarray, seen: Correlations, context: Context
) -> tuple[Evidence, Plot]:
    x, y = values[seen.pairs[:, 0]], values[seen.pairs[:, 1]]
    n_looks = seen.rho.size
    exact = one.relative_kernel(seen.rho)
    variance = one.relative_variance(seen.rho)
    # Codes of equal rows always agree, with variance 0, so use the bound of a fair coin.
    spread = 0.25 if one.binary else float(variance.max())
    n, resolution = design(one, spread, x.shape[1], n_looks, context)
    context.ledger.spend(f"data: {one.label}", context.false_alarm)

    samples = products_of(one, x, y, n, context)
    scale = _scale(one, x, y)
    alpha = context.false_alarm / n_looks
    ends = np.array(
        [
            intervals.binomial(int(row.sum()), n, alpha)
            if one.binary
            else intervals.known_variance(row / s, float(v), alpha)
            for row, s, v in zip(samples.astype(np.float64), scale, variance)
        ]
    )
    observed = samples.mean(axis=1, dtype=np.float64) / scale
    low, high = ends[:, 0], ends[:, 1]
    outside = (exact < low) | (exact > high)
    half = np.maximum((high - low) / 2, np.finfo(np.float64).tiny)
    worst = int(np.argmin(np.minimum(exact - low, high - exact) / half))
    settled = bool(np.all(high - low <= resolution))
    status = "refuted" if outside.any() else "holds" if settled else "inconclusive"
    i, j = seen.pairs[worst]
    evidence = Evidence(
        form="proved",
        check=one.label,
        status=status,  # type: ignore[arg-type]  # one of the literals, as str
        claim=f"at all {n_looks} pairs of rows the mean feature product is the exact kernel; "
        f"shown is the pair that came closest to contradicting it, of correlation "
        f"{seen.rho[worst]:.3f}",
        observed=observed[worst],
        exact=exact[worst],
        interval=(low[worst], high[worst]),
        n_features=n,
        false_alarm=context.false_alarm,
        resolution=resolution,
        detectable=resolution,
        method="binomial (Clopper-Pearson)" if one.binary else "known variance (Catoni)",
        assumptions=(
            f"one look, shared by {n_looks} pairs (union bound)",
            "features are independent draws, their number fixed before",
            "values are in units of sqrt(k(x,x) k(y,y))",
        ),
        where={"i": int(i), "j": int(j), "rho": float(seen.rho[worst])},
    )
    return evidence, _picture(one, seen.rho, observed, low, high)


def _scale(one: MapUnderTest, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return sqrt(k(x,x) k(y,y)) for each pair, from the map's own kernel in its own dimension."""
    phi = one.draw(x.shape[1], 1, 0, None)
    own = [[float(phi.kernel(row[None])[0, 0]) for row in rows] for rows in (x, y)]
    return np.sqrt(own[0]) * np.sqrt(own[1])


def _histogram(seen: Correlations) -> Plot:
    kept = np.flatnonzero(seen.counts)
    first, last = kept[0], kept[-1] + 1
    x = np.repeat(seen.edges[first : last + 1], 2)[1:-1]
    y = np.repeat(seen.counts[first:last] / seen.n_pairs, 2)
    bars = Series(label="share of pairs", x=x, y_low=np.zeros(x.size), y_high=y, kind="band")
    return Plot(
        title="Correlations that occur in the data",
        x_label="correlation of two rows",
        y_label="share of pairs",
        series=(bars,),
        caption=f"{count(seen.n_pairs)} pairs from {seen.low:.3f} to {seen.high:.3f}, in bins of "
        f"width {seen.edges[1] - seen.edges[0]:.3g}.",
    )


def _picture(
    one: MapUnderTest, rho: np.ndarray, observed: np.ndarray, low: np.ndarray, high: np.ndarray
) -> Plot:
    from mehler.exact import locally_linear_kernel, sigma2

    grid = np.linspace(float(rho.min()), float(rho.max()), 200)
    printed = locally_linear_kernel(grid, one.pool_size) / sigma2(one.pool_size)
    return Plot(
        title=f"{one.label}, on pairs of the data",
        x_label="correlation of two rows",
        y_label="kernel / √(k(x,x) k(y,y))",
        series=(
            Series(label="kernel as proved", x=grid, y=one.relative_kernel(grid)),
            Series(label="kernel as printed in Theorem 1", x=grid, y=printed),
            Series(
                label="measured, with intervals",
                x=rho,
                y=observed,
                y_low=low,
                y_high=high,
                kind="points",
            ),
        ),
        caption="Every interval holds at once but for the false alarm of this look.",
    )
