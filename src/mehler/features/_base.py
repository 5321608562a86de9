"""What every map is: draw, transform, exact kernel, exact variance."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from mehler import _arrays
from mehler._random import check_seed
from mehler._validate import integer
from mehler._version import __version__
from mehler.features._recipes import MAPS, map_of
from mehler.features._units import Columns, UnitBlock, units_per_block

# Weights beyond this are surely a slip of the keyboard (a product of sizes that overflowed).
_LARGEST_WEIGHTS = 1 << 42


class FeatureMap(ABC):
    """An immutable random feature map, with the exact kernel that its inner products estimate.

    Subclasses say how a block of rows is transformed, and what kernel and variance follow.

    Attributes
    ----------
    n_inputs, n_features : int
        Columns of the data and of the features: d and m of the papers.
    seed : int
        Draws the same weights on every backend.
    dtype : str or None
        The dtype that the map computes in; None follows the data.
    stored : bool
        Whether the weights are held. If not, they are drawn anew for every pass over rows, block
        by block of units.
    """

    # Whether the m feature products are independent draws.
    independent_units: ClassVar[bool] = True

    def __init_subclass__(cls, **options: Any) -> None:
        """Let recipes name the class."""
        super().__init_subclass__(**options)
        MAPS.add(cls)

    def __init__(
        self,
        n_inputs: int,
        n_features: int,
        *,
        seed: int,
        like: Any = None,
        dtype: Any = None,
        stored: bool = True,
    ) -> None:
        if not isinstance(stored, bool):
            raise TypeError(f"stored={stored!r} must be True or False")
        self.stored = stored
        self.n_inputs = integer("n_inputs", n_inputs)
        self.n_features = integer("n_features", n_features)
        self.seed = check_seed(seed)
        size = 8 * self._n_weights()
        if size > _LARGEST_WEIGHTS:
            sizes = {k: v for k, v in self._arguments().items() if k != "seed" and v is not None}
            listed = ", ".join(f"{name}={value}" for name, value in sizes.items())
            raise ValueError(
                f"{listed} ask for {size / 2**40:.3g} TiB of weights; make one of them smaller"
            )
        self.place = _arrays.resolve_place(like)
        fixed = dtype is not None
        chosen = _arrays.resolve_dtype(dtype, self.place.xp, self.place.device)
        self.dtype = _arrays.dtype_name(chosen) if fixed else None
        if not fixed and _arrays.is_array(like):
            chosen = _arrays.real_dtype(like, name="like")
        self._lock = threading.Lock()
        self._placed: dict[str, Any] = {}
        self._held_in_common: dict[str, tuple[Any, ...]] = {}
        if stored:
            self._weights(_arrays.dtype_name(chosen))
        else:
            # Now, not in the first pass, says whether there are such weights.
            self._draw_units(_arrays.dtype_name(chosen), slice(0, 1))
        self._drawn = True

    def __setattr__(self, name: str, value: Any) -> None:
        if getattr(self, "_drawn", False):
            raise AttributeError(f"maps are immutable: draw another one to change {name}")
        super().__setattr__(name, value)

    # -- what a subclass says -------------------------------------------------------------

    def _n_weights(self) -> int:
        """How many numbers the weights are."""
        return self.n_inputs * self.n_features

    @abstractmethod
    def _draw(self, dtype: str) -> tuple[Any, ...]:
        """Weights on the host."""

    @property
    def n_units(self) -> int:
        """Units, of which each is drawn alone; a unit may be several columns."""
        return self.n_features

    def _draw_units(self, dtype: str, units: slice) -> tuple[Any, ...]:
        """Weights of some units on the host, as `_draw` has them; without drawing the others."""
        raise ValueError(
            f"{type(self).__name__} draws its units together, so that no block of them can be had "
            "alone"
        )

    def _columns_of(self, units: slice) -> tuple[slice, ...]:
        """Which columns these units are, in the order in which a block of them has them."""
        return (units,)

    def _draw_common(self, dtype: str) -> tuple[Any, ...]:
        """Weights on the host that no unit has for itself."""
        return ()

    @abstractmethod
    def _block(self) -> Callable[..., _arrays.Array]:
        """A plain function ``(xp, rows, *weights)`` that transforms a block of rows."""

    @abstractmethod
    def _kernel_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        """Expected kernel of checked rows in the widest float, shape (n, k)."""

    @abstractmethod
    def _variance_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        """Variance of one feature product of checked rows in the widest float, shape (n, k)."""

    def _gram_variance_of(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        """Variance of the Gram's entries times m: the same, if units are independent."""
        return self._variance_of(x, y)

    def _rows_per_block(self) -> int | None:
        """How many rows at a time suit the host's cache; None where any block that fits does."""
        return None

    def _on_host(self) -> bool:
        return _arrays.namespace_name(self.place.xp) in {"numpy", "dask.array"}

    def _parameters(self) -> dict[str, Any]:
        """Arguments of `draw` beyond the common ones, for the recipe."""
        return {}

    # -- what every map does --------------------------------------------------------------

    def __call__(self, X: _arrays.Array) -> _arrays.Array:
        """Features of the rows of `X`: shape (n, n_features).

        Parameters
        ----------
        X : array, shape (n, n_inputs)
            Real, finite rows on the map's library and device.

        Returns
        -------
        array, shape (n, n_features)
            In the namespace, device and float dtype of `X` (integers: the default float), or in
            the dtype that the map was drawn with.

        Raises
        ------
        TypeError, ValueError
            If `X` is not such a matrix, or lives elsewhere; before any work.
        """
        dtype = self._checked_dtype(X)
        if not self.stored:
            columns = Columns(self, _arrays.dtype_name(dtype))
            return _arrays.map_columns(columns, X, self.n_features, self._out_dtype(dtype))
        return _arrays.map_rows(
            _Transform(self, _arrays.dtype_name(dtype)),
            X,
            self.n_features,
            self._out_dtype(dtype),
            # Caches are a matter of the host: other devices want large blocks.
            block=self._rows_per_block() if self._on_host() else None,
        )

    def unit_blocks(self, size: int | None = None) -> Iterator[UnitBlock]:
        """Blocks of units, each of which draws its weights alone when it is first called.

        For passes over more units than fit into memory, by maps with ``stored=False``; stored maps
        have the same blocks. Units outermost, rows inner: then weights are drawn once a pass.

        Parameters
        ----------
        size : int, optional
            Units a block, best a multiple of 64; default 64 to 4096, about a million numbers.

        Returns
        -------
        iterator of UnitBlock
            From the first unit to the last.

        Raises
        ------
        TypeError, ValueError
            If `size` is not an integer of at least 1; if the units of this map are drawn together.

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
        size = integer("size", size)
        if self.stored:
            # Others showed that they can when they were made.
            self._draw_units("float32", slice(0, 1))
        return (
            UnitBlock(self, each.start, each.stop) for each in _arrays.slices(self.n_units, size)
        )

    def kernel(self, X: _arrays.Array, Y: _arrays.Array | None = None) -> _arrays.Array:
        """Exact expected kernel, shape (n, k): the mean of ``phi.gram(X, Y)`` over draws.

        Parameters
        ----------
        X : array, shape (n, n_inputs)
            Rows; any library and device, whatever the map was drawn for.
        Y : array, shape (k, n_inputs), optional
            Rows; ``None`` stands for `X`.

        Returns
        -------
        array, shape (n, k)
            In the namespace and float dtype of `X`, computed in the widest float of its device.

        Raises
        ------
        TypeError, ValueError
            If `X` or `Y` is not such a matrix, or they live in two libraries.

        Notes
        -----
        Correlations carry the rounding of one inner product, about 1e-16. Kernels that have a
        square root at rho = 1 (collision probabilities) turn that into 1e-8 for pairs of equal
        or nearly equal rows; with ``Y=None`` the diagonal is exact.
        """
        return self._of_rows(X, Y, self._kernel_of)

    def variance(self, X: _arrays.Array, Y: _arrays.Array | None = None) -> _arrays.Array:
        """Exact variance of one feature product, shape (n, k).

        For independent units, ``Var <phi(x), phi(y)> = variance / n_features``; otherwise see
        :meth:`gram_variance`. Parameters, errors and accuracy as :meth:`kernel`.
        """
        return self._of_rows(X, Y, self._variance_of)

    def gram_variance(self, X: _arrays.Array, Y: _arrays.Array | None = None) -> _arrays.Array:
        """Variance of the entries of ``phi.gram(X, Y)`` over draws, shape (n, k).

        Exact, unless the class says that it is an upper bound. Parameters, errors and accuracy
        as :meth:`kernel`.
        """
        return self._of_rows(X, Y, self._gram_variance_of) / self.n_features

    def gram(self, X: _arrays.Array, Y: _arrays.Array | None = None) -> _arrays.Array:
        """The estimate of ``phi.kernel(X, Y)``: inner products of features, shape (n, k)."""
        left = self(X)
        right = left if Y is None else self(Y)
        xp = _arrays.array_namespace(left)
        return xp.matmul(left, xp.matrix_transpose(right))

    def products(self, X: _arrays.Array, Y: _arrays.Array) -> _arrays.Array:
        """For row pairs (x_i, y_i), what each unit contributes: shape (n, n_features).

        The mean over columns is the estimate of the kernel at the pair.
        """
        if tuple(X.shape) != tuple(Y.shape):
            raise ValueError(
                f"X and Y are paired row by row but have shapes {tuple(X.shape)} and "
                f"{tuple(Y.shape)}; make them equal"
            )
        return self._unit_products(self(X), self(Y))

    def _unit_products(self, left: _arrays.Array, right: _arrays.Array) -> _arrays.Array:
        return left * right * float(self.n_features)

    def to(self, like: Any) -> FeatureMap:
        """The same map with its weights on another library or device."""
        return type(self)(**self._arguments(), like=like, dtype=self.dtype)

    def recipe(self) -> dict[str, Any]:
        """A small JSON-able dict that draws the same map again: see :func:`mehler.from_recipe`."""
        return {
            "map": type(self).__name__,
            "mehler": __version__,
            **self._arguments(),
            "dtype": self.dtype,
        }

    def __reduce__(self) -> tuple[Any, tuple[dict[str, Any]]]:
        # A map travels between processes as its recipe, and lands on the host.
        return map_of, (self.recipe(),)

    def __repr__(self) -> str:
        arguments = ", ".join(f"{k}={v!r}" for k, v in self._arguments().items())
        return f"{type(self).__name__}.draw({arguments}) on {self.place.name}"

    # -- how ------------------------------------------------------------------------------

    def _arguments(self) -> dict[str, Any]:
        return {
            "n_inputs": self.n_inputs,
            "n_features": self.n_features,
            **self._parameters(),
            "seed": self.seed,
            # Recipes of stored maps have no word for it, as before there were others.
            **({} if self.stored else {"stored": False}),
        }

    def _checked_dtype(self, x: _arrays.Array) -> Any:
        """The dtype to compute in, for rows that this map takes."""
        _arrays.check_matrix(x, name="X", n_columns=self.n_inputs)
        self._require_here(x, "X")
        return self._dtype_for(x)

    def _require_here(self, x: _arrays.Array, name: str) -> None:
        here = _arrays.place_of(x)
        host_blocks = {"numpy", "dask.array"}
        # The blocks of a Dask array are NumPy arrays: a map on the host serves both.
        if {_arrays.namespace_name(here.xp), _arrays.namespace_name(self.place.xp)} <= host_blocks:
            return
        _arrays.require_same_place(x, self.place, name=name, owner="phi")

    def _dtype_for(self, x: _arrays.Array) -> Any:
        if self.dtype is None:
            return _arrays.real_dtype(x)
        return _arrays.resolve_dtype(self.dtype, *self._xp_and_device(x))

    def _xp_and_device(self, x: _arrays.Array) -> tuple[Any, Any]:
        place = _arrays.place_of(x)
        return place.xp, place.device

    def _out_dtype(self, dtype: Any) -> Any:
        return dtype

    def _weights(self, dtype: str) -> tuple[Any, ...]:
        """Weights in `dtype`, placed; drawn in float64 and rounded, once a dtype if stored."""
        if not self.stored:
            return tuple(_arrays.from_host(part, self.place) for part in self._draw(dtype))
        with self._lock:
            if dtype not in self._placed:
                self._placed[dtype] = tuple(
                    _arrays.from_host(part, self.place) for part in self._draw(dtype)
                )
            return self._placed[dtype]

    def _common(self, dtype: str) -> tuple[Any, ...]:
        """What `_draw_common` draws, once a dtype."""
        with self._lock:
            if dtype not in self._held_in_common:
                self._held_in_common[dtype] = self._draw_common(dtype)
            return self._held_in_common[dtype]

    def _of_rows(
        self,
        x: _arrays.Array,
        y: _arrays.Array | None,
        function: Callable[[_arrays.Array, _arrays.Array | None], _arrays.Array],
    ) -> _arrays.Array:
        """Check both matrices, compute in the widest float, and return to that of `x`."""
        _arrays.check_matrix(x, name="X", n_columns=self.n_inputs)
        if y is not None:
            _arrays.check_matrix(y, name="Y", n_columns=self.n_inputs)
            _arrays.array_namespace(x, y, names=("X", "Y"))
            _arrays.require_same_place(y, _arrays.place_of(x), name="Y", owner="X")
        place = _arrays.place_of(x)
        xp = place.xp
        wide = _arrays.widest_float(xp, place.device)
        values = function(xp.astype(x, wide), None if y is None else xp.astype(y, wide))
        return xp.astype(values, _arrays.real_dtype(x), copy=False)


class _Transform:
    """A block function with its weights: what walks over rows, and travels to Dask workers.

    It travels as its map does, so that a graph carries a recipe and no weights.
    """

    def __init__(self, source: FeatureMap, dtype: str) -> None:
        self.source = source
        self.dtype = dtype
        self.block = source._block()
        self.weights = source._weights(dtype)

    def __reduce__(self) -> tuple[Any, tuple[FeatureMap, str]]:
        return _Transform, (self.source, self.dtype)

    def __call__(self, xp: Any, rows: _arrays.Array) -> _arrays.Array:
        return self.block(xp, xp.astype(rows, getattr(xp, self.dtype), copy=False), *self.weights)
