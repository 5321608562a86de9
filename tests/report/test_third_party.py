"""What is known of other people's maps, against samples of their own features."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.kernel_approximation import (
    Nystroem,
    PolynomialCountSketch,
    RBFSampler,
    SkewedChi2Sampler,
)
from sklearn.random_projection import GaussianRandomProjection

from mehler import kernels
from mehler.cli._declarations import declared_for
from mehler.verify import check_mean

X = np.abs(np.random.default_rng(3).standard_normal((2, 4))) * 0.4
M = 100_000


@pytest.mark.parametrize(
    ("transformer", "kernel"),
    [
        (RBFSampler(gamma=0.7, n_components=M, random_state=1), kernels.make("rbf", gamma=0.7)),
        (
            SkewedChi2Sampler(skewedness=0.5, n_components=M, random_state=1),
            kernels.make("skewed-chi2", skew=0.5),
        ),
    ],
)
@pytest.mark.parametrize("pair", [(0, 0), (0, 1)])
def test_the_declared_variance_is_that_of_the_products(transformer, kernel, pair):
    z = transformer.fit_transform(X)
    products = M * z[pair[0]] * z[pair[1]]
    mean = kernel(X, X)[pair]
    declared = declared_for(transformer, kernel).variance(X, X)[pair]
    # Products lie in [-2, 2] and means in [0, 1], so squared deviations in [0, 9].
    verdict = check_mean((products - mean) ** 2, declared, bounds=(0.0, 9.0), resolution=0.2)
    assert verdict.holds, str(verdict)


@pytest.mark.filterwarnings("ignore:The number of components is higher")
@pytest.mark.parametrize(
    ("transformer", "kernel", "independent"),
    [
        (GaussianRandomProjection, kernels.make("linear"), True),
        (PolynomialCountSketch, kernels.make("polynomial", degree=3, coef0=1.0), False),
    ],
)
def test_the_spread_of_draws_is_as_declared(transformer, kernel, independent):
    made = [transformer(n_components=60, random_state=seed) for seed in range(400)]
    if hasattr(made[0], "degree"):
        made = [one.set_params(degree=3, coef0=1.0) for one in made]
    declared = declared_for(made[0], kernel)
    assert declared.independent == independent
    grams = np.stack([z @ z.T for z in (one.fit_transform(0.5 * X) for one in made)])
    spread, claimed = 60 * grams.var(axis=0), declared.variance(0.5 * X, 0.5 * X)
    # 400 squares of nearly normal numbers: a standard deviation of 7 %, and a bound is no less.
    assert (spread <= 1.5 * claimed).all()
    if independent:
        assert (spread >= claimed / 1.5).all()


def test_another_kernel_gets_the_range_only():
    declared = declared_for(RBFSampler, kernels.make("laplacian"))
    assert (declared.variance, declared.bounds) == (None, (-2.0, 2.0))


def test_nothing_is_declared_of_what_overrides_or_is_not_known():
    class Changed(RBFSampler):
        def transform(self, X):
            return super().transform(X)

    class Renamed(RBFSampler):
        pass

    class OtherWeights(GaussianRandomProjection):
        def _make_random_matrix(self, n_components, n_features):
            return np.ones((n_components, n_features))

    kernel = kernels.make("rbf")
    assert declared_for(Changed, kernel) is None
    assert declared_for(Nystroem, kernel) is None
    assert declared_for(OtherWeights, kernels.make("linear")) is None
    assert declared_for(GaussianRandomProjection, kernel) is None
    assert declared_for(lambda X: X, kernel) is None
    assert declared_for(Renamed, kernel) is not None
