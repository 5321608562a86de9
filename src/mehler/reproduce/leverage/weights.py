"""Figure 1 of the leverage paper: the weights of features, at no ridge and at some."""

from __future__ import annotations

import numpy as np

from mehler.features import leverage
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, draws
from mehler.reproduce._results import Results, curves, table
from mehler.reproduce._rows import Problem, cosines, gammas_of, problems, sets_of, split

# Features of the pool, and rows that score them.
_POOL = {"quick": 60, "full": 300}
_ROWS = {"quick": 300, "full": 2000}
# The first is no ridge but for rounding: it must stay above 1000 eps, the features' norm is 1.
RIDGES = (1e-12, 1e-6, 1e-3, 1e-1)
_LABELS = ("0, but for rounding", *(f"{lam:g}" for lam in RIDGES[1:]))
# Weights over the uniform ones, M_0 q_i.
_EDGES = tuple(np.linspace(0.0, 3.0, 25).tolist())
_COLUMNS = {
    "even": "within 1 percent of uniform",
    "low": "1 percent below",
    "high": "1 percent above",
    "size": "even features worth as many, share",
}


def measure(level: Level, sets: dict[str, Problem], cell: Cell, seed: int) -> Measured:
    """Return of the weights M_0 q_i at each ridge the histogram, the ends, and what is uniform.

    ``histogram``: shares of the features between `_EDGES`, with what is above in the last bin.
    ``low`` and ``high``: quantiles of one and 99 percent. ``even``: share within one percent of
    uniform. ``size``: features that as many even ones would be, 1/(M_0 sum q_i^2).
    """
    problem, own = sets[cell.options["data"]], cell.seed(seed, _NAME)
    rows, _ = split(problem, _ROWS[level], 100, own).fit
    pool = cosines(rows, _POOL[level], gammas_of(rows, 2)[1], own)
    values = pool(rows) * float(pool.n_features) ** 0.5
    measured: Measured = {name: [] for name in ("histogram", "low", "high", "even", "size")}
    for lam in RIDGES:
        scores = np.asarray(leverage.ridge_leverage_scores(values, lam).scores)
        weights = scores / scores.mean()
        counts = np.histogram(np.minimum(weights, _EDGES[-1]), _EDGES)[0]
        measured["histogram"].append((counts / len(weights)).tolist())
        for name, q in (("low", 0.01), ("high", 0.99)):
            measured[name].append(float(np.quantile(weights, q)))
        measured["even"].append(float(np.mean(np.abs(weights - 1) <= 0.01)))
        measured["size"].append(float(1 / np.mean(weights**2)))
    return measured


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return histograms, and how uneven the weights are."""
    results = Results(cells)
    by_name = {name: results.where(data=name) for name in results.options("data")}
    weights = table(
        f"Weights M0 q of {_POOL[level]} features by {_ROWS[level]} rows, mean ± standard "
        "deviation over draws",
        ("data", "lambda", *_COLUMNS.values()),
        {
            (name, label): [some.values(column)[:, k] for column in _COLUMNS]
            for name, some in by_name.items()
            for k, label in enumerate(_LABELS)
        },
        digits=3,
    )
    plots = [
        curves(
            f"{name}: histogram of the weights",
            "weight over the uniform one, M0 q",
            (np.array(_EDGES[1:]) + _EDGES[:-1]) / 2,
            "share of the features",
            {f"lambda = {at}": some.values("histogram", k) for k, at in enumerate(_LABELS)},
            "Mean over draws of rows and features, with its standard error.",
            x_log=False,
        )
        for name, some in by_name.items()
    ]
    verdicts = [_verdict(name, some) for name, some in by_name.items()]
    return Page(verdicts=verdicts, tables=(weights,), plots=plots)


def _verdict(name: str, some: Results) -> str:
    """Say of one data set what the paper says of its own: uniform at 0, uneven at a ridge."""
    even, spreads = some.values("even"), some.values("high") / some.values("low")
    exact = even[:, 0].min() == 1
    first = (
        f"{'' if exact else 'not '}uniform without a ridge ({100 * even[:, 0].mean():.0f} % of the "
        f"weights within 1 %){'' if exact else ': columns are dependent to rounding'}"
    )
    ratios = ", ".join(
        f"{ratio:.3g} at {RIDGES[k]:g}" for k, ratio in enumerate(spreads.mean(axis=0)) if k
    )
    return (
        f"{name}: {first}; the largest weight in a hundred over the least: {ratios} "
        f"(mean of {len(even)} draws)."
    )


_NAME = "leverage-weights"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Weights of features by leverage",
    source="Shahrampour, Kolouri (2019), Figure 1",
    printed=(
        "Histograms of the weights of features on Year Prediction: without a ridge all are equal, "
        "with one, whose size the source text lacks, they are far from it."
    ),
    prepare=lambda level, folder: problems(level),
    cells=lambda level: draws({"data": name} for name in sets_of(level)),
    measure=measure,
    page=page,
    data={
        "quick": "the 8 x 8 digits, in place of Year Prediction",
        "full": "Adult, magic, diamonds and house sales, in place of Year Prediction",
    },
)
