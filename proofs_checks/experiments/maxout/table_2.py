"""The structure of Table 2 of the maxout paper: logistic regression on frames over m and q.

Frames have their neighbours in time beside them, as those of an acoustic model, and states.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import MaxoutFeatures
from mehler.statements import Plot

from .. import data
from .._harness import Cell, Experiment, Level
from .._results import (
    Measured,
    Options,
    Results,
    Tables,
    curves,
    differences,
    draws,
    paired_interval,
    spread,
)

POOLS = (2, 4, 8, 16)
# A fiftieth of the printed numbers of units, and of the first two of them at the quick level.
SIZES = {"quick": (25, 50), "full": (25, 50, 100, 200, 400)}
SHRUNK = 50
# Printed mean and standard deviation of the phone error rate in percent, by m, over the pools.
PRINTED = {
    1250: ("24.7 ± 0.2", "24.4 ± 0.2", "25.6 ± 0.2", "26.0 ± 0.2"),
    2500: ("24.0 ± 0.2", "23.3 ± 0.3", "24.7 ± 0.3", "25.3 ± 0.3"),
    5000: ("23.5 ± 0.1", "22.9 ± 0.2", "24.7 ± 0.2", "24.7 ± 0.4"),
    10_000: ("23.2 ± 0.1", "22.5 ± 0.2", "24.5 ± 0.2", "24.7 ± 0.4"),
    20_000: ("23.1 ± 0.1", "22.3 ± 0.2", "24.3 ± 0.2", "24.5 ± 0.2"),
}
PRINTED_LINEAR = "33.1 ± 0.1"
# By level: frames a recording, parts of a digit that are states, frames of context on each side.
FRAMES = {"quick": 8, "full": 18}
PARTS = {"quick": 2, "full": 3}
CONTEXT = {"quick": 1, "full": 5}
# Recordings to learn from, to choose a bandwidth by, and to test.
SPLIT = {"quick": (100, 100, 200), "full": (250, 100, 250)}
# The paper takes stochastic steps and prints no penalty: here hardly any, and few of L-BFGS.
LAMBDA, STEPS, FEW_STEPS = 1e-6, 40, 20
ROWS = {
    "quick": "8 x 8 digits, whose rows of pixels are the frames",
    "full": "Free Spoken Digit Dataset, 18 frames a recording",
}


@dataclass(frozen=True)
class Recordings:
    """Frames with context, (recordings, frames, d), digits, the state of each frame, the level."""

    X: Any
    digits: Any
    states: Any
    level: Level

    def split(self, seed: int) -> tuple[Any, Any, Any]:
        """Draw recordings to learn from, to choose by, and to test; frames stay together."""
        fit, choose, test = SPLIT[self.level]
        order = np.random.default_rng(seed).permutation(len(self.digits))
        return order[:fit], order[fit : fit + choose], order[fit + choose : fit + choose + test]

    def errors(self, phi: Callable[..., Any], seed: int) -> Measured:
        """Return the errors in percent of multinomial logistic regression on features.

        ``frames``, of the states of test frames; ``recordings``, of the digit whose states in the
        order of time have the largest sum of log probabilities; ``fitted``, of the states learnt
        from.
        """
        fit, _, test = self.split(seed)
        z, z_test = (self._features(phi, part) for part in (fit, test))
        model = self._fitted(z, fit, STEPS)
        return {
            "frames": self._frame_errors(model, z_test, test),
            "recordings": self.recording_errors(model.predict_log_proba(z_test), test),
            "fitted": self._frame_errors(model, z, fit),
        }

    def held_out(self, phi: Callable[..., Any], seed: int) -> float:
        """Return the error in percent of the frames held out, after few steps."""
        fit, choose, _ = self.split(seed)
        model = self._fitted(self._features(phi, fit), fit, FEW_STEPS)
        return self._frame_errors(model, self._features(phi, choose), choose)

    def _features(self, phi: Callable[..., Any], part: NDArray[np.int64]) -> Any:
        # The fit computes in float64, and would convert at every step.
        return phi(self.X[part].reshape(-1, self.X.shape[2])).astype(np.float64)

    def _fitted(self, z: NDArray[np.float64], part: NDArray[np.int64], steps: int) -> Any:
        """Return multinomial logistic regression by scikit-learn after some steps of L-BFGS."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        # The mean loss and lambda times the squared weights.
        model = LogisticRegression(C=1.0 / (2.0 * LAMBDA * len(z)), tol=1e-6, max_iter=steps)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(z, self.states[part].ravel())
        if len(model.classes_) != len(np.unique(self.states)):
            raise ValueError("the recordings to learn from lack a state")
        return model

    def _frame_errors(self, model: Any, z: NDArray[np.float64], part: NDArray[np.int64]) -> float:
        return float(100 * np.mean(model.predict(z) != self.states[part].ravel()))

    def recording_errors(self, logs: NDArray[np.float64], part: NDArray[np.int64]) -> float:
        """Return the error of digits: each digit's states are aligned with equal parts of the time.

        ``logs`` are the log probabilities of all states, (frames, states).
        """
        n, parts = FRAMES[self.level], PARTS[self.level]
        by_digit = logs.reshape(len(part), n, -1, parts)
        aligned = by_digit[:, np.arange(n), :, np.arange(n) * parts // n]
        # Indices in two places put the frames first: (frames, recordings, digits).
        predicted = np.unique(self.digits)[aligned.sum(axis=0).argmax(axis=1)]
        return float(100 * np.mean(predicted != self.digits[part]))


def prepare(level: Level, folder: Path | None) -> Recordings:
    """Load spoken digits, or the 8 x 8 digits at the quick level."""
    n = FRAMES[level]
    digits = data.digits() if level == "quick" else data.spoken_digits(n)
    frames = digits.X.reshape(len(digits.X), n, -1).astype(np.float64)
    scale = frames.std(axis=(0, 1))
    frames = (frames - frames.mean(axis=(0, 1))) / np.where(scale > 0, scale, 1.0)
    X = spliced(frames, CONTEXT[level])
    # Length 1 on average, as the variance of a unit then is.
    X = X / np.sqrt(np.mean(np.sum(X**2, axis=2)))
    states = digits.y[:, None] * PARTS[level] + np.arange(n) * PARTS[level] // n
    return Recordings(X.astype(np.float32), digits.y, states, level)


def spliced(frames: NDArray[np.float64], context: int) -> Any:
    """Put `context` frames before and after beside each frame; at the ends the last one repeats.

    ``frames`` has shape (recordings, frames, c), the result (recordings, frames, (2 context+1) c).
    """
    n = frames.shape[1]
    places = np.arange(n)[:, None] + np.arange(-context, context + 1)
    return frames[:, np.clip(places, 0, n - 1)].reshape(len(frames), n, -1)


def cells(level: Level) -> list[Options]:
    """Return draws with all settings each; q = 0 stands for the rows without a map."""
    settings = [(0, 0), *((q, m) for m in SIZES[level] for q in POOLS)]
    return draws({"q": q, "m": m} for q, m in settings)


def measure(level: Level, recordings: Recordings, cell: Cell) -> Measured:
    """Return the errors of one draw of recordings and weights."""
    q, m, X = cell["q"], cell["m"], recordings.X
    if not q:
        return recordings.errors(lambda rows: rows, cell.seed_of("draw"))
    phi = MaxoutFeatures.draw(X.shape[2], m, q, seed=cell.seed(), like=X)
    return recordings.errors(phi, cell.seed_of("draw"))


def table(level: Level, results: Results) -> Tables:
    """Return errors of frames beside the printed phone errors, and errors of recordings."""
    sizes, settings = SIZES[level], results.options("q", "m")
    frames, recordings = (
        {(q, m): results.values(kind, q=q, m=m) for q, m in settings}
        for kind in ("frames", "recordings")
    )
    least, most = sizes[0], sizes[-1]
    pairs = {f"q = {q} instead of q = 4 at m = {most}": ((q, most), (4, most)) for q in (2, 8, 16)}
    pairs[f"{most} instead of {least} units, q = 4"] = (4, most), (4, least)
    for m in (least, most):
        pairs[f"{m} units, q = 4, instead of no map"] = (4, m), (0, 0)
    maps = list(itertools.product(POOLS, sizes))
    gains = (frames[setting] - frames[0, 0] for setting in maps)
    better = sum(paired_interval(gain, tests=len(maps))[1] < 0 for gain in gains)
    return {
        f"Error of frames in percent, mean ± standard deviation over draws ({ROWS[level]}); in "
        "brackets the printed phone error rate on TIMIT at fifty times the units, which is another "
        "task": _rows(frames, sizes, " ({})"),
        "Error of recordings in percent, states aligned with equal parts of the time": _rows(
            recordings, sizes
        ),
        "Differences of the errors of frames, percent": differences(
            {what: (frames[one], frames[base]) for what, (one, base) in pairs.items()}
        ),
        "Settings that make fewer mistakes than no map, at 99 % for all at once, Student's": [
            {"": "here, frames", "settings": f"{better} of {len(maps)}"},
            {"": "in the printed table", "settings": "20 of 20, far ahead"},
        ],
    }


def _rows(errors: dict[Any, Any], sizes: Any, printed: str = "") -> list[dict[str, str]]:
    """Return a table over m and q; `printed` is the format of what the paper prints."""
    rows = [
        {"": f"m = {m}"}
        | {
            f"q = {q}": spread(errors[q, m]) + printed.format(text)
            for q, text in zip(POOLS, PRINTED[m * SHRUNK])
        }
        for m in sizes
    ]
    empty = dict.fromkeys(rows[0], "")
    linear = spread(errors[0, 0]) + printed.format(PRINTED_LINEAR)
    return [*rows, empty | {"": "no map", "q = 2": linear}]


def figure(level: Level, results: Results) -> list[Plot]:
    """Draw the errors of frames over the numbers of units."""
    sizes = SIZES[level]
    return [
        curves(
            "Error of frames over the number of units",
            "number of units m",
            sizes,
            "error of test frames, percent",
            {f"q = {q}": results.columns("frames", "m", sizes, q=q) for q in POOLS},
            "Mean over draws of recordings and weights, with its standard error.",
        )
    ]


EXPERIMENT = Experiment(
    name="maxout-table-2",
    title="Logistic regression on random maxout features of frames",
    source="Mroueh, Rennie, Goel (2015), Table 2",
    page=Path(__file__).with_suffix(".md"),
    prepare=prepare,
    cells=cells,
    measure=measure,
    table=table,
    figure=figure,
    data={
        "quick": "rows of the 8 x 8 digits, in place of TIMIT frames",
        "full": "frames of the Free Spoken Digit Dataset, in place of TIMIT frames",
    },
)
