"""Closeness is a computation, which distinguishes rounding from deviation."""

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


@pytest.mark.parametrize("resolution", [0.02, 1e-12])
def test_all_landmarks_are_equal_to_rounding(resolution):
    verdict = close(nystroem(20), resolution=resolution)
    assert (verdict.status, verdict.reason) == ("holds", "Equal to rounding.")


def test_few_landmarks_are_refuted():
    verdict = close(nystroem(5))
    assert (verdict.status, verdict.reason) == ("refuted", "")


def test_formats_too_coarse_to_say_are_inconclusive():
    verdict = close(lambda rows: rows.astype(np.float16), kernels.make("linear"), 1e-3)
    assert verdict.status == "inconclusive"
    assert "features of a finer dtype" in verdict.reason
