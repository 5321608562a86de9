"""Maps as pytrees: weights are leaves, everything else is structure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import jax
import jax.numpy as jnp

from mehler.features import FeatureMap
from mehler.features._given_weights import first_dtype, weights_of, with_weights
from mehler.features._recipes import MAPS

_registered: set[type] = set()


class _Structure:
    """What a map is besides its weights. Maps of two seeds have equal structures."""

    def __init__(self, phi: FeatureMap) -> None:
        self.phi = phi

    def _key(self) -> tuple[Any, ...]:
        phi = self.phi
        arguments = phi._arguments()
        if phi.stored:
            # The weights are all that follows from the seed.
            arguments.pop("seed")
        return type(phi), arguments, phi.dtype, phi.place, self._drawn_in

    @property
    def _drawn_in(self) -> str | None:
        return first_dtype(self.phi) if self.phi.stored else None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Structure) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((type(self.phi), self.phi.n_inputs, self.phi.n_features))


def _flatten(phi: FeatureMap) -> tuple[tuple[Any, ...], _Structure]:
    return weights_of(phi) if phi.stored else (), _Structure(phi)


def _unflatten(structure: _Structure, leaves: Iterable[Any]) -> FeatureMap:
    phi, weights = structure.phi, tuple(leaves)
    if not phi.stored or _same(weights, weights_of(phi)):
        return phi
    return with_weights(phi, weights)


def _same(ours: tuple[Any, ...], theirs: tuple[Any, ...]) -> bool:
    return len(ours) == len(theirs) and all(a is b for a, b in zip(ours, theirs))


def register() -> None:
    """Register all classes of maps that are defined now, as pytrees.

    Call it again after a class of your own was defined.

    See Also
    --------
    stacked : Maps of several seeds as one tree.

    Examples
    --------
    >>> import jax, mehler, mehler.jax
    >>> phi = mehler.FourierFeatures.draw(3, 8, seed=0, like=jax.numpy)
    >>> features = jax.jit(lambda phi, X: phi(X))  # compiled once for all seeds
    >>> features(phi, jax.numpy.ones((2, 3))).shape
    (2, 8)
    """
    for cls in MAPS.classes:
        if cls not in _registered:
            jax.tree_util.register_pytree_node(cls, _flatten, _unflatten)
            _registered.add(cls)


def stacked(maps: Iterable[FeatureMap]) -> FeatureMap:
    """Stack maps that differ in their seeds alone: one tree, for ``jax.vmap`` over draws.

    Parameters
    ----------
    maps : iterable of FeatureMap
        On JAX, drawn with the same arguments but for the seed.

    Returns
    -------
    FeatureMap
        Each of its leaves has the draws as first axis; call it under ``jax.vmap`` only.

    Raises
    ------
    TypeError, ValueError
        If there is none, one is not stored, or they differ in more than their seeds.

    See Also
    --------
    register : Register classes of your own.

    Examples
    --------
    >>> import jax, mehler, mehler.jax
    >>> X = jax.numpy.ones((2, 3))
    >>> phis = mehler.jax.stacked(
    ...     mehler.FourierFeatures.draw(3, 8, seed=seed, like=X) for seed in range(5))
    >>> jax.vmap(lambda phi: phi(X))(phis).shape
    (5, 2, 8)
    """
    register()
    listed = list(maps)
    if not listed:
        raise ValueError("maps is empty: give at least one")
    for phi in listed:
        if not isinstance(phi, FeatureMap) or not phi.place.xp.__name__.endswith("jax.numpy"):
            raise TypeError(f"maps must be maps on JAX, not {phi!r}; draw them with like=jax.numpy")
        if not phi.stored:
            raise ValueError(f"{phi!r} has no weights to stack: draw it stored")
        if _Structure(phi) != _Structure(listed[0]):
            raise ValueError(f"{phi!r} differs from {listed[0]!r} in more than its seed")
    columns = zip(*(weights_of(phi) for phi in listed), strict=True)
    return with_weights(listed[0], tuple(jnp.stack(column) for column in columns))
