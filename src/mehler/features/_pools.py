"""Maps of pools of projections: their kernels need only lengths and correlations of rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from mehler import _arrays
from mehler.exact._validate import check_int
from mehler.features import _correlation
from mehler.features._base import FeatureMap


class PoolMap(FeatureMap):
    """A map each of whose units looks at a pool of q Gaussian projections.

    Attributes
    ----------
    pool_size : int
        q of the papers.
    """

    def __init__(
        self,
        n_inputs: int,
        n_features: int,
        pool_size: int,
        *,
        seed: int,
        like: Any = None,
        dtype: Any = None,
    ) -> None:
        self.pool_size = check_int(pool_size, name="pool_size", least=1, most=10**6)
        super().__init__(n_inputs, n_features, seed=seed, like=like, dtype=dtype)

    @abstractmethod
    def _kernel_at(self, rho: _arrays.Array) -> _arrays.Array:
        """Expected kernel of unit vectors."""

    @abstractmethod
    def _variance_at(self, rho: _arrays.Array) -> _arrays.Array:
        """Variance of one feature product of unit vectors."""

    def _gram_variance_at(self, rho: _arrays.Array) -> _arrays.Array:
        """Variance of the Gram's entries of unit vectors, times m."""
        return self._variance_at(rho)

    def _n_projections(self) -> int:
        return self.pool_size * self.n_features

    def _n_weights(self) -> int:
        return self._n_projections() * self.n_inputs

    def _parameters(self) -> dict[str, Any]:
        return {"pool_size": self.pool_size}

    def _kernel_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        return self._at_pairs(x, y, self._kernel_at, 1)

    def _variance_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        return self._at_pairs(x, y, self._variance_at, 2)

    def _gram_variance_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        return self._at_pairs(x, y, self._gram_variance_at, 2)

    def _from_pairs(
        self,
        x: _arrays.Array,
        y: _arrays.Array | None,
        at: Callable[[_arrays.Array], _arrays.Array],
        power: int,
    ) -> _arrays.Array:
        return self._of_rows(x, y, lambda left, right: self._at_pairs(left, right, at, power))

    def _at_pairs(
        self,
        x: _arrays.Array,
        y: _arrays.Array | None,
        at: Callable[[_arrays.Array], _arrays.Array],
        power: int,
    ) -> _arrays.Array:
        x_length, y_length, rho = _correlation.pairs(x, y)
        return self._scale(x_length * y_length, power) * at(rho)

    def _scale(self, product_of_lengths: _arrays.Array, power: int) -> _arrays.Array:
        """Positively homogeneous maps: kernels scale with |x||y|, variances with its square."""
        return product_of_lengths**power
