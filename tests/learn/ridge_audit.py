"""Ridge regression by other routes: one least squares problem in float64, and rows left out."""

import functools
from unittest import mock

import numpy as np

from mehler import learn
from mehler.learn import _sums

# No fallback to a decomposition, as of more features than one decomposes.
factorising = functools.partial(mock.patch.object, _sums, "MAX_EIGEN_FEATURES", 0)


class Table:
    """Rows that are their own features."""

    def __call__(self, rows):
        return rows


def by_least_squares(z, y, penalty, intercept=True):
    """Weights (m, t), intercept (t,) of |zw + b - y|^2 + penalty |w|^2: an augmented system."""
    n, m = z.shape
    y = y.reshape(n, -1)
    ones = np.ones((n, 1)) if intercept else np.zeros((n, 0))
    top = np.hstack([z, ones])
    bottom = np.hstack([np.sqrt(penalty) * np.eye(m), np.zeros((m, ones.shape[1]))])
    solution = np.linalg.lstsq(
        np.vstack([top, bottom]), np.vstack([y, np.zeros((m, y.shape[1]))]), rcond=None
    )[0]
    return solution[:m], (solution[m] if intercept else np.zeros(y.shape[1]))


def left_out(z, y, penalty, intercept=True):
    """Errors (n, t) of each row under the fit to the others, one fit a row."""
    n = len(z)
    y = y.reshape(n, -1)
    solution = []
    for i in range(n):
        rest = np.arange(n) != i
        w, b = by_least_squares(z[rest], y[rest], penalty, intercept)
        solution.append(y[i] - z[i] @ w - b)
    return np.array(solution)


def problem(seed, n, m, t=2, offset=3.0):
    """Rows with a common mean, and targets."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n, m)) @ np.diag(np.geomspace(1, 0.1, m)) + offset
    y = np.sin(z @ rng.standard_normal((m, t))) + 0.1 * rng.standard_normal((n, t))
    return z, y


LAMBDAS = (1e-6, 1e-3, 1e-1, 10.0)


def audit(z, y, *, intercept=True, tolerance=1e-7):
    """Hold a whole path, its leave-one-out errors and its choice against the other routes."""
    fit = learn.ridge(Table(), z, y, lambdas=LAMBDAS, intercept=intercept)
    n = len(z)
    expected = [np.mean(left_out(z, y, n * lam, intercept) ** 2) for lam in LAMBDAS]
    np.testing.assert_allclose(fit.errors, expected, rtol=tolerance)
    assert fit.lam == LAMBDAS[int(np.argmin(expected))]
    sums = learn.RidgeSums(Table())
    for rows in np.array_split(np.arange(n), 4):
        sums.add(z[rows], y[rows])
    # Several lambdas share a decomposition; one alone is a factorisation.
    alone = [sums.solve(lam, intercept=intercept)[0] for lam in LAMBDAS]
    for fit in (*sums.solve(LAMBDAS, intercept=intercept), *alone):
        w, b = by_least_squares(z, y, n * fit.lam, intercept)
        np.testing.assert_allclose(fit.weights, w, atol=tolerance * np.abs(w).max())
        np.testing.assert_allclose(fit.intercept, b, atol=tolerance * (1 + np.abs(b).max()))


def rounding(z, lam, terms=100):
    """Relative difference of two solutions: c e, of condition number c and entries rounded by e."""
    # Three sums over some hundred rows each, which add up like random walks: 2 * 3 * sqrt(300).
    return terms * (1.0 + np.linalg.norm(z, 2) ** 2 / (len(z) * lam)) * 2.0**-53
