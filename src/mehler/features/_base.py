"""The base class of every map: draw, transform, exact kernel, exact variance."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Literal, TypeVar

from mehler import _arrays
from mehler._arrays import Array
from mehler._random import require_seed
from mehler._validate import require_flag, require_integer
from mehler._version import __version__
from mehler.features import _given_weights, _rows
from mehler.features._block import Angles, Block, Columns, UnitBlock, WholeBlock, units_per_block
from mehler.features._recipes import MAPS, CalledByName, elsewhere, map_of

# More weights than this must be a mistake, such as a size with a digit too many.
_LARGEST_WEIGHTS = 1 << 42


_Map = TypeVar("_Map")


class _Constructor:
    """The class itself, so that `draw` has the constructor's signature and documentation."""

    def __get__(self, instance: object, owner: type[_Map]) -> type[_Map]:
        return owner


class FeatureMap(metaclass=CalledByName):
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
    dtype : str or None
        Name of the dtype that the map computes in; None follows the data.
    n_units : int
        Number of units: the parts of the map that are drawn one by one.
    independent_units : bool
        Whether the units are independent draws, so that errors average out like 1/n_units.

    Notes
    -----
    To write a map, subclass this class, set the attributes that the hooks need, and then call
    ``super().__init__``, which draws the weights and freezes the map. Public methods validate
    their arguments, choose the dtype and loop over blocks of rows; hooks see checked arrays of
    one namespace and dtype only. d is n_inputs and m is n_features.

    Required hooks:

    ``_draw(dtype) -> tuple of arrays``
        All weights, on the host, in the dtype of that name, drawn from the streams of
        `mehler._random` so that a larger map begins with the units of a smaller one. They are
        then placed on the map's device.
    ``_block() -> function``
        A picklable ``function(xp, rows, *weights)``: rows (b, d) to features (b, m), by the array
        API alone, without branches on values, so that it runs under ``jax.jit`` and on Dask.
    ``_kernel_of(x, y) -> array``
        The expected kernel, (n, k), of rows (n, d) and (k, d) in the widest float; ``y=None``
        means `x`. Serves :meth:`kernel`.
    ``_variance_of(x, y) -> array``
        The variance of one feature product, (n, k), likewise. Serves :meth:`variance`.

    Hooks with a default:

    ``_parameters() -> dict``
        Constructor arguments other than those above, JSON-able. Recipes, pickles, :meth:`to` and
        ``repr`` call the constructor with them. Default none.
    ``_gram_variance_of(x, y) -> array``
        m times the variance of the Gram's entries, (n, k). Define it, and set
        ``independent_units = False``, if units depend on each other. Default ``_variance_of``.
    ``_n_weights() -> int``
        Count of the weights, called before any is drawn, to refuse absurd sizes. Default d m.
    ``_angles() -> Angles or None``
        Of a map of waves, the scale of its angles, by which rows that would lose their phase are
        refused. Default None: any finite row is served.
    ``_rows_per_block() -> int or None``
        Rows per block that suit the host's cache. Default None: any block of at most 32 MiB.
    ``_numbers_per_row() -> int``
        Numbers held for each row of a block, which a GPU has no more of than memory. Default m.
    ``_out_dtype(dtype)``
        The dtype of the features, for maps to integers. Default `dtype`.
    ``_unit_products(left, right) -> array``
        Products per unit of paired features, (n, n_units), for units of several columns.
        Serves :meth:`products`. Default ``m * left * right``.

    Hooks for ``stored=False`` and :meth:`unit_blocks`, both of which fail without the first:

    ``_draw_units(dtype, units) -> tuple of arrays``
        The weights that ``_draw`` gives the units of a slice, without drawing the others.
        ``_block()`` maps rows to the columns of these units alone.
    ``n_units``
        Property: number of units. Default m.
    ``_columns_of(units) -> tuple of slice``
        Columns of the units, in the order in which their block computes them. Default ``(units,)``.
    ``_draw_common(dtype) -> tuple of arrays``
        Weights shared by all units, drawn once per dtype; ``_common(dtype)`` returns them to
        ``_draw_units``. Default none.
    """

    # The constructor under the name that says what it does.
    draw = _Constructor()

    _call = "{}.draw"

    # Whether the units are independent draws.
    independent_units: ClassVar[bool] = True

    # Rows of smaller entries have features within float32: those of larger ones are looked at.
    _safe_entry: float = 1e4
    # What computes them, in messages.
    _activation_title: str = ""

    # Weights that are leaves of a tree are not those of the seed; trained ones of no draw at all.
    _weights_are: Literal["drawn", "stacked", "trainable"] = "drawn"
    # Axes of the weights of one draw, of maps whose weights were given to them.
    _axes: tuple[int, ...] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        """Register the class, so that recipes can name it."""
        super().__init_subclass__(**options)
        MAPS.add(cls)

    def __init__(
        self,
        n_inputs: int,
        n_features: int,
        *,
        seed: int,
        like: Any = None,
        dtype: object = None,
        stored: bool = True,
    ) -> None:
        self.stored = require_flag("stored", stored)
        self.n_inputs = require_integer("n_inputs", n_inputs)
        self.n_features = require_integer("n_features", n_features)
        self.seed = require_seed(seed)
        size = 8 * self._n_weights()
        if size > _LARGEST_WEIGHTS:
            sizes = {k: v for k, v in self._arguments().items() if k != "seed" and v is not None}
            listed = ", ".join(f"{name}={value}" for name, value in sizes.items())
            raise ValueError(
                f"{listed} ask for {size >> 40} TiB of weights; make one of them smaller"
            )
        self.place = _arrays.resolve_place(like)
        fixed = dtype is not None
        chosen = _arrays.resolve_dtype(dtype, self.place.xp, self.place.device)
        self.dtype = _arrays.dtype_name(chosen) if fixed else None
        if not fixed and _arrays.is_array(like):
            chosen = _arrays.real_dtype(like, name="like")
        self._lock = threading.Lock()
        self._placed: dict[str, Any] = {}
        self._blocks: dict[str, WholeBlock] = {}
        self._held_in_common: dict[str, tuple[Any, ...]] = {}
        if stored:
            self._whole(_arrays.dtype_name(chosen))
        else:
            # Fail now, not in the first pass, if units cannot be drawn alone.
            self._draw_units(_arrays.dtype_name(chosen), slice(0, 1))
        self._drawn = True

    def __setattr__(self, name: str, value: object) -> None:
        if getattr(self, "_drawn", False):
            raise AttributeError(f"maps are immutable: draw another one to change {name}")
        super().__setattr__(name, value)

    # -- hooks, see the class docstring ---------------------------------------------------

    def _n_weights(self) -> int:
        return self.n_inputs * self.n_features

    @abstractmethod
    def _draw(self, dtype: str) -> tuple[Any, ...]:
        """Draw all weights on the host."""

    @property
    def n_units(self) -> int:
        """Number of units, each of which can be several columns."""
        return self.n_features

    def _draw_units(self, dtype: str, units: slice) -> tuple[Any, ...]:
        raise ValueError(
            f"{type(self).__name__} draws its units together, so that no block of them can be had "
            "alone"
        )

    def _columns_of(self, units: slice) -> tuple[slice, ...]:
        return (units,)

    def _draw_common(self, dtype: str) -> tuple[Any, ...]:
        return ()

    @abstractmethod
    def _block(self) -> Callable[..., Array]:
        """Return a function ``(xp, rows, *weights)`` from a block of rows to its features."""

    @abstractmethod
    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        """Compute the expected kernel of checked rows in the widest float, (n, k)."""

    @abstractmethod
    def _variance_of(self, x: Array, y: Array | None) -> Array:
        """Compute the variance of one feature product of checked rows, (n, k)."""

    def _gram_variance_of(self, x: Array, y: Array | None) -> Array:
        return self._variance_of(x, y)

    def _angles(self) -> Angles | None:
        return None

    def _rows_per_block(self) -> int | None:
        return None

    def _numbers_per_row(self) -> int:
        return self.n_features

    def _on_host(self) -> bool:
        return _arrays.namespace_name(self.place.xp) in {"numpy", "dask.array"}

    def _parameters(self) -> dict[str, Any]:
        return {}

    # -- public methods -------------------------------------------------------------------

    def __call__(self, X: Array, *, check_finite: bool = True) -> Array:
        """Compute the features of the rows of `X`: shape (n, n_features).

        Parameters
        ----------
        X : array, shape (..., n, n_inputs) or (n_inputs,)
            Real, finite rows on the map's library and device, in any number of batches; or a row.
            A data frame of numbers stands for its NumPy array.
        check_finite : bool, optional
            Look for NaN and infinity, and refuse them. Without a look, rows that have some give
            features without meaning, others are not affected; on a GPU nothing waits, and rows
            whose angles lose their phase are not refused.

        Returns
        -------
        array, shape (..., n, n_features) or (n_features,)
            In the namespace, device and float dtype of `X` (integers: the default float), or in
            the dtype that the map was drawn with.

        Notes
        -----
        On PyTorch and JAX features are differentiable in `X`, :doc:`/gradients`.
        """
        X = _arrays.array_of_frame(X)
        if _arrays.is_batched(X):
            return _arrays.rows_of_batches(lambda rows: self(rows, check_finite=check_finite), X)
        if _arrays.is_row(X):
            return self(X[None, :], check_finite=check_finite)[0, :]
        finite = check_finite is True or require_flag("check_finite", check_finite)
        dtype, largest = self._checked(X, finite)
        name, out = _arrays.dtype_name(dtype), self._out_dtype(dtype)
        near = not finite or (largest is not None and largest <= self._safe_entry)
        with _rows.NOT_LOOKED if near else _rows.within_floats(self, X, largest) as look:
            if not self.stored:
                columns = Columns(self, name, guarded=not _arrays.is_chunked(X))
                # Units of one law: the first ones have the reach of all.
                self._guarded(next(self.unit_blocks()).transform(name), X, largest, finite)
                values = _arrays.map_columns(columns, X, self.n_features, out)
            else:
                block = self._whole(name)
                values = _arrays.map_rows(
                    self._guarded(block, X, largest, finite),
                    X,
                    self.n_features,
                    out,
                    block=self._rows_per_block() if self._on_host() else None,
                    width=self._numbers_per_row(),
                    compiled=block.compiled,
                )
            if look:
                look(values)
        return _arrays.attached(values, X)

    def _guarded(
        self, block: Block, x: Array, largest: float | None, finite: bool
    ) -> Callable[..., Array]:
        """Guard all rows at once, and return a function of some; on Dask each chunk guards its own.

        Nothing waits for a GPU whose rows nobody is to look at.
        """
        if _arrays.is_chunked(x):
            return block
        if finite or not _arrays.is_on_accelerator(x):
            block.guard(_arrays.array_namespace(x), x, largest)
        return block.compute

    def unit_blocks(self, size: int | None = None) -> Iterator[UnitBlock]:
        """Iterate over blocks of units, each of which draws its weights when first called.

        For passes over more units than fit into memory, by maps with ``stored=False``; stored maps
        have the same blocks. Loop over units outside and over rows inside: weights are then drawn
        once per pass. ValueError if the units of this map are drawn together.

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
        if size is None:
            size = units_per_block(self)
        size = require_integer("size", size)
        self._require_drawn("drawn by units")
        if self.stored:
            # Maps that are not stored were checked when made.
            self._draw_units("float32", slice(0, 1))
        return (
            UnitBlock(self, each.start, each.stop) for each in _arrays.slices(self.n_units, size)
        )

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

    gram = _rows.gram
    products = _rows.products
    _products_at = _rows.products_at

    def _unit_products(self, left: Array, right: Array) -> Array:
        return left * right * float(self.n_features)

    def to(self, like: Any) -> FeatureMap:
        """Return the same map with its weights on another library or device.

        Parameters
        ----------
        like : array or array namespace
            Where the weights are to live.

        Returns
        -------
        FeatureMap
            A new map, with weights equal bit for bit.
        """
        self._require_drawn("moved")
        return type(self)(**self._arguments(), like=like, dtype=self.dtype)

    def recipe(self) -> dict[str, Any]:
        """Return a small JSON-able dict that draws the same map again.

        Raises
        ------
        ValueError
            If the map was drawn with a function or a spectrum of your own; a pickle names them.

        See Also
        --------
        mehler.from_recipe : Draw it.

        Notes
        -----
        With the same NumPy and SciPy, weights are the same bits on every array library and
        processor. What linear algebra computes is so on processors of one kind, and agrees to
        rounding elsewhere: :mod:`mehler.features.projections`.
        """
        written = self._written()
        for name, value in written.items():
            if isinstance(value, FeatureMap):
                written[name] = value.recipe()
            elif callable(value) or isinstance(type(value), CalledByName):
                raise ValueError(
                    f"a map drawn with {name}={value!r} has no recipe, since JSON cannot hold it: "
                    "use a name, keep the call that draws it, or pickle the map"
                )
        return written

    def _written(self) -> dict[str, Any]:
        """Return the name of the class, the version, and the arguments as they are."""
        self._require_drawn("written down")
        return {
            "map": type(self).__name__,
            "mehler": __version__,
            **self._arguments(),
            "dtype": self.dtype,
        }

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        # Pickled as its arguments and its place, without weights; pickle names functions.
        return map_of, (self._written(), self.place.empty(), elsewhere(type(self)))

    # Maps are immutable: copies are the map itself, with its library, device and dtype.
    def __copy__(self: _Map) -> _Map:
        return self

    def __deepcopy__(self: _Map, memo: dict[int, Any]) -> _Map:
        return self

    def __repr__(self) -> str:
        arguments = ", ".join(f"{k}={v!r}" for k, v in self._arguments().items())
        own = "" if self._weights_are == "drawn" else f", with {self._weights_are} weights"
        return f"{type(self).__name__}.draw({arguments}) on {self.place.name}{own}"

    # -- implementation -------------------------------------------------------------------

    _require_drawn = _given_weights.require_drawn
    _require_law = _given_weights.require_law
    _require_axes = _given_weights.require_axes

    def _arguments(self) -> dict[str, Any]:
        return {
            "n_inputs": self.n_inputs,
            "n_features": self.n_features,
            **self._parameters(),
            "seed": self.seed,
            # Omit the default so recipes from before `stored=` still compare equal.
            **({} if self.stored else {"stored": False}),
        }

    def _checked(self, x: Array, finite: bool = True) -> tuple[Any, float | None]:
        """Validate rows; return the dtype to compute in, and their largest entry if looked at."""
        largest = _arrays.require_matrix(x, name="X", n_columns=self.n_inputs, finite=finite)
        self._require_here(x, "X")
        return self._dtype_for(x), largest

    def _require_here(self, x: Array, name: str) -> None:
        here = _arrays.place_of(x)
        host_blocks = {"numpy", "dask.array"}
        # Blocks of a Dask array are NumPy arrays: a map on the host takes both.
        if {_arrays.namespace_name(here.xp), _arrays.namespace_name(self.place.xp)} <= host_blocks:
            return
        _arrays.require_same_place(x, self.place, name=name, owner="phi")

    def _dtype_for(self, x: Array) -> Any:
        if self.dtype is None:
            return _arrays.real_dtype(x)
        place = _arrays.place_of(x)
        return _arrays.resolve_dtype(self.dtype, place.xp, place.device)

    def _out_dtype(self, dtype: object) -> Any:
        return dtype

    def _whole(self, dtype: str) -> WholeBlock:
        """Return the block of all columns, made once per dtype."""
        if dtype not in self._blocks:
            if _arrays.is_compiling():
                raise ValueError(
                    f"the map has not been called in {dtype} yet: draw it with dtype={dtype!r}, or "
                    "call it once before torch.compile"
                )
            # Of a copy, since a circle would keep the weights until the collector comes by.
            copy = object.__new__(type(self))
            copy.__dict__.update(self.__dict__, _blocks={})
            self._blocks[dtype] = WholeBlock(copy, dtype)
        return self._blocks[dtype]

    def _weights(self, dtype: str) -> tuple[Any, ...]:
        """Return the weights in `dtype`, placed on the device; cached per dtype if stored."""
        if not self.stored:
            return tuple(_arrays.from_host(part, self.place) for part in self._draw(dtype))
        with self._lock:
            if self._weights_are != "drawn" and dtype not in self._placed:
                raise ValueError(
                    f"this map was given weights of {next(iter(self._placed))}, and none of "
                    f"{dtype}: convert X, or draw the map with dtype={dtype!r}"
                )
            if dtype not in self._placed:
                self._placed[dtype] = tuple(
                    _arrays.from_host(part, self.place) for part in self._draw(dtype)
                )
            self._require_axes(self._placed[dtype])
            return self._placed[dtype]

    def _common(self, dtype: str) -> tuple[Any, ...]:
        """Return the weights of `_draw_common`, cached per dtype."""
        with self._lock:
            if dtype not in self._held_in_common:
                self._held_in_common[dtype] = self._draw_common(dtype)
            return self._held_in_common[dtype]

    _of_rows = _rows.of_rows
