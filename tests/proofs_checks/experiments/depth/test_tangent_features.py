"""Features of the tangent kernel: by hand, their mean and variance, and defects that must show."""

import functools
import json
from pathlib import Path

import numpy as np
import pytest
from mehler.proofs_checks.experiments.depth import TangentFeatures

import mehler
from mehler import verify
from tests.features.deep.test_features import X
from tests.features.deep.test_features import network as network_of
from tests.golden import _maps
from tests.golden._store import plain

drawn = functools.partial(network_of, family=TangentFeatures)


def test_features_are_the_recursion():
    """By hand: the winner's direction, in two layers, and the network's features before them."""
    phi = drawn()
    first, second, to, on = phi._weights("float64")
    h = np.concatenate([X / 2, 0.1**0.5 * np.ones((5, 1))], axis=1)
    tangents = h
    for weights, directions in ((first, to), (second, on)):
        n = weights.shape[2]
        z, t = h @ weights, tangents @ directions
        winner = z.argmax(axis=0)[None]
        passed = np.take_along_axis(t, winner, axis=0)[0] / n**0.5
        h = np.concatenate([z.max(axis=0) / n**0.5, 0.1**0.5 * np.ones((5, 1))], axis=1)
        tangents = np.concatenate([h, passed], axis=1)
    assert phi(X) == pytest.approx(tangents, rel=1e-13, abs=1e-14)
    assert phi.n_features == 81
    network = mehler.DeepFeatures.draw(
        4, (30, 40), seed=0, activation="maxout", pool_size=3, bias_variance=0.1
    )
    assert np.array_equal(phi(X)[:, :41], network(X))


ONE_LAYER = {
    "maxout": {"activation": "maxout", "pool_size": 4},
    "linear": {"activation": "maxout", "pool_size": 1},
    "relu": {"activation": "relu"},
    "tanh": {"activation": "tanh"},
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ONE_LAYER)
def test_one_layer_of_five_units_has_the_tangent_kernel_exactly(name):
    network = ONE_LAYER[name] | {"weight_variance": 0.8, "bias_variance": 0.2}

    def draw(seed):
        return TangentFeatures.draw(4, (5,), seed=seed, **network)

    kernel = mehler.DeepKernel(depth=1, **network).ntk
    assert verify.check_kernel(draw, kernel, X[:2], resolution=0.4).status == "holds"


# Features, kernel and variance of 0.2.0, on the rows of the golden maps.
GOLDEN = json.loads(Path(__file__).with_name("tangents.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("key", GOLDEN)
def test_values_are_those_of_earlier_versions(key: str) -> None:
    quantity, dtype = key.split("/")
    phi = TangentFeatures.draw(3, (6,), activation="maxout", pool_size=4, seed=26)
    value = np.asarray(plain(_maps.value(phi, quantity, dtype)), dtype=float)
    expected = np.asarray(GOLDEN[key], dtype=float)
    # Products of a few weights: some units of rounding.
    assert np.abs(value - expected).max() <= 64 * _maps.EPS[dtype] * np.abs(expected).max()
