"""Kitchen sinks at rows of zeros and at huge rows declare what their features are."""

import numpy as np
import pytest

import mehler
from mehler import verify

ROWS = np.array([[0.0, 0.0, 0.0], [0.3, -1.2, 0.5], [0.9, 0.4, -0.2], [0.0, 0.0, 0.0]])
# Shares of the kernel's and the variance's scale: planted deviations are 0.25 of it and more.
CLOSE = 0.1


def drawn(name, **options):
    return lambda seed: mehler.KitchenSinks.draw(3, 256, activation=name, seed=seed, **options)


@pytest.mark.parametrize("name", ["step", "relu", "relu2", "erf", "tanh", "cos", "sin"])
def test_a_row_of_zeros_has_the_same_feature_in_every_draw(name):
    """So its kernel is a square, its variance 0, and its distribution one jump."""
    phi = drawn(name)(0)
    features = phi(ROWS)
    constant = float(features[0, 0]) * 16.0
    assert np.all(features[[0, 3]] * 16.0 == constant)
    at_zero = np.ix_([0, 3], [0, 3])
    assert np.all(phi.kernel(ROWS)[at_zero] == constant**2)
    assert np.all(phi.kernel(ROWS, ROWS.copy())[at_zero] == constant**2)
    assert np.all(phi.variance(ROWS)[at_zero] == 0.0)
    if name in ("erf", "tanh"):
        return
    values = np.array([[constant - 1e-9, constant, constant + 1e-9]])
    assert phi.feature_cdf(ROWS[:1], values).tolist() == [[0.0, 1.0, 1.0]]


def test_features_where_none_are_claimed_are_refuted():
    """A claim of 0 is held to the scale of the largest row."""
    draw = drawn("cos")
    right = draw(0).kernel

    def wrong(X, Y):
        return np.array(right(X, Y)) * X.any(axis=1)[:, None] * Y.any(axis=1)

    assert verify.check_kernel(draw, wrong, ROWS[:3], resolution=CLOSE).status == "refuted"
    with pytest.raises(ValueError, match="nor 0 at all rows"):
        verify.check_kernel(draw, wrong, ROWS[:1], resolution=CLOSE)


@pytest.mark.parametrize("name", ["erf", "cos", "sin"])
def test_huge_rows_have_finite_kernels_variances_and_laws(name):
    phi = drawn(name)(0)
    rows = np.array([[1e160, 0.0, 0.0], [0.0, 2e160, 0.0], [-3e160, 0.0, 0.0]])
    kernel, variance = phi.kernel(rows), phi.variance(rows)
    expected = {
        "erf": [[1.0, 0.0, -1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 1.0]],
        "cos": np.eye(3) / 2,
        "sin": np.eye(3) / 2,
    }
    assert kernel == pytest.approx(np.asarray(expected[name]), abs=1e-15)
    assert np.all(np.isfinite(variance))
    if name == "erf":
        return
    at = phi.feature_cdf(rows, np.array([[-0.5, 0.5]] * 3))
    # The arcsine law of an angle that went around often.
    assert at == pytest.approx(np.array([[1 / 3, 2 / 3]] * 3), abs=1e-15)
