"""The lines on GPyTorch, Equinox and Flax in the documentation, as they stand there.

The extra dev brings all three, so that they are missing nowhere but where PyTorch or JAX is, as in
the run with the lowest versions.
"""

import importlib
import re
from pathlib import Path

import numpy as np
import pytest

import mehler

PAGE = (Path(__file__).parents[2] / "docs" / "modules.md").read_text()
BLOCKS = re.findall(r"^```{code-block} python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
# What each block needs besides PyTorch or JAX.
NEEDS = {"gpytorch": "torch", "equinox": "jax", "nnx": "jax", "linen": "jax"}


def block_of(name: str) -> str:
    """Return the block that imports a library; skip where the one below it is missing."""
    pytest.importorskip(NEEDS[name])
    (block,) = [each for each in BLOCKS if re.search(rf"import .*\b{name}\b", each)]
    return block


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what the frameworks import
@pytest.mark.parametrize("name", NEEDS)
def test_the_page_runs(name):
    exec(compile(block_of(name), f"modules.md, {name}", "exec"), {"__name__": "page"})


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("kernel", ["rbf", "matern"])
def test_a_regression_learns_its_length_scale(kernel):
    lines = block_of("gpytorch")
    gpytorch, torch = importlib.import_module("gpytorch"), importlib.import_module("torch")
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

        model = defined["Regression"](x, torch.sin(x[:, 0]), likelihood, covariance)
        evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
        model.train()
        value = evidence(model(x), torch.sin(x[:, 0]))
        value.backward()
        found.append((value.item(), covariance.raw_lengthscale.grad.item()))
    # Both by Cholesky factors of matrices of condition below 10^4.
    np.testing.assert_allclose(found[0], found[1], rtol=1e-8)
