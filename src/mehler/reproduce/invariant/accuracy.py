"""Accuracy against the number of training samples, for invariant features and controls.

Digits by small shifts and rotations, and spoken digits by small changes of speed and pitch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import FourierFeatures, GroupInvariantFeatures, data
from mehler.features import groups
from mehler.proofs_checks.experiments.invariant.warps import at_speed, warps
from mehler.proofs_checks.group_invariant.image_rotations import ImageRotations
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page
from mehler.reproduce._learners import classes_by_ridge
from mehler.reproduce._results import Results, curves, paired_interval, table
from mehler.reproduce._rows import Part, deal, digits, unit_rows

# Bins on each side of 0.
BINS = 8
_CONTROLS = ("none", "fourier")
_FRAMES, _CEPSTRA, _CHANNELS = 20, 13, 26
SPEEDS = (0.5, 2**-0.5, 1.0, 2**0.5, 2.0)
# 400 cents at 1 kHz are two of the 26 mel channels below 4 kHz.
_SHIFTS = (-2.0, -1.0, 0.0, 1.0, 2.0)


@dataclass(frozen=True)
class Examples:
    """Rows of unit length and labels, and the groups that move templates, by name.

    `known` rows may be learnt from and the others tested on; None if the rows are not split.
    """

    X: Any
    y: Any
    known: int | None
    moves: Mapping[str, Any]

    def parts(self, seed: int) -> tuple[Part, Part]:
        """Return what may be learnt from, and what is tested: a third where nothing is known."""
        n = self.known
        if n is None:
            sizes = 2 * len(self.y) // 3, len(self.y) - 2 * len(self.y) // 3
            learnt, tested = deal((self.X, self.y), seed, *sizes)
            return learnt, tested
        return (self.X[:n], self.y[:n]), (self.X[n:], self.y[n:])


@dataclass(frozen=True)
class Comparison:
    """The features compared, by key and label: rows as they are, two controls, invariant ones.

    Training sizes and numbers of templates are by level; `name` is the experiment's.
    """

    name: str
    labels: Mapping[str, str]
    sizes: Mapping[Level, Sequence[int]]
    templates: Mapping[Level, int]

    def maps(self, level: Level, examples: Examples, seed: int) -> dict[str, Any]:
        """Return maps by name: rows as they are, Fourier features, and moved templates.

        All maps have as many columns, and the same templates and bins.
        """
        like, n_templates = examples.X[:1], self.templates[level]
        d = like.shape[1]
        invariant = {
            name: GroupInvariantFeatures.draw(
                d, group=group, n_templates=n_templates, n_bins=BINS, seed=seed, like=like
            )
            for name, group in examples.moves.items()
        }
        # Rows have length 1: exp(-1) at right angles.
        columns = 2 * BINS * n_templates
        fourier = FourierFeatures.draw(d, columns, gamma=0.5, seed=seed, like=like)
        return {next(iter(self.labels)): lambda rows: rows, "fourier": fourier, **invariant}

    def measure(self, level: Level, examples: Examples, cell: Cell, seed: int) -> Measured:
        """Return test accuracies of ridge regression on each kind of features, by training size."""
        own = cell.seed(seed, self.name)
        maps = self.maps(level, examples, own)
        # Where all rows are dealt, the sample is drawn by another seed.
        sample = own + (examples.known is None)
        return accuracies(maps, *examples.parts(own), self.sizes[level], sample)

    def page(self, level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
        """Return a table, curves with error bars, and a verdict for each training size."""
        sizes = self.sizes[level]
        accuracy = {name: Results(cells).values(name) for name in self.labels}
        labelled = {label: accuracy[name] for name, label in self.labels.items()}
        right = table(
            "Share of test rows that are right, mean ± standard deviation over draws",
            ("features", *(f"N = {n}" for n in sizes)),
            {label: values.T for label, values in labelled.items()},
            digits=3,
        )
        plot = curves(
            "Accuracy over the training sample",
            "number of training samples",
            sizes,
            "share of test rows that are right",
            labelled,
            "Mean over draws of sample and templates, with its standard error.",
        )
        verdicts = [
            self.verdict(n, {name: values[:, k] for name, values in accuracy.items()})
            for k, n in enumerate(sizes)
        ]
        return Page(verdicts=verdicts, tables=(right,), plots=(plot,))

    def verdict(self, n: int, accuracy: Mapping[str, Any]) -> str:
        """Describe whether invariance pays at N samples, paired over draws."""
        tried = [name for name in list(self.labels)[1:] if name not in _CONTROLS]
        best = max(tried, key=lambda name: accuracy[name].mean())
        sentences = []
        for other in _CONTROLS:
            # The best is chosen by the compared quantity: intervals that hold for all at once.
            interval = paired_interval(accuracy[best] - accuracy[other], looks=len(tried))
            word = interval.word("fewer than", "more than", "not told apart from")
            ends = interval.ends("+.3f", level=f"99 % for the best of {len(tried)}")
            sentences.append(
                f"{word} {self.labels[other]} (difference {interval.mean:+.3f}, {ends})"
            )
        return (
            f"With {n} training samples the best of the invariant features, "
            f"{self.labels[best]}, get {accuracy[best].mean():.3f} right: "
            f"{'; '.join(sentences)}; over {len(accuracy[best])} draws."
        )


def accuracies(
    maps: Mapping[str, Callable[[Any], Any]],
    train: Part,
    test: Part,
    sizes: Sequence[int],
    seed: int,
) -> Measured:
    """Return test accuracies of each map over the training sizes.

    The sample of size N is the first N rows of one sample without replacement, so that features of
    each row are computed once. Ridge regression, lambda by leave-one-out.
    """
    order = np.random.default_rng(seed).permutation(len(train[1]))[: max(sizes)]
    rows, labels = train[0][order], train[1][order]
    measured: Measured = {}
    for name, phi in maps.items():
        z, z_test = phi(rows), phi(test[0])
        measured[name] = [right_by_ridge(z[:n], labels[:n], z_test, test[1]) for n in sizes]
    return measured


def right_by_ridge(z: Any, labels: Any, z_test: Any, truth: Any) -> float:
    """Return the fraction of test rows that least squares gets right, lambda by leave-one-out."""
    return float(np.mean(classes_by_ridge(lambda rows: rows, z, labels, z_test) == truth))


DIGITS = Comparison(
    name="invariant-mnist",
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
        ImageRotations(side, side, angles.tolist()) for angles in (degrees, degrees[::2])
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
    name=DIGITS.name,
    title="Features invariant under small shifts and rotations",
    source="Mroueh, Voinea, Poggio (2015), experiments on MNIST",
    printed=(
        "Templates are shifted by up to 3 pixels in all directions and turned by up to 20 degrees; "
        "accuracy is plotted over the number of training samples, no number is stated. Steps of "
        "the angle, templates and bins are not given: here 5 degrees (10 with shifts), 150 "
        "templates and 8 bins on each side of 0; at level quick shifts by one pixel, 10 degrees "
        "(20), 40 templates."
    ),
    prepare=load_digits,
    measure=DIGITS.measure,
    page=DIGITS.page,
    data={"quick": "the 8 x 8 digits, in place of MNIST", "full": "MNIST"},
    needs_data=("full",),
)

RECORDINGS = Comparison(
    name="invariant-speech",
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
    """Load spoken digits, or synthesise recordings at the quick level.

    Cepstral coefficients are standardised over all frames; rows hold frame after frame.
    """
    if level == "quick":
        frames, labels = _made_up(np.random.default_rng(0))
    else:
        spoken = data.spoken_digits(_FRAMES)
        frames, labels = spoken.X.astype(np.float64), spoken.y
    deviations = frames.std(axis=(0, 1))
    rows = unit_rows((frames - frames.mean(axis=(0, 1))) / deviations, np.float64)
    moves = {name: groups.LinearMaps(matrices) for name, matrices in elements(deviations).items()}
    return Examples(rows.astype(np.float32), labels, None, moves)


def elements(deviations: Any) -> dict[str, list[Any]]:
    """Return the matrices that act on rows, (260, 260), by name; `deviations` are of cepstra."""
    still = np.eye(_FRAMES)[None], np.eye(_CEPSTRA)[None]
    speeds = warps(_FRAMES, SPEEDS)
    lists = {
        "none": still,
        "speeds": (speeds, still[1]),
        "pitches": (still[0], pitches(deviations)),
        "both": (speeds, pitches(deviations)),
    }
    return {
        name: [np.kron(a, b) for a in of_frames for b in of_cepstra]
        for name, (of_frames, of_cepstra) in lists.items()
    }


def _made_up(rng: np.random.Generator, n: int = 900) -> tuple[Any, Any]:
    """Synthesise recordings, (n, 20, 13), and labels.

    Recordings of one class differ in speed, pitch and noise only.
    """
    from scipy.ndimage import gaussian_filter1d

    words = gaussian_filter1d(rng.standard_normal((10, _FRAMES, _CEPSTRA)), 2.0, axis=1)
    labels = rng.integers(0, 10, n)
    tempos = 2.0 ** rng.uniform(-0.7, 0.7, n)
    moves = pitches(np.ones(_CEPSTRA), rng.uniform(-2.0, 2.0, n))
    played = np.stack(
        [
            at_speed(word.T, tempo).T @ move.T
            for word, tempo, move in zip(words[labels], tempos, moves)
        ]
    )
    return played + 0.2 * words.std() * rng.standard_normal(played.shape), labels


def pitches(deviations: NDArray[np.float64], shifts: Any = _SHIFTS) -> Any:
    """Return matrices that shift the smoothed spectrum along the mel axis, (r, 13, 13).

    Cepstra are the first cosine coefficients of the logarithms of 26 channels: transform back to
    channels, shift by linear interpolation (repeating the outermost channel), and transform forth.
    Rows are coefficients over `deviations`; `shifts` are in channels.
    """
    from scipy.fft import dct

    cosines = dct(np.eye(_CHANNELS), axis=0, norm="ortho")[:_CEPSTRA]
    places = np.arange(_CHANNELS, dtype=float)
    matrices = []
    for shift in shifts:
        moved = [np.interp(places - shift, places, channel) for channel in cosines]
        matrices.append(cosines @ np.array(moved).T / deviations[:, None] * deviations[None, :])
    return np.stack(matrices)


SPEECH = Experiment(
    name=RECORDINGS.name,
    title="Features invariant under small changes of speed and pitch",
    source="Mroueh, Voinea, Poggio (2015), experiments on TIDIGITS",
    printed=(
        "Isolated digits of 326 speakers, templates moved by up to 400 cents up and down and "
        "played at half to double speed; accuracy is plotted over the number of training samples, "
        "no number is stated. Here a recording is 20 frames of 13 cepstra, whatever its length, "
        "and the split is not one by speakers. Synthetic recordings of a class differ as the "
        "features suppose, which shows nothing about speech."
    ),
    prepare=load_recordings,
    measure=RECORDINGS.measure,
    page=RECORDINGS.page,
    data={
        "quick": "synthetic recordings, in place of TIDIGITS",
        "full": "the Free Spoken Digit Dataset, in place of TIDIGITS",
    },
)
