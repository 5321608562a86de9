"""Tables 2 and 3: frames with context, states, settings, pairing, and errors in percent."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments.maxout import _frames, table_2, table_3

from tests.proofs_checks.experiments.test_data import carry, recordings  # noqa: F401  # fixtures

RECORDINGS = _frames.prepare("quick", None)


def test_context_is_that_of_the_recording_and_repeats_its_ends() -> None:
    frames = np.arange(12.0).reshape(2, 3, 2)
    found = _frames.spliced(frames, 1)
    assert found.shape == (2, 3, 6)
    assert found[0].tolist() == [[0, 1, 0, 1, 2, 3], [0, 1, 2, 3, 4, 5], [2, 3, 4, 5, 4, 5]]
    # No frame of the other recording.
    assert set(found[1].ravel()) == set(range(6, 12))


def test_states_are_parts_of_a_digit_in_the_order_of_time() -> None:
    assert RECORDINGS.states.shape == (1797, 8)
    assert (RECORDINGS.states // 2 == RECORDINGS.digits[:, None]).all()
    assert (RECORDINGS.states[0] % 2).tolist() == [0] * 4 + [1] * 4
    assert np.mean(np.sum(RECORDINGS.X.astype(np.float64) ** 2, axis=2)) == pytest.approx(
        1, rel=1e-6
    )


def test_frames_of_a_recording_stay_together() -> None:
    parts = RECORDINGS.split(3)
    assert [len(part) for part in parts] == [100, 100, 200]
    assert len(set(np.concatenate(parts).tolist())) == 400


def test_a_recording_is_the_digit_whose_states_fit_in_order() -> None:
    # Second route: the sum over frames of the aligned state, digit by digit, in loops.
    rng = np.random.default_rng(0)
    part = np.arange(30)
    logs = rng.standard_normal((30 * 8, 20))
    wrong = 0
    for i in range(30):
        scores = [sum(logs[8 * i + t, 2 * digit + t // 4] for t in range(8)) for digit in range(10)]
        wrong += int(np.argmax(scores)) != RECORDINGS.digits[i]
    assert RECORDINGS.recording_errors(logs, part) == pytest.approx(100 * wrong / 30)


def test_all_settings_of_a_draw_share_one_split_and_no_weights() -> None:
    for table in (table_2.EXPERIMENT, table_3.EXPERIMENT, table_3.FRAMES):
        cells = [table.cell(o, 0) for o in table.cells("full") if o["draw"] == 4]
        assert len({c.seed_of("draw") for c in cells}) == 1
        assert len({c.seed() for c in cells}) == len(cells)


def test_settings_keep_the_proportions_of_the_print() -> None:
    printed = np.array([(15, 15), (60, 15), (60, 60), (400, 15), (300, 300)]) / 15
    for levels in (table_3.SETTINGS, table_3.SETTINGS_OF_FRAMES):
        for settings in levels.values():
            ours = np.array(settings) / settings[0][0]
            np.testing.assert_allclose(ours, printed, rtol=1e-3)
    for sizes in table_2.SIZES.values():
        assert [m * table_2.SHRUNK for m in sizes] == list(table_2.PRINTED)[: len(sizes)]
    assert len(table_3.PRINTED) == 6


@pytest.mark.parametrize("q", [0, 4])
def test_a_cell_has_errors_in_percent(q: int) -> None:
    cell = table_2.EXPERIMENT.cell({"q": q, "m": 25 * bool(q), "draw": 0}, 0)
    found = table_2.measure("quick", RECORDINGS, cell)
    for kind, n in (("frames", 200 * 8), ("recordings", 200)):
        wrong = found[kind] / 100 * n
        assert wrong == pytest.approx(round(wrong), abs=1e-6)
    # Chance is 95 and 90.
    assert found["fitted"] < found["frames"] < 80
    assert found["recordings"] < 60


def test_spoken_digits_are_the_full_level(recordings) -> None:  # noqa: F811  # the fixture
    spoken = _frames.prepare("full", None)
    assert spoken.X.shape == (2, 18, 11 * 13)
    assert spoken.states[0].tolist() == [int(spoken.digits[0]) * 3 + t // 6 for t in range(18)]
    rows, _ = table_3.prepare("full", None)
    assert rows.shape == (2, 20 * 13)


def test_ridge_on_recordings_has_an_error_in_percent() -> None:
    rows, labels = table_3.prepare("quick", None)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)
    cell = table_3.EXPERIMENT.cell({"map": "maxout", "m": 200, "projections": 50, "draw": 0}, 0)
    found = table_3.measure("quick", (rows, labels), cell)
    assert 0 < found["error"] < 30
    assert (found["error"] / 100 * (1797 - 600)) % 1 == pytest.approx(0, abs=1e-6)
