"""Digits by features invariant under small shifts and rotations: accuracy against training size."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mehler import data
from mehler.features import groups
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page
from mehler.reproduce.invariant import _accuracy

_SIZES = {"quick": (50, 200), "full": (100, 300, 1000, 3000)}
_TEMPLATES = {"quick": 40, "full": 150}
_BINS = 8
# Features compared, in the order of the table.
FEATURES = {
    "pixels": "pixels",
    "fourier": "Fourier features, as many columns",
    "none": "distribution functions, no map",
    "shifts": "small shifts",
    "turns": "small turns",
    "both": "small shifts of small turns",
}


@dataclass(frozen=True)
class World:
    """Training pool and test rows of unit length, labels, and the side of the images.

    `most` is the largest shift in pixels, `turns` are angles in degrees.
    """

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    side: int
    most: int
    turns: tuple[float, ...]


def prepare(level: Level, folder: Path | None) -> World:
    """Load MNIST, or the 8 x 8 digits at the quick level."""
    if folder is None:
        digits = data.digits()
        order = np.random.default_rng(0).permutation(len(digits.X))
        X, y = _unit(digits.X[order]), digits.y[order]
        return World(X[:1000], y[:1000], X[1000:], y[1000:], 8, 1, (-20.0, -10.0, 0.0, 10.0, 20.0))
    mnist = data.mnist(folder)
    angles = tuple(np.arange(-20.0, 21.0, 5.0).tolist())
    return World(_unit(mnist.X), mnist.y, _unit(mnist.X_test), mnist.y_test, 28, 3, angles)


def _unit(images: Any) -> Any:
    rows = images.reshape(len(images), -1).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def measure(world: World, cell: Cell, seed: int) -> Measured:
    """Return test accuracies of ridge regression on each kind of features, by training size."""
    own = cell.seed(seed, _NAME)
    train, test = (world.X, world.y), (world.X_test, world.y_test)
    return _accuracy.accuracies(maps(world, own), train, test, _SIZES[_level(world)], own)


def _level(world: World) -> Level:
    return "quick" if world.side == 8 else "full"


def maps(world: World, seed: int) -> dict[str, Any]:
    """Return the features compared, with equal templates and bins, and equal numbers of columns."""
    side, d, templates = world.side, world.side**2, _TEMPLATES[_level(world)]
    shifts = groups.ImageShifts(side, side, max_shift=world.most, fill="zero")
    lists = {
        "none": groups.Trivial(d),
        "shifts": shifts,
        "turns": groups.ImageRotations(side, side, world.turns),
        "both": groups.DirectProduct(groups.ImageRotations(side, side, world.turns[::2]), shifts),
    }
    return _accuracy.compared("pixels", lists, templates, _BINS, seed, world.X)


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return the page of accuracy against training size."""
    tried = ("shifts", "turns", "both")
    comparison = _accuracy.Comparison(FEATURES, tried, ("none", "fourier"), _SIZES[level])
    return _accuracy.page(comparison, cells)


_NAME = "invariant-mnist"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Features invariant under small shifts and rotations",
    source="Mroueh, Voinea, Poggio (2015), experiments on MNIST",
    printed=(
        "Templates are shifted by up to 3 pixels in all directions and turned by up to 20 degrees; "
        "accuracy is plotted over the number of training samples, no number is stated. Steps of "
        "the angle, templates and bins are not given: at level full 5 degrees (10 with shifts), "
        f"{_TEMPLATES['full']} templates and {_BINS} bins on each side of 0; "
        f"at level quick shifts by one pixel, 10 degrees (20), {_TEMPLATES['quick']} templates."
    ),
    prepare=prepare,
    measure=measure,
    page=page,
    data={"quick": "the 8 x 8 digits, in place of MNIST", "full": "MNIST"},
    needs_data=("full",),
)
