"""The lines on GPyTorch in the documentation, as they stand there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mehler

gpytorch = pytest.importorskip(
    "gpytorch",
    reason="it pins mpmath to 1.3, so no extra brings it: https://github.com/cornellius-gp/gpytorch",
)
PAGE = Path(__file__).parents[2] / "docs" / "modules.md"


@pytest.mark.parametrize("kernel", ["rbf", "matern"])
def test_a_regression_learns_its_length_scale(kernel):
    import torch

    lines = PAGE.read_text().partition("```{code-block} python\n")[2].partition("```")[0]
    defined: dict = {}
    exec(lines, defined)
    own = {"rbf": {"gamma": 0.5}, "matern": {"nu": 2.5}}[kernel]
    phi = mehler.FourierFeatures.draw(1, 8, kernel=kernel, seed=0, **own)
    theirs = {"rbf": gpytorch.kernels.RBFKernel, "matern": gpytorch.kernels.MaternKernel}[kernel]

    x = torch.linspace(0.0, 6.0, 30, dtype=torch.float64)[:, None]
    found = []
    for covariance in (defined["ExactKernel"](phi), theirs()):
        covariance = covariance.double()
        likelihood = gpytorch.likelihoods.GaussianLikelihood().double()

        class Model(gpytorch.models.ExactGP):
            def __init__(self, likelihood, covariance):
                super().__init__(x, torch.sin(x[:, 0]), likelihood)
                self.mean, self.covariance = gpytorch.means.ZeroMean(), covariance

            def forward(self, rows):
                return gpytorch.distributions.MultivariateNormal(
                    self.mean(rows), self.covariance(rows)
                )

        model = Model(likelihood, covariance)
        evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
        model.train()
        value = evidence(model(x), torch.sin(x[:, 0]))
        value.backward()
        found.append((value.item(), covariance.raw_lengthscale.grad.item()))
    # Both by Cholesky factors of matrices of condition below 10^4.
    np.testing.assert_allclose(found[0], found[1], rtol=1e-8)
