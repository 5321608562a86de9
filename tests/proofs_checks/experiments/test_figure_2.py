"""Angles, faces, frames and states of the group-invariant figures and tables, by hand."""

import numpy as np
import pytest
from mehler.proofs_checks.experiments.maxout import _frames, _orders

from tests.proofs_checks.experiments.test_data import carry, recordings  # noqa: F401  # fixtures

ANGLE = np.linspace(0, 2 * np.pi, 120, endpoint=False)


def test_a_collapsed_or_doubled_embedding_has_no_order() -> None:
    # Ties must not take the order of the rows; components that turn twice as fast lose it.
    assert _orders.circular_rank_correlation(0 * ANGLE, ANGLE) == pytest.approx(0, abs=1e-12)
    for closed in (True, False):
        assert _orders.agreement(np.zeros((120, 2)), ANGLE, closed) < 1e-12
    noise = 1e-3 * np.random.default_rng(0).standard_normal((120, 2))
    once, twice = (np.stack([np.cos(k * ANGLE), np.sin(k * ANGLE)], axis=1) + noise for k in (1, 2))
    assert _orders.agreement(twice, ANGLE, True) < 0.1
    assert _orders.agreement(once, ANGLE, True) > 0.99


RECORDINGS = _frames.prepare("quick", None)


def test_context_is_that_of_the_recording_and_repeats_its_ends() -> None:
    frames = np.arange(12.0).reshape(2, 3, 2)
    blocks = _frames.spliced(frames, 1)
    assert blocks.shape == (2, 3, 6)
    assert blocks[0].tolist() == [[0, 1, 0, 1, 2, 3], [0, 1, 2, 3, 4, 5], [2, 3, 4, 5, 4, 5]]
    # No frame of the other recording.
    assert set(blocks[1].ravel()) == set(range(6, 12))


def test_states_are_parts_of_a_digit_in_the_order_of_time() -> None:
    assert RECORDINGS.states.shape == (1797, 8)
    assert (RECORDINGS.states // 2 == RECORDINGS.digits[:, None]).all()
    assert (RECORDINGS.states[0] % 2).tolist() == [0] * 4 + [1] * 4
    assert np.mean(np.sum(RECORDINGS.X.astype(np.float64) ** 2, axis=2)) == pytest.approx(
        1, rel=1e-6
    )
