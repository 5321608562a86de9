"""Draw the pictures of the documentation with mehler itself.

``python docs/_gallery.py`` writes all of them to ``docs/_static``; a name draws that one. The
output is the same bytes for the same versions of mehler and matplotlib.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
import numpy as np
from mehler.proofs_checks.experiments.invariant.permutations import BEST, LEAST_SQUARES

import mehler
from mehler import exact
from mehler.report.render._svg import plot_on
from mehler.statements import Plot, Series

STATIC = Path(__file__).parent / "_static"
_HOUSE = mpl.rc_params_from_file(STATIC.with_name("matplotlibrc"), use_default_template=False)
COLOURS = tuple(_HOUSE["axes.prop_cycle"].by_key()["color"])
BLUE, ORANGE = COLOURS[:2]
RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
GREY = "#6b7280"
TRUE, PRINTED, MEASURED = BLUE, ORANGE, GREY
POINTS = "#aab4c3"  # a crowd of points, under the curve that it follows


def style(name: str, size: float = 10) -> dict[str, Any]:
    """Settings of matplotlib for the picture of that name; the salt keeps its bytes the same."""
    return {**_HOUSE, "svg.hashsalt": name, "font.size": size}


def figure_1() -> Any:
    """The paper's Figure 1 with both kernels over the measured points."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, 100)
    rows = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    first, second = np.triu_indices(100, 1)
    shown = rng.choice(len(first), 400, replace=False)
    first, second = first[shown], second[shown]
    chord = np.linspace(0, 2, 401)
    rho = 1 - chord**2 / 2

    figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), sharey=True)
    for axis, q in zip(axes, (8, 32), strict=True):
        Z = mehler.MaxoutFeatures.draw(2, 1000, q, seed=0)(rows)
        distance = np.linalg.norm(rows[first] - rows[second], axis=1)
        measured = np.linalg.norm(Z[first] - Z[second], axis=1)
        top = exact.sigma2(q)
        true = np.sqrt(2 * (top - exact.maxout_kernel(rho, q)).clip(0))
        printed = np.sqrt(2 * (top - exact.locally_linear_kernel(rho, q)).clip(0))
        axis.plot(distance, measured, ".", ms=5, color=POINTS, label="measured, m = 1000")
        axis.plot(chord, true, color=TRUE, lw=1.5, label="from the true kernel")
        axis.plot(chord, printed, "--", color=PRINTED, lw=1.5, label="from the printed kernel")
        axis.set(title=f"q = {q}", xlabel="distance of the points", xlim=(0, 2), ylim=(0, 3.2))
        axis.set_xticks([0, 0.5, 1, 1.5, 2])
    axes[0].set_ylabel("distance of the features")
    axes[0].legend(fontsize=9)
    return figure


def leverage_circle() -> Any:
    """How often features of a circle reach the whole ball, by leverage and plainly."""
    from mehler.proofs_checks.leverage._instances import Circle

    world, ridge = Circle(), 1e-3
    counts = np.unique(np.geomspace(20, 1000, 40).astype(int))
    figure, axis = plt.subplots(figsize=(6, 3.8))
    laws = ((world.best(ridge), "by leverage", TRUE), (world.law, "plain sampling", PRINTED))
    for law, label, colour in laws:
        rng = np.random.default_rng(0)
        share = [np.mean(world.errors(rng, law, int(m), ridge, 4000) <= 4 * ridge) for m in counts]
        axis.semilogx(counts, share, color=colour, lw=2, label=label)
    axis.axhline(0.95, color=MEASURED, lw=1, ls=":")
    axis.axvline(521, color=TRUE, lw=1, ls="--", label="proved sufficient, by leverage")
    axis.set_xticks([20, 50, 100, 200, 500, 1000], ["20", "50", "100", "200", "500", "1000"])
    axis.minorticks_off()
    axis.set(xlabel="features", ylabel="share of draws\nwith error ≤ 4λ, λ = 0.001")
    axis.legend(fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=3)
    return figure


