"""Draw the pictures of the documentation with mehler itself.

``python docs/_gallery.py`` writes all of them to ``docs/_static``; a name draws that one. The
output is the same bytes for the same versions of mehler and matplotlib.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
import numpy as np
from _style import BLUE, GREY, ORANGE, style

import mehler
from mehler import exact

STATIC = Path(__file__).parent / "_static"
TRUE, PRINTED, MEASURED = BLUE, ORANGE, GREY
POINTS = "#aab4c3"  # a crowd of points, under the curve that it follows


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


def kernels() -> Any:
    """The expected kernel on unit vectors: measured, true, printed."""
    q, n_units = 4, 20_000
    rho = np.linspace(-1, 1, 201)
    at = np.linspace(-1, 1, 17)
    x = np.tile([1.0, 0.0], (len(at), 1))
    z = np.stack([at, np.sqrt(1 - at**2)], axis=1)
    mean = mehler.MaxoutFeatures.draw(2, n_units, q, seed=0).products(x, z).mean(axis=1)
    deviation = np.sqrt(exact.maxout_variance(at, q) / n_units)

    figure, axis = plt.subplots(figsize=(6, 3.8))
    axis.errorbar(
        at, mean, 6 * deviation, fmt="o", ms=4, color=MEASURED, label="measured, ± 6 deviations"
    )
    axis.plot(rho, exact.maxout_kernel(rho, q), color=TRUE, lw=2, label="true kernel")
    axis.plot(
        rho, exact.locally_linear_kernel(rho, q), "--", color=PRINTED, lw=2, label="printed kernel"
    )
    axis.set(xlabel="correlation of the points", ylabel=f"expected product, q = {q}", xlim=(-1, 1))
    axis.legend()
    return figure


def localisers() -> Any:
    """What flattens and what localises as the pool grows."""
    rho = np.linspace(-1, 1, 401)
    figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), sharey=True)
    shades = plt.get_cmap("viridis")
    for number, q in enumerate((2, 8, 64, 1024)):
        curves = (
            exact.maxout_kernel(rho, q) / exact.sigma2(q),
            exact.collision_probability(rho, q),
            exact.centred_kernel(rho, q) / exact.centred_kernel(1.0, q),
        )
        for axis, curve in zip(axes, curves, strict=True):
            axis.plot(rho, curve, color=shades(number / 4), lw=2, label=f"q = {q}")
    for axis, title in zip(
        axes, ("kernel / σ²: flattens", "collisions κ: localise", "centred kernel / V"), strict=True
    ):
        axis.set(title=title, xlabel="correlation", xlim=(-1, 1))
    axes[1].legend(fontsize=9)
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


FIGURES: dict[str, Callable[[], Any]] = {
    "figure-1": figure_1,
    "kernels": kernels,
    "localisers": localisers,
    "leverage-circle": leverage_circle,
    "local-coefficients": local_coefficients,
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
