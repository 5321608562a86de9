"""Maps as pytrees: leaves are weights, and what follows from a seed is refused without it."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

import mehler
from tests.verify.map_kinds import DRAWS

jax = pytest.importorskip("jax", reason="JAX is the user's choice")
import mehler.jax  # noqa: E402

X = jax.numpy.asarray(np.random.default_rng(0).standard_normal((5, 3)), dtype="float32")
# A selection keeps columns of its own in each draw.
SELECTED = {
    *("plain-sampling", "leverage", "leverage-once", "leverage-invariant"),
    *("top-leverage", "top-variance", "eerf", "lkrf"),
}


def map_of(name, seed=1):
    return DRAWS[name](72, seed=seed, like=X)


@pytest.mark.parametrize("name", sorted(DRAWS))
@pytest.mark.sampled(6)
def test_round_trips_and_arguments_of_compiled_functions(name):
    phi = map_of(name)
    leaves, structure = jax.tree.flatten(phi)
    assert all(one is other for one, other in zip(leaves, phi._weights("float32"), strict=True))
    assert jax.tree.unflatten(structure, leaves) is phi
    moved = jax.tree.map(lambda leaf: leaf + 0, phi)
    assert type(moved) is type(phi)
    assert np.array_equal(moved(X), phi(X))
    features = jax.jit(lambda phi, X: phi(X))
    # Compiled products are rounded in another order; selection and counts may then jump.
    assert np.mean(np.abs(features(phi, X) - phi(X)) > 1e-5) < 0.01
    if name not in SELECTED:
        other = map_of(name, seed=2)
        assert np.mean(np.abs(features(other, X) - other(X)) > 1e-5) < 0.01
        assert features._cache_size() == 1


@pytest.mark.parametrize("name", sorted(set(DRAWS) - SELECTED))
@pytest.mark.sampled(3)
def test_mapped_over_seeds(name):
    phis = mehler.jax.stacked(map_of(name, seed) for seed in range(4))
    found = jax.vmap(lambda phi: phi(X))(phis)
    for seed, features in enumerate(found):
        assert np.mean(np.abs(features - map_of(name, seed)(X)) > 1e-5) < 0.01


def test_weights_have_gradients():
    """Of a sum of maxima: that of the rows, where a weight wins."""
    phi = mehler.MaxoutFeatures.draw(3, 4, 2, seed=0, like=X)
    slope = jax.grad(lambda phi: phi(X).sum())(phi)
    assert isinstance(slope, mehler.MaxoutFeatures)
    (moved,), (weights,) = jax.tree.leaves(slope), [jax.tree.leaves(phi)]
    wins = np.argmax(np.stack([X @ w for w in weights[0]]), axis=0)
    for j in range(2):
        wanted = np.asarray(X).T @ (wins == j) / 4**0.5
        np.testing.assert_allclose(moved[j], wanted, atol=1e-6)


def test_what_follows_from_a_seed_is_refused():
    moved = jax.tree.map(lambda leaf: 2 * leaf, map_of("pairs"))
    for act in (moved.recipe, lambda: moved.to(np), lambda: pickle.dumps(moved), moved.unit_blocks):
        with pytest.raises(ValueError, match="weights that were given to it"):
            act()
    with pytest.raises(ValueError, match="given weights of float32"):
        moved._weights("float64")
    # The kernel is that of the map, whatever its weights.
    assert np.array_equal(moved.kernel(X), map_of("pairs").kernel(X))


def test_stacks_that_are_none_are_refused():
    draw = mehler.FourierFeatures.draw
    with pytest.raises(ValueError, match="maps is empty"):
        mehler.jax.stacked([])
    with pytest.raises(TypeError, match="must be maps on JAX"):
        mehler.jax.stacked([draw(3, 8, seed=0)])
    with pytest.raises(ValueError, match="in more than its seed"):
        mehler.jax.stacked([draw(3, 8, seed=0, like=X), draw(3, 10, seed=0, like=X)])
    with pytest.raises(ValueError, match="draw it stored"):
        mehler.jax.stacked([draw(3, 8, seed=0, like=X, stored=False)])


def test_jax_is_imported_by_its_room_alone():
    code = "import sys, mehler, mehler.features; print('jax' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
