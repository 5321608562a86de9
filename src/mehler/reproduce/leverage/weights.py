"""Figure 1 of the leverage paper: the weights of features, at no ridge and at some."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mehler import FourierFeatures
from mehler.features import leverage
from mehler.reproduce._draws import spread, with_errors
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page, Table
from mehler.reproduce.leverage._world import Problem, gammas_of, real, small, split
from mehler.statements import Plot

_DRAWS = 10
# Features of the pool, and rows that score them.
_POOL = {"quick": 60, "full": 300}
_ROWS = {"quick": 300, "full": 2000}
# The first is no ridge but for rounding: it must stay above 1000 eps, the features' norm is 1.
RIDGES = (1e-12, 1e-6, 1e-3, 1e-1)
# Weights over the uniform ones, M_0 q_i.
EDGES = tuple(np.linspace(0.0, 3.0, 25).tolist())


@dataclass(frozen=True)
class World:
    """Problems by name, and the level."""

    problems: dict[str, Problem]
    level: Level


def prepare(level: Level, folder: Path | None) -> World:
    """Load the 8 x 8 digits, or Adult and the substitutes at the full level.

    Raises MissingDataError if a package is not installed.
    """
    sets = small() if level == "quick" else real()
    return World({one.name: one for one in sets}, level)


def cells(level: Level) -> list[Cell]:
    """Return data sets and draws of rows and features; all ridges in one cell."""
    names = ("digits",) if level == "quick" else ("adult", "magic", "diamonds", "house_sales")
    return [Cell({"data": name, "draw": draw}) for draw in range(_DRAWS) for name in names]


def measure(world: World, cell: Cell, seed: int) -> Measured:
    """Return of the weights M_0 q_i at each ridge the histogram, the ends, and what is uniform.

    ``histogram``: shares of the features between `EDGES`, with what is above in the last bin.
    ``low`` and ``high``: quantiles of one and 99 percent. ``even``: share within one percent of
    uniform. ``size``: features that as many even ones would be, 1/(M_0 sum q_i^2).
    """
    problem, own = world.problems[cell.options["data"]], cell.seed(seed, NAME)
    n = _ROWS[world.level]
    rows = split(problem, n, 100, own).fit[0]
    gamma = gammas_of(split(problem, n, 100, own).fit[0], 2)[1]
    pool = FourierFeatures.draw(
        rows.shape[1],
        _POOL[world.level],
        gamma=gamma,
        form="offset",
        seed=own,
        dtype="float64",
    )
    values = pool(rows) * float(pool.n_features) ** 0.5
    found: Measured = {name: [] for name in ("histogram", "low", "high", "even", "size")}
    for lam in RIDGES:
        scores = np.asarray(leverage.ridge_leverage_scores(values, lam).scores)
        weights = scores / scores.mean()
        counts = np.histogram(np.minimum(weights, EDGES[-1]), EDGES)[0]
        found["histogram"].append((counts / len(weights)).tolist())
        for name, q in (("low", 0.01), ("high", 0.99)):
            found[name].append(float(np.quantile(weights, q)))
        found["even"].append(float(np.mean(np.abs(weights - 1) <= 0.01)))
        found["size"].append(float(1 / np.mean(weights**2)))
    return found


def page(level: Level, found: list[tuple[Cell, Measured]]) -> Page:
    """Return histograms, and how uneven the weights are."""
    names = list(dict.fromkeys(cell.options["data"] for cell, _ in found))
    by_name = {n: [one for cell, one in found if cell.options["data"] == n] for n in names}
    columns = {
        "even": "within 1 percent of uniform",
        "low": "1 percent below",
        "high": "1 percent above",
        "size": "even features worth as many, share",
    }
    rows = [
        [
            name,
            _ridge(k),
            *(spread([one[column][k] for one in by_name[name]], 3) for column in columns),
        ]
        for name in names
        for k in range(len(RIDGES))
    ]
    middles = (np.array(EDGES[1:]) + EDGES[:-1]) / 2
    plots = [
        Plot(
            title=f"{name}: histogram of the weights",
            x_label="weight over the uniform one, M0 q",
            y_label="share of the features",
            series=[
                with_errors(
                    f"lambda = {_ridge(k)}",
                    middles,
                    np.array([one["histogram"][k] for one in by_name[name]]),
                )
                for k in range(len(RIDGES))
            ],
            caption="Mean over draws of rows and features, with its standard error.",
        )
        for name in names
    ]
    return Page(
        verdicts=[_verdict(name, some) for name, some in by_name.items()],
        tables=(
            Table(
                f"Weights M0 q of {_POOL[level]} features by {_ROWS[level]} rows, mean ± standard "
                "deviation over draws",
                ("data", "lambda", *columns.values()),
                rows,
            ),
        ),
        plots=plots,
    )


def _ridge(k: int) -> str:
    return "0, but for rounding" if k == 0 else f"{RIDGES[k]:g}"


def _verdict(name: str, some: list[Measured]) -> str:
    """Say of one data set what the paper says of its own: uniform at 0, uneven at a ridge."""
    even = np.array([one["even"] for one in some])
    spreads = np.array([np.divide(one["high"], one["low"]) for one in some])
    first = (
        f"uniform without a ridge ({100 * even[:, 0].mean():.0f} % of the weights within 1 %)"
        if even[:, 0].min() == 1
        else f"not uniform without a ridge ({100 * even[:, 0].mean():.0f} % of the weights within "
        "1 %): columns are dependent to rounding"
    )
    ratios = ", ".join(
        f"{ratio:.3g} at {RIDGES[k]:g}" for k, ratio in enumerate(spreads.mean(axis=0)) if k
    )
    return (
        f"{name}: {first}; the largest weight in a hundred over the least: {ratios} "
        f"(mean of {len(some)} draws)."
    )


NAME = "leverage-weights"
EXPERIMENT = Experiment(
    name=NAME,
    title="Weights of features by leverage",
    source="Shahrampour, Kolouri (2019), Figure 1",
    printed=(
        "Histograms of the weights of features on Year Prediction: without a ridge all are equal, "
        "with one, whose size our copy has lost, they are far from it. No package ships the data: "
        "Adult, magic, diamonds and house sales stand in, and the 8 x 8 digits at the quick level."
    ),
    prepare=prepare,
    cells=cells,
    measure=measure,
    page=page,
    data={
        "quick": "the 8 x 8 digits, in place of Year Prediction",
        "full": "Adult, magic, diamonds and house sales, in place of Year Prediction",
    },
    together=("draw",),
)
