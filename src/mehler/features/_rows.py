"""Methods of maps that compare rows: paired ones, and all pairs in the widest float."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_flag
from mehler.features._correlation import lengths


def features_of(phi: Any, check_finite: bool) -> Callable[[Array], Array]:
    """Return the map itself unless a check is left out: a subclass may know nothing of that."""
    return phi if check_finite is True else functools.partial(phi, check_finite=check_finite)


def of_rows(
    self: Any,
    x: Array,
    y: Array | None,
    function: Callable[[Array, Array | None], Array],
    check_finite: bool = True,
    paired: bool = False,
) -> Array:
    """Validate both matrices, compute in the widest float, and cast to the dtype of `x`.

    The function gives all pairs of rows, (n, k), unless they are `paired`.
    """
    self._require_law()
    finite = require_flag("check_finite", check_finite)
    if type(x) is not np.ndarray:
        x = _arrays.array_of_frame(x)
    if y is not None:
        y = _arrays.array_of_frame(y, "Y")
    batched = False
    for name, rows in (("X", x), ("Y", y)):
        if rows is not None and _arrays.is_batched(rows):
            batched = True
            if 0 in rows.shape:
                raise ValueError(
                    f"{name} is empty: its shape is {tuple(rows.shape)}; pass at least one row"
                )
    if batched:
        return _arrays.pairs_of_batches(lambda a, b: of_rows(self, a, b, function, finite), x, y)
    largest = _arrays.require_matrix(x, name="X", n_columns=self.n_inputs, finite=finite) or 0.0
    if y is not None:
        there = _arrays.require_matrix(y, name="Y", n_columns=self.n_inputs, finite=finite)
        largest = max(largest, there or 0.0)
        _arrays.array_namespace(x, y, names=("X", "Y"))
        _arrays.require_same_place(y, _arrays.place_of(x), name="Y", owner="X")
    place = _arrays.place_of(x)
    xp = place.xp
    wide = _arrays.widest_float(xp, place.device)
    # XLA divides by reciprocals, which are 0 where they would be subnormal.
    if wide == xp.float32 and largest * float(xp.finfo(wide).smallest_normal) > 0.25:
        raise _leaves_floats("products", wide, x, y)
    angles = self._angles()
    for name, rows in (("X", x), ("Y", y)):
        # Kernels are functions of differences, which lose nothing but what rows themselves do.
        if angles is not None and rows is not None and _arrays.loses_digits(rows, wide):
            angles.require(rows, wide, angles.scale, None, name)

    def values(a: Array, b: Array | None) -> Array:
        xp = _arrays.array_namespace(a)
        with np.errstate(over="ignore", invalid="ignore"):
            value = function(xp.astype(a, wide), None if b is None else xp.astype(b, wide))
            value = xp.astype(value, _arrays.real_dtype(a), copy=False)
        if finite:
            _require_within_floats(value, a, b)
        return value

    if _arrays.is_chunked(x) and not paired:
        # What the map does not know is refused here, and not by a worker.
        values(_arrays.one_row(x), None)
        return _arrays.pairs_of_chunks(values, x, y, _arrays.real_dtype(x))
    return values(x, y)


def _require_within_floats(value: Array, x: Array, y: Array | None, what: str = "products") -> None:
    """Raise ValueError that names the longest row if a value is not finite.

    Traced values and those of an accelerator are not looked at.
    """
    if _arrays.is_lazy(value) or _arrays.is_on_accelerator(value):
        return
    xp = _arrays.array_namespace(value)
    if not bool(xp.all(xp.isfinite(value))):
        raise _leaves_floats(what, value.dtype, x, y)


def _leaves_floats(what: str, dtype: Any, x: Array, y: Array | None = None) -> ValueError:
    """Return the refusal of rows whose values overflow."""
    rows = [
        np.asarray(_arrays.to_host(each), dtype=np.float64) for each in (x, y) if each is not None
    ]
    with np.errstate(over="ignore"):
        longest = max(float(np.max(lengths(np, each))) for each in rows)
    return ValueError(
        f"{'X' if y is None else 'X or Y'} has a row of length {longest:.3g}, whose {what} leave "
        f"the floats of {_arrays.dtype_name(dtype)}: scale the rows"
    )


# Features that nobody looks at.
NOT_LOOKED: contextlib.nullcontext[None] = contextlib.nullcontext()
# Products with weights of up to 8 deviations, and their sums, stay within the floats by this.
_MARGIN = 64.0


@contextlib.contextmanager
def within_floats(
    phi: Any, x: Array, largest: float | None
) -> Iterator[Callable[[Array], None] | None]:
    """Compute features, and give the look at those of rows of large entries, on the host."""
    if _arrays.is_lazy(x) or _arrays.is_on_accelerator(x):
        yield None
        return
    xp, size = _arrays.array_namespace(x), largest
    if size is None:
        size = float(xp.iinfo(x.dtype).max) if xp.isdtype(x.dtype, "integral") else 1.0
    # Angles have a guard of their own, which refuses shorter rows.
    if size <= phi._safe_entry or phi._angles() is not None:
        yield None
        return
    dtype = phi._dtype_for(x)
    if size > float(xp.finfo(dtype).max) / (_MARGIN * x.shape[1]):
        raise _leaves_floats("projections", dtype, x)
    what = f"features by {type(phi).__name__}{phi._activation_title}"
    with np.errstate(over="ignore", invalid="ignore"):
        yield lambda values: _require_within_floats(values, x, None, what)


def gram(self: Any, X: Array, Y: Array | None = None, *, check_finite: bool = True) -> Array:
    """Estimate ``phi.kernel(X, Y)`` by inner products of features, shape (n, k), in their dtype.

    Arguments are as for :meth:`kernel`, in one library and device with the weights.
    """
    X, Y = _arrays.array_of_frame(X), _arrays.array_of_frame(Y, "Y")
    for name, rows in (("X", X), ("Y", Y)):
        if _arrays.is_row(rows):
            _arrays.require_matrix(rows, name=name, finite=False)
    features = features_of(self, check_finite)
    left = features(X)
    right = left if Y is None else features(Y)
    xp = _arrays.array_namespace(left)
    with np.errstate(over="ignore", invalid="ignore"):
        value = xp.matmul(left, xp.matrix_transpose(right))
    if check_finite and value.ndim == 2:
        _require_within_floats(value, X, Y)
    return value


def products(self: Any, X: Array, Y: Array, *, check_finite: bool = True) -> Array:
    """Compute the contribution of each unit at row pairs (x_i, y_i): shape (n, n_units).

    The mean over columns is the estimate of the kernel at the pair. Rows, in as many of `X` as of
    `Y`, and `check_finite` are as in :meth:`__call__`; the result has the dtype of the features.
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
    features = features_of(self, check_finite)
    with np.errstate(over="ignore", invalid="ignore"):
        value = self._unit_products(features(X), features(Y))
    if check_finite and value.ndim == 2:
        _require_within_floats(value, X, Y)
    return value


def products_at(
    self: Any, X: Array, Y: Array, first: NDArray[np.int64], second: NDArray[np.int64]
) -> Array | None:
    """Return `products` of the rows x_i and y_j that host indices name, or None if it is not ours.

    Features of each row are computed once, however many pairs it is in.
    """
    if type(self).products is not products or _arrays.is_lazy(X) or _arrays.is_lazy(Y):
        return None
    left = self(X)
    right = left if Y is X else self(Y)
    place = _arrays.place_of(left)
    paired = (
        place.xp.take(side, _arrays.from_host(index.astype(np.int32), place), axis=0)
        for side, index in ((left, first), (right, second))
    )
    return self._unit_products(*paired)
