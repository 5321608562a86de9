"""Errors on five kinds of rows: our bounds, the known ones, what was drawn, and lower bounds.

    python benchmarks/five_settings.py [SETTING ...]

300 rows each: MNIST and Adult (of packages that docs/data.md names; left
out where they are not installed), digits of scikit-learn, a
sphere, and a subspace of five dimensions in fifty. Gaussian kernel at the median distance, 4000
columns of cosines and sines, confidence 95 %. Of the risk: 300 maxout units of four on rows of
length 1. A setting takes under a minute of CPU; those that are named replace their rows in the
table, others stay.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from typing import Any

import _harness
import _known_forms as known
import numpy as np
from mehler.proofs_checks.experiments import data
from mehler.proofs_checks.features._gram_draws import grams
from mehler.proofs_checks.features.gram_error import best_direction, known_before
from mehler.proofs_checks.maxout.risk._risks import Law, units
from scipy import special, stats

import mehler
from mehler import doubling, exact
from mehler.bounds import kernel_error, kitchen_sinks, lower, maxout, ridge, spectral
from mehler.statements import Context
from mehler.verify import Ledger, intervals

N, DELTA, COLUMNS, SOME, FEW = 300, 0.05, 4000, 60, 3
DRAWS, MANY, RISKS = 100, 20_000, 300
RIDGE, NOISE, NORM = 0.03, 0.5, 1.0
UNITS, POOL = 300, 4
ALARM = 0.05  # of each interval for what was drawn
TITLE = "Errors on five kinds of rows"
PLACES = ("mnist_5k", "adult", "digits", "sphere", "subspace")
HEADER = ["rows", "error", "ours", "known", "drawn", "draws", "at least", "ours over drawn"]


def rows() -> Iterator[tuple[str, Any]]:
    """Return the five settings, turned into coordinates of their span."""
    rng = np.random.default_rng(0)
    for name in PLACES[:3]:
        try:
            x = np.asarray(getattr(data, name)().X, dtype=float)
        except data.MissingDataError as error:
            print(f"{name} is left out: {str(error).split(':')[0]} is not installed")
            continue
        x = x.reshape(len(x), -1)[rng.choice(len(x), N, replace=False)]
        yield name, (x - x.mean(axis=0)) / np.maximum(x.std(), 1e-12)
    sphere = rng.standard_normal((N, 5))
    yield "sphere", sphere / np.linalg.norm(sphere, axis=1, keepdims=True)
    yield "subspace", rng.standard_normal((N, 5)) @ rng.standard_normal((5, 50))


def in_span(x: Any) -> Any:
    """Return coordinates (n, rank): distances and angles of rows are all that matters."""
    left, values, _ = np.linalg.svd(x, full_matrices=False)
    kept = values > 1e-10 * values[0]
    return left[:, kept] * values[kept]


def fourier(x: Any, gamma: float) -> Any:
    """Return a function that draws cosines and sines for these rows."""
    return lambda m, **options: mehler.FourierFeatures.draw(x.shape[1], m, gamma=gamma, **options)


def draw_grams(x: Any, gamma: float, mu: Any, vectors: Any, kernel: Any) -> dict[str, Any]:
    """Return spectral errors, norms, entries and risks of the worst target, of each draw."""
    shift = N * RIDGE
    root = (vectors / np.sqrt(np.maximum(mu, 0) + shift)) @ vectors.T
    half = (vectors * np.sqrt(np.maximum(mu, 0))) @ vectors.T
    found: dict[str, list[float]] = {"spectral": [], "operator": [], "entries": [], "ridge": []}
    context = Context(ledger=Ledger(budget=1e-6), statement="five settings")
    for (gram,) in grams(context, fourier(x, gamma), "all", x, n_features=COLUMNS, n_draws=DRAWS):
        off = gram - kernel
        found["spectral"].append(np.abs(np.linalg.eigvalsh(root @ off @ root)).max())
        found["operator"].append(np.abs(np.linalg.eigvalsh(off)).max())
        found["entries"].append(np.abs(off).max())
        away = shift * np.linalg.inv(gram + shift * np.eye(N))
        missed = away @ half
        bias = NORM**2 * np.linalg.eigvalsh(missed.T @ missed)[-1]
        found["ridge"].append((bias + NOISE**2 * np.sum((np.eye(N) - away) ** 2)) / N)
    return {name: np.array(values) for name, values in found.items()}


def few_entries(x: Any, gamma: float) -> Any:
    """Return the largest error of the entries of some rows, of many draws."""
    some = in_span(x[:FEW])
    kernel = fourier(some, gamma)(2, seed=0).kernel(some)
    context = Context(ledger=Ledger(budget=1e-6), statement="five settings")
    blocks = grams(context, fourier(some, gamma), "few", some, n_features=COLUMNS, n_draws=MANY)
    return np.concatenate([np.abs(one - kernel).max(axis=(1, 2)) for one in blocks])


def cosines(x: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of the table for cosines and sines."""
    squared = ((x[:, None, :] - x[None, :, :]) ** 2).sum(axis=2)
    gamma, M = 1 / float(np.median(squared)), COLUMNS // 2
    kernel = np.exp(-gamma * squared)
    mu, vectors = np.linalg.eigh(kernel)
    drawn = draw_grams(x, gamma, mu, vectors, kernel)
    told: dict[str, Any] = {"delta": DELTA, "eigenvalues": mu}
    shift = N * RIDGE
    avron = float(known_before(COLUMNS, ridge=shift, **told).value)
    below = {
        name: best_direction(x[:SOME], COLUMNS, gamma=gamma, delta=DELTA, ridge=lam).value
        for name, lam in (("spectral", shift), ("operator", None))
    }
    # A pair's variance, of one frequency; at the diagonal errors are 0.
    spread = float(fourier(x, gamma)(2, seed=0).variance(x).max()) / 2
    pair = lower.one_pair(M, delta=DELTA, variance=spread, third=2 / math.sqrt(spread)).value
    # Bernstein's inequality: products are at most 2 from their mean.
    product: dict[str, Any] = {"delta": DELTA, "sub_gamma": (spread, 2 / 3)}
    yield row(
        "spectral",
        spectral.gram_error(COLUMNS, ridge=shift, sup=1.0, block=2, **told).value,
        avron,
        drawn["spectral"],
        below["spectral"],
    )
    yield row(
        "operator norm",
        spectral.gram_error(COLUMNS, sup=1.0, block=2, **told).value,
        known.operator(mu, M, DELTA),
        drawn["operator"],
        below["operator"],
    )
    yield row(
        f"entries, {N} rows",
        kernel_error.all_pairs(M, n_rows=N, **product).value,
        known.entries(N, M, DELTA),
        drawn["entries"],
        pair,
    )
    some = float(fourier(x, gamma)(2, seed=0).variance(x[:FEW]).max()) / 2
    yield row(
        f"entries, {FEW} rows",
        kernel_error.all_pairs(M, n_rows=FEW, delta=DELTA, sub_gamma=(some, 2 / 3)).value,
        known.entries(FEW, M, DELTA),
        few_entries(x, gamma),
        lower.one_pair(M, delta=DELTA, variance=some, third=2 / math.sqrt(some)).value,
    )
    d, set_of = x.shape[1], geometry(x)
    length = math.sqrt(2) * math.exp(special.gammaln((d + 1) / 2) - special.gammaln(d / 2))
    slope = (math.sqrt(2 * gamma) * length, 2 * gamma * d)
    yield {
        **row(
            "uniform",
            kernel_error.uniform_by_slope(M, slope=slope, **set_of, **product).value,
            known.uniform(M, DELTA, d=d, diameter=set_of["diameter"], second=slope[1]),
            drawn["entries"],
            pair,
        ),
        **set_of,
        "columns": d,
    }
    sizes: dict[str, Any] = {"ridge": RIDGE, "norm": NORM, "noise": NOISE}
    yield row(
        "ridge",
        ridge.excess_risk(COLUMNS, eigenvalues=mu, sup=1.0, block=2, **sizes).value,
        known.ridge(avron, mu, **sizes),
        drawn["ridge"],
        known.pinsker(mu, norm=NORM, noise=NOISE),
        of="mean",
    )


