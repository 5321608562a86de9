"""The experiments' learners: exact ridge against refits and features, neighbours with ties."""

import numpy as np
import pytest
from mehler.proofs_checks.experiments._learners import kernel_ridge, nearest_rows

from mehler import learn

X = np.random.default_rng(0).standard_normal((30, 3))
Y = np.stack([np.sin(X[:, 0]), X[:, 1] * X[:, 2]], axis=1)
LAMBDAS = (1e-4, 1e-2, 1.0)


def linear(a, b):
    return a @ b.T


def gaussian(a, b):
    return np.exp(-0.5 * ((a[:, None] - b[None]) ** 2).sum(axis=2))


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("by_class", [True, False])
def test_a_linear_kernel_is_ridge_on_the_rows(intercept, by_class):
    ours = kernel_ridge(linear, X, Y, LAMBDAS, by_class=by_class, intercept=intercept)
    theirs = learn.ridge(
        lambda rows: rows,
        X,
        Y,
        lambdas=LAMBDAS,
        intercept=intercept,
        scoring="error_rate" if by_class else "mse",
    )
    np.testing.assert_allclose(ours.errors, theirs.errors, rtol=1e-9)
    assert ours.lam == theirs.lam
    new = np.random.default_rng(1).standard_normal((4, 3))
    np.testing.assert_allclose(ours.predict(new), theirs.predict(new), atol=1e-9)


@pytest.mark.parametrize("intercept", [True, False])
def test_leave_one_out_is_what_refits_say(intercept):
    lam, n = 0.01, len(X)
    errors = []
    for i in range(n):
        others = np.delete(np.arange(n), i)
        # The same penalty N lambda for one row less.
        fit = kernel_ridge(
            gaussian, X[others], Y[others], (lam * n / (n - 1),), intercept=intercept
        )
        errors.append(Y[i] - fit.predict(X[i : i + 1])[0])
    ours = kernel_ridge(gaussian, X, Y, (lam,), intercept=intercept)
    assert ours.errors[0] == pytest.approx(np.mean(np.square(errors)), rel=1e-9)
    # Residuals that are not divided by 1 - h would be seen.
    assert ours.errors[0] > 1.1 * np.mean((ours.predict(X) - Y) ** 2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ties_go_to_the_first_row(dtype):
    """Rows that occur thrice: products of matrices round their distances apart."""
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((40, 57)).astype(dtype)
    Z, Q = np.concatenate([rows, rows, rows]), rows + np.float32(0.01)
    assert np.array_equal(nearest_rows(Z, Q, 3), np.arange(40)[:, None] + [0, 40, 80])
    # Many rows that differ are at one distance, a number of thirds, added in another order.
    digits = rng.integers(0, 4, (200, 6))
    counts = ((digits[:50, None] - digits[None]) ** 2).sum(axis=2)
    first = np.argsort(counts, axis=1, kind="stable")[:, :5]
    assert np.array_equal(nearest_rows(digits / 3, digits[:50] / 3, 5), first)
