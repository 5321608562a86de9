"""The base class of every feature map: it checks rows, and computes features and kernels."""

from __future__ import annotations

import functools
import math
import threading
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array
from mehler._random import require_seed
from mehler._validate import require_flag, require_integer, with_known_keywords
from mehler.features._block import UnitBlock, Units, unit_blocks
from mehler.features._recipes import MAPS, WeightsAre, Written

# More weights, in bytes of float64, must be a mistake, such as a size with a digit too many.
_LARGEST_WEIGHTS = 1 << 42
_MARGIN = 64.0  # so that products with weights of up to 8 deviations, and sums, do not overflow

Pairwise = Callable[[Array, Array | None], Array]


class FeatureMap(Written):
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
    To write a map, subclass this class: a constructor keeps its arguments as attributes
    (``_kernel`` where a method has the name) and calls ``super().__init__``, which draws the
    weights and freezes the map. Public methods check rows, choose the dtype and loop over blocks of
    rows; hooks see checked arrays of one namespace and dtype. d is n_inputs and m is n_features.
    Recipes, pickles, :meth:`to` and ``repr`` call the constructor with these attributes again.

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

    if TYPE_CHECKING:
        # The constructor under the name that says what it does.
        draw: ClassVar[type[Self]]
    _title: str  # in messages
    _bounded: bool = False  # whether kernel and variance are, so that nobody has to look
    independent_units: ClassVar[bool] = True
    # Bytes of weights in float64, beyond which a map is refused; `from_recipe` lowers it.
    _max_bytes: int = _LARGEST_WEIGHTS
    # Axes of the weights of one draw, of maps whose weights were given to them.
    _axes: tuple[int, ...] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        """Register the class, so that recipes can name it."""
        super().__init_subclass__(**options)
        cls.draw = cls  # type: ignore[assignment]  # the constructor itself
        cls._title = cls.__name__
        cls.__init__ = with_known_keywords(cls.__init__)  # type: ignore[method-assign]
        MAPS.add(cls)

    def __init__(
        self,
        n_inputs: int,
        n_features: int,
        *,
        seed: int,
        like: object = None,
        dtype: object = None,
        stored: bool = True,
    ) -> None:
        self.stored = require_flag("stored", stored)
        self.n_inputs = require_integer("n_inputs", n_inputs)
        self.n_features = require_integer("n_features", n_features)
        self.seed = require_seed(seed)
        self._unit = self._units()
        self._require_size()
        self.place = _arrays.resolve_place(like)
        self._on_host = self.place.on_host
        float_type = _arrays.resolve_dtype(dtype, self.place.xp, self.place.device)
        self.dtype = None if dtype is None else _arrays.dtype_name(float_type)
        if dtype is None and _arrays.is_array(like):
            float_type = _arrays.real_dtype(like, name="like")
        self._lock = threading.Lock()
        # By dtype: weights, the longest rows whose angles keep their phase, and what JAX compiled.
        self._placed: dict[str, tuple[Any, ...]] = {}
        self._longest: dict[str, float] = {}
        self._jits: dict[str, Any] = {}
        if stored:
            self._weights(_arrays.dtype_name(float_type))
        else:
            # Fail now, not in the first pass, if units cannot be drawn alone.
            self._draw(_arrays.dtype_name(float_type), slice(0, 1))
        self._drawn = True

    def __setattr__(self, name: str, value: object) -> None:
        if getattr(self, "_drawn", False):
            raise AttributeError(f"maps are immutable: draw another one to change {name}")
        super().__setattr__(name, value)

    @abstractmethod
    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        """Draw the weights of some units on the host."""

    @abstractmethod
    def _transform(self, xp: ModuleType, rows: Array, *weights: Any) -> Array:
        """Compute the features of a block of rows."""

    @abstractmethod
    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        """Compute the expected kernel of checked rows in the widest float, (n, k)."""

    @abstractmethod
    def _variance_of(self, x: Array, y: Array | None) -> Array:
        """Compute the variance of one feature product of checked rows, (n, k)."""

    def _gram_variance_of(self, x: Array, y: Array | None) -> Array:
        return self._variance_of(x, y)

    def _units(self) -> Units:
        return Units(self.n_inputs * self.n_features)

    # -- features -------------------------------------------------------------------------

    @property
    def n_units(self) -> int:
        """Number of units: a unit is one set of weights, and gives one or several columns."""
        return self.n_features // math.prod(self._unit.columns)

    @property
    def first_dtype(self) -> str:
        """Name of the dtype in which the map was drawn first."""
        return self.dtype or next(iter(self._placed), "float64")

    @property
    def weights(self) -> tuple[Any, ...]:
        """The weights on the map's device, in the dtype that the map was drawn in first."""
        first = self.first_dtype
        return self._placed[first] if self.stored else self._drawn_weights(first)

    def __call__(self, X: Array, *, check_finite: bool = True) -> Array:
        """Compute the features of the rows of `X`: shape (n, n_features).

        Parameters
        ----------
        X : array, shape (..., n, n_inputs) or (n_inputs,)
            Real, finite rows on the map's library and device, in any number of batches; or a row.
            A frame of pandas, Polars or Arrow stands for its NumPy array. Chunks of Dask are
            checked when they are computed.
        check_finite : bool, optional
            Look for NaN and infinity, and refuse them. Without a look rows that have some give
            features without meaning, and nothing waits for a GPU.

        Returns
        -------
        array, shape (..., n, n_features) or (n_features,)
            In the namespace, device and float dtype of `X` (integers: the default float), or in
            the dtype that the map was drawn with. PyTorch's autocast does not reach them.

        Notes
        -----
        On PyTorch and JAX features are differentiable in `X`, :doc:`/gradients`.
        """
        X = _arrays.array_of_frame(X)
        if getattr(X, "ndim", 2) != 2:
            on_rows = functools.partial(self.__call__, check_finite=check_finite)
            if _arrays.is_batched(X):
                return _arrays.rows_of_batches(on_rows, X)
            if _arrays.is_row(X):
                return on_rows(X[None, :])[0, :]
        return self._features(X, check_finite is True or require_flag("check_finite", check_finite))

    def _features(
        self, X: Array, finite: bool, part: UnitBlock | None = None, name: str = "X"
    ) -> Array:
        """Check rows, and compute the features of all units or of some of them."""
        largest = _arrays.require_matrix(X, name=name, n_columns=self.n_inputs, finite=finite)
        _arrays.require_same_place(X, self.place, name=name, owner="phi")
        dtype, precision = self._dtype_for(X)
        n_columns, out = self.n_features if part is None else part.n_features, dtype
        if self._unit.n_values:
            out = _arrays.code_dtype(self.place.xp, self._unit.n_values)
        if _arrays.stays_lazy(X):
            chunk = functools.partial(self._features, finite=finite, part=part, name="a chunk of X")
            return _arrays.over_chunks(chunk, X, n_columns, out)
        streamed = part is None and not self.stored
        arrays: tuple[Any, ...] = ()
        if not streamed:
            arrays = self._weights(precision) if part is None else part.weights(precision)

        def block(arrays: tuple[Any, ...]) -> Callable[[Any, Array], Array]:
            return lambda xp, x: self._transform(xp, xp.astype(x, dtype, copy=False), *arrays)

        looked = self._require_range(X, precision, largest, arrays, name)
        quiet = np.errstate(over="ignore", invalid="ignore") if looked else nullcontext()
        with _arrays.full_precision(X), quiet:
            if streamed:
                parts = ((b.slices, block(b.weights(precision))) for b in unit_blocks(self))
                result = _arrays.map_columns(parts, X, n_columns, out)
            else:
                result = _arrays.map_rows(
                    block(arrays),
                    X,
                    n_columns,
                    out,
                    block=self._unit.block if self._on_host else None,
                    width=self._unit.width,
                    compiled=functools.partial(self._compiled, arrays, precision),
                )
        if looked:
            _arrays.require_no_overflow(result, X, None, f"features by {self._title}")
        return _arrays.attached(result, X)

    def _compiled(self, weights: tuple[Any, ...], dtype: str, x: Array) -> Any:
        """Return a function of rows compiled by JAX, or None under tracing."""
        if any(map(_arrays.is_lazy, (x, *weights))):
            return None
        if dtype not in self._jits:
            # A reference cycle would keep the weights until garbage collection.
            this: Any = weakref.ref(self)
            xp = self.place.xp
            self._jits[dtype] = _arrays.compiled(
                lambda rows, weights: this()._transform(
                    xp, xp.astype(rows, getattr(xp, dtype), copy=False), *weights
                )
            )
        jitted = self._jits[dtype]
        # As arguments: constants would be folded, and kept by the compiler.
        return lambda rows: jitted(rows, weights)

    def _require_range(
        self, x: Array, dtype: str, largest: float | None, weights: Any, name: str = "X"
    ) -> bool:
        """Refuse rows whose angles or products overflow; return whether to look at features."""
        free, angles = _arrays.may_be_read(x), self._unit.angles
        if largest is None:
            if not free:
                return False
            largest = _arrays.largest_entry(x)
        if angles is not None:
            if dtype not in self._longest:
                if angles.law is not None and not weights:
                    weights = next(unit_blocks(self)).weights(dtype)
                if any(map(_arrays.is_lazy, weights if angles.law is not None else ())):
                    return False
                reach = angles.reach(weights)
                self._longest[dtype] = angles.longest(dtype, self.n_inputs, reach)
            if not largest * math.sqrt(self.n_inputs) <= self._longest[dtype]:
                angles.require(x, dtype, self._longest[dtype], name)
            return False
        if not self._unit.safe < largest < math.inf or not free:
            return False
        if largest > float(np.finfo(dtype).max) / (_MARGIN * x.shape[1]):
            raise _arrays.overflow_error("projections", dtype, x)
        return True

    def unit_blocks(self, size: int | None = None) -> Iterator[UnitBlock]:
        """Iterate over blocks of units, each of which draws its weights when first called.

        Loop over units outside and over rows inside: weights are then drawn once per pass.
        ValueError if the units of this map are drawn together.

        Parameters
        ----------
        size : int, optional
            Units per block, best a multiple of 64; default 64 to 4096, about a million numbers.

        Returns
        -------
        iterator of UnitBlock
            From the first unit to the last.

        Examples
        --------
        >>> import numpy as np, mehler
        >>> phi = mehler.MaxoutFeatures.draw(3, 1000, 4, seed=0, stored=False)
        >>> X, w, f = np.eye(3), np.ones(1000), 0.0
        >>> for block in phi.unit_blocks():
        ...     f = f + block(X) @ w[block.columns]
        >>> bool(np.allclose(f, phi(X) @ w))
        True
        """
        if size is not None:
            size = require_integer("size", size)
        self._require_drawn("drawn by units")
        self._draw("float32", slice(0, 1))
        return unit_blocks(self, size)

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
        """Compute the variance of one feature product, (n, k), as :meth:`kernel` the mean."""
        return self._of_rows(X, Y, self._variance_of, check_finite)

    def gram_variance(
        self, X: Array, Y: Array | None = None, *, check_finite: bool = True
    ) -> Array:
        """Compute the variance of ``phi.gram(X, Y)``, (n, k), or a documented upper bound."""
        return self._of_rows(
            X, Y, lambda x, y: self._gram_variance_of(x, y) / self.n_features, check_finite
        )

    def _of_rows(
        self, x: Array, y: Array | None, function: Pairwise, check_finite: bool = True
    ) -> Array:
        """Check both matrices, compute in the widest float, and cast to the dtype of `x`."""
        self._require_law()
        finite = check_finite is True or require_flag("check_finite", check_finite)
        x, y = _arrays.array_of_frame(x), _arrays.array_of_frame(y, "Y")
        on_pairs = functools.partial(self._of_rows, function=function, check_finite=finite)
        if _arrays.is_batched(x) or _arrays.is_batched(y):
            return _arrays.pairs_of_batches(on_pairs, x, y)
        largest = _arrays.require_matrices(x, y, n_columns=self.n_inputs, finite=finite)
        dtype, place = _arrays.real_dtype(x), _arrays.place_of(x)
        if _arrays.stays_lazy(x):
            # What the map does not know is refused here, and not by a worker.
            on_pairs(_arrays.one_row(x), None)
            return _arrays.pairs_of_chunks(on_pairs, x, y, dtype)
        xp, wide = place.xp, _arrays.widest_float(place.xp, place.device)
        # XLA divides by reciprocals, which are 0 where they would be subnormal.
        if wide == xp.float32 and (largest or 0.0) * float(xp.finfo(wide).smallest_normal) > 0.25:
            raise _arrays.overflow_error("products", wide, x, y)
        angles = self._unit.angles
        for name, rows in (("X", x), ("Y", y)):
            # Kernels are functions of differences, which lose only what rows themselves do.
            looked = angles and rows is not None and not _arrays.is_lazy(rows)
            if angles and looked and _arrays.loses_digits(rows, wide):
                most = angles.longest(_arrays.dtype_name(wide), self.n_inputs, angles.scale)
                angles.require(rows, _arrays.dtype_name(wide), most, name)
        with np.errstate(over="ignore", invalid="ignore"), _arrays.full_precision(x):
            wide_y = None if y is None else xp.astype(y, wide)
            value = xp.astype(function(xp.astype(x, wide, copy=False), wide_y), dtype, copy=False)
        if finite and not self._bounded:  # kernels of localised waves grow with the rows
            _arrays.require_no_overflow(value, x, y)
        return value

    def gram(self, X: Array, Y: Array | None = None, *, check_finite: bool = True) -> Array:
        """Estimate ``phi.kernel(X, Y)`` by inner products of features, (n, k), in their dtype.

        Arguments are as for :meth:`kernel`, in one library and device with the weights.
        """
        X, Y = _arrays.array_of_frame(X), _arrays.array_of_frame(Y, "Y")
        for name, rows in (("X", X), ("Y", Y)):
            if _arrays.is_row(rows):
                _arrays.require_matrix(rows, name=name)
        left = self(X, check_finite=check_finite)
        right = left if Y is None else self(Y, check_finite=check_finite)
        xp = _arrays.array_namespace(left)
        with np.errstate(over="ignore", invalid="ignore"), _arrays.full_precision(left):
            value = xp.matmul(left, xp.matrix_transpose(right))
        if check_finite and value.ndim == 2:
            _arrays.require_no_overflow(value, X, Y)
        return value

    def products(self, X: Array, Y: Array, *, check_finite: bool = True) -> Array:
        """Compute the contribution of each unit at row pairs (x_i, y_i): shape (n, n_units).

        The mean over columns is the estimate of the kernel at the pair. Rows, in as many of `X` as
        of `Y`, `check_finite` and the dtype of the result are as in :meth:`__call__`.
        """
        X, Y = _arrays.array_of_frame(X), _arrays.array_of_frame(Y, "Y")
        _arrays.array_namespace(X, Y, names=("X", "Y"))
        if _arrays.is_row(X):
            _arrays.require_matrix(X)
        _arrays.require_known_chunks(X, Y)
        shapes = tuple(X.shape), tuple(Y.shape)
        if shapes[0] != shapes[1]:
            both = f"{shapes[0]} and {shapes[1]}"
            raise ValueError(f"X and Y are paired row by row but have shapes {both}")
        on_rows = functools.partial(self.products, check_finite=check_finite)
        if _arrays.is_batched(X):
            return _arrays.rows_of_batches(on_rows, X, Y)
        left, right = (self(rows, check_finite=check_finite) for rows in (X, Y))
        with np.errstate(over="ignore", invalid="ignore"):
            value = self._unit_products(left, right)
        if check_finite and value.ndim == 2:
            _arrays.require_no_overflow(value, X, Y)
        return value

    def _products_at(
        self, X: Array, Y: Array, first: NDArray[np.int64], second: NDArray[np.int64]
    ) -> Array | None:
        """Return `products` of rows x_i and y_j by host indices; None if a class has its own."""
        default = type(self).products is FeatureMap.products
        if not default or _arrays.is_lazy(X) or _arrays.is_lazy(Y):
            return None
        left = self(X)
        right, place = left if Y is X else self(Y), _arrays.place_of(left)
        paired = (
            place.xp.take(side, _arrays.from_host(index.astype(np.int32), place), axis=0)
            for side, index in ((left, first), (right, second))
        )
        return self._unit_products(*paired)

    def _unit_products(self, left: Array, right: Array) -> Array:
        """Sum the products of the columns of each unit, times the number of units."""
        both = left * right * float(self.n_units)
        groups, width = self._unit.columns
        if groups == width == 1:
            return both
        xp, shape = _arrays.array_namespace(both), (both.shape[0], groups, self.n_units, width)
        both = xp.reshape(both, shape)
        return xp.sum(xp.sum(both, axis=3), axis=1)

    def _require_law(self) -> None:
        """Raise for weights whose distribution is not known."""
        if self._weights_are == "trainable":
            raise ValueError(
                "this map has trainable weights, whose distribution is not known, and so no kernel "
                "and no variance: use those of the map that was drawn, or gram(X, Y)"
            )

    def _require_size(self) -> None:
        size = 8 * self._unit.n_weights
        if size <= self._max_bytes:
            return
        sizes = {k: v for k, v in self._arguments().items() if isinstance(v, int) and k != "seed"}
        text = ", ".join(f"{name}={value}" for name, value in sizes.items())
        remedy = "make one of them smaller"
        if self._max_bytes < _LARGEST_WEIGHTS:
            remedy = f"if that is what you mean, pass max_bytes={size}"
        unit = f"{size / 2**30:.0f} GiB" if size < 1 << 40 else f"{size >> 40} TiB"
        raise ValueError(f"{text} ask for {unit} of weights; {remedy}")

    def _require_all(self, units: slice) -> None:
        """Raise ValueError unless all units are drawn."""
        if units != slice(0, self.n_units):
            raise ValueError(
                f"units of {type(self).__name__} cannot be drawn individually, since they depend "
                "on each other: use the whole map"
            )

    def _dtype_for(self, x: Array) -> tuple[Any, str]:
        """Return the dtype to compute in, and its name."""
        if self.dtype is None:
            return (dtype := _arrays.real_dtype(x)), _arrays.dtype_name(dtype)
        place = _arrays.place_of(x)
        return _arrays.resolve_dtype(self.dtype, place.xp, place.device), self.dtype

    def _weights(self, dtype: str) -> tuple[Any, ...]:
        """Return the weights in `dtype`, placed on the device; cached per dtype if stored."""
        if dtype in self._placed and not self._axes:
            return self._placed[dtype]
        if not self.stored:
            return self._drawn_weights(dtype)
        if _arrays.is_compiling() and dtype not in self._placed:
            raise ValueError(
                f"the map has not been called in {dtype} yet: draw it with dtype={dtype!r}, or "
                "call it once before torch.compile"
            )
        with self._lock:
            if dtype not in self._placed:
                if self._weights_are != "drawn":
                    raise ValueError(
                        f"this map was given weights of {self.first_dtype}, and none of "
                        f"{dtype}: convert X, or draw the map with dtype={dtype!r}"
                    )
                self._placed[dtype] = self._drawn_weights(dtype)
            weights = self._placed[dtype]
        if self._axes and self._axes != tuple(part.ndim for part in weights):
            raise ValueError(
                f"this map has {self._weights_are} weights, of other axes than one draw: to call "
                "several draws, jax.vmap(lambda phi: phi(X))(mehler.jax.stacked(maps))"
            )
        return weights

    def _drawn_weights(self, dtype: str) -> tuple[Any, ...]:
        parts = self._draw(dtype, slice(0, self.n_units))
        return tuple(_arrays.from_host(part, self.place) for part in parts)

    def _with_weights(self, weights: tuple[Any, ...], kind: WeightsAre) -> Self:
        """Return a map like this one with other weights, of `first_dtype` alone."""
        bound = object.__new__(type(self))
        vars(bound).update(
            vars(self),
            _placed={self.first_dtype: tuple(weights)},
            _jits={},
            _weights_are=kind,
            _axes=self._axes or tuple(part.ndim for part in self.weights),
            _lock=threading.Lock(),
        )
        return bound
