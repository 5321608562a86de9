"""Closeness is a computation: rounding is told from deviation, and says so."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.kernel_approximation import Nystroem

from mehler import kernels
from mehler.cli._checks import closeness

X = np.random.default_rng(0).standard_normal((20, 3))
RBF = kernels.make("rbf", gamma=0.5)


def nystroem(n_landmarks):
    fitted = Nystroem(gamma=0.5, n_components=n_landmarks, random_state=0).fit(X)
    return fitted.transform


def close(phi, kernel=RBF, resolution=0.02):
    return closeness(phi, kernel, X, resolution)


def cosines(seed):
    """Many features of the rbf kernel, computed in float32 and returned in float64."""
    rng = np.random.default_rng(seed)
    w = rng.standard_normal((3, 40_000)).astype(np.float32)

    def phi(rows):
        z = rows.astype(np.float32) @ w
        return np.hstack([np.cos(z), np.sin(z)]).astype(np.float64) / math.sqrt(40_000)

    return phi


@pytest.mark.parametrize("resolution", [0.02, 1e-12])
def test_all_landmarks_are_equal_to_rounding(resolution):
    found = close(nystroem(20), resolution=resolution)
    assert (found.status, found.reason) == ("holds", "Equal to rounding.")


def test_few_landmarks_are_refuted():
    found = close(nystroem(5))
    assert (found.status, found.reason) == ("refuted", "")


def test_a_deviation_below_the_resolution_is_never_refuted():
    # The mean of 40 000 cosines has a standard deviation of at most 0.0036: 0.05 is 14 of them.
    assert close(cosines(0), resolution=0.05).status == "holds"


def test_formats_too_coarse_to_say_are_inconclusive():
    found = close(lambda rows: rows.astype(np.float16), kernels.make("linear"), 1e-3)
    assert found.status == "inconclusive"
    assert "features of a finer dtype" in found.reason
