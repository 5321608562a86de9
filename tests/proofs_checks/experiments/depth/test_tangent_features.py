"""Features of the tangent kernel: by hand, their mean and variance, and defects that must show."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import numpy as np
import pytest
from mehler.proofs_checks.experiments.depth import TangentFeatures, _tangents

import mehler
from mehler import exact, verify
from tests.features.deep.test_features import X
from tests.features.deep.test_features import drawn as network_of
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


def winner_is_forgotten(layer, xp, inputs, weights, tangents, to):
    units, _ = SOUND(layer, xp, inputs, weights, tangents, to)
    return units, tangents @ to[0]


def one_direction_for_all_pieces(layer, xp, inputs, weights, tangents, to):
    return SOUND(layer, xp, inputs, weights, tangents, np.repeat(to[:1], len(to), axis=0))


def tangents_stay_behind(layer, xp, inputs, weights, tangents, to):
    """Directions see the last layer alone: the network's features without those passed on."""
    few = inputs.shape[1]
    return SOUND(layer, xp, inputs, weights, tangents[:, :few], to[:, :few])


def weights_serve_twice(layer, xp, inputs, weights, tangents, to):
    few = min(weights.shape[1], to.shape[1])
    return SOUND(
        layer,
        xp,
        inputs,
        weights,
        tangents,
        np.concatenate([weights[:, :few], to[:, few:]], axis=1),
    )


SOUND = _tangents._layer
DEFECTS = {
    "none": (None, "holds"),
    "winner": (winner_is_forgotten, "refuted"),
    "pieces": (one_direction_for_all_pieces, "refuted"),
    "behind": (tangents_stay_behind, "refuted"),
    "twice": (weights_serve_twice, "refuted"),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", DEFECTS)
def test_check_kernel_finds_what_is_broken(monkeypatch, name):
    """Two layers of 24 units, whose limit is the claim: the resolution has room for their bias."""
    defect, status = DEFECTS[name]
    network = {"weight_variance": 1.0 / exact.sigma2(4), "pool_size": 4}
    sound = drawn(widths=(24, 24), **network)
    # Nearly opposite rows, which few units give the same winner.
    rows = np.stack([X[0], 0.3 * X[1] - X[0]])
    claim = sound.kernel(rows)
    if defect is not None:
        monkeypatch.setattr(_tangents, "_layer", defect)
    verdict = verify.check_kernel(
        lambda seed: drawn(seed, (24, 24), **network),
        lambda x, y=None: claim,
        rows,
        resolution=0.3,
    )
    assert verdict.status == status


def test_variance_of_one_layer():
    """For a pool of one, Isserlis: twice w^2 (p r + c^2)/n."""
    phi = drawn(widths=(30,), pool_size=1, bias_variance=0.0, weight_variance=0.7)
    gram = 0.7 * X @ X.T / 4
    squares = np.diagonal(gram)
    by_hand = 2 * 0.7**2 * (squares[:, None] * squares + gram**2) / 30
    assert phi.gram_variance(X) == pytest.approx(by_hand, rel=1e-12)
    with pytest.raises(AttributeError, match="known for one layer of maxout alone"):
        drawn().variance(X)


@pytest.mark.full
@pytest.mark.parametrize("factor", [1.0, 1.3])
def test_declared_variance_is_checked(factor):
    verdict = verify.check_variance(
        lambda seed: drawn(seed, (40,)),
        lambda x, y=None: factor * drawn(widths=(40,)).variance(x, y),
        X[:2],
        resolution=0.2,
    )
    assert verdict.status == ("holds" if factor == 1.0 else "refuted")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"activation": "step", "pool_size": None}, "'step' jumps"),
        ({"activation": np.tanh, "pool_size": None}, "carries no derivative: give it one"),
        ({"widths": ()}, "widths is empty"),
    ],
)
def test_bad_arguments(change, words):
    with pytest.raises(ValueError, match=words):
        drawn(**change)


def test_an_activation_with_its_derivative():
    own = exact.Activation("", lambda xp, t: xp.sin(t), derivative=lambda xp, t: xp.cos(t))
    mine, named = (drawn(activation=one, pool_size=None) for one in (own, "sin"))
    assert mine(X) == pytest.approx(named(X), rel=1e-12, abs=1e-14)


# Features, kernel and variance of 0.2.0, on the rows of the golden maps.
GOLDEN = json.loads(Path(__file__).with_name("tangents.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("key", GOLDEN)
def test_values_are_those_of_earlier_versions(key: str) -> None:
    quantity, dtype = key.split("/")
    phi = TangentFeatures.draw(3, (6,), activation="maxout", pool_size=4, seed=26)
    value = np.asarray(plain(_maps.value(phi, quantity, dtype)), dtype=float)
    wanted = np.asarray(GOLDEN[key], dtype=float)
    # Products of a few weights: some units of rounding.
    assert np.abs(value - wanted).max() <= 64 * _maps.EPS[dtype] * np.abs(wanted).max()
