"""Maps as pytrees: weights are constants, and leaves only of stacked and of trainable maps."""

import pickle
from dataclasses import dataclass

import numpy as np
import pytest

import mehler
from mehler import _arrays
from tests.verify.map_kinds import DRAWS

jax = pytest.importorskip("jax", reason="JAX is the user's choice")
import mehler.jax  # noqa: E402

X = jax.numpy.asarray(np.random.default_rng(0).standard_normal((5, 3)), dtype="float32")
# A selection keeps columns of its own in each draw.
SELECTED = {*("plain-sampling", "leverage", "leverage-once", "leverage-invariant"), "top-leverage"}


def map_of(name, seed=1):
    return DRAWS[name](72, seed=seed, like=X)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(DRAWS))
@pytest.mark.sampled(6)
def test_round_trips_and_arguments_of_compiled_functions(name):
    source = map_of(name)
    leaves, structure = jax.tree.flatten(source)
    assert leaves == []
    assert jax.tree.unflatten(structure, leaves) is source
    phi = mehler.jax.trainable(source)
    leaves, structure = jax.tree.flatten(phi)
    assert all(
        one is reseeded for one, reseeded in zip(leaves, phi._weights("float32"), strict=True)
    )
    assert jax.tree.unflatten(structure, leaves) is phi
    copy = jax.tree.map(lambda leaf: leaf + 0, phi)
    assert type(copy) is type(phi)
    assert np.array_equal(copy(X), phi(X))
    features = jax.jit(lambda phi, X: phi(X))
    # Compiled products are rounded in another order; selection and counts may then jump.
    for argument in (phi, source):
        assert np.mean(np.abs(features(argument, X) - source(X)) > 1e-5) < 0.01
    if name not in SELECTED:
        # Constants are compiled for each map, leaves once for all.
        reseeded = map_of(name, seed=2)
        for argument in (mehler.jax.trainable(reseeded), reseeded):
            assert np.mean(np.abs(features(argument, X) - reseeded(X)) > 1e-5) < 0.01
        assert features._cache_size() == 3


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(DRAWS) - SELECTED))
@pytest.mark.sampled(3)
def test_mapped_over_seeds(name):
    phis = mehler.jax.stacked(map_of(name, seed) for seed in range(4))
    rows = jax.vmap(lambda phi: phi(X))(phis)
    for seed, features in enumerate(rows):
        assert np.mean(np.abs(features - map_of(name, seed)(X)) > 1e-5) < 0.01


# Several blocks of rows, of which the last is shorter.
MANY = np.random.default_rng(0).standard_normal((2100, 3)).astype("float32")


@pytest.mark.parametrize("name", ["centred", "next", "codes", "pairs"])
@pytest.mark.sampled(2)
def test_large_calls_are_compiled_and_give_the_features_of_small_ones(name, monkeypatch):
    monkeypatch.setattr(_arrays._rows, "_COMPILED", MANY.size)
    phi, x = map_of(name), jax.numpy.asarray(MANY)
    features = np.asarray(phi(x))
    assert phi._jits
    # Products rounded in another order can change a winner among near equals.
    assert np.mean(np.abs(features - phi.to(np)(MANY)) > 1e-4) < 1e-3
    assert np.array_equal(features, phi(x))
    if name == "pairs":
        far = np.concatenate([MANY[:-1], [1e8 + 64 * np.arange(3)]]).astype("float32")
        with pytest.raises(ValueError, match=f"in row {len(MANY) - 1}"):
            phi(jax.numpy.asarray(far))


@jax.tree_util.register_dataclass
@dataclass
class Model:
    """What a module of Equinox or Flax is: a tree of a map and of parameters."""

    phi: mehler.MaxoutFeatures
    w: jax.Array

    def loss(self):
        return ((self.phi(X) @ self.w) ** 2).sum()


def descended(model):
    """Take a step of gradient descent with weight decay in all leaves."""
    slope = jax.jit(jax.grad(Model.loss))(model)
    return jax.tree.map(lambda leaf, by: 0.9 * leaf - 0.1 * by, model, slope)


def test_weights_are_constants_of_training():
    phi = map_of("maxout")
    model = Model(phi, jax.numpy.ones(phi.n_features))
    trained = descended(model)
    assert trained.phi is phi
    assert not np.array_equal(trained.w, model.w)
    # A stack is of draws, which have no slope either.
    stack = mehler.jax.stacked([phi, map_of("maxout", seed=2)])
    slope = jax.grad(lambda tree: jax.vmap(lambda each: each(X).sum())(tree).sum())(stack)
    assert all(np.array_equal(leaf, 0 * leaf) for leaf in jax.tree.leaves(slope))


def test_a_map_with_trainable_weights_says_so():
    phi = map_of("maxout")
    model = Model(mehler.jax.trainable(phi), jax.numpy.ones(phi.n_features))
    trained = descended(model).phi
    assert not np.array_equal(trained(X), phi(X))
    assert repr(trained).endswith(", with trainable weights")
    methods = (trained.kernel, trained.variance, trained.gram_variance, trained.product_kurtosis)
    for method in (*methods, lambda x: trained.feature_cdf(x, x)):
        with pytest.raises(ValueError, match="trainable weights, whose distribution"):
            method(X)
    with pytest.raises(TypeError, match="must be a map on JAX"):
        mehler.jax.trainable(mehler.FourierFeatures.draw(3, 8, seed=0))


def test_weights_have_gradients():
    """Of a sum of maxima: that of the rows, where a weight wins."""
    phi = mehler.jax.trainable(mehler.MaxoutFeatures.draw(3, 4, 2, seed=0, like=X))
    slope = jax.grad(lambda phi: phi(X).sum())(phi)
    assert isinstance(slope, mehler.MaxoutFeatures)
    (slopes,), (weights,) = jax.tree.leaves(slope), [jax.tree.leaves(phi)]
    wins = np.argmax(np.stack([X @ w for w in weights[0]]), axis=0)
    for j in range(2):
        expected = np.asarray(X).T @ (wins == j) / 4**0.5
        np.testing.assert_allclose(slopes[j], expected, atol=1e-6)


def test_what_follows_from_a_seed_is_refused():
    phis = [map_of("pairs", seed) for seed in (1, 2)]
    twice = jax.tree.map(lambda leaf: 2 * leaf[0], mehler.jax.stacked(phis))
    for act in (twice.recipe, lambda: twice.to(np), lambda: pickle.dumps(twice), twice.unit_blocks):
        with pytest.raises(ValueError, match="weights that were given to it"):
            act()
    with pytest.raises(ValueError, match="given weights of float32"):
        twice._weights("float64")
    # The kernel is that of the draws.
    assert np.array_equal(twice.kernel(X), map_of("pairs").kernel(X))
