"""What is known of other people's maps, against samples of their own features."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.kernel_approximation import Nystroem, RBFSampler, SkewedChi2Sampler

from mehler.report._third_party import declared_for
from mehler.verify import check_mean, kernels

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


def test_another_kernel_gets_the_range_only():
    declared = declared_for(RBFSampler, kernels.make("laplacian"))
    assert (declared.variance, declared.bounds) == (None, (-2.0, 2.0))


def test_nothing_is_declared_of_what_overrides_or_is_not_known():
    class Changed(RBFSampler):
        def transform(self, X):
            return super().transform(X)

    class Renamed(RBFSampler):
        pass

    kernel = kernels.make("rbf")
    assert declared_for(Changed, kernel) is None
    assert declared_for(Nystroem, kernel) is None
    assert declared_for(lambda X: X, kernel) is None
    assert declared_for(Renamed, kernel) is not None
