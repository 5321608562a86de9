"""A random map as its weights: constructor, checked rows, features, units, copies."""

from __future__ import annotations

import functools
import inspect
import math
import threading
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler._random import require_seed
from mehler._validate import require_flag, require_integer
from mehler._version import __version__
from mehler.features._block import UnitBlock, Units, unit_blocks
from mehler.features._recipes import MAPS, CalledByName, elsewhere, map_of, written

# More weights, in bytes of float64, must be a mistake, such as a size with a digit too many.
_LARGEST_WEIGHTS = 1 << 42
# Products with weights of up to 8 deviations, and their sums, stay within the floats by this.
_MARGIN = 64.0


class RandomMap(metaclass=CalledByName):
    """What a map is without its kernel; see :class:`FeatureMap`, the only subclass of it."""

    if TYPE_CHECKING:
        # The constructor under the name that says what it does.
        draw: ClassVar[type[Self]]

    _call = "{}.draw"
    # Arguments of the constructor by name.
    _passed: dict[str, Any]
    # Arguments that a recipe leaves out at their default, since they came later, or say nothing.
    _later: ClassVar[tuple[str, ...]] = ("stored",)
    # Bytes of weights in float64, beyond which a map is refused; `from_recipe` lowers it.
    _max_bytes: int = _LARGEST_WEIGHTS

    # Weights that are leaves of a tree are not those of the seed; trained ones of no draw at all.
    _weights_are: Literal["drawn", "stacked", "trainable"] = "drawn"
    # Axes of the weights of one draw, of maps whose weights were given to them.
    _axes: tuple[int, ...] = ()

    def __init_subclass__(cls, **options: Any) -> None:
        """Register the class, so that recipes can name it."""
        super().__init_subclass__(**options)
        cls.draw = cls  # type: ignore[assignment]  # the constructor itself
        MAPS.add(cls)

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Keep the arguments, from which recipes and copies are made."""
        self = super().__new__(cls)
        bound = inspect.signature(cls).bind(*args, **kwargs)
        bound.apply_defaults()
        self._passed = dict(bound.arguments)
        return self

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
        self._on_host = _arrays.namespace_name(self.place.xp) in {"numpy", "dask.array"}
        chosen = _arrays.resolve_dtype(dtype, self.place.xp, self.place.device)
        self.dtype = None if dtype is None else _arrays.dtype_name(chosen)
        if dtype is None and _arrays.is_array(like):
            chosen = _arrays.real_dtype(like, name="like")
        self._lock = threading.Lock()
        # By dtype: weights, the longest rows whose angles keep their phase, and what JAX compiled.
        self._placed: dict[str, tuple[Any, ...]] = {}
        self._longest: dict[str, float] = {}
        self._jits: dict[str, Any] = {}
        if stored:
            self._weights(_arrays.dtype_name(chosen))
        else:
            # Fail now, not in the first pass, if units cannot be drawn alone.
            self._draw(_arrays.dtype_name(chosen), slice(0, 1))
        self._drawn = True

    def __setattr__(self, name: str, value: object) -> None:
        if getattr(self, "_drawn", False):
            raise AttributeError(f"maps are immutable: draw another one to change {name}")
        super().__setattr__(name, value)

    # -- hooks, see the class docstring ---------------------------------------------------

    @abstractmethod
    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        """Draw the weights of some units on the host."""

    @abstractmethod
    def _transform(self, xp: ModuleType, rows: Array, *weights: Any) -> Array:
        """Compute the features of a block of rows."""

    def _units(self) -> Units:
        return Units(self.n_inputs * self.n_features)

    # -- features -------------------------------------------------------------------------

    @property
    def n_units(self) -> int:
        """Number of units, each of which can be several columns."""
        return self.n_features // math.prod(self._unit.columns)

    @property
    def weights(self) -> tuple[Any, ...]:
        """The weights on the map's device, in the dtype that the map was drawn in first."""
        first = next(iter(self._placed), self.dtype or "float64")
        return self._weights(first)

    def __call__(self, X: Array, *, check_finite: bool = True) -> Array:
        """Compute the features of the rows of `X`: shape (n, n_features).

        Parameters
        ----------
        X : array, shape (..., n, n_inputs) or (n_inputs,)
            Real, finite rows on the map's library and device, in any number of batches; or a row.
            A frame of pandas, Polars or Arrow stands for its NumPy array. Chunks of Dask are
            checked when they are computed.
        check_finite : bool, optional
            Look for NaN and infinity, and refuse them. Without a look, rows that have some give
            features without meaning, others are not affected; on a GPU nothing waits, and rows
            whose angles lose their phase are not refused.

        Returns
        -------
        array, shape (..., n, n_features) or (n_features,)
            In the namespace, device and float dtype of `X` (integers: the default float), or in
            the dtype that the map was drawn with. PyTorch's autocast does not reach them.

        Notes
        -----
        On PyTorch and JAX features are differentiable in `X`, :doc:`/gradients`.
        """
        if type(X) is not np.ndarray:
            X = _arrays.array_of_frame(X)
        if getattr(X, "ndim", 2) != 2 and _arrays.is_array(X):
            if _arrays.is_batched(X):
                return _arrays.rows_of_batches(
                    lambda rows: self(rows, check_finite=check_finite), X
                )
            if _arrays.is_row(X):
                return self(X[None, :], check_finite=check_finite)[0, :]
        return self._features(X, check_finite is True or require_flag("check_finite", check_finite))

    def _features(
        self, X: Array, finite: bool, some: UnitBlock | None = None, name: str = "X"
    ) -> Array:
        """Check rows, and compute the features of all units or of some of them."""
        largest = _arrays.require_matrix(X, name=name, n_columns=self.n_inputs, finite=finite)
        self._require_here(X, name)
        dtype, precision = self._dtype_for(X)
        n_columns = self.n_features if some is None else some.n_features
        out = dtype
        if self._unit.n_values:
            out = _arrays.code_dtype(self.place.xp, self._unit.n_values)
        if type(X) is not np.ndarray and _arrays.is_chunked(X):
            chunk = functools.partial(self._features, finite=finite, some=some, name="a chunk of X")
            return _arrays.over_chunks(chunk, X, n_columns, out)
        all_units = some is None and not self.stored

        def weights() -> tuple[Any, ...]:
            part = next(unit_blocks(self)) if all_units else some
            return self._weights(precision) if part is None else part.weights(precision)

        def transform(weights: tuple[Any, ...], xp: ModuleType, rows: Array) -> Array:
            return self._transform(xp, xp.astype(rows, dtype, copy=False), *weights)

        def values() -> Array:
            if all_units:
                parts = (
                    (part.slices, functools.partial(transform, part.weights(precision)))
                    for part in unit_blocks(self)
                )
                return _arrays.map_columns(parts, X, n_columns, out)
            placed = weights()
            return _arrays.map_rows(
                functools.partial(transform, placed),
                X,
                n_columns,
                out,
                block=self._unit.block if self._on_host else None,
                width=self._unit.width,
                compiled=functools.partial(self._compiled, placed, precision),
            )

        looked = self._require_range(X, precision, largest, finite, weights, name)
        with _arrays.full_precision(X):
            if not looked:
                result = values()
                return result if type(X) is np.ndarray else _arrays.attached(result, X)
            with np.errstate(over="ignore", invalid="ignore"):
                result = values()
        _arrays.require_within_floats(result, X, None, f"features by {self._title}")
        return _arrays.attached(result, X)

    @property
    def _title(self) -> str:
        """What computes the features, in messages."""
        return type(self).__name__

    def _compiled(self, weights: tuple[Any, ...], dtype: str, x: Array) -> Any:
        """Return a function of rows compiled by JAX, or None where somebody traces it."""
        if any(_arrays.is_lazy(one) for one in (x, *weights)):
            return None
        if dtype not in self._jits:
            # A circle would keep the weights until the collector comes by.
            this = weakref.ref(self)

            def features(rows: Array, weights: tuple[Any, ...]) -> Array:
                xp = _arrays.array_namespace(rows)
                phi: Any = this()
                return phi._transform(xp, xp.astype(rows, getattr(xp, dtype)), *weights)

            self._jits[dtype] = _arrays.compiled(features)
        jitted = self._jits[dtype]
        # As arguments: constants would be folded, and kept by the compiler.
        return lambda rows: jitted(rows, weights)

    def _require_range(
        self,
        x: Array,
        dtype: str,
        largest: float | None,
        finite: bool,
        weights: Callable[[], tuple[Any, ...]],
        name: str = "X",
    ) -> bool:
        """Refuse rows whose angles or products leave the floats.

        Returns whether features have to be looked at. Nothing waits for a GPU whose rows nobody is
        to look at.
        """
        on_host = type(x) is np.ndarray
        if not on_host and (
            _arrays.is_lazy(x) or (_arrays.is_on_accelerator(x) and (largest is None or not finite))
        ):
            return False
        if largest is None:
            largest = _arrays.largest_entry(x)
        angles = self._unit.angles
        if angles is not None:
            if dtype not in self._longest:
                drawn = () if angles.law is None else weights()
                if any(map(_arrays.is_lazy, drawn)):
                    return False
                reach = angles.reach(drawn)
                self._longest[dtype] = angles.longest(dtype, self.n_inputs, reach)
            if not largest * math.sqrt(self.n_inputs) <= self._longest[dtype]:
                angles.require(x, dtype, self._longest[dtype], name)
            return False
        if not self._unit.safe < largest < math.inf or _arrays.is_on_accelerator(x):
            return False
        if largest > float(np.finfo(dtype).max) / (_MARGIN * x.shape[1]):
            raise _arrays.leaves_floats("projections", dtype, x)
        return True

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
        if size is not None:
            size = require_integer("size", size)
        self._require_drawn("drawn by units")
        self._draw("float32", slice(0, 1))
        return unit_blocks(self, size)

    # -- copies ---------------------------------------------------------------------------

    def to(self, like: object) -> Self:
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

        Notes
        -----
        With the same NumPy and SciPy, weights are the same bits on every array library and
        processor. What linear algebra computes is so on processors of one kind, and agrees to
        rounding elsewhere: :mod:`mehler.features.projections`.
        """
        return {name: written(name, value) for name, value in self._named_arguments().items()}

    def _named_arguments(self) -> dict[str, Any]:
        """Return the name of the class, the version, and the arguments as they are."""
        self._require_drawn("written down")
        return {
            "map": type(self).__name__,
            "mehler": __version__,
            **self._arguments(),
            "dtype": self.dtype,
        }

    def _arguments(self) -> dict[str, Any]:
        """Return the constructor's arguments as attributes of their names are, the seed last."""
        takes = inspect.signature(type(self)).parameters
        arguments = {}
        for name, passed in self._passed.items():
            value = self.__dict__.get(name, passed)
            default = name in self._later and value == takes[name].default
            if name not in ("like", "dtype", "seed", "stored") and not default:
                arguments[name] = value
        # Omit the default so recipes from before `stored=` still compare equal.
        return {**arguments, "seed": self.seed, **({} if self.stored else {"stored": False})}

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        # Pickled as its arguments and its place, without weights; pickle names functions.
        return map_of, (self._named_arguments(), self.place.empty(), elsewhere(type(self)))

    # Maps are immutable: copies are the map itself, with its library, device and dtype.
    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __repr__(self) -> str:
        arguments = ", ".join(f"{k}={v!r}" for k, v in self._arguments().items())
        own = "" if self._weights_are == "drawn" else f", with {self._weights_are} weights"
        return f"{type(self).__name__}.draw({arguments}) on {self.place.name}{own}"

    # -- implementation -------------------------------------------------------------------

    def _require_drawn(self, what: str) -> None:
        """Raise unless the weights are those of the seed."""
        if self._weights_are != "drawn":
            raise ValueError(
                f"this map has weights that were given to it, and cannot be {what} by its seed "
                f"{self.seed}: use the map that was drawn"
            )

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
        listed = ", ".join(f"{name}={value}" for name, value in sizes.items())
        remedy = "make one of them smaller"
        if self._max_bytes < _LARGEST_WEIGHTS:
            remedy = f"if that is what you mean, pass max_bytes={size}"
        unit = f"{size / 2**30:.0f} GiB" if size < 1 << 40 else f"{size >> 40} TiB"
        raise ValueError(f"{listed} ask for {unit} of weights; {remedy}")

    def _require_all(self, units: slice) -> None:
        """Raise ValueError unless all units are drawn."""
        if units != slice(0, self.n_units):
            raise ValueError(
                f"{type(self).__name__} draws its units together, so that no block of them can be "
                "had alone"
            )

    def _require_here(self, x: Array, name: str) -> None:
        if type(x) is np.ndarray and self._on_host:
            return
        here = _arrays.place_of(x)
        # Blocks of a Dask array are NumPy arrays: a map on the host takes both.
        if self._on_host and _arrays.namespace_name(here.xp) in {"numpy", "dask.array"}:
            return
        _arrays.require_same_place(x, self.place, name=name, owner="phi")

    def _dtype_for(self, x: Array) -> tuple[Any, str]:
        """Return the dtype to compute in, and its name."""
        if self.dtype is None:
            if type(x) is np.ndarray and x.dtype.isnative and x.dtype.name in self._placed:
                return x.dtype, x.dtype.name
            dtype = _arrays.real_dtype(x)
        else:
            place = _arrays.place_of(x)
            dtype = _arrays.resolve_dtype(self.dtype, place.xp, place.device)
        return dtype, _arrays.dtype_name(dtype)

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
                        f"this map was given weights of {next(iter(self._placed))}, and none of "
                        f"{dtype}: convert X, or draw the map with dtype={dtype!r}"
                    )
                self._placed[dtype] = self._drawn_weights(dtype)
            weights = self._placed[dtype]
        if self._axes and self._axes != tuple(each.ndim for each in weights):
            raise ValueError(
                f"this map has {self._weights_are} weights, of other axes than one draw: to call "
                "several draws, jax.vmap(lambda phi: phi(X))(mehler.jax.stacked(maps))"
            )
        return weights

    def _drawn_weights(self, dtype: str) -> tuple[Any, ...]:
        parts = self._draw(dtype, slice(0, self.n_units))
        return tuple(_arrays.from_host(part, self.place) for part in parts)


def first_dtype(phi: RandomMap) -> str:
    """Return the name of the dtype in which a map was drawn first."""
    return phi.dtype or next(iter(phi._placed))


def weights_of(phi: RandomMap) -> tuple[Any, ...]:
    """Return the weights in that dtype."""
    return phi._placed[first_dtype(phi)]


def with_weights(
    phi: RandomMap, weights: tuple[Any, ...], kind: Literal["drawn", "stacked", "trainable"]
) -> Any:
    """Return a map like `phi` with other weights, of `first_dtype` alone, and what they are."""
    own: dict[str, Any] = {
        "_placed": {first_dtype(phi): tuple(weights)},
        "_jits": {},
        "_weights_are": kind,
        "_axes": phi._axes or tuple(each.ndim for each in weights_of(phi)),
        "_lock": threading.Lock(),
    }
    bound = object.__new__(type(phi))
    bound.__dict__.update(phi.__dict__ | own)
    return bound
