"""Register feature maps as JAX pytrees: weights are constants of training, unless made leaves.

JAX splits a pytree into arrays, its leaves, and structure, a constant of what is compiled with it.
Importing this module registers all classes of maps. It needs JAX, the extra ``jax``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mehler._text import install_command
from mehler._validate import require_iterable
from mehler.features import MAPS, FeatureMap

try:
    import jax
    import jax.numpy as jnp
except ModuleNotFoundError as error:
    if error.name != "jax":
        raise
    message = f"mehler.jax needs JAX, which is not installed: {install_command('jax')}"
    raise ModuleNotFoundError(message, name="jax") from error

__all__ = ["stacked", "trainable"]


class _Structure:
    """What a map is besides its leaves. Without the weights, maps of two seeds are equal."""

    def __init__(self, phi: FeatureMap) -> None:
        self.phi = phi

    def _key(self) -> tuple[Any, ...]:
        phi, kind = self.phi, self.phi._weights_are
        arguments = phi._arguments()
        if kind != "drawn":
            # The weights are all that follows from the seed.
            arguments.pop("seed")
        return type(phi), arguments, phi.dtype, phi.place, phi.stored and phi.first_dtype, kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Structure) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self.phi), self.phi.n_inputs, self.phi.n_features))


def _flatten(phi: FeatureMap) -> tuple[tuple[Any, ...], _Structure]:
    return () if phi._weights_are == "drawn" else phi.weights, _Structure(phi)


def _unflatten(structure: _Structure, leaves: Iterable[Any]) -> FeatureMap:
    phi, weights = structure.phi, tuple(leaves)
    if phi._weights_are == "drawn" or list(map(id, weights)) == list(map(id, phi.weights)):
        return phi
    if phi._weights_are == "stacked":
        weights = tuple(
            jax.lax.stop_gradient(w) if isinstance(w, jax.Array) else w for w in weights
        )
    return phi._with_weights(weights, phi._weights_are)


def stacked(maps: Iterable[FeatureMap]) -> FeatureMap:
    """Stack maps that differ in their seeds alone: one tree, for ``jax.vmap`` over draws.

    Parameters
    ----------
    maps : iterable of FeatureMap
        At least one, on JAX, stored, and drawn with the same arguments but for the seed.

    Returns
    -------
    FeatureMap
        Each of its leaves has the draws as first axis; call it under ``jax.vmap`` only.

    Examples
    --------
    >>> import jax, mehler, mehler.jax
    >>> X = jax.numpy.ones((2, 3))
    >>> phis = mehler.jax.stacked(
    ...     mehler.FourierFeatures.draw(3, 8, seed=seed, like=X) for seed in range(5))
    >>> jax.vmap(lambda phi: phi(X))(phis).shape
    (5, 2, 8)
    """
    phis = require_iterable("maps", maps)
    if not phis:
        raise ValueError("maps is empty: give at least one")
    leaves = [_with_leaves(phi, "stacked") for phi in phis]
    for phi, leaf in zip(phis, leaves, strict=True):
        if _Structure(leaf) != _Structure(leaves[0]):
            raise ValueError(f"{phi!r} differs from {phis[0]!r} in more than its seed")
    columns = zip(*(phi.weights for phi in phis), strict=True)
    return phis[0]._with_weights(tuple(map(jnp.stack, columns)), "stacked")


def trainable(phi: FeatureMap) -> FeatureMap:
    """Return a map whose weights are leaves, and so parameters of whatever holds it.

    The weights of other maps are constants, also in an ``equinox.Module``.

    Parameters
    ----------
    phi : FeatureMap
        A stored map on JAX.

    Returns
    -------
    FeatureMap
        With the same weights; it refuses what holds of drawn ones alone: kernel, variance, recipe.

    Examples
    --------
    >>> import jax, mehler, mehler.jax
    >>> X = jax.numpy.ones((2, 3))
    >>> phi = mehler.jax.trainable(mehler.FourierFeatures.draw(3, 8, seed=0, like=X))
    >>> [leaf.shape for leaf in jax.tree.leaves(jax.grad(lambda phi: phi(X).sum())(phi))]
    [(1, 3, 4)]
    """
    return _with_leaves(phi, "trainable")


def _with_leaves(phi: Any, kind: Any) -> Any:
    if not isinstance(phi, FeatureMap) or not phi.place.xp.__name__.endswith("jax.numpy"):
        raise TypeError(f"{phi!r} must be a map on JAX: draw it with like=jax.numpy")
    if not phi.stored:
        raise ValueError(f"{phi!r} has no weights to keep: draw it stored")
    return phi._with_weights(phi.weights, kind)


MAPS.tell(lambda cls: jax.tree_util.register_pytree_node(cls, _flatten, _unflatten))
