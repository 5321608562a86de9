"""Injected faults, each with the words of its cause, and correct counterparts that have none."""

from __future__ import annotations

import numpy as np
import pytest

from mehler import kernels
from mehler.verify import diagnose

M = 64
X = np.random.default_rng(5).standard_normal((8, 4)) * np.array([0.4, 0.5, 0.6, 0.9])


def rbf(x, y):
    return np.exp(-0.5 * ((x[:, None] - y[None]) ** 2).sum(axis=2))


def cosines(x, w, b):
    return np.sqrt(2.0 / w.shape[1]) * np.cos(x @ w + b)


def weights(seed, d=4, m=M):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((d, m)), rng.uniform(0.0, 2.0 * np.pi, m)


def of_weights(change):
    """Draw a map whose weights are changed."""

    def draw(seed):
        w, b = weights(seed)
        w = change(w)
        return lambda x: cosines(x, w, b)

    return draw


def of_rows(change):
    """Draw a map whose rows are changed."""

    def draw(seed):
        w, b = weights(seed)
        return lambda x: cosines(change(np.asarray(x, dtype=float)), w, b)

    return draw


def of_features(change):
    """Draw a map whose features are changed; `change` takes features, rows and the seed."""

    def draw(seed):
        w, b = weights(seed)
        return lambda x: change(cosines(x, w, b), x, seed)

    return draw


def entry(w, i, j, value):
    w = w.copy()
    w[i, j] = value
    return w


def corner_of(z, x, seed):
    z = z.copy()
    z[0, 0] += 3.0
    return z


def duplicates(x):
    """Rows as unique returns them, in its order."""
    return np.unique(x, axis=0) if len(np.unique(x, axis=0)) == len(x) else x


TRAINING = np.random.default_rng(9).standard_normal((200, 4)) * np.array([0.5, 2.0, 1.0, 0.8])

FAULTS = {
    # Rows that repeat each other, or take each other's place.
    "the first row for all": (of_rows(lambda x: x * 0 + x[:1]), "same features in every draw"),
    "the row above": (of_rows(lambda x: np.roll(x, 1, axis=0)), "the row above"),
    "two rows share a block": (of_rows(lambda x: np.repeat(x[::2], 2, axis=0)[: len(x)]), "same"),
    "duplicates dropped": (of_rows(duplicates), "rows in ascending order"),
    "weights of two columns alike": (
        of_weights(lambda w: w[[0, 0, 2, 3]]),
        "columns 0 and 1 added up, as where both have one weight",
    ),
    # One corner, one entry.
    "corner of the features": (of_features(corner_of), "pairs with row 0 alone"),
    "last block of weights left 0": (
        of_weights(lambda w: np.hstack([w[:, :40], 0 * w[:, 40:]])),
        "columns 40 to 63 of 64 never depend on input columns 0 to 3",
    ),
    "block of a column left 0": (
        of_weights(lambda w: w * ~((np.arange(4) > 1)[:, None] & (np.arange(M) < 24))),
        "columns 0 to 23 of 64 never depend on input columns 2 to 3",
    ),
    "weights of some columns left 0": (
        of_weights(lambda w: entry(w, 3, slice(0, 16), 0.0)),
        "columns 0 to 15 of 64 never depend on input column 3",
    ),
    "first features tripled": (
        of_features(lambda z, x, seed: np.hstack([3.0 * z[:, :4], z[:, 4:]])),
        "columns 0 to 3 of 64 are off",
    ),
    "one feature in the middle": (
        of_features(lambda z, x, seed: np.where(np.arange(M) == 17, 6.0 * z, z)),
        "column 17 of 64 is off",
    ),
    # Zeros.
    "columns of zeros": (
        of_features(lambda z, x, seed: z * (np.arange(M) >= 16)),
        "16 of 64 features are always 0: estimate / exact is 0.7",
    ),
    "an input column unused": (
        of_weights(lambda w: entry(w, 3, slice(None), 0.0)),
        "no feature depends on input column 3",
    ),
    # Statistics of a fit.
    "standardised by the batch": (
        of_rows(lambda x: (x - x.mean(axis=0)) / x.std(axis=0)),
        "deviations of the columns of these rows",
    ),
    "scaled to the unit range": (
        of_rows(lambda x: (x - x.min(axis=0)) / np.ptp(x, axis=0)),
        "columns scaled to [0, 1]",
    ),
    "standardised by training rows": (
        of_rows(lambda x: (x - TRAINING.mean(axis=0)) / TRAINING.std(axis=0)),
        "whose columns are multiplied by 2, 0.",
    ),
    "rows of length one": (
        of_rows(lambda x: x / np.linalg.norm(x, axis=1, keepdims=True)),
        "rows scaled to length 1",
    ),
    # Sorting.
    "entries sorted": (of_rows(lambda x: np.sort(x, axis=1)), "rows with sorted entries"),
    "columns sorted": (of_rows(lambda x: np.sort(x, axis=0)), "columns sorted each by itself"),
    "features sorted": (of_features(lambda z, x, seed: np.sort(z, axis=1)), "sorted by their size"),
    # Scales.
    "features 3 % too small": (of_features(lambda z, x, seed: 0.97 * z), "exact is 0.94 at every"),
    "weights 3 % too small": (of_weights(lambda w: 0.97 * w), " = 0.947"),
    # Signs.
    "sign of the first entry": (
        of_features(lambda z, x, seed: z * np.sign(x[:, :1])),
        "as where the sign of features depends on the row",
    ),
    "sign of the first feature": (
        of_features(lambda z, x, seed: z * np.sign(z[:, :1])),
        "changes from draw to draw",
    ),
    "a sign for every row and draw": (
        of_features(
            lambda z, x, seed: z * np.random.default_rng(seed + 1).choice([-1.0, 1.0], (len(x), 1))
        ),
        "changes from draw to draw",
    ),
    # Cancellation.
    "a large offset in single precision": (
        of_rows(
            lambda x: (
                (x.astype(np.float32) + np.float32(2e7)).astype(float) - float(np.float32(2e7))
            )
        ),
        "the same features in every draw",
    ),
    "a large offset of angles": (
        of_features(lambda z, x, seed: np.sqrt(2.0 / M) * np.cos(1e15 * (x @ weights(seed)[0]))),
        "digits cancel",
    ),
    "noise of its own": (
        of_features(
            lambda z, x, seed: z + 0.1 * np.random.default_rng(seed + 1).standard_normal(z.shape)
        ),
        "|phi(x)|^2 alone is off",
    ),
}


