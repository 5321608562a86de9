"""Spoken digits by features invariant under small changes of speed and pitch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import data
from mehler.features import groups
from mehler.reproduce._experiment import Cell, Experiment, Level, Measured, Page
from mehler.reproduce._learners import unit_rows
from mehler.reproduce.invariant import _accuracy

_FRAMES, _CEPSTRA, _CHANNELS = 20, 13, 26
_SPEEDS = (0.5, 2**-0.5, 1.0, 2**0.5, 2.0)
# 400 cents at 1 kHz are two of the 26 mel channels below 4 kHz.
_SHIFTS = (-2.0, -1.0, 0.0, 1.0, 2.0)
COMPARISON = _accuracy.Comparison(
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


def prepare(level: Level, folder: Path | None) -> _accuracy.World:
    """Load spoken digits, or synthesise recordings at the quick level.

    Cepstral coefficients are standardised over all frames; rows hold frame after frame. Raises
    MissingDataError if the package of the spoken digits is not installed.
    """
    if level == "quick":
        frames, labels = _made_up(np.random.default_rng(0))
    else:
        spoken = data.spoken_digits(_FRAMES)
        frames, labels = spoken.X.astype(np.float64), spoken.y
    deviations = frames.std(axis=(0, 1))
    rows = unit_rows((frames - frames.mean(axis=(0, 1))) / deviations, np.float64)
    moves = {name: groups.LinearMaps(matrices) for name, matrices in elements(deviations).items()}
    return _accuracy.World(level, rows.astype(np.float32), labels, None, moves)


def elements(deviations: Any) -> dict[str, list[Any]]:
    """Return the matrices that act on rows, (260, 260), by name; `deviations` are of cepstra."""
    still = np.eye(_FRAMES)[None], np.eye(_CEPSTRA)[None]
    lists = {
        "none": still,
        "speeds": (speeds(), still[1]),
        "pitches": (still[0], pitches(deviations)),
        "both": (speeds(), pitches(deviations)),
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
    warps = groups.TimeWarps(_FRAMES, 2.0 ** rng.uniform(-0.7, 0.7, n))
    moves = pitches(np.ones(_CEPSTRA), rng.uniform(-2.0, 2.0, n))
    played = np.stack(
        [
            warps.apply(word.T, element[None])[0].T @ move.T
            for word, element, move in zip(words[labels], warps.elements(), moves)
        ]
    )
    return played + 0.2 * words.std() * rng.standard_normal(played.shape), labels


def measure(world: _accuracy.World, cell: Cell, seed: int) -> Measured:
    """Return test accuracies of ridge regression on each kind of features, by training size."""
    own = cell.seed(seed, _NAME)
    order = np.random.default_rng(own).permutation(len(world.y))
    n_train = 2 * len(order) // 3
    train, test = ((world.X[part], world.y[part]) for part in (order[:n_train], order[n_train:]))
    phis = _accuracy.maps(COMPARISON, world, own)
    return _accuracy.accuracies(phis, train, test, COMPARISON.sizes[world.level], own + 1)


def speeds() -> Any:
    """Return matrices that speed frames up or slow them down about the middle one, (5, 20, 20)."""
    warps = groups.TimeWarps(_FRAMES, _SPEEDS)
    return np.swapaxes(warps.apply(np.eye(_FRAMES)), 1, 2)


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


def page(level: Level, cells: list[tuple[Cell, Measured]]) -> Page:
    """Return the page of accuracy against training size."""
    return _accuracy.page(COMPARISON, level, cells)


_NAME = "invariant-speech"
EXPERIMENT = Experiment(
    name=_NAME,
    title="Features invariant under small changes of speed and pitch",
    source="Mroueh, Voinea, Poggio (2015), experiments on TIDIGITS",
    printed=(
        "Isolated digits of 326 speakers, templates moved by up to 400 cents up and down and "
        "played at half to double speed; accuracy is plotted over the number of training samples, "
        "no number is stated. Here a recording is 20 frames of 13 cepstra, whatever its length, "
        "and the split is not one by speakers. Synthetic recordings of a class differ as the "
        "features suppose, which shows nothing about speech."
    ),
    prepare=prepare,
    measure=measure,
    page=page,
    data={
        "quick": "synthetic recordings, in place of TIDIGITS",
        "full": "the Free Spoken Digit Dataset, in place of TIDIGITS",
    },
)
