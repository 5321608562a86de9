"""Local coefficients on digits: the kernel's own, distances from them, and what is erased."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments._learners import kernel_ridge
from mehler.proofs_checks.experiments.maxout import _local as local
from mehler.proofs_checks.experiments.maxout import local_coefficients

from mehler import DecoupledMaxoutFeatures, MaxoutFeatures, learn

IMAGES, LABELS = local_coefficients.prepare("quick", None)
X, ROWS = IMAGES[:60], IMAGES[100:104]
CODES = learn.one_vs_all(LABELS[:60])[0]


def function(rows, beta, name):
    """The kernel's function at rows of any length: the kernel is homogeneous."""
    norms = np.linalg.norm(rows, axis=1)
    rho = np.clip(rows @ X.T / norms[:, None], -1, 1)
    return norms[:, None] * local.kernel_of(rho, name) @ beta


def test_the_gradient_of_the_plain_kernel_is_its_differences() -> None:
    # Planted defect seen red: sigma^2 kappa in the place of the derivative kappa.
    beta, found = local.kernel_coefficients(X, CODES, ROWS, 1e-3, "plain")
    step = 1e-5
    for j in (10, 20, 43):
        away = step * np.eye(64)[j]
        slope = (function(ROWS + away, beta, "plain") - function(ROWS - away, beta, "plain")) / (
            2 * step
        )
        scale = np.abs(found["gradient"]).max()
        np.testing.assert_allclose(found["gradient"][:, j], slope, atol=1e-6 * scale)


def test_beta_solves_the_ridge() -> None:
    beta, _ = local.kernel_coefficients(X, CODES, ROWS, 1e-3, "decoupled")
    fit = kernel_ridge(
        lambda a, b: local.kernel_of(np.clip(a @ b.T, -1, 1), "decoupled"),
        X,
        CODES,
        (1e-3,),
        intercept=False,
    )
    np.testing.assert_allclose(function(ROWS, beta, "decoupled"), fit.predict(ROWS), atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "name", "pair", "falls"),
    [
        (DecoupledMaxoutFeatures, "decoupled", "decoupled", True),
        (MaxoutFeatures, "plain", "gradient", True),
        (MaxoutFeatures, "plain", "plain", False),
    ],
)
def test_equation_4_is_met_by_the_decoupled_map_alone(kind, name, pair, falls) -> None:
    # 25 times the units: distances along the row are five times smaller, or stay.
    beta, found = local.kernel_coefficients(X, CODES, ROWS, 1e-1, name)
    means = []
    for m in (200, 5000):
        away = []
        for seed in range(4):
            phi = kind.draw(64, m, 4, seed=seed, like=X)
            estimate = phi.local_coefficients(ROWS, phi(X).T @ beta)
            away.append(local.apart(estimate, found[pair], ROWS)[1].mean())
        means.append(np.mean(away))
    assert bool(means[1] < means[0] / 2.5) is falls
