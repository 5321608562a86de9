"""Warps of signals and of spectra: exact where interpolation is, zeros from outside."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments.invariant import warps


def test_speeds_read_at_other_places():
    signal = np.arange(7.0)[None, :]  # linear: interpolation is exact
    slow, same, fast = (warps.at_speed(signal, speed)[0] for speed in (0.5, 1.0, 2.0))
    np.testing.assert_allclose(slow, 3 + 0.5 * (np.arange(7) - 3))
    np.testing.assert_array_equal(same, signal[0])
    np.testing.assert_allclose(fast, [0, 0, 1, 3, 5, 0, 0])


def test_matrices_do_the_same():
    rows = np.random.default_rng(0).standard_normal((3, 7))
    for matrix, speed in zip(warps.warps(7, [0.5, 1.3]), [0.5, 1.3], strict=True):
        # Products of rows with two numbers of each column that are not 0: a few eps.
        np.testing.assert_allclose(rows @ matrix.T, warps.at_speed(rows, speed), atol=1e-15)


def test_a_tone_moves_by_its_cents():
    tone = np.eye(24)[10]
    octave, half = (matrix @ tone for matrix in warps.transpositions(24, [1200, 50]))
    np.testing.assert_array_equal(octave, np.eye(24)[22])
    np.testing.assert_allclose(half, 0.5 * np.eye(24)[10] + 0.5 * np.eye(24)[11])
    [third] = warps.transpositions(24, [1200], channels_per_octave=3.0)
    assert third @ tone == pytest.approx(np.eye(24)[13])
