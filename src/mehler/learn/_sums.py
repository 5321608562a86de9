"""Sums of ridge regression, a Gram matrix and others, which add up over blocks of rows."""

from __future__ import annotations

import contextlib
import functools
import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array, Place
from mehler._validate import require_flag
from mehler.features import FeatureMap
from mehler.learn._features import (
    Features,
    Layout,
    Phi,
    require_lambdas,
    require_map,
    require_no_overflow,
    require_pair,
    require_weights,
)
from mehler.learn._path import Path, RidgeFit, spectrum, weights_by_factors

# Most features m for which several lambdas share an eigendecomposition, of 3 m^2 numbers.
MAX_EIGEN_FEATURES = 2048


class RidgeSums:
    r"""Count, means, Gram and right-hand side of the rows seen so far, for features phi(x).

    .. math:: N,\quad \bar z = \tfrac1N\sum_i z_i,\quad \bar y,\quad
              G = \sum_i (z_i - \bar z)(z_i - \bar z)^\top,\quad
              r = \sum_i (z_i - \bar z)(y_i - \bar y)^\top, \qquad z_i = \phi(x_i)

    :meth:`add` adds rows in place; ``a + b`` returns the sums of two parts of the data, such as
    those of two machines. :meth:`solve` may come at any time.

    Parameters
    ----------
    phi : callable
        The map, as for :func:`ridge`.

    Attributes
    ----------
    n_rows : int or float
        Number of rows N; with weights their sum.

    See Also
    --------
    ridge : The same in one call.

    Notes
    -----
    A large common mean costs no digits. Memory is one m x m matrix of float64 and two blocks of
    features. Accuracy of float32, and the numerical rank: :doc:`/learning`.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler import learn
    >>> rng = np.random.default_rng(0)
    >>> phi = mehler.FourierFeatures.draw(2, 60, seed=0)
    >>> sums = learn.RidgeSums(phi)
    >>> for _ in range(5):  # a stream
    ...     X = rng.standard_normal((200, 2))
    ...     sums = sums.add(X, np.sin(X[:, 0]))
    >>> sums.n_rows
    1000
    >>> fit, = sums.solve(1e-6)
    >>> X = rng.standard_normal((100, 2))
    >>> bool(np.abs(fit.predict(X) - np.sin(X[:, 0])).mean() < 0.02)
    True
    """

    def __init__(self, phi: Phi) -> None:
        self.phi = require_map(phi)
        self.n_rows: float = 0
        self._layout: Any = None
        self._mean: Array = None
        self._target_mean: Array = None
        self._gram: Array = None
        self._cross: Array = None
        self._squares: Array = None  # of centred targets, (t,)

    def add(self, X: Array, Y: Array, weights: Array | None = None) -> RidgeSums:
        """Add rows, in place, and return itself; after an error in `phi` the sums are invalid.

        Parameters
        ----------
        X : array, shape (n, d)
            Rows that `phi` takes, of any library. Chunks of a Dask array are summed separately and
            added in a tree; this is computed immediately.
        Y : array, shape (n,) or (n, t)
            Targets on the device of `X`.
        weights : array, shape (n,), optional
            Weights of the rows, at least 0: a row of weight 2 counts as that row twice.
        """
        flat = Y.ndim == 1 if _arrays.is_array(Y) else False
        targets = require_pair(X, Y)
        weights = require_weights(X, weights)
        if _arrays.stays_lazy(X):
            if self.n_rows:
                self._require_fit(targets.shape[1], flat, _arrays.place_of(X))
            columns = (targets,) if weights is None else (targets, weights)
            of_chunk = functools.partial(_of_chunk, self.phi, flat)
            self.__dict__.update((self + _arrays.sum_over_chunks(of_chunk, X, *columns)).__dict__)
            return self
        return self.add_features(Features(self.phi, X, targets, weights, flat=flat))

    def add_features(self, features: Features, index: NDArray[np.int64] | None = None) -> RidgeSums:
        """Add checked rows, or those that `index` names."""
        layout = features.layout
        if self.n_rows:
            self._require_fit(features.y.shape[1], layout.flat, layout.home)
        self._layout = layout
        # Sums that overflow are refused when they are solved.
        with np.errstate(over="ignore", invalid="ignore"):
            for block in features.blocks(index):
                self._add_block(*block)
        return self

    def _require_fit(self, n_targets: int, flat: bool, place: Place) -> None:
        before, layout = self._cross.shape[1], self._layout
        if n_targets != before or flat != layout.flat:
            shape = "(rows,)" if layout.flat else f"(rows, {before})"
            raise ValueError(f"Y must have shape {shape}, as the targets before it had")
        if {place.name, layout.home.name} <= {"numpy", "dask.array"}:
            return
        if place.xp is not layout.home.xp or place.device != layout.home.device:
            raise TypeError(
                f"X is on {place.name} but the rows before it were on {layout.home.name}; bring "
                "them to one library and device, or add up two RidgeSums of one place"
            )

    def _add_block(self, z: Array, y: Array, weights: Array | None = None) -> None:
        xp, n = self._layout.place.xp, self.n_rows
        b = z.shape[0] if weights is None else float(xp.sum(weights))
        if n == 0:
            self._start(z, y)
        elif z.shape[1] != self._mean.shape[0]:
            raise ValueError(
                f"phi(X) has {z.shape[1]} columns but had {self._mean.shape[0]} before"
            )
        if b == 0:
            return
        if weights is None:
            mean, target_mean = xp.sum(z, axis=0, dtype=xp.float64) / b, xp.sum(y, axis=0) / b
        else:
            mean = xp.matmul(weights, xp.astype(z, xp.float64)) / b
            target_mean = xp.matmul(weights, y) / b
        step, target_step = mean - self._mean, target_mean - self._target_mean
        weight = (n * b / (n + b)) ** 0.5
        rows = _arrays.centred(xp, z, xp.astype(mean, z.dtype), xp.astype(weight * step, z.dtype))
        targets = _arrays.centred(xp, y, target_mean, weight * target_step)
        if weights is not None:
            # The last row, for the difference of the means, has its weight in it already.
            roots = xp.concat((xp.sqrt(weights), xp.ones_like(weights[:1])))[:, None]
            rows, targets = rows * xp.astype(roots, z.dtype), targets * roots
        with _arrays.full_precision(z):
            self._gram = _arrays.add_gram(xp, self._gram, rows)
            product = xp.matmul(xp.matrix_transpose(rows), xp.astype(targets, z.dtype))
        self._cross = self._cross + xp.astype(product, xp.float64)
        self._squares = self._squares + xp.sum(targets * targets, axis=0)
        self._mean = self._mean + step * (b / (n + b))
        self._target_mean = self._target_mean + target_step * (b / (n + b))
        self.n_rows = n + b

    def _start(self, z: Array, y: Array) -> None:
        place, m, t = self._layout.place, z.shape[1], y.shape[1]
        xp = place.xp
        options = {"dtype": xp.float64, "device": place.device}
        self._mean, self._target_mean = xp.zeros(m, **options), xp.zeros(t, **options)
        self._gram, self._cross = xp.zeros((m, m), **options), xp.zeros((m, t), **options)
        self._squares = xp.zeros(t, **options)

    def __add__(self, other: RidgeSums) -> RidgeSums:
        """Return the sums of the rows of both, as new sums."""
        if not isinstance(other, RidgeSums):
            return NotImplemented
        total = RidgeSums(self.phi)
        if not (self.n_rows and other.n_rows):
            full = self if self.n_rows else other
            total.__dict__.update(full.__dict__ | {"phi": self.phi})
            if full.n_rows:
                total._gram = full._gram + 0.0
            return total
        self._require_fit(other._cross.shape[1], other._layout.flat, other._layout.home)
        _require_same_map(self, other)
        xp, n, k = self._layout.place.xp, self.n_rows, other.n_rows
        step, target_step = other._mean - self._mean, other._target_mean - self._target_mean
        weight = n * k / (n + k)
        total.__dict__.update(self.__dict__)
        row = weight**0.5 * step
        total._gram = _arrays.add_gram(xp, self._gram + other._gram, row[None, :])
        total._cross = self._cross + other._cross + weight * step[:, None] * target_step[None, :]
        total._squares = self._squares + other._squares + weight * target_step * target_step
        total._mean = self._mean + step * (k / (n + k))
        total._target_mean = self._target_mean + target_step * (k / (n + k))
        total.n_rows = n + k
        return total

    @property
    def gram(self) -> Array:
        """G, (m, m), as a new matrix in float64."""
        self._require_sums()
        return _arrays.symmetric(self._layout.place.xp, self._gram)

    def solve(self, lambdas: Any, *, intercept: bool = True) -> tuple[RidgeFit, ...]:
        """Minimise the risk of :func:`mehler.learn.ridge`, with its arguments, for each lambda."""
        require_flag("intercept", intercept)
        path = self.path(require_lambdas(lambdas), intercept, overwrite=False)
        return tuple(path.fit(i) for i in range(len(path.lambdas)))

    def path(
        self,
        lambdas: tuple[float, ...],
        intercept: bool,
        *,
        overwrite: bool,
        decompose: bool = False,
    ) -> Path:
        """Solve for all lambdas; if `overwrite` in place of the Gram.

        `decompose` asks for its eigenvectors, which several lambdas share if features are few.
        """
        self._require_sums()
        layout, gram, cross, n = self._layout, self._gram, self._cross, self.n_rows
        xp, mean, target_mean = layout.place.xp, self._mean, self._target_mean
        if not intercept:
            whole = gram if overwrite else gram + 0.0
            gram = _arrays.add_gram(xp, whole, n**0.5 * mean[None, :])
            cross = cross + n * mean[:, None] * target_mean[None, :]
            mean, target_mean = 0.0 * mean, 0.0 * target_mean
        weights, eigen = None, None
        few = gram.shape[0] <= MAX_EIGEN_FEATURES
        if not decompose and not (few and len(lambdas) > 1):
            # Where a pivot of few features is within rounding the rank is cut.
            with contextlib.suppress(*([ValueError] if few else [])):
                weights = weights_by_factors(xp, gram, cross, lambdas, n, layout.dtype)
        if weights is None:
            squares = xp.linalg.trace(gram) + n * xp.sum(mean * mean)
            spare = gram if overwrite or not intercept else gram + 0.0
            eigen = spectrum(xp, spare, cross, layout.dtype, squares)
            weights = eigen.weights(lambdas, n)
        if overwrite:
            self._gram = None
        return Path(self.phi, layout, lambdas, n, intercept, mean, target_mean, weights, eigen)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle from the host, to be added up there, with half of the symmetric G."""
        state = dict(self.__dict__)
        if isinstance(self.phi, FeatureMap):
            state["phi"] = self.phi.to(_arrays.resolve_place(None))
        if self.n_rows:
            names = ("_mean", "_target_mean", "_gram", "_cross", "_squares")
            state |= {name: _arrays.to_host(self.__dict__[name]) for name in names}
            state["_gram"] = _arrays.packed(state["_gram"])
            state["_layout"] = self._layout.dtype, self._layout.flat
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.n_rows:
            self._gram = _arrays.unpacked(self._gram, self._mean.shape[0])
            self._layout = Layout.at(_arrays.resolve_place(None), *state["_layout"])

    def __sizeof__(self) -> int:
        """Bytes in memory, which Dask's workers account for."""
        m, t = self._cross.shape if self.n_rows else (0, 0)
        return object.__sizeof__(self) + 8 * (m + 1) * (m + t)

    def _require_sums(self) -> None:
        if not self.n_rows:
            raise ValueError("there are no rows yet: call add(X, Y) first")
        xp = self._layout.place.xp
        products = xp.sum(xp.abs(self._cross)) + xp.sum(self._squares)
        require_no_overflow(float(xp.linalg.trace(self._gram) + products))