@pytest.mark.parametrize("kernel", [rbf, kernels.make("rbf", gamma=0.5)], ids=["plain", "named"])
@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.sampled(20)
def test_a_fault_has_its_cause(name, kernel):
    draw, words = FAULTS[name]
    causes = diagnose(draw, kernel, X, time_limit=60.0)
    assert words in causes[0].text, causes


def ordered(x):
    """Rows through a sorted block and back in their order."""
    rows, inverse = np.unique(x, axis=0, return_inverse=True)
    return rows[inverse.ravel()]


def of_standardised(x, y):
    mean, spread = TRAINING.mean(axis=0), TRAINING.std(axis=0)
    return rbf((x - mean) / spread, (y - mean) / spread)


def of_sorted(x, y):
    return rbf(np.sort(x, axis=1), np.sort(y, axis=1))


def signed(x, y):
    return rbf(x, y) * np.sign(x[:, :1]) * np.sign(y[:, :1]).T


def without_last(x, y):
    return rbf(x[:, :3], y[:, :3])


TILTED = np.sqrt(np.linspace(0.5, 1.5, M))
# The counterpart of each class: the same step, done rightly or claimed.
CORRECT = {
    "cosines": (of_rows(lambda x: x), rbf),
    "duplicates, and back": (of_rows(ordered), rbf),
    "weights of all columns": (of_weights(lambda w: np.hstack([w[:, :40], -w[:, 40:]])), rbf),
    "features of several weights": (of_features(lambda z, x, seed: TILTED * z), rbf),
    "zeros, made up for": (
        of_features(lambda z, x, seed: np.sqrt(4.0 / 3.0) * z * (np.arange(M) >= 16)),
        rbf,
    ),
    "a column that is not claimed": (
        of_weights(lambda w: entry(w, 3, slice(None), 0)),
        without_last,
    ),
    "standardised, as claimed": (FAULTS["standardised by training rows"][0], of_standardised),
    "sorted entries, as claimed": (FAULTS["entries sorted"][0], of_sorted),
    "columns in another order": (of_features(lambda z, x, seed: z[:, ::-1]), rbf),
    "signs of columns": (of_features(lambda z, x, seed: z * (-1.0) ** np.arange(M)), rbf),
    "signs of rows, as claimed": (FAULTS["sign of the first entry"][0], signed),
    "an offset in double precision": (of_rows(lambda x: (x + 2e7) - 2e7), rbf),
}


@pytest.mark.parametrize("name", CORRECT)
def test_its_correct_counterpart_has_none(name):
    draw, kernel = CORRECT[name]
    assert diagnose(draw, kernel, X, n_draws=128) == ()


def test_a_wrong_law_of_weights_is_no_other_class():
    """Student weights of two degrees fit no model: a wrong cause would be worse than none."""

    def draw(seed):
        rng = np.random.default_rng(seed)
        w, b = rng.standard_t(2, (4, M)), rng.uniform(0.0, 2.0 * np.pi, M)
        return lambda x: cosines(x, w, b)

    assert diagnose(draw, rbf, X) == ()
