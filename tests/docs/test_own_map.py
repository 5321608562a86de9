"""The map of the page on attention: its file, its verdict, and the mistakes that the page names."""

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from mehler.cli import main
from mehler.verify import check_kernel, check_variance
from tests.docs._blocks import ROOT
from tests.docs.test_site import load

SOURCE = ROOT / "docs" / "own_map" / "attention.py"
PAGE = (ROOT / "docs" / "attention.md").read_text(encoding="utf-8")
X = 0.3 * np.random.default_rng(0).standard_normal((6, 5))


@pytest.fixture
def attention():
    yield load(SOURCE)
    sys.modules.pop("attention", None)


def verify(*options: str) -> str:
    """Run `mehler verify` on the file, and return its exit status."""
    with pytest.raises(SystemExit) as ended:
        main(["verify", f"{SOURCE}:draw", "--kernel", "exp", *options])
    return str(ended.value.code)


def test_the_kernel_holds(capsys):
    assert verify("--resolution", "0.05") == "0"
    assert capsys.readouterr().out.startswith("draw has the kernel exp(gamma=1)\n")


def test_kernel_and_variance_are_those_of_quadrature(attention):
    """By Gauss-Hermite in the one direction z = x + y that the product depends on."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(120)
    weights = weights / weights.sum()
    squares = (X**2).sum(axis=1)
    lengths = np.linalg.norm(X[:, None] + X[None], axis=2)
    shift = (squares[:, None] + squares[None]) / 2
    product = np.exp(lengths[..., None] * nodes - shift[..., None])
    mean = product @ weights
    phi = attention.PositiveFeatures.draw(5, 8, seed=0)
    np.testing.assert_allclose(phi.kernel(X), mean, rtol=1e-12)
    np.testing.assert_allclose(phi.variance(X), product**2 @ weights - mean**2, rtol=1e-10)


MISTAKES = {
    "squares": ("- squares / 2", "- squares"),
    "scale": ("self.n_features**-0.5 * xp.exp", "xp.exp"),
}


def mistaken(tmp_path: Path, right: str, wrong: str) -> ModuleType:
    text = SOURCE.read_text(encoding="utf-8")
    assert text.count(right) == 1
    path = tmp_path / "attention.py"
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    return load(path)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_the_features_are_refuted(tmp_path, mistake):
    module = mistaken(tmp_path, *MISTAKES[mistake])
    verdict = check_kernel(module.draw, lambda A, B: np.exp(A @ B.T), X, resolution=0.1)
    assert verdict.status == "refuted"


def test_a_mistake_in_the_variance_is_refuted(tmp_path):
    module = mistaken(tmp_path, "expm1(total)", "exp(total)")
    assert check_variance(module.draw, None, X).status == "refuted"
