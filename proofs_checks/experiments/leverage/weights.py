"""Figure 1 of Shahrampour, Kolouri (2019): how uneven are weights of features by leverage scores?

The weights q_i of M_0 random features are their leverage scores at a ridge lambda, over the sum:
how much each adds to the others on some rows. Measured is M_0 q_i, 1 where all are alike.
"""

import numpy as np

from mehler.features import leverage
from mehler.statements import Plot

from .._harness import Cell, Level, declared
from .._results import Record, Results, Tables, curves, draws, spread
from .._rows import Problem, cosines, gammas_of, problems, sets_of, split

# Features of the pool, and rows that score them.
POOL, ROWS = {"quick": 60, "full": 300}, {"quick": 300, "full": 2000}
# The first is no ridge but for rounding: it must stay above 1000 eps, the features' norm is 1.
RIDGES = {"0, but for rounding": 1e-12, "1e-06": 1e-6, "0.001": 1e-3, "0.1": 1e-1}
EDGES = np.linspace(0.0, 3.0, 25)  # of M_0 q_i
COLUMNS = {
    "even": "within 1 percent of uniform",
    "low": "1 percent below",
    "high": "1 percent above",
    "size": "even features worth as many, fraction",
}


def measure(level: Level, sets: dict[str, Problem], cell: Cell) -> Record:
    """Return of the weights M_0 q_i at each ridge the histogram, the ends, and what is uniform.

    ``histogram``: fractions of the features between `EDGES`, with what is above in the last bin.
    ``low`` and ``high``: quantiles of one and 99 percent. ``even``: fraction within one percent of
    uniform. ``size``: features that as many even ones would be, 1/(M_0 sum q_i^2).
    """
    rows, _ = split(sets[cell["data"]], ROWS[level], 100, cell.seed()).fit
    pool = cosines(rows, POOL[level], gammas_of(rows, 2)[1], cell.seed())
    values = pool(rows) * float(pool.n_features) ** 0.5
    record: Record = {name: [] for name in ("histogram", *COLUMNS)}
    for lam in RIDGES.values():
        scores = np.asarray(leverage.ridge_leverage_scores(values, lam).scores)
        weights = scores / scores.mean()
        counts = np.histogram(np.minimum(weights, EDGES[-1]), EDGES)[0]
        record["histogram"].append((counts / len(weights)).tolist())
        for name, q in (("low", 0.01), ("high", 0.99)):
            record[name].append(float(np.quantile(weights, q)))
        record["even"].append(float(np.mean(np.abs(weights - 1) <= 0.01)))
        record["size"].append(float(1 / np.mean(weights**2)))
    return record


def table(level: Level, results: Results) -> Tables:
    rows = []
    for name in results.options("data"):
        subset = results.where(data=name)
        for k, lam in enumerate(RIDGES):
            row = {"data": name, "lambda": lam}
            row |= {
                label: spread(subset.values(column)[:, k], 3) for column, label in COLUMNS.items()
            }
            ratios = subset.values("high")[:, k] / subset.values("low")[:, k]
            rows.append({**row, "above over below": f"{ratios.mean():.3g}"})
    return {
        f"Weights M0 q of {POOL[level]} features by {ROWS[level]} rows, mean ± standard deviation "
        "over draws": rows
    }


def figure(level: Level, results: Results) -> list[Plot]:
    return [
        curves(
            f"{name}: histogram of the weights",
            "weight over the uniform one, M0 q",
            (EDGES[1:] + EDGES[:-1]) / 2,
            "fraction of the features",
            {
                f"lambda = {lam}": results.values("histogram", k, data=name)
                for k, lam in enumerate(RIDGES)
            },
            "Mean over draws of rows and features, with its standard error.",
            x_log=False,
        )
        for name in results.options("data")
    ]


EXPERIMENT = declared(
    __name__,  # with the functions measure, table and figure of this module
    name="leverage-weights",
    title="Weights of features by leverage",
    source="Shahrampour, Kolouri (2019), Figure 1",
    prepare=lambda level, folder: problems(level),
    cells=lambda level: draws({"data": name} for name in sets_of(level)),
    data={
        "quick": "the 8 x 8 digits, in place of Year Prediction",
        "full": "Adult, magic, diamonds and house sales, in place of Year Prediction",
    },
)
