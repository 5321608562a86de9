"""Base class of selectors: a pool, the number of features to keep, and ``fit``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from mehler import _arrays
from mehler._random import require_seed
from mehler._validate import require_integer
from mehler.features._base import FeatureMap
from mehler.features.leverage._selected import (
    SelectedFeatures,
    columns_of_units,
    natural_groups,
    require_groups,
    require_pool,
    sum_groups,
)


@dataclass(frozen=True, eq=False)
class Choice:
    """The chosen groups.

    `mass` (G,): weight of each group in the new kernel, in which the pool has its share of
    columns; 0 for dropped groups. `unbiased`: the mean over draws is the pool's weight.
    `variance_factors`: of the pool's Gram variance, of the variance of a product, and of the
    squared kernel; None if nothing bounds the variance.
    """

    mass: Any
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
        sine of a frequency, all thresholds of a template, blocks of orthogonal directions. A
        maxout unit is a single column.

    Attributes
    ----------
    changes_kernel : bool
        Whether the kept features have a different kernel from the pool.
    """

    pool: FeatureMap = field(kw_only=False)
    n_features: int = field(kw_only=False)
    groups: Any = None

    changes_kernel: ClassVar[bool]
    needs_targets: ClassVar[bool] = False

    def __post_init__(self) -> None:
        require_pool(self.pool)
        object.__setattr__(self, "n_features", require_integer("n_features", self.n_features))
        labels = self._labels()
        of_units = labels[columns_of_units(self.pool)]
        if np.any(of_units != of_units[:, :1]):
            raise ValueError(
                "groups split a unit: give cosine and sine of a frequency, or all thresholds of a "
                "template, one label"
            )
        largest = int(np.bincount(labels).max())
        if self.n_features % largest:
            raise ValueError(
                f"n_features={self.n_features} is not a multiple of {largest}, the columns of a "
                "group: whole groups are kept"
            )
        if self.n_features > self.pool.n_features:
            raise ValueError(
                f"n_features={self.n_features} exceeds the pool's {self.pool.n_features}: draw a "
                "larger pool"
            )
        if "seed" in self.__dataclass_fields__:
            require_seed(self.seed)  # type: ignore[attr-defined]  # of those that draw

    def fit(self, X: _arrays.Array, y: Any = None) -> SelectedFeatures:
        """Choose features on rows, and for some selectors on targets.

        Parameters
        ----------
        X : array, shape (N_0, n_inputs)
            Rows on the pool's library and device. Prefer unlabelled or held-out rows: features
            chosen on the training rows make the hypothesis class depend on them.
        y : array, shape (N_0,) or (N_0, K), optional
            Targets; for classes one column per class. Only for selectors that use them.

        Returns
        -------
        SelectedFeatures
            An immutable map.

        Raises
        ------
        TypeError, ValueError
            If `X` or `y` is not as above, or `y` is missing.
        """
        _arrays.require_matrix(X, finite=False)
        phi = self.pool(X)
        targets = _require_targets(y, X.shape[0]) if self.needs_targets else None
        choice = self._choose(phi, targets)
        shares = self._shares()
        kept = np.flatnonzero(choice.mass > 0)
        gain = np.zeros(shares.size)
        gain[kept] = np.sqrt(choice.mass[kept] / shares[kept])
        gains = gain[self._labels()]
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
            like=X,
            dtype=self.pool.dtype,
        )

    @abstractmethod
    def _choose(self, phi: _arrays.Array, y: Any) -> Choice:
        """Choose groups from the pool's features of the rows, and the targets if needed."""

    def _labels(self) -> Any:
        if self.groups is None:
            return natural_groups(self.pool)
        return require_groups(self.groups, self.pool.n_features)

    def _shares(self) -> Any:
        """Return each group's share of the pool's columns."""
        return np.bincount(self._labels()) / self.pool.n_features

    def _n_groups(self) -> int:
        """Return the number of groups to keep or draw."""
        return self.n_features // int(np.bincount(self._labels()).max())

    def _columns_a_unit(self) -> int:
        return int(columns_of_units(self.pool).shape[1])

    def _by_groups(self, values: _arrays.Array) -> Any:
        """Sum over groups on the host, in float64."""
        xp = _arrays.array_namespace(values)
        sums = sum_groups(xp, values, self._labels())
        return np.asarray(_arrays.to_host(sums), dtype=np.float64)

    def _alignment(self, phi: _arrays.Array, y: Any) -> Any:
        """Sum (1/N sum_j y_j phi_i(x_j))^2 over groups, features in the pool's scale."""
        xp = _arrays.array_namespace(phi)
        targets = _arrays.from_host(y, _arrays.place_of(phi), phi.dtype)
        means = xp.matmul(xp.matrix_transpose(phi), targets) / float(phi.shape[0])
        return self._by_groups(xp.sum(means**2, axis=1))


def top(values: Any, n: int) -> Choice:
    """Return the n groups of largest value, with equal weights; ties go to the first."""
    mass = np.zeros(values.size)
    mass[np.argsort(-values, kind="stable")[:n]] = 1.0 / n
    return Choice(mass)


def _require_targets(y: Any, n_rows: int) -> Any:
    """Return centred targets, shape (N, K), float64 on the host."""
    if y is None:
        raise ValueError("y is missing: this selector looks at targets")
    targets = np.asarray(_arrays.to_host(y))
    if targets.dtype.kind not in "fiub" or targets.ndim not in (1, 2):
        raise ValueError(
            f"y must be real numbers of shape (rows,) or (rows, outputs), not {targets.dtype} of "
            f"shape {targets.shape}; for classes pass one column of 0 and 1 a class"
        )
    if targets.shape[0] != n_rows:
        raise ValueError(f"y has {targets.shape[0]} rows but X has {n_rows}")
    targets = targets.astype(np.float64).reshape(n_rows, -1)
    if not np.all(np.isfinite(targets)):
        raise ValueError("y holds NaN or infinity; drop such rows first")
    return targets
