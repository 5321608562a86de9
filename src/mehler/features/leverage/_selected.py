"""A map of some weighted features of a pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._validate import require_flag
from mehler.features._base import FeatureMap
from mehler.features._block import Angles
from mehler.features._recipes import map_of
from mehler.features.leverage._units import require_pool, separate


class SelectedFeatures(FeatureMap):
    r"""Weighted features of a pool, as returned by a selector's ``fit``.

    .. math:: \Psi(x) = \big(g_k\,\Phi(x)_{i_k}\big)_k

    If the gains make it unbiased, its inner products estimate the pool's kernel: ``unbiased`` is
    true, and :meth:`kernel` is the pool's expected kernel. Otherwise the selection changed the
    kernel, and :meth:`kernel` is that of the kept features: their inner products. Only kept units
    are computed, if the pool's projections allow it.

    Attributes
    ----------
    pool : FeatureMap
        The pool.
    columns : tuple of int
        Kept columns of the pool, ascending.
    gains : tuple of float
        Their factors g.
    unbiased : bool
        Whether the kernel is that of the pool.

    See Also
    --------
    mehler.features.leverage : The selectors.

    Notes
    -----
    ``variance`` and ``gram_variance`` are over draws of the pool and of the selection. They are
    exact for plain sampling from independent units, 0 if the kernel is that of the kept features,
    and otherwise proved upper bounds (:doc:`/theorems/leverage-algorithm-1`). They assume that the
    scores were computed on other rows than those of the arguments. Of features drawn by their
    scores alone no bound is known, and they raise ValueError.
    """

    # Columns were chosen together.
    independent_units = False

    def __init__(
        self,
        n_inputs: int,
        n_features: int,
        *,
        pool: Any,
        columns: Sequence[int],
        gains: Sequence[float],
        unbiased: bool,
        variance_factors: Sequence[float] | None = (0.0, 0.0, 0.0),
        seed: int,
        like: Any = None,
        dtype: Any = None,
    ) -> None:
        if isinstance(pool, dict):
            pool = map_of(pool, like)
        pool = require_pool(pool)
        place = _arrays.resolve_place(like)
        self.pool = pool if pool.place == place else pool.to(like)
        self.columns = tuple(int(one) for one in columns)
        self.gains = tuple(float(one) for one in gains)
        self.unbiased = require_flag("unbiased", unbiased)
        factors = variance_factors
        self.variance_factors = None if factors is None else tuple(float(one) for one in factors)
        _check(self, n_inputs, n_features)
        self._separate = separate(pool, np.asarray(self.columns))
        super().__init__(n_inputs, n_features, seed=seed, like=like, dtype=dtype)

    @property
    def exact_variance(self) -> bool:
        """Whether ``variance`` is exact, not an upper bound: for the kernel of kept features."""
        return not self.unbiased

    def _n_weights(self) -> int:
        return self.pool._n_weights()

    def _parameters(self) -> dict[str, Any]:
        return {
            "pool": self.pool,
            "columns": list(self.columns),
            "gains": list(self.gains),
            "unbiased": self.unbiased,
            "variance_factors": self.variance_factors and list(self.variance_factors),
        }

    def __repr__(self) -> str:
        return (
            f"SelectedFeatures: {self.n_features} of {self.pool!r}"
            f"{'' if self.unbiased else ', kernel changed'}"
        )

    # -- features -------------------------------------------------------------------------

    def _draw(self, dtype: str) -> tuple[Any, ...]:
        weights = tuple(_arrays.to_host(part) for part in self.pool._weights(dtype))
        gain = dict(zip(self.columns, self.gains, strict=True))
        if self._separate is None:
            columns = np.asarray(self.columns, dtype=np.int32)
            return (*weights, columns, np.asarray(self.gains, dtype=dtype))
        units, order = self._separate
        kept = tuple(np.ascontiguousarray(part[..., units]) for part in weights)
        return (*kept, np.asarray([gain[one] for one in order], dtype=dtype))

    def _block(self) -> Callable[..., _arrays.Array]:
        return self._kept

    def _kept(self, xp: Any, rows: _arrays.Array, *weights: Any) -> _arrays.Array:
        """Compute the columns that are kept, alone or out of all of the pool, times their gains."""
        block = self.pool._block()
        if self._separate is not None:
            return block(xp, rows, *weights[:-1]) * weights[-1]
        return xp.take(block(xp, rows, *weights[:-2]), weights[-2], axis=1) * weights[-1]

    def _angles(self) -> Angles | None:
        return self.pool._angles()

    def _rows_per_block(self) -> int | None:
        return self.pool._rows_per_block()

    def _out_dtype(self, dtype: Any) -> Any:
        return self.pool._out_dtype(dtype)

    # -- moments --------------------------------------------------------------------------

    def _kernel_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        if self.unbiased:
            return self.pool._kernel_of(x, y)
        there = _arrays.place_of(x)
        # A tracer has no device: its weights are where it will be.
        near = there.xp is self.place.xp and None in (there.device, self.place.device)
        here = self if near or there == self.place else self.to(x)
        left = here(x)
        right = left if y is None else here(y)
        xp = there.xp
        return xp.matmul(left, xp.matrix_transpose(right))

    def _variance_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        if not self.unbiased:
            return 0.0 * self._kernel_of(x, y)
        if self.variance_factors is None:
            raise ValueError(
                "no bound of the variance is known for features drawn by their scores alone, whose "
                "weights nothing bounds: draw with mix > 0"
            )
        of_gram, of_unit, of_square = self.variance_factors
        total = of_unit * self.pool._variance_of(x, y)
        if of_gram:
            total = total + of_gram * self.pool._gram_variance_of(x, y) / self.pool.n_features
        if of_square:
            total = total + of_square * self.pool._kernel_of(x, y) ** 2
        return total * self.n_features


def _check(selected: SelectedFeatures, n_inputs: int, n_features: int) -> None:
    pool, columns = selected.pool, selected.columns
    if n_inputs != pool.n_inputs:
        raise ValueError(f"n_inputs={n_inputs} is not the pool's {pool.n_inputs}")
    if not columns or len(columns) != n_features or len(selected.gains) != n_features:
        raise ValueError(
            f"{len(columns)} columns and {len(selected.gains)} gains for n_features={n_features}: "
            "give one of each a feature"
        )
    if list(columns) != sorted(set(columns)) or columns[0] < 0 or columns[-1] >= pool.n_features:
        raise ValueError(
            f"columns must be different, ascending and below the pool's {pool.n_features}"
        )
    if not np.all(np.isfinite(selected.gains)) or min(selected.gains) <= 0:
        raise ValueError("gains must be positive and finite")
    factors = selected.variance_factors
    if factors is not None and (len(factors) != 3 or min(factors) < 0):
        raise ValueError("variance_factors must be three numbers of at least 0")
