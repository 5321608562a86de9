"""Tables 2 and 3: frames with context, states, settings, pairing, and errors in percent."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments.maxout import _frames

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
