"""The experiment on spoken digits: what the maps do to recordings, and what stands in."""

from __future__ import annotations

import numpy as np
import pytest

from mehler import data
from mehler.features import groups
from mehler.reproduce.invariant import accuracy

DEVIATIONS = np.linspace(0.5, 3.0, 13)


def test_matrices_of_pitch_move_a_smooth_spectrum_by_channels() -> None:
    # Second route: a spectrum that 13 cosines describe well, moved as a function.
    from scipy.fft import dct

    channels = np.arange(26.0)

    def spectrum(at):
        return np.exp(-0.5 * ((at - 13.0) / 4.0) ** 2)

    found = accuracy.pitches(DEVIATIONS)
    for matrix, shift in zip(found, (-2.0, -1.0, 0.0, 1.0, 2.0)):
        before = dct(spectrum(channels), norm="ortho")[:13] / DEVIATIONS
        after = dct(spectrum(channels - shift), norm="ortho")[:13] / DEVIATIONS
        # What is left out of the first 13 cosines is below 1e-3 of such a spectrum.
        np.testing.assert_allclose(matrix @ before, after, atol=5e-3 * np.abs(after).max())
    np.testing.assert_allclose(found[2], np.eye(13), atol=1e-12)


def test_matrices_of_speed_read_the_frames_at_other_times() -> None:
    slow, fast = accuracy.speeds()[[0, 4]]
    ramp = np.arange(20.0)
    np.testing.assert_allclose(slow @ ramp, 9.5 + 0.5 * (ramp - 9.5))
    inside = np.abs(ramp - 9.5) <= 4.75
    np.testing.assert_allclose((fast @ ramp)[inside], (9.5 + 2.0 * (ramp - 9.5))[inside])
    assert not (fast @ ramp)[np.abs(ramp - 9.5) > 5.3].any()


def test_elements_act_on_frames_and_cepstra_of_a_row() -> None:
    # Planted defect: the factors the other way round would act on wrong axes.
    examples = accuracy.load_recordings("quick", None)
    orders = {name: group.order for name, group in examples.moves.items()}
    assert orders == {"none": 1, "speeds": 5, "pitches": 5, "both": 25}
    of_frames, of_cepstra = accuracy.speeds(), accuracy.pitches(DEVIATIONS)
    group = groups.LinearMaps(accuracy.elements(DEVIATIONS)["both"])
    moved = group.apply(examples.X[:1].astype(np.float64))[:, 0]
    word = examples.X[0].astype(np.float64).reshape(20, 13)
    direct = [(a @ word @ b.T).ravel() for a in of_frames for b in of_cepstra]
    np.testing.assert_allclose(moved, direct, atol=1e-12)


def test_all_features_but_cepstra_have_as_many_columns() -> None:
    examples = accuracy.load_recordings("quick", None)
    found = accuracy.RECORDINGS.maps("quick", examples, 0)
    assert list(found) == list(accuracy.RECORDINGS.labels)
    widths = {name: phi(examples.X[:2]).shape[1] for name, phi in found.items()}
    assert widths.pop("cepstra") == 260
    assert set(widths.values()) == {30 * 16}


def test_real_recordings_are_split_without_overlap(monkeypatch) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 20, 13)).astype(np.float32), np.arange(60) % 10
    monkeypatch.setattr(data, "spoken_digits", lambda n: data.Dataset("spoken_digits", X, y))
    examples = accuracy.load_recordings("full", None)
    # Rows of 260 entries are float32: each entry rounds by 6e-8 of itself.
    np.testing.assert_allclose(np.linalg.norm(examples.X, axis=1), 1.0, atol=1e-6)
    seen = {}

    def watched(phis, train, test, sizes, seed):
        seen.update(train=train, test=test, sizes=sizes)
        return {}

    monkeypatch.setattr(accuracy, "accuracies", watched)
    monkeypatch.setattr(accuracy.Comparison, "maps", lambda *options: {})
    accuracy.RECORDINGS.measure("full", examples, accuracy.SPEECH.cells("full")[0], 0)
    assert (len(seen["train"][0]), len(seen["test"][0])) == (40, 20)
    together = np.concatenate([seen["train"][0], seen["test"][0]])
    assert len(np.unique(together, axis=0)) == 60
    assert seen["sizes"] == (100, 300, 1000, 2000)


def test_missing_recordings_say_what_brings_them(monkeypatch) -> None:
    def missing(n):
        raise data.MissingDataError("spoken_digits: pip install ...")

    monkeypatch.setattr(data, "spoken_digits", missing)
    with pytest.raises(data.MissingDataError, match="pip install"):
        accuracy.load_recordings("full", None)
