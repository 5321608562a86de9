"""Accuracy of ridge regression on group-invariant features, over the number of training rows.

Each feature is the fraction of a group's maps g for which <g t, x> is at most a threshold, with a
row x and a random vector t, the template (Mroueh, Voinea, Poggio 2015). Groups are small shifts and
turns of digits, and small changes of speed and pitch of spoken ones. Controls are the rows, Fourier
features, and the same features without a group.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mehler import FourierFeatures, GroupInvariantFeatures
from mehler.features import groups
from mehler.statements import Plot

from ...group_invariant.image_rotations import image_rotations
from .. import data
from .._harness import Cell, Experiment, Level
from .._learners import classes_by_ridge
from .._results import Record, Results, Tables, curves, differences, draws, spread
from .._rows import Part, deal, digits, unit_rows

Floats: TypeAlias = NDArray[np.float64]
BINS = 8  # thresholds on each side of 0
CONTROLS = ("none", "fourier")


class Examples(NamedTuple):
    """Rows of length 1, labels, how many first rows are for training, and groups by name."""

    X: Any
    y: Any
    n_train: int | None  # None: two thirds of all, dealt anew by each seed
    moves: Mapping[str, Any]

    def parts(self, seed: int) -> list[Part]:
        n = self.n_train
        if n is None:
            n = 2 * len(self.y) // 3
            return deal((self.X, self.y), seed, n, len(self.y) - n)
        return [(self.X[:n], self.y[:n]), (self.X[n:], self.y[n:])]


@dataclass(frozen=True)
class Comparison:
    """The features compared, by key and label; training sizes and templates by level."""

    labels: Mapping[str, str]
    sizes: Mapping[Level, Sequence[int]]
    templates: Mapping[Level, int]

    def maps(self, level: Level, examples: Examples, seed: int) -> dict[str, Any]:
        """Return maps by name, all but the rows of as many columns, templates and bins."""
        like, n_templates = examples.X[:1], self.templates[level]
        d, columns = like.shape[1], 2 * BINS * n_templates
        options: Any = {"n_templates": n_templates, "n_bins": BINS, "seed": seed, "like": like}
        draw = partial(GroupInvariantFeatures.draw, d, **options)
        invariant = {name: draw(group=group) for name, group in examples.moves.items()}
        # Rows have length 1: exp(-1) at right angles.
        fourier = FourierFeatures.draw(d, columns, gamma=0.5, seed=seed, like=like)
        return {next(iter(self.labels)): lambda rows: rows, "fourier": fourier, **invariant}

    def measure(self, level: Level, examples: Examples, cell: Cell) -> Record:
        """Return test accuracies of ridge regression on each kind of features, by training size."""
        seed = cell.seed()
        sample = seed + (examples.n_train is None)  # another seed where all rows are dealt
        maps = self.maps(level, examples, seed)
        train, test = examples.parts(seed)
        return accuracies(maps, train, test, self.sizes[level], sample)

    def table(self, level: Level, results: Results) -> Tables:
        """Return accuracies, and the best of the invariant features less both controls."""
        sizes, pairs = self.sizes[level], dict[str, tuple[Any, Any]]()
        shares = {name: results.values(name) for name in self.labels}
        names = [name for name in list(self.labels)[1:] if name not in CONTROLS]
        for k, n in enumerate(sizes):
            best = max(names, key=lambda name: shares[name][:, k].mean())
            for control in CONTROLS:
                name = f"N = {n}: {self.labels[best]}, less {self.labels[control]}"
                pairs[name] = shares[best][:, k], shares[control][:, k]
        rows = [
            {"features": label}
            | {f"N = {n}": spread(shares[name][:, k], 3) for k, n in enumerate(sizes)}
            for name, label in self.labels.items()
        ]
        # The best is chosen by the compared quantity: intervals that hold for all at once.
        return {
            "Share of test rows that are right, mean ± standard deviation over draws": rows,
            "Share of the best of the invariant features, less that of a control": differences(
                pairs, "features", tests=len(names), digits=3
            ),
        }

    def figure(self, level: Level, results: Results) -> list[Plot]:
        title, note = "Accuracy over the training sample", "Mean over draws of sample and templates"
        axes = "number of training samples", self.sizes[level], "share of test rows that are right"
        values = {label: results.values(name) for name, label in self.labels.items()}
        return [curves(title, *axes, values, f"{note}, with its standard error.")]


def accuracies(
    maps: Mapping[str, Callable[[Any], Any]], train: Part, test: Part, sizes: Any, seed: int
) -> Record:
    """Return test accuracies of each map by ridge regression over the training sizes.

    The sample of size N is the first N rows of one sample without replacement.
    """
    order = np.random.default_rng(seed).permutation(len(train[1]))[: max(sizes)]
    rows, labels = train[0][order], train[1][order]
    record: Record = {}
    for name, phi in maps.items():
        z, z_test = phi(rows), phi(test[0])
        record[name] = [ridge_accuracy(z[:n], labels[:n], z_test, test[1]) for n in sizes]
    return record


def ridge_accuracy(z: Any, labels: Any, z_test: Any, truth: Any) -> float:
    """Return the fraction of test rows that least squares gets right, lambda by leave-one-out."""
    return float(np.mean(classes_by_ridge(lambda rows: rows, z, labels, z_test) == truth))


DIGITS = Comparison(
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


def load_digits(level: Level, folder: Path | None) -> Examples:
    """Load MNIST, or the 8 x 8 digits at the quick level."""
    (X, y), (X_test, y_test) = digits(folder, 1000)
    side, most, step = (8, 1, 10.0) if folder is None else (28, 3, 5.0)
    degrees = np.arange(-20.0, 21.0, step)
    shifts = groups.ImageShifts(side, side, max_shift=most, fill="zero")
    turns, fewer = (
        image_rotations(side, side, angles.tolist()) for angles in (degrees, degrees[::2])
    )
    moves = {
        "none": groups.Trivial(side**2),
        "shifts": shifts,
        "turns": turns,
        "both": groups.DirectProduct(fewer, shifts),
    }
    rows = unit_rows(np.concatenate([X, X_test]))
    return Examples(rows, np.concatenate([y, y_test]), len(X), moves)


MNIST = Experiment(
    name="invariant-mnist",
    title="Features invariant under small shifts and rotations",
    source="Mroueh, Voinea, Poggio (2015), experiments on MNIST",
    page=Path(__file__).with_name("mnist.md"),
    prepare=load_digits,
    cells=lambda level: draws(),
    measure=DIGITS.measure,
    table=DIGITS.table,
    figure=DIGITS.figure,
    data={"quick": "the 8 x 8 digits, in place of MNIST", "full": "MNIST"},
    needs_data=("full",),
)

# Frames of a recording, and of each its cepstra: cosine sums of the log power of mel channels.
FRAMES, CEPSTRA, CHANNELS = 20, 13, 26
SPEEDS = (0.5, 2**-0.5, 1.0, 2**0.5, 2.0)
# 400 cents at 1 kHz are two of the 26 mel channels below 4 kHz.
SHIFTS = (-2.0, -1.0, 0.0, 1.0, 2.0)

RECORDINGS = Comparison(
    labels={
        "cepstra": "cepstra as they are",
        "fourier": "Fourier features, as many columns",
        "none": "distribution functions, no map",
        "speeds": "speeds",
        "pitches": "pitches",
        "both": "speeds and pitches",
    },
    sizes={"quick": (30, 100), "full": (100, 300, 1000, 2000)},
    templates={"quick": 30, "full": 150},
)


def load_recordings(level: Level, folder: Path | None) -> Examples:
    """Load spoken digits, or synthesise recordings; rows hold standardised frame after frame."""
    if level == "quick":
        frames, labels = synthetic_recordings(np.random.default_rng(0))
    else:
        spoken = data.spoken_digits(FRAMES)
        frames, labels = spoken.X.astype(np.float64), spoken.y
    deviations = frames.std(axis=(0, 1))
    rows = unit_rows((frames - frames.mean(axis=(0, 1))) / deviations, np.float64)
    moves = {name: groups.LinearMaps(matrices) for name, matrices in elements(deviations).items()}
    return Examples(rows.astype(np.float32), labels, None, moves)


def elements(deviations: Any) -> dict[str, list[Any]]:
    """Return lists of matrices that act on rows, (260, 260), by name; cepstra have `deviations`."""
    still = np.eye(FRAMES)[None], np.eye(CEPSTRA)[None]
    speeds = warps(FRAMES, SPEEDS)
    shifts = pitches(deviations)
    lists = {"none": still, "speeds": (speeds, still[1])}
    lists |= {"pitches": (still[0], shifts), "both": (speeds, shifts)}
    return {
        name: [np.kron(a, b) for a in left for b in right] for name, (left, right) in lists.items()
    }


def read_at(rows: Floats, places: Floats) -> Floats:
    """Read rows (n, d) at real places (d,) between their coordinates; zeros are outside."""
    low = np.floor(places)
    parts = []
    for index, weight in ((low, 1.0 - (places - low)), (low + 1.0, places - low)):
        inside = (index >= 0) & (index <= rows.shape[1] - 1)
        whole = np.where(inside, index, 0.0).astype(np.int64)
        parts.append(rows[:, whole] * np.where(inside, weight, 0.0))
    return parts[0] + parts[1]


def at_speed(rows: Floats, speed: float) -> Floats:
    """Play signals (n, d) about their middle: at 2 in half the time, at 1/2 the middle half."""
    middle = 0.5 * (rows.shape[1] - 1)
    return read_at(rows, middle + speed * (np.arange(rows.shape[1]) - middle))


def warps(n: int, speeds: Sequence[float]) -> Floats:
    """Return matrices that read n places faster or slower about the middle one, (r, n, n)."""
    return np.stack([at_speed(np.eye(n), speed).T for speed in speeds])


def synthetic_recordings(rng: np.random.Generator, n: int = 900) -> tuple[Any, Any]:
    """Synthesise recordings, (n, 20, 13), of one class in speed, pitch and noise; and labels."""
    from scipy.ndimage import gaussian_filter1d

    words = gaussian_filter1d(rng.standard_normal((10, FRAMES, CEPSTRA)), 2.0, axis=1)
    labels = rng.integers(0, 10, n)
    tempos = 2.0 ** rng.uniform(-0.7, 0.7, n)
    moves = pitches(np.ones(CEPSTRA), rng.uniform(-2.0, 2.0, n))
    parts = zip(words[labels], tempos, moves)
    played = np.stack([at_speed(word.T, tempo).T @ move.T for word, tempo, move in parts])
    return played + 0.2 * words.std() * rng.standard_normal(played.shape), labels


def pitches(deviations: Floats, shifts: Any = SHIFTS) -> Any:
    """Return matrices that shift the smoothed spectrum along the mel axis, (r, 13, 13).

    From cepstra, over `deviations`, back to channels, by linear interpolation, and forth.
    """
    from scipy.fft import dct

    cosines = dct(np.eye(CHANNELS), axis=0, norm="ortho")[:CEPSTRA]
    places = np.arange(CHANNELS, dtype=float)
    matrices = []
    for shift in shifts:
        rows = [np.interp(places - shift, places, channel) for channel in cosines]
        matrices.append(cosines @ np.array(rows).T / deviations[:, None] * deviations[None, :])
    return np.stack(matrices)


SPEECH = replace(
    MNIST,
    name="invariant-speech",
    title="Features invariant under small changes of speed and pitch",
    source="Mroueh, Voinea, Poggio (2015), experiments on TIDIGITS",
    page=Path(__file__).with_name("speech.md"),
    prepare=load_recordings,
    measure=RECORDINGS.measure,
    table=RECORDINGS.table,
    figure=RECORDINGS.figure,
    data={
        "quick": "synthetic recordings, in place of TIDIGITS",
        "full": "the Free Spoken Digit Dataset, in place of TIDIGITS",
    },
    needs_data=(),
)
