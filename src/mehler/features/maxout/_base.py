"""Base class of maps whose kernels depend only on the norms and correlations of rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from mehler import _arrays
from mehler._validate import require_integer
from mehler.features import _correlation, _distributions, projections
from mehler.features._base import FeatureMap
from mehler.features._recipes import bandwidths


class MaxoutBase(FeatureMap):
    """A map each of whose units is a function of a pool of q = `pool_size` Gaussian projections.

    Subclasses define `_kernel_at` and `_variance_at` instead of `_kernel_of` and `_variance_of`.
    """

    _instead = bandwidths("the kernel has no bandwidth, and depends on the angle of rows")

    def __init__(
        self,
        n_inputs: int,
        n_features: int,
        pool_size: int,
        *,
        seed: int,
        like: Any = None,
        dtype: Any = None,
        projection: projections.Projection | None = None,
        stored: bool = True,
    ) -> None:
        self.pool_size = require_integer("pool_size", pool_size, most=10**6)
        self._projection = projection or projections.Gaussian()
        super().__init__(n_inputs, n_features, seed=seed, like=like, dtype=dtype, stored=stored)

    @abstractmethod
    def _kernel_at(self, rho: _arrays.Array) -> _arrays.Array:
        """Compute the expected kernel of unit vectors."""

    @abstractmethod
    def _variance_at(self, rho: _arrays.Array) -> _arrays.Array:
        """Compute the variance of one feature product of unit vectors."""

    @abstractmethod
    def _kurtosis_at(self, rho: _arrays.Array) -> _arrays.Array:
        """Compute or bound the kurtosis of one feature product of unit vectors."""

    product_kurtosis = _distributions.product_kurtosis

    def _gram_variance_at(self, rho: _arrays.Array) -> _arrays.Array:
        """Compute m times the variance of the Gram's entries for unit vectors.

        Exact for independent units; for dependent ones the bound proved for any function of a pool.
        """
        return self._variance_at(rho) * self._projection.variance_factor(*self._sizes())

    @property
    def independent_units(self) -> bool:  # type: ignore[override]  # depends on the instance
        """Whether the projection draws units independently."""
        return self._projection.independent

    def _sizes(self) -> tuple[int, int, int]:
        """Return pieces, inputs and units of the projection."""
        return self.pool_size, self.n_inputs, self.n_features

    def _draw(self, dtype: str) -> tuple[Any, ...]:
        return self._projection.draw(self.seed, *self._sizes(), dtype)

    def _n_weights(self) -> int:
        self._projection.check(*self._sizes())
        return self._projection.n_weights(*self._sizes())

    def _rows_per_block(self) -> int | None:
        own = self._projection.block_rows_for_map(self.n_inputs)
        return own or _arrays.block_rows_for_max(self.n_inputs, self.n_features)

    def _numbers_per_row(self) -> int:
        # All products at once, and the largest.
        return (self.pool_size + 1) * self.n_features

    def _parameters(self) -> dict[str, Any]:
        named = self._projection.name in projections.NAMES
        # Omit the default so recipes from before `projections=` still compare equal.
        other = {"projections": self._projection.name} if named and not self._plain else {}
        return {"pool_size": self.pool_size, **other}

    @property
    def _plain(self) -> bool:
        return isinstance(self._projection, projections.Gaussian)

    @property
    def _slope(self) -> float:
        """The derivative of the kernel in rho at 0, if it is homogeneous."""
        return 1.0 / self.pool_size

    def _kernel_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        value = self._at_pairs(x, y, self._kernel_at, 1)
        if not self._slope or not _arrays.differentiable(x, *(() if y is None else (y,))):
            return value
        # At a row of zeros nothing but the linear part of the kernel has a derivative.
        xp = _arrays.array_namespace(value)
        nothing = xp.zeros_like(value)
        zero = _arrays.constant(self._at_pairs(x, y, xp.ones_like, 1)) == 0.0
        return value + self._slope * xp.where(zero, _correlation.products(x, y), nothing)

    def _variance_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        return self._at_pairs(x, y, self._variance_at, 2)

    def _gram_variance_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        return self._at_pairs(x, y, self._gram_variance_at, 2)

    def _kurtosis_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        return self._at_pairs(x, y, self._kurtosis_at, 0)

    def _at_pairs(
        self,
        x: _arrays.Array,
        y: _arrays.Array | None,
        at: Callable[[_arrays.Array], _arrays.Array],
        power: int,
    ) -> _arrays.Array:
        x_length, y_length, rho = _correlation.pairs(x, y)
        scale, value = self._scale(x_length * y_length, power), at(rho)
        xp = _arrays.array_namespace(rho)
        # Huge rows at right angles: 0 times infinity.
        nothing = (value == 0.0) & ~xp.isfinite(scale)
        scale = xp.where(nothing, xp.ones_like(scale), scale)
        return scale * value

    def _scale(self, product_of_lengths: _arrays.Array, power: int) -> _arrays.Array:
        """Scale by |x||z|, or its square for variances: units are positively homogeneous."""
        return product_of_lengths**power
