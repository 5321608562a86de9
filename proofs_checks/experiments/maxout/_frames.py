"""Frames of spoken digits, as rows with their neighbours in time, and errors of classifying them.

A frame is a slice of a recording. Its class, the state, is the digit and a part of its time.
"""

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import data
from .._harness import Level
from .._results import Record

# By level: frames per recording, states per digit, and neighbours on each side of a frame.
FRAMES = {"quick": 8, "full": 18}
PARTS = {"quick": 2, "full": 3}
CONTEXT = {"quick": 1, "full": 5}
SPLIT = {"quick": (100, 100, 200), "full": (250, 100, 250)}  # to learn from, choose by, and test
# The paper takes stochastic steps and prints no penalty: here hardly any, and few of L-BFGS.
LAMBDA, STEPS, FEW_STEPS = 1e-6, 40, 20
OVER_DRAWS = "Mean over draws of recordings and weights, with its standard error."
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

    def split(self, seed: int) -> tuple[Any, ...]:
        """Draw recordings to learn from, to choose by, and to test; frames stay together."""
        sizes = SPLIT[self.level]
        order = np.random.default_rng(seed).permutation(len(self.digits))[: sum(sizes)]
        return tuple(np.split(order, np.cumsum(sizes)[:-1]))

    def errors(self, phi: Any, seed: int, steps: int = STEPS, part: int = 2) -> Record:
        """Return the errors in percent of multinomial logistic regression on features.

        ``frames``, of states of frames of one part of the split, ``fitted``, of those learnt from;
        ``recordings``, of the digit whose states in time have the largest sum of log probabilities.
        """
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression

        parts = self.split(seed)
        fit, test = parts[0], parts[part]
        # The fit computes in float64, and would convert at every step.
        z, z_test = (
            phi(self.X[rows].reshape(-1, self.X.shape[2])).astype(np.float64)
            for rows in (fit, test)
        )
        # The mean loss and lambda times the squared weights.
        model = LogisticRegression(C=1.0 / (2.0 * LAMBDA * len(z)), tol=1e-6, max_iter=steps)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(z, self.states[fit].ravel())
        if len(model.classes_) != len(np.unique(self.states)):
            raise ValueError("the recordings to learn from lack a state")
        wrong = (
            np.mean(model.predict(features) != self.states[rows].ravel())
            for features, rows in ((z_test, test), (z, fit))
        )
        frames, fitted = (float(100 * fraction) for fraction in wrong)
        recordings = self.recording_errors(model.predict_log_proba(z_test), test)
        return {"frames": frames, "recordings": recordings, "fitted": fitted}

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
    X = X / np.sqrt(np.mean(np.sum(X**2, axis=2)))  # length 1 on average
    states = digits.y[:, None] * PARTS[level] + np.arange(n) * PARTS[level] // n
    return Recordings(X.astype(np.float32), digits.y, states, level)


def spliced(frames: NDArray[np.float64], context: int) -> Any:
    """Put `context` frames before and after beside each frame; at the ends the last one repeats.

    ``frames`` has shape (recordings, frames, c), the result (recordings, frames, (2 context+1) c).
    """
    n = frames.shape[1]
    places = np.arange(n)[:, None] + np.arange(-context, context + 1)
    return frames[:, np.clip(places, 0, n - 1)].reshape(len(frames), n, -1)
