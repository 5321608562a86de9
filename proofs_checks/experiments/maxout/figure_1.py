"""Figure 1 of the maxout paper: distances of features against distances on a circle.

A maxout feature is the largest of q random projections. K(x, z) is the mean inner product of the
features of two points, sigma^2 = K(x, x), so that squared distances have the mean 2 (sigma^2 - K).
Compared are K as proved here, and as Mroueh, Rennie, Goel (2015) print it, another function.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mehler import MaxoutFeatures, exact
from mehler.statements import Plot, Series

from .._harness import LEVELS, Cell, Level, declared
from .._results import Record, Results, Tables

# The two pool sizes of the figure; at the full level, also between and beyond them.
POOLS = {"quick": (8, 32), "full": (2, 4, 8, 16, 32, 64)}
POINTS, UNITS, PAIRS = 100, 1000, 400
COLUMNS = {
    "slope_at_0": "slope near 0",
    "from_proved": "from the proved kernel",
    "from_printed": "from the printed kernel",
}


def measure(level: Level, rows: None, cell: Cell) -> Record:
    """Embed 100 random points of the unit circle and measure 400 pairs of them."""
    q = cell["q"]
    rng = np.random.default_rng(cell.seed("q"))  # the same points for every pool size
    angle = rng.uniform(0, 2 * np.pi, POINTS)
    points = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    i, j = np.triu_indices(POINTS, 1)
    pairs = rng.choice(len(i), PAIRS, replace=False)
    i, j = i[pairs], j[pairs]
    Z = MaxoutFeatures.draw(2, UNITS, q, seed=cell.seed())(points)
    apart = np.linalg.norm(points[i] - points[j], axis=1)
    distances = np.linalg.norm(Z[i] - Z[j], axis=1)
    proved, printed = curves(apart, q)
    return {
        "apart": apart.tolist(),
        "measured": distances.tolist(),
        "from_proved": float(np.sqrt(np.mean((distances - proved) ** 2))),
        "from_printed": float(np.sqrt(np.mean((distances - printed) ** 2))),
        "slope_at_0": float(np.median((distances / apart)[apart < 0.1])),
    }


def curves(apart: ArrayLike, q: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sqrt(2 (sigma^2 - K)) by the proved and the printed K, for unit rows `apart`."""
    rho = 1 - np.asarray(apart) ** 2 / 2
    kernels = exact.maxout_kernel(rho, q), exact.locally_linear_kernel(rho, q)
    proved, printed = (np.sqrt(2 * (exact.sigma2(q) - K).clip(0)) for K in kernels)
    return proved, printed


def table(level: Level, results: Results) -> Tables:
    """Return slopes near 0, and distances of the measured points from both curves."""
    caption = "Slope of pairs nearer than 0.1, median; root mean square distance of the measured "
    rows = [
        {"q": str(cell["q"])} | {head: f"{record[name]:.3f}" for name, head in COLUMNS.items()}
        for cell, record in results.cells
    ]
    return {f"{caption}points from the two curves": rows}


def figure(level: Level, results: Results) -> list[Plot]:
    plots, chord = [], np.linspace(0, 2, 201)
    axes: Any = {"x_label": "distance of the points", "y_label": "distance of the features"}
    for cell, record in results.cells:
        proved, printed = curves(chord, cell["q"])
        series = [
            Series(label="measured", x=record["apart"], y=record["measured"], kind="points"),
            Series(label="from the proved kernel", x=chord, y=proved),
            Series(label="from the printed kernel", x=chord, y=printed),
        ]
        plots.append(Plot(title=f"Pools of q = {cell['q']}", series=series, **axes))
    return plots


EXPERIMENT = declared(
    __name__,  # with the functions measure, table and figure of this module
    name="maxout-figure-1",
    title="The locality of pools",
    source="Mroueh, Rennie, Goel (2015), Figure 1",
    cells=lambda level: [{"q": q} for q in POOLS[level]],
    data=dict.fromkeys(LEVELS, "points of a circle"),
)
