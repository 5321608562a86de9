"""Keep some features of a pool, a map with more than needed: base class and resulting map."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_flag, require_integer
from mehler.features._base import FeatureMap
from mehler.features._block import Units
from mehler.features._recipes import map_of
from mehler.features.fourier import FourierFeatures
from mehler.features.kitchen_sinks import KitchenSinks
from mehler.features.maxout._codes import MaxoutCodes
from mehler.features.maxout._maxout import MaxoutFeatures

# Maps whose units can be computed separately, if their weights are one matrix.
_SEPARABLE = (FourierFeatures, KitchenSinks, MaxoutFeatures)


def require_pool(pool: object) -> FeatureMap:
    """Raise unless `pool` is a map with real features."""
    if not isinstance(pool, FeatureMap) or isinstance(pool, MaxoutCodes):
        raise TypeError(
            f"pool must be a map of this library with real features, not "
            f"{type(pool).__name__}; draw one, for instance FourierFeatures.draw(...)"
        )
    return pool


def columns_of_units(pool: FeatureMap) -> Any:
    """Return column numbers, (units, columns per unit): one for a maxout unit, two for a pair."""
    groups, width = pool._unit.columns
    columns = np.arange(pool.n_features).reshape(groups, pool.n_units, width)
    return np.moveaxis(columns, 1, 0).reshape(pool.n_units, -1)


def natural_groups(pool: FeatureMap) -> Any:
    """Label the columns by unit, or by block of orthogonal directions."""
    columns = columns_of_units(pool)
    projection = getattr(pool, "_projection", None)
    block = projection and projection.orthogonal_pairs(pool.n_inputs, len(columns))
    labels = np.empty(pool.n_features, dtype=np.int64)
    labels[columns] = (np.arange(len(columns)) // (block.dimension if block else 1))[:, None]
    return labels


def separate(pool: FeatureMap, columns: Any) -> tuple[Any, Any] | None:
    """Return the units that can be computed alone for `columns`, with their columns, or None."""
    table = columns_of_units(pool)
    mask = np.isin(table, columns)
    units = np.flatnonzero(mask.all(axis=1))
    separable = isinstance(pool, _SEPARABLE) and pool._projection.dense
    separable = separable and mask[units].size == mask.sum()
    return (units, table[units].T.reshape(-1)) if separable else None


def require_groups(groups: ArrayLike | None, n_columns: int) -> Any:
    """Return group labels 0 .. G-1 of the columns, on the host; one per column for None."""
    if groups is None:
        return np.arange(n_columns)
    labels = _arrays.to_host(groups)
    if labels.shape != (n_columns,) or labels.dtype.kind not in "iu":
        kind = f"not an array of shape {labels.shape} and dtype {labels.dtype}"
        raise ValueError(f"groups must be {n_columns} integers, one label per feature, {kind}")
    return np.unique(labels, return_inverse=True)[1].reshape(-1)


def sum_groups(xp: ModuleType, values: Array, labels: NDArray[np.int64]) -> Array:
    """Sum `values` (m,) over groups, by a table with one row per group, padded with 0."""
    n, sizes = values.shape[0], np.bincount(labels)
    if np.array_equal(labels, np.arange(n)):
        return values
    table = np.full((sizes.size, sizes.max()), n, dtype=np.int32)
    order = np.argsort(labels, kind="stable")
    table[labels[order], np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)] = order
    place = _arrays.place_of(values)
    terms = xp.concat([values, xp.zeros((1,), dtype=values.dtype, device=place.device)])
    indices = _arrays.from_host(table.reshape(-1), place)
    return xp.sum(xp.reshape(xp.take(terms, indices, axis=0), table.shape), axis=1)


class SelectedFeatures(FeatureMap):
    r"""Weighted features of a pool, as returned by a selector's ``fit``.

    .. math:: \Psi(x) = \big(g_k\,\Phi(x)_{i_k}\big)_k

    If it is ``unbiased``, its inner products estimate the pool's kernel, which :meth:`kernel` is;
    otherwise :meth:`kernel` is that of the kept features, their inner products.

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
        pool: object,
        columns: Sequence[int],
        gains: Sequence[float],
        unbiased: bool,
        variance_factors: Sequence[float] | None = (0.0, 0.0, 0.0),
        seed: int,
        like: Any = None,
        dtype: object = None,
    ) -> None:
        if isinstance(pool, dict):
            pool = map_of(pool, like, max_bytes=self._max_bytes)
        pool = require_pool(pool)
        place = _arrays.resolve_place(like)
        self.pool = pool if pool.place == place else pool.to(like)
        self.columns, self.gains = tuple(map(int, columns)), tuple(map(float, gains))
        self.unbiased = require_flag("unbiased", unbiased)
        self.variance_factors = variance_factors and tuple(map(float, variance_factors))
        _require_parts(self, n_inputs, n_features)
        self._separate = separate(pool, np.asarray(self.columns))
        super().__init__(n_inputs, n_features, seed=seed, like=like, dtype=dtype)

    def _units(self) -> Units:
        return self.pool._unit._replace(columns=(1, 1))

    def __repr__(self) -> str:
        suffix = "" if self.unbiased else ", kernel changed"
        return f"SelectedFeatures: {self.n_features} of {self.pool!r}{suffix}"

    # -- features -------------------------------------------------------------------------

    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        self._require_all(units)
        weights = tuple(_arrays.to_host(part) for part in self.pool._weights(dtype))
        gain = dict(zip(self.columns, self.gains, strict=True))
        if self._separate is None:
            columns = np.asarray(self.columns, dtype=np.int32)
            return (*weights, columns, np.asarray(self.gains, dtype=dtype))
        units, order = self._separate
        parts = (np.ascontiguousarray(part[..., units]) for part in weights)
        return (*parts, np.asarray([gain[column] for column in order], dtype=dtype))

    def _transform(self, xp: ModuleType, rows: Array, *weights: Any) -> Array:
        """Compute the columns that are kept, alone or out of all of the pool, times their gains."""
        whole = self.pool._transform
        if self._separate is not None:
            return whole(xp, rows, *weights[:-1]) * weights[-1]
        return xp.take(whole(xp, rows, *weights[:-2]), weights[-2], axis=1) * weights[-1]

    # -- moments --------------------------------------------------------------------------

    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        if self.unbiased:
            return self.pool._kernel_of(x, y)
        place = _arrays.place_of(x)
        # A tracer has no device: its weights are where it will be.
        same = place.xp is self.place.xp and None in (place.device, self.place.device)
        selected = self if same or place == self.place else self.to(x)
        return selected.gram(x, y, check_finite=False)

    def _variance_of(self, x: Array, y: Array | None) -> Array:
        if not self.unbiased:
            return 0.0 * self._kernel_of(x, y)
        if self.variance_factors is None:
            text = "no bound of the variance is known for features drawn by their scores alone"
            raise ValueError(f"{text}, whose weights nothing bounds: draw with mix > 0")
        gram, product, square = self.variance_factors
        total = product * self.pool._variance_of(x, y)
        if gram:
            total = total + gram * self.pool._gram_variance_of(x, y) / self.pool.n_features
        if square:
            total = total + square * self.pool._kernel_of(x, y) ** 2
        return total * self.n_features


