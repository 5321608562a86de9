"""Figure 1 of the maxout paper: distances of features against distances on a circle."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import MaxoutFeatures, exact
from mehler.reproduce._experiment import LEVELS, Cell, Experiment, Level, Measured, Page, Table
from mehler.statements import Plot, Series

_POINTS, _UNITS, _SHOWN = 100, 1000, 400
# The two pool sizes of the figure; at the full level, also between and beyond them.
_POOLS = {"quick": (8, 32), "full": (2, 4, 8, 16, 32, 64)}
_COLUMNS = ("slope_at_0", "from_proved", "from_printed")


def measure(level: Level, rows: None, cell: Cell, seed: int) -> Measured:
    """Embed 100 random points of the unit circle and measure 400 pairs of them."""
    q = cell.options["q"]
    # Use the same points for every pool size, as in the figure.
    rng = np.random.default_rng(cell.seed(seed, _NAME, "q"))
    angle = rng.uniform(0, 2 * np.pi, _POINTS)
    points = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    first, second = np.triu_indices(_POINTS, 1)
    shown = rng.choice(len(first), _SHOWN, replace=False)
    first, second = first[shown], second[shown]
    Z = MaxoutFeatures.draw(2, _UNITS, q, seed=cell.seed(seed, _NAME))(points)
    apart = np.linalg.norm(points[first] - points[second], axis=1)
    measured = np.linalg.norm(Z[first] - Z[second], axis=1)
    proved, printed = curves(apart, q)
    return {
        "apart": apart.tolist(),
        "measured": measured.tolist(),
        "from_proved": float(np.sqrt(np.mean((measured - proved) ** 2))),
        "from_printed": float(np.sqrt(np.mean((measured - printed) ** 2))),
        "slope_at_0": float(np.median((measured / apart)[apart < 0.1])),
    }


def curves(apart: NDArray[np.float64], q: int) -> tuple[Any, Any]:
    r"""Return distances :math:`\sqrt{2(\sigma^2 - K)}` by the proved and by the printed kernel.

    `apart` are distances of points on the unit sphere.
    """
    rho = 1 - np.asarray(apart) ** 2 / 2
    top = exact.sigma2(q)
    kernels = exact.maxout_kernel(rho, q), exact.locally_linear_kernel(rho, q)
    proved, printed = (np.sqrt(2 * (top - kernel).clip(0)) for kernel in kernels)
    return proved, printed


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Compare the measured distances with both kernels."""
    slopes = [measured["slope_at_0"] for _, measured in cells]
    # With 1000 independent units squared distances vary by some 5 %, slopes by some 2 %.
    linear = max(abs(slope - 1) for slope in slopes) < 0.1
    nearer = sum(measured["from_proved"] < measured["from_printed"] for _, measured in cells)
    verdicts = (
        f"Near 0 the distances of features are {min(slopes):.3f} to {max(slopes):.3f} times those "
        "of the points (median over pairs nearer than 0.1): "
        + (
            "a linear regime of slope 1, as the figure shows and the proved kernel says. "
            if linear
            else "not the slope 1 of the figure and of the proved kernel. "
        )
        + "By the kernel that the paper prints the slope at 0 is infinite.",
        "The measured points lie nearer to the curve of the proved kernel than to that of the "
        f"printed one at {nearer} of {len(cells)} pool sizes.",
    )
    distances = Table(
        "Root mean square distance of the measured points from the two curves",
        ("q", "slope near 0", "from the proved kernel", "from the printed kernel"),
        [
            [str(cell.options["q"]), *(f"{measured[name]:.3f}" for name in _COLUMNS)]
            for cell, measured in cells
        ],
    )
    plots = []
    chord = np.linspace(0, 2, 201)
    for cell, measured in cells:
        q = cell.options["q"]
        proved, printed = curves(chord, q)
        series = [
            Series(label="measured", x=measured["apart"], y=measured["measured"], kind="points"),
            Series(label="from the proved kernel", x=chord, y=proved),
            Series(label="from the printed kernel", x=chord, y=printed),
        ]
        title, x_label = f"Pools of q = {q}", "distance of the points"
        y_label = "distance of the features"
        plots.append(Plot(title=title, x_label=x_label, y_label=y_label, series=series))
    return Page(verdicts=verdicts, tables=(distances,), plots=plots)


_NAME = "maxout-figure-1"
EXPERIMENT = Experiment(
    name=_NAME,
    title="The locality of pools",
    source="Mroueh, Rennie, Goel (2015), Figure 1",
    printed=(
        "100 random points of the unit circle, m = 1000, q = 8 and 32: distances of features "
        "against distances of points, for some of the pairs."
    ),
    cells=lambda level: [Cell({"q": q}) for q in _POOLS[level]],
    measure=measure,
    data=dict.fromkeys(LEVELS, "points of a circle"),
    page=page,
)