def geometry(x: Any) -> dict[str, float]:
    """Return doubling dimension, from above, and diameter."""
    return {
        "dimension": float(doubling.doubling_dimension(x).high),
        "diameter": float(doubling.diameter(x)),
    }


def risks(x: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows for the excess risk of bounded weights on maxout units, plain and centred."""
    points = x / np.linalg.norm(x, axis=1, keepdims=True)
    rng = np.random.default_rng(1)
    law = Law(points, 0.6 * np.where(points @ rng.standard_normal(x.shape[1]) > 0, 1.0, -1.0))
    # As in the checks of Theorem 2: a ramp whose linear part no function leaves.
    scale = 0.5 / math.sqrt(exact.sigma2(POOL))
    loss: dict[str, Any] = {"scale": scale, "lipschitz": 0.5, "pool_size": POOL}
    middle, v = float(exact.max_moment(1, POOL)), law.label_mean / N
    gained: dict[bool, list[Any]] = {False: [], True: []}
    sizes: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(RISKS):
        phi = units(rng, points, POOL, (UNITS,)).astype(float)
        assert scale * np.abs(phi).mean(axis=0).max() <= 1
        seen = law.label_counts(rng, N, 1)[0]
        for centred in gained:
            values = phi - middle if centred else phi
            b = values @ v
            sizes[centred].append(float(np.abs(b).mean()))
            gained[centred].append(float((np.sign(values @ seen) * b).mean()))
    numbers = {"n_inputs": x.shape[1], **geometry(points)}
    for centred in gained:
        # The mean over 90,000 units for E|b|.
        found = scale / 2 * (np.mean(sizes[centred]) - np.array(gained[centred]))
        shared: dict[str, Any] = {"n_features": UNITS, "n_samples": N, **loss}
        ours = maxout.excess_risk(delta=DELTA / 3, centred=centred, **shared).value
        covered = maxout.excess_risk(delta=DELTA / 4, **numbers, **shared)
        before = covered.total
        bounded = kitchen_sinks.excess_risk(
            UNITS,
            N,
            scale=scale,
            lipschitz=0.5,
            delta=DELTA / 2,
            feature_scale=kitchen_sinks.feature_scale_maxout(
                x.shape[1], POOL, radius=1.0, by="longest"
            ),
        ).total
        below = lower.excess_risk(N, pool_size=POOL, scale=scale, lipschitz=0.5).value
        name = "risk, centred units" if centred else "risk"
        yield row(
            name,
            ours,
            math.nan if centred else min(before, bounded),
            found,
            math.nan if centred else below,
        )


def row(
    error: str, ours: float, before: float, drawn: Any, below: float, of: str = "quantile"
) -> dict[str, Any]:
    """Return the numbers of one row of the table."""
    mean = of == "mean"
    seen = np.mean(drawn) if mean else np.quantile(drawn, 1 - DELTA)
    ends = intervals.quantile(drawn, 1 - DELTA, ALARM)
    if mean:  # Student's, right for many draws
        ends = stats.t.interval(1 - ALARM, np.size(drawn) - 1, seen, stats.sem(drawn))
    return {
        "error": error,
        "ours": float(ours),
        "known": _finite(before),
        "of": of,
        "drawn": float(seen),
        "interval": [_finite(end) for end in ends],
        "draws": len(drawn),
        "violations": int(np.sum(drawn > ours)),
        "at_least": _finite(below),
    }


def _finite(value: float) -> float | None:
    """Return a number that JSON has, or None where nothing is known."""
    return float(value) if math.isfinite(value) else None


def cells(one: dict[str, Any]) -> list[str]:
    """Return one row of the table as text."""
    ours, before, drawn, below, low, high = (
        "" if value is None else f"{value:.3g}"
        for value in (
            *(one[name] for name in ("ours", "known", "drawn", "at_least")),
            *one["interval"],
        )
    )
    seen = f"{drawn} [{low}, {high}]"
    ratio = f"{one['ours'] / one['drawn']:.3g}"
    return [one["rows"], one["error"], ours, before, seen, f"{one['draws']:,}", below, ratio]


def main() -> None:
    """Measure the settings that are named, or all, and write the table."""
    kept = _harness.RESULTS / "five_settings.json"
    found = json.loads(kept.read_text())["rows"] if kept.exists() else []
    for name, x in rows():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        x = in_span(x)
        new = [{"rows": name, **one} for part in (cosines(x), risks(x)) for one in part]
        found = [one for one in found if one["rows"] != name] + new
        found.sort(key=lambda one: PLACES.index(one["rows"]))
        _harness.save("five_settings", TITLE, HEADER, [cells(one) for one in found], found)


if __name__ == "__main__":
    main()
