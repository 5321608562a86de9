"""Frames with their neighbours in time, and states: what an acoustic model is given."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import data
from mehler.reproduce._experiment import Cell, Level, Measured

# By level: frames a recording, parts of a digit that are states, frames of context on each side.
_FRAMES, _PARTS, _CONTEXT = (
    {"quick": 8, "full": 18},
    {"quick": 2, "full": 3},
    {"quick": 1, "full": 5},
)
# Recordings to learn from, to choose a bandwidth by, and to test.
_SPLIT = {"quick": (100, 100, 200), "full": (250, 100, 250)}
# The paper takes stochastic steps and prints no penalty: here hardly any, and few of L-BFGS.
_LAMBDA, _STEPS, _FEW_STEPS = 1e-6, 40, 20
DATA: dict[Level, str] = {
    "quick": "rows of the 8 x 8 digits, in place of TIMIT frames",
    "full": "frames of the Free Spoken Digit Dataset, in place of TIMIT frames",
}
STANDS_IN = {
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
        fit, choose, test = _SPLIT[self.level]
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
        model = self._fitted(z, fit, _STEPS)
        return {
            "frames": self._frame_errors(model, z_test, test),
            "recordings": self.recording_errors(model.predict_log_proba(z_test), test),
            "fitted": self._frame_errors(model, z, fit),
        }

    def held_out(self, phi: Callable[..., Any], seed: int) -> float:
        """Return the error in percent of the frames held out, after few steps."""
        fit, choose, _ = self.split(seed)
        model = self._fitted(self._features(phi, fit), fit, _FEW_STEPS)
        return self._frame_errors(model, self._features(phi, choose), choose)

    def _features(self, phi: Callable[..., Any], part: NDArray[np.int64]) -> Any:
        # The fit computes in float64, and would convert at every step.
        return phi(self.X[part].reshape(-1, self.X.shape[2])).astype(np.float64)

    def _fitted(self, z: NDArray[np.float64], part: NDArray[np.int64], steps: int) -> Any:
        """Return multinomial logistic regression by scikit-learn after some steps of L-BFGS."""
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        # The mean loss and lambda times the squared weights.
        model = LogisticRegression(C=1.0 / (2.0 * _LAMBDA * len(z)), tol=1e-6, max_iter=steps)
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
        n, parts = _FRAMES[self.level], _PARTS[self.level]
        by_digit = logs.reshape(len(part), n, -1, parts)
        aligned = by_digit[:, np.arange(n), :, np.arange(n) * parts // n]
        # Indices in two places put the frames first: (frames, recordings, digits).
        predicted = np.unique(self.digits)[aligned.sum(axis=0).argmax(axis=1)]
        return float(100 * np.mean(predicted != self.digits[part]))


def prepare(level: Level, folder: Path | None) -> Recordings:
    """Load spoken digits, or the 8 x 8 digits at the quick level."""
    n = _FRAMES[level]
    digits = data.digits() if level == "quick" else data.spoken_digits(n)
    frames = digits.X.reshape(len(digits.X), n, -1).astype(np.float64)
    scale = frames.std(axis=(0, 1))
    frames = (frames - frames.mean(axis=(0, 1))) / np.where(scale > 0, scale, 1.0)
    X = spliced(frames, _CONTEXT[level])
    # Length 1 on average, as the variance of a unit then is.
    X = X / np.sqrt(np.mean(np.sum(X**2, axis=2)))
    parts = np.arange(n) * _PARTS[level] // n
    states = digits.y[:, None] * _PARTS[level] + parts
    return Recordings(X.astype(np.float32), digits.y, states, level)


def spliced(frames: NDArray[np.float64], context: int) -> Any:
    """Put `context` frames before and after beside each frame; at the ends the last one repeats.

    ``frames`` has shape (recordings, frames, c), the result (recordings, frames, (2 context+1) c).
    """
    n = frames.shape[1]
    places = np.arange(n)[:, None] + np.arange(-context, context + 1)
    return frames[:, np.clip(places, 0, n - 1)].reshape(len(frames), n, -1)


def split_seed(cell: Cell, seed: int, name: str) -> int:
    """Return the seed of a draw's split, the same for all its settings."""
    others = [option for option in cell.options if option != "draw"]
    return cell.seed(seed, name, *others)