def solve_parts(
    parts: Sequence[RidgeSums],
    lambdas: tuple[float, ...],
    intercept: bool,
    without: int | None = None,
) -> Path:
    """Fit the rows of all parts, or all but one, by adding: subtraction would lose digits."""
    rest = [part for i, part in enumerate(parts) if i != without]
    # Start from the empty sum, so that no part is overwritten.
    total = functools.reduce(operator.add, rest, RidgeSums(parts[0].phi))
    return replace(total.path(lambdas, intercept, overwrite=True), spectrum=None)


def _of_chunk(phi: Phi, flat: bool, x: Array, y: Array, weights: Array = None) -> RidgeSums:
    part = RidgeSums(phi).add(x, y[:, 0] if flat else y, weights)
    # The map, which would redraw its weights on arrival, is not sent with the sums.
    part.phi = no_map
    return part


def no_map(X: Array) -> Array:
    """Stand for a map that sums are sent without."""
    raise TypeError("the sums of a chunk have no map")


def _require_same_map(sums: RidgeSums, other: RidgeSums) -> None:
    sizes = sums._mean.shape[0], other._mean.shape[0]
    if sizes[0] != sizes[1]:
        raise ValueError(
            f"the sums are of {sizes[0]} and {sizes[1]} features; add up sums of one map"
        )
    recipes = [getattr(phi, "recipe", None) for phi in (sums.phi, other.phi)]
    if all(recipes) and recipes[0]() != recipes[1]():  # type: ignore[misc]  # neither is None
        raise ValueError("the sums are of two maps with different recipes; add up sums of one map")
