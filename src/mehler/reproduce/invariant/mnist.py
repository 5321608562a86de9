"""Digits by features invariant under small shifts and rotations: accuracy against training size."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mehler import data
from mehler.features import groups
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page
from mehler.reproduce._learners import unit_rows
from mehler.reproduce.invariant import _accuracy

COMPARISON = _accuracy.Comparison(
    labels={
        "pixels": "pixels",
        "fourier": "Fourier features, as many columns",
        "none": "distribution functions, no map",
        "shifts": "small shifts",
        "turns": "small turns",
        "both": "small shifts of small turns",
    },
    sizes={"quick": (50, 200), "full": (100, 300, 1000, 3000)},
    templates={"quick": 40, "full": 150},
)


def prepare(level: Level, folder: Path | None) -> _accuracy.World:
    """Load MNIST, or the 8 x 8 digits at the quick level."""
    if folder is None:
        digits = data.digits()
        order = np.random.default_rng(0).permutation(len(digits.X))
        X, y, known = digits.X[order], digits.y[order], 1000
        side, most, degrees = 8, 1, np.arange(-20.0, 21.0, 10.0)
    else:
        mnist = data.mnist(folder)
        X, y = np.concatenate([mnist.X, mnist.X_test]), np.concatenate([mnist.y, mnist.y_test])
        known, side, most, degrees = len(mnist.X), 28, 3, np.arange(-20.0, 21.0, 5.0)
    shifts = groups.ImageShifts(side, side, max_shift=most, fill="zero")
    turns, fewer = (
        groups.ImageRotations(side, side, angles.tolist()) for angles in (degrees, degrees[::2])
    )
    moves = {
        "none": groups.Trivial(side**2),
        "shifts": shifts,
        "turns": turns,
        "both": groups.DirectProduct(fewer, shifts),
    }
    return _accuracy.World(level, unit_rows(X), y, known, moves)


def measure(world: _accuracy.World, cell: Cell, seed: int) -> Measured:
    """Return test accuracies of ridge regression on each kind of features, by training size."""
    own = cell.seed(seed, _NAME)
    train, test = (
        (world.X[part], world.y[part])
        for part in (slice(None, world.known), slice(world.known, None))
    )
    phis = _accuracy.maps(COMPARISON, world, own)
    return _accuracy.accuracies(phis, train, test, COMPARISON.sizes[world.level], own)


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return the page of accuracy against training size."""
    return _accuracy.page(COMPARISON, level, cells)


_NAME = "invariant-mnist"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Features invariant under small shifts and rotations",
    source="Mroueh, Voinea, Poggio (2015), experiments on MNIST",
    printed=(
        "Templates are shifted by up to 3 pixels in all directions and turned by up to 20 degrees; "
        "accuracy is plotted over the number of training samples, no number is stated. Steps of "
        "the angle, templates and bins are not given: here 5 degrees (10 with shifts), 150 "
        "templates and 8 bins on each side of 0; at level quick shifts by one pixel, 10 degrees "
        "(20), 40 templates."
    ),
    prepare=prepare,
    measure=measure,
    page=page,
    data={"quick": "the 8 x 8 digits, in place of MNIST", "full": "MNIST"},
    needs_data=("full",),
)
