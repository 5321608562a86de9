"""Warps of signals: exact where interpolation is, zeros from outside."""

from __future__ import annotations

import numpy as np
from mehler.proofs_checks.experiments.invariant import accuracy


def test_speeds_read_at_other_places():
    signal = np.arange(7.0)[None, :]  # linear: interpolation is exact
    slow, same, fast = (accuracy.at_speed(signal, speed)[0] for speed in (0.5, 1.0, 2.0))
    np.testing.assert_allclose(slow, 3 + 0.5 * (np.arange(7) - 3))
    np.testing.assert_array_equal(same, signal[0])
    np.testing.assert_allclose(fast, [0, 0, 1, 3, 5, 0, 0])


def test_matrices_do_the_same():
    rows = np.random.default_rng(0).standard_normal((3, 7))
    for matrix, speed in zip(accuracy.warps(7, [0.5, 1.3]), [0.5, 1.3], strict=True):
        # Products of rows with two numbers of each column that are not 0: a few eps.
        np.testing.assert_allclose(rows @ matrix.T, accuracy.at_speed(rows, speed), atol=1e-15)
