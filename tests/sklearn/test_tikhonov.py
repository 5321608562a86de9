"""Equation (3) with the hinge loss is LinearSVC with C = 1/(2 N lambda): held to its dual."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

import mehler

N, LAM = 60, 0.01
X = np.random.default_rng(0).standard_normal((N, 3))
Y = np.where(X[:, 0] * X[:, 1] + 0.3 * X[:, 2] > 0, 1.0, -1.0)
Z = mehler.MaxoutFeatures.draw(3, 40, 4, seed=0)(X)


def objective(alpha):
    """Equation (3) as it is printed."""
    return np.maximum(0, 1 - Y * (Z @ alpha)).mean() + LAM * alpha @ alpha


def lower_bound():
    """Fenchel's dual, sum(a)/N - |Z^T (a y)|^2/(4 lambda N^2) for 0 <= a <= 1: any a will do."""

    def negative(a):
        v = Z.T @ (a * Y)
        gradient = -1 / N + Y * (Z @ v) / (2 * LAM * N**2)
        return -a.sum() / N + v @ v / (4 * LAM * N**2), gradient

    start = np.full(N, 0.5)
    options = {"maxiter": 5000, "maxfun": 10**5, "ftol": 1e-15, "gtol": 1e-10}
    return -minimize(
        negative, start, jac=True, bounds=[(0, 1)] * N, method="L-BFGS-B", options=options
    ).fun


def fitted(c):
    svc = LinearSVC(
        loss="hinge", C=c, fit_intercept=False, tol=1e-8, max_iter=10**6, random_state=0
    )
    return svc.fit(Z, Y).coef_[0]


def test_linear_svc_minimises_equation_3():
    gap = objective(fitted(1 / (2 * N * LAM))) - lower_bound()
    assert -1e-12 <= gap < 1e-6


@pytest.mark.parametrize("factor", [2.0, 0.5], ids=["1/(N lambda)", "1/(4 N lambda)"])
def test_another_constant_does_not(factor):
    assert objective(fitted(factor / (2 * N * LAM))) - lower_bound() > 1e-4
