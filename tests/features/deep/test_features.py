"""Random networks as maps: weights, limits, and defects that must show."""

import numpy as np
import pytest
from mehler.proofs_checks.experiments.depth import TangentFeatures

import mehler
from mehler import exact, verify

X = np.random.default_rng(0).standard_normal((5, 4))


def network(seed=0, widths=(30, 40), family=mehler.DeepFeatures, **changes):
    arguments = {"activation": "maxout", "pool_size": 3, "bias_variance": 0.1} | changes
    return family.draw(4, widths, seed=seed, **arguments)


families = pytest.mark.parametrize("family", [mehler.DeepFeatures, TangentFeatures])


def test_features_are_the_network():
    """By hand: two layers of pools, then the scale of a read-out and the bias."""
    phi = network()
    first, second = phi._weights("float64")
    h = np.concatenate([X / 2, 0.1**0.5 * np.ones((5, 1))], axis=1)
    h = (h @ first).max(axis=0)
    h = np.concatenate([h / 30**0.5, 0.1**0.5 * np.ones((5, 1))], axis=1)
    h = (h @ second).max(axis=0)
    h = np.concatenate([h / 40**0.5, 0.1**0.5 * np.ones((5, 1))], axis=1)
    assert phi(X) == pytest.approx(h, rel=1e-13, abs=1e-14)
    assert phi.n_features == 41


@families
def test_the_mean_square_is_exact_at_any_width(family):
    """Three units a layer: E |phi(x)|^2 is the limit for maxout, within 5 standard errors."""
    maps = (network(seed, (3, 3), family) for seed in range(1500))
    squares = np.array([float(phi.gram(X[:1])[0, 0]) for phi in maps])
    off = squares.mean() - network(family=family).kernel(X[:1])[0, 0]
    assert abs(off) < 5 * squares.std() / 1500**0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    # A refutation is made sure of by eight thousand networks.
    [{}, pytest.param({"bias_variance": 0.0}, marks=pytest.mark.full)],
)
def test_check_kernel_finds_wrong_limits(change):
    """At width 60 the bias of finite width is inside the resolution."""
    critical = {"activation": "maxout", "pool_size": 4, "weight_variance": 1.0 / exact.sigma2(4)}
    claimed = mehler.DeepKernel(**({"depth": 2, "bias_variance": 0.3} | critical | change))

    def draw(seed):
        return mehler.DeepFeatures.draw(4, (60, 60), bias_variance=0.3, seed=seed, **critical)

    verdict = verify.check_kernel(draw, claimed.nngp, X[:2], resolution=0.4)
    assert verdict.status == ("refuted" if change else "holds")
