"""Known variances and ranges of third-party maps, compared with samples of their features."""

import numpy as np
import pytest
from sklearn.kernel_approximation import RBFSampler, SkewedChi2Sampler

from mehler import kernels
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
    declared = kernel.laws["cos-offset"].variance(X, X)[pair]
    # Products lie in [-2, 2] and means in [0, 1], so squared deviations in [0, 9].
    verdict = check_mean((products - mean) ** 2, declared, bounds=(0.0, 9.0), resolution=0.2)
    assert verdict.holds, str(verdict)
