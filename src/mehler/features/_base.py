"""The base class of every map: its hooks, exact kernel, exact variance, Gram matrices."""

from __future__ import annotations

import functools
from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_flag
from mehler.features._map import RandomMap

Pairwise = Callable[[Array, Array | None], Array]


class FeatureMap(RandomMap):
    """An immutable random feature map, with the exact kernel that its inner products estimate.

    Parameters
    ----------
    n_inputs, n_features : int
        Columns d of the data and m of the features.
    seed : int
        Seed of the weights, which are the same bits on every backend; on another processor too,
        but for those that linear algebra computes, see `recipe`. A map of more units begins with
        those of a smaller one.
    like : array or array namespace, optional
        Where the weights live: the data, or for instance ``torch``. Default NumPy.
    dtype : str or dtype, optional
        'float32' or 'float64': what the map computes in. By default it follows the data.
    stored : bool, optional
        Keep the weights. If false, every pass over rows draws them anew, block by block of units,
        so that memory does not grow with `n_features`: see :meth:`unit_blocks`. Requires
        projections='gaussian'; a shared pool of projections is kept.

    Attributes
    ----------
    n_inputs, n_features, seed, stored
        As given.
    weights : tuple of arrays
        The weights, on the map's device, in the dtype that it was drawn in first.
    dtype : str or None
        Name of the dtype that the map computes in; None follows the data.
    n_units : int
        Number of units: the parts of the map that are drawn one by one.
    independent_units : bool
        Whether the units are independent draws, so that errors average out like 1/n_units.

    Notes
    -----
    To write a map, subclass this class: a constructor keeps its arguments as attributes and calls
    ``super().__init__``, which draws the weights and freezes the map. Public methods check rows,
    choose the dtype and loop over blocks of rows; hooks see checked arrays of one namespace and
    dtype. d is n_inputs and m is n_features. Recipes, pickles, :meth:`to` and ``repr`` call the
    constructor with its arguments again, as the attributes of the same names are now.

    ``_draw(dtype, units) -> tuple of arrays``
        The weights of a slice of the units, on the host, in the dtype of that name, from the
        streams of `mehler._random`, so that a larger map begins with the units of a smaller one.
        They are then placed on the map's device. What cannot be drawn in parts calls
        ``self._require_all(units)`` first.
    ``_transform(xp, rows, *weights) -> array``
        Features (b, m) of rows (b, d), by the array API alone, without branches on values, so that
        it runs under ``jax.jit`` and on Dask. With weights of some units, their columns.
    ``_kernel_of(x, y) -> array``
        The expected kernel, (n, k), of rows (n, d) and (k, d) in the widest float; ``y=None``
        means `x`. Serves :meth:`kernel`.
    ``_variance_of(x, y) -> array``
        The variance of one feature product, (n, k), likewise. Serves :meth:`variance`.
    ``_gram_variance_of(x, y) -> array``, optional
        m times the variance of the Gram's entries, (n, k). Define it, and set
        ``independent_units = False``, if units depend on each other. Default ``_variance_of``.
    ``_units() -> Units``, optional
        How many numbers the units draw, and how their columns lie; the default is d m, one column
        a unit. It is called before any weight is drawn, and may refuse sizes.
    """

    # Whether the units are independent draws.
    independent_units: ClassVar[bool] = True

    @abstractmethod
    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        """Compute the expected kernel of checked rows in the widest float, (n, k)."""

    @abstractmethod
    def _variance_of(self, x: Array, y: Array | None) -> Array:
        """Compute the variance of one feature product of checked rows, (n, k)."""

    def _gram_variance_of(self, x: Array, y: Array | None) -> Array:
        return self._variance_of(x, y)

    # -- kernels --------------------------------------------------------------------------

    def kernel(self, X: Array, Y: Array | None = None, *, check_finite: bool = True) -> Array:
        """Compute the exact expected kernel, (n, k): the mean of ``phi.gram(X, Y)`` over draws.

        Parameters
        ----------
        X : array, shape (..., n, n_inputs)
            Rows; any library and device, whatever the map was drawn for.
        Y : array, shape (..., k, n_inputs), optional
            Rows; ``None`` stands for `X`. Batches are broadcast against those of `X`.
        check_finite : bool, optional
            As in :meth:`__call__`.

        Returns
        -------
        array, shape (..., n, k)
            In the namespace and float dtype of `X`, computed in the widest float of its device.

        Notes
        -----
        Correlations carry the rounding of one number, about 1e-16. Kernels that have a square
        root at rho = 1 (collision probabilities) turn that into 1e-8 for pairs of nearly equal
        rows; equal rows have exactly 1.

        On PyTorch and JAX it is differentiable in `X` and `Y`, :doc:`/gradients`; what NumPy and
        SciPy compute raises TypeError. Where the kernel has a kink, its derivative is the mean of
        those on both sides.
        """
        return self._of_rows(X, Y, self._kernel_of, check_finite)

    def variance(self, X: Array, Y: Array | None = None, *, check_finite: bool = True) -> Array:
        """Compute the exact variance of one feature product, shape (n, k).

        For independent units, ``Var <phi(x), phi(y)> = variance / n_features``; otherwise see
        :meth:`gram_variance`. Arguments, result, errors and accuracy are as for :meth:`kernel`.
        """
        return self._of_rows(X, Y, self._variance_of, check_finite)

    def gram_variance(
        self, X: Array, Y: Array | None = None, *, check_finite: bool = True
    ) -> Array:
        """Compute the variance of the entries of ``phi.gram(X, Y)`` over draws, shape (n, k).

        Exact, unless the class documents an upper bound. Arguments, result, errors and accuracy
        are as for :meth:`kernel`.
        """
        return self._of_rows(
            X, Y, lambda x, y: self._gram_variance_of(x, y) / self.n_features, check_finite
        )

    def _of_rows(
        self,
        x: Array,
        y: Array | None,
        function: Pairwise,
        check_finite: bool = True,
        paired: bool = False,
    ) -> Array:
        """Check both matrices, compute in the widest float, and cast to the dtype of `x`.

        The function gives all pairs of rows, (n, k), unless they are `paired`.
        """
        if self._weights_are == "trainable":
            self._require_law()
        finite = check_finite is True or require_flag("check_finite", check_finite)
        if type(x) is not np.ndarray:
            x = _arrays.array_of_frame(x)
        if y is not None:
            y = _arrays.array_of_frame(y, "Y")
        if _arrays.is_batched(x) or _arrays.is_batched(y):
            return _arrays.pairs_of_batches(
                lambda a, b: self._of_rows(a, b, function, finite), x, y
            )
        largest = _arrays.require_matrix(x, name="X", n_columns=self.n_inputs, finite=finite)
        if y is not None:
            there = _arrays.require_matrix(y, name="Y", n_columns=self.n_inputs, finite=finite)
            largest = max(largest or 0.0, there or 0.0)
            _arrays.array_namespace(x, y, names=("X", "Y"))
            _arrays.require_same_place(y, _arrays.place_of(x), name="Y", owner="X")
        dtype = _arrays.real_dtype(x)
        if type(x) is not np.ndarray and _arrays.is_chunked(x) and not paired:
            on_chunks = functools.partial(self._of_rows, function=function, check_finite=finite)
            # What the map does not know is refused here, and not by a worker.
            on_chunks(_arrays.one_row(x), None)
            return _arrays.pairs_of_chunks(on_chunks, x, y, dtype)
        place = _arrays.place_of(x)
        xp, wide = place.xp, _arrays.widest_float(place.xp, place.device)
        # XLA divides by reciprocals, which are 0 where they would be subnormal.
        if wide == xp.float32 and (largest or 0.0) * float(xp.finfo(wide).smallest_normal) > 0.25:
            raise _arrays.leaves_floats("products", wide, x, y)
        angles = self._unit.angles
        if angles is not None:
            for name, rows in (("X", x), ("Y", y)):
                # Kernels are functions of differences, which lose only what rows themselves do.
                lost = rows is not None and _arrays.loses_digits(rows, wide)
                if lost and not _arrays.is_lazy(rows):
                    most = angles.longest(_arrays.dtype_name(wide), self.n_inputs, angles.scale)
                    angles.require(rows, _arrays.dtype_name(wide), most, name)
        with np.errstate(over="ignore", invalid="ignore"), _arrays.full_precision(x):
            value = function(
                xp.astype(x, wide, copy=False), None if y is None else xp.astype(y, wide)
            )
            value = xp.astype(value, dtype, copy=False)
        if finite:
            _arrays.require_within_floats(value, x, y)
        return value

    def gram(self, X: Array, Y: Array | None = None, *, check_finite: bool = True) -> Array:
        """Estimate ``phi.kernel(X, Y)`` by inner products of features, (n, k), in their dtype.

        Arguments are as for :meth:`kernel`, in one library and device with the weights.
        """
        X, Y = _arrays.array_of_frame(X), _arrays.array_of_frame(Y, "Y")
        for name, rows in (("X", X), ("Y", Y)):
            if _arrays.is_row(rows):
                _arrays.require_matrix(rows, name=name, finite=False)
        features = self._with_flag(check_finite)
        left = features(X)
        right = left if Y is None else features(Y)
        xp = _arrays.array_namespace(left)
        with np.errstate(over="ignore", invalid="ignore"), _arrays.full_precision(left):
            value = xp.matmul(left, xp.matrix_transpose(right))
        if check_finite and value.ndim == 2:
            _arrays.require_within_floats(value, X, Y)
        return value

    def products(self, X: Array, Y: Array, *, check_finite: bool = True) -> Array:
        """Compute the contribution of each unit at row pairs (x_i, y_i): shape (n, n_units).

        The mean over columns is the estimate of the kernel at the pair. Rows, in as many of `X` as
        of `Y`, and `check_finite` are as in :meth:`__call__`; the result has the dtype of the
        features.
        """
        X, Y = _arrays.array_of_frame(X), _arrays.array_of_frame(Y, "Y")
        _arrays.array_namespace(X, Y, names=("X", "Y"))
        if tuple(X.shape) != tuple(Y.shape):
            raise ValueError(
                f"X and Y are paired row by row but have shapes {tuple(X.shape)} and "
                f"{tuple(Y.shape)}; make them equal"
            )
        if _arrays.is_batched(X):
            return _arrays.rows_of_batches(
                lambda x, y: self.products(x, y, check_finite=check_finite), X, Y
            )
        features = self._with_flag(check_finite)
        with np.errstate(over="ignore", invalid="ignore"):
            value = self._unit_products(features(X), features(Y))
        if check_finite and value.ndim == 2:
            _arrays.require_within_floats(value, X, Y)
        return value

    def _products_at(
        self, X: Array, Y: Array, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> Array | None:
        """Return `products` of rows x_i and y_j by host indices, or None if it is not ours.

        Features of each row are computed once, however many pairs it is in.
        """
        own = type(self).products is FeatureMap.products
        if not own or _arrays.is_lazy(X) or _arrays.is_lazy(Y):
            return None
        left = self(X)
        right = left if Y is X else self(Y)
        place = _arrays.place_of(left)
        paired = (
            place.xp.take(side, _arrays.from_host(index.astype(np.int32), place), axis=0)
            for side, index in ((left, first), (right, second))
        )
        return self._unit_products(*paired)

    def _unit_products(self, left: Array, right: Array) -> Array:
        """Sum the products of the columns of each unit, times the number of units."""
        both = left * right * float(self.n_units)
        groups, each = self._unit.columns
        if groups == each == 1:
            return both
        xp = _arrays.array_namespace(both)
        both = xp.reshape(both, (both.shape[0], groups, self.n_units, each))
        return xp.sum(xp.sum(both, axis=3), axis=1)

    def _with_flag(self, check_finite: bool) -> Callable[[Array], Array]:
        """Return the map itself unless a check is left out: a subclass may know nothing of it."""
        return self if check_finite is True else functools.partial(self, check_finite=check_finite)
