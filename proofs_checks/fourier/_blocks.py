"""Make samples of blocks of dependent features, and rows at given distances, for Fourier checks."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.statements import Context

Draw = Callable[..., Any]


class Blocks:
    """A map whose samples are mean products over blocks of `block` features that are dependent."""

    independent_units = True

    def __init__(self, phi: Any, block: int) -> None:
        self.phi, self.block = phi, block

    def __call__(self, X: Any) -> Any:
        return self.phi(X)

    def products(self, X: Any, Y: Any) -> Any:
        """Return the means over blocks, shape (n, blocks)."""
        products = _arrays.to_host(self.phi.products(X, Y))
        return products.reshape(products.shape[0], -1, self.block).mean(axis=2)

    def variance(self, X: Any, Y: Any) -> Any:
        """Return the map's claimed variance of its Gram's entries, times its features."""
        return self.phi.n_features * np.asarray(_arrays.to_host(self.phi.gram_variance(X, Y)))


def along(context: Context, d: int, distances: Any) -> tuple[Any, Any]:
    """Return the origin and rows at given distances from it, in one random direction."""
    direction = context.rng("direction").standard_normal(d)
    direction /= np.linalg.norm(direction)
    return np.zeros((1, d)), np.asarray(distances)[:, None] * direction