def local_coefficients() -> Any:
    """What each pixel adds to the class of five digits: by local and by linear coefficients."""
    from mehler.proofs_checks.experiments.maxout import local_coefficients as experiment

    from mehler import DecoupledMaxoutFeatures, learn

    images, labels = experiment.prepare("quick", None)
    X, codes = images[:1000], learn.one_vs_all(labels[:1000])[0]
    rows = images[[1000 + np.flatnonzero(labels[1000:] == digit)[0] for digit in (0, 2, 3, 5, 8)]]
    phi = DecoupledMaxoutFeatures.draw(64, 2000, 4, seed=0, like=X)
    model = learn.ridge(phi, X, codes, lambdas=1e-3, intercept=False)
    linear = learn.ridge(lambda a: a, X, codes, lambdas=1e-3, intercept=False)
    classes = model.predict(rows).argmax(axis=1)
    whole = np.broadcast_to(linear.weights[None], (len(rows), *linear.weights.shape))
    shown = {
        "digit": rows,
        "local": experiment.shares(phi.local_coefficients(rows, model.weights), rows, classes),
        "linear": experiment.shares(whole, rows, classes),
    }
    figure, axes = plt.subplots(3, len(rows), figsize=(6, 3.8))
    for line, (name, images) in zip(axes, shown.items()):
        for axis, image in zip(line, images):
            top = np.abs(image).max()
            signed = {"cmap": "PuOr", "vmin": -top, "vmax": top}
            axis.grid(False)
            axis.pcolormesh(
                image.reshape(8, 8), **({"cmap": "Greys"} if name == "digit" else signed)
            )
            axis.set(aspect="equal", xticks=[], yticks=[])
            axis.invert_yaxis()
            axis.spines[:].set_visible(False)
        line[0].set_ylabel(name)
    return figure


def permutations() -> Any:
    """Accuracy on permuted sequences over templates, permutations and training sequences."""
    kept = json.loads((RESULTS / "permutations.json").read_text(encoding="utf-8"))
    cuts = {f"{2 * int(n) + 1} thresholds": rows for n, rows in kept["templates"]["n"].items()}
    panels = (
        ("templates m", kept["templates"]["m"], cuts),
        ("permutations r, n = m = 25", kept["elements"]["r"], kept["elements"]["drawn"]),
        ("sequences per class", kept["training"]["per_class"], kept["training"]["features"]),
    )
    figure, axes = plt.subplots(1, len(panels), figsize=(9.5, 4.6), sharey=True)
    references = (
        (LEAST_SQUARES, ":", "least squares on counts"),
        (BEST, "--", "best rule on counts"),
    )
    for value, dash, label in references:
        axes[0].axhline(value, color=GREY, lw=1, ls=dash, label=label)
    for axis, (x_label, x, draws) in zip(axes, panels):
        series = []
        for label, rows in draws.items():
            mean, deviation = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1)
            low, high = mean - deviation, mean + deviation
            series.append(Series(label=label, x=x, y=mean, y_low=low, y_high=high, kind="points"))
        plot = Plot(title="", x_label=x_label, x_log=True, y_label="", series=series)
        plot_on(axis, plot, COLOURS)
        if max(x) > 1000:
            axis.set_xticks(x)  # those of the report would touch in a third of its width
        axis.legend(
            fontsize=8,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            borderaxespad=4.5,
            ncols=2,
            columnspacing=1,
            handlelength=1.6,
        )
    axes[0].set(ylabel="test accuracy", ylim=(0.55, 1.01))
    return figure


FIGURES: dict[str, Callable[[], Any]] = {
    "figure-1": figure_1,
    "leverage-circle": leverage_circle,
    "local-coefficients": local_coefficients,
    "permutations": permutations,
}


def write(name: str, folder: Path = STATIC) -> Path:
    """Draw one picture to ``folder / name.svg``."""
    with mpl.rc_context(style(name)):
        figure = FIGURES[name]()
        figure.tight_layout()
        target = folder / f"{name}.svg"
        figure.savefig(target, metadata={"Date": None})
        plt.close(figure)
    return target


if __name__ == "__main__":
    for chosen in sys.argv[1:] or FIGURES:
        print(write(chosen))