def _require_parts(selected: SelectedFeatures, n_inputs: int, n_features: int) -> None:
    pool, columns, gains = selected.pool, selected.columns, selected.gains
    if n_inputs != pool.n_inputs:
        raise ValueError(f"n_inputs={n_inputs} is not the pool's {pool.n_inputs}")
    if not columns or len(columns) != n_features or len(gains) != n_features:
        sizes = f"{len(columns)} columns and {len(gains)} gains for n_features={n_features}"
        raise ValueError(f"{sizes}: give one of each a feature")
    most = pool.n_features
    if list(columns) != sorted(set(columns)) or columns[0] < 0 or columns[-1] >= most:
        raise ValueError(f"columns must be different, ascending and below the pool's {most}")
    if not np.all(np.isfinite(gains)) or min(gains) <= 0:
        raise ValueError("gains must be positive and finite")
    factors = selected.variance_factors
    if factors is not None and (len(factors) != 3 or min(factors) < 0):
        raise ValueError("variance_factors must be three numbers of at least 0")


class Choice(NamedTuple):
    """The chosen groups: weight of each in the new kernel, 0 for dropped ones.

    `unbiased`: the mean over draws is the pool's weight, the fraction of columns.
    `variance_factors`: of the pool's Gram variance, of the variance of a product, and of the
    squared kernel; None if nothing bounds the variance.
    """

    mass: NDArray[np.float64]
    unbiased: bool = False
    variance_factors: tuple[float, float, float] | None = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Selector(ABC):
    """Keep some features of a pool.

    Parameters
    ----------
    pool : FeatureMap
        A map with M_0 features, more than are to be kept.
    n_features : int
        Largest number M of features to keep: a multiple of the size of a group.
    groups : array of int, shape (M_0,), optional
        Labels of columns that are kept or dropped together. Default: the map's own, cosine and
        sine of a frequency, all thresholds of a template, blocks of orthogonal directions.

    Attributes
    ----------
    changes_kernel : bool
        Whether the kept features have a different kernel from the pool.
    """

    pool: FeatureMap = field(kw_only=False)
    n_features: int = field(kw_only=False)
    groups: Any = None

    changes_kernel: ClassVar[bool]

    def __post_init__(self) -> None:
        require_pool(self.pool)
        object.__setattr__(self, "n_features", require_integer("n_features", self.n_features))
        labels = self._labels()
        units = labels[columns_of_units(self.pool)]
        if np.any(units != units[:, :1]):
            raise ValueError(
                "groups split a unit: give cosine and sine of a frequency, or all thresholds of a "
                "template, one label"
            )
        largest = int(np.bincount(labels).max())
        n, most = self.n_features, self.pool.n_features
        if n % largest:
            raise ValueError(
                f"n_features={n} is not a multiple of {largest}, the columns of a group: whole "
                "groups are kept"
            )
        if n > most:
            raise ValueError(f"n_features={n} exceeds the pool's {most}: draw a larger pool")

    def fit(self, X: Array, y: object = None) -> SelectedFeatures:
        """Choose features on rows.

        Parameters
        ----------
        X : array or data frame, shape (N_0, n_inputs)
            Rows on the pool's library and device. Prefer unlabelled or held-out rows: features
            chosen on the training rows make the hypothesis class depend on them.
        y : object, optional
            Ignored: no selector looks at targets.

        Returns
        -------
        SelectedFeatures
            An immutable map.
        """
        phi = self._features(X)
        choice = self._choose(phi)
        gains = np.sqrt(choice.mass / self._fractions())[self._labels()]
        columns = np.flatnonzero(gains)
        return SelectedFeatures(
            self.pool.n_inputs,
            columns.size,
            pool=self.pool,
            columns=columns.tolist(),
            gains=gains[columns].tolist(),
            unbiased=choice.unbiased,
            variance_factors=choice.variance_factors,
            seed=self.pool.seed,
            like=phi,
            dtype=self.pool.dtype,
        )

    def _features(self, X: Array) -> Array:
        """Compute the pool's features of rows, which need not be known yet."""
        X = _arrays.array_of_frame(X)
        _arrays.require_matrix(X, finite=False)
        return self.pool(X)

    @abstractmethod
    def _choose(self, phi: Array) -> Choice:
        """Choose groups from the pool's features of the rows."""

    def _labels(self) -> Any:
        if self.groups is None:
            return natural_groups(self.pool)
        return require_groups(self.groups, self.pool.n_features)

    def _fractions(self) -> Any:
        """Return each group's fraction of the pool's columns."""
        return np.bincount(self._labels()) / self.pool.n_features

    def _n_groups(self) -> int:
        """Return the number of groups to keep or draw."""
        return self.n_features // int(np.bincount(self._labels()).max())

    def _columns_a_unit(self) -> int:
        return int(columns_of_units(self.pool).shape[1])

    def _largest(self, values: Array) -> Choice:
        """Keep the groups of largest mean over their columns; ties go to the first."""
        xp = _arrays.array_namespace(values)
        sums = _arrays.to_host(sum_groups(xp, values, self._labels()))
        # The mean, so that a smaller last block is not penalised.
        means, n = np.asarray(sums, dtype=np.float64) / self._fractions(), self._n_groups()
        mass = np.zeros(means.size)
        mass[np.argsort(-means, kind="stable")[:n]] = 1.0 / n
        return Choice(mass)
