"""Find the library, namespace, device and dtype of an array, and place values there."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

import array_api_compat as compat
import array_api_extra as xpx
import numpy as np

from mehler._text import install_command


class Library(NamedTuple):
    """Namespace of an array library, how to install it, and the names of its distributions."""

    module: str
    install: str
    distributions: tuple[str, ...]


_CUPY = "cupy", "cupy-cuda12x", "cupy-cuda13x"
# Simplest first: the order in which examples shrink.
LIBRARIES = {
    "numpy": Library("numpy", "pip install numpy", ("numpy",)),
    "strict": Library("array_api_strict", "pip install array-api-strict", ("array-api-strict",)),
    "torch": Library("torch", install_command("torch"), ("torch",)),
    "jax": Library("jax.numpy", install_command("jax"), ("jax",)),
    "dask": Library("dask.array", install_command("dask"), ("dask",)),
    "cupy": Library("cupy", install_command("cupy12") + ", or cupy13, by the CUDA version", _CUPY),
}


def is_torch_array(x: Any) -> bool:
    """Return whether `x` is a tensor of PyTorch."""
    # Asked first: array-api-compat has cached functions, of which ``torch.compile`` warns.
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def is_numpy_array(x: Any) -> bool:
    """Return whether `x` is an array or a scalar of NumPy."""
    return isinstance(x, (np.ndarray, np.generic)) and bool(compat.is_numpy_array(x))


def is_jax_array(x: Any) -> bool:
    """Return whether `x` is an array or a tracer of JAX."""
    return type(x) is not np.ndarray and not is_torch_array(x) and bool(compat.is_jax_array(x))


def stays_lazy(x: Any) -> bool:
    """Return whether `x` is of Dask: in chunks that are computed later, as are its results."""
    return type(x) is not np.ndarray and not is_torch_array(x) and bool(compat.is_dask_array(x))


def is_cupy_array(x: Array) -> bool:
    """Return whether `x` is an array of CuPy."""
    return type(x) is not np.ndarray and not is_torch_array(x) and bool(compat.is_cupy_array(x))


def is_on_accelerator(x: Array) -> bool:
    """Return whether `x` is on a device with separate memory, such as a GPU."""
    if type(x) is np.ndarray:
        return False
    if is_torch_array(x):
        return x.device.type not in {"cpu", "meta"}
    if is_jax_array(x):
        import jax

        if isinstance(x, jax.core.Tracer):
            return bool(jax.default_backend() != "cpu")
        return any(device.platform != "cpu" for device in x.devices())
    return is_cupy_array(x)


# What other packages ask, in their terms: not which library it is, but what follows from it.


def may_be_read(x: Array) -> bool:
    """Return whether values exist on the host, so that reading them waits for no device."""
    return type(x) is np.ndarray or not (is_lazy(x) or is_on_accelerator(x))


def may_be_written(x: Any) -> bool:
    """Return whether entries may be overwritten in place, in whatever layout the memory has."""
    return isinstance(x, np.ndarray) and x.flags.writeable


def prefers_large_steps(x: Array) -> bool:
    """Return whether few large operations cost less than many small ones, which stay in cache."""
    return is_on_accelerator(x)


def takes_as_is(place: Place, x: Any, n_columns: int) -> bool:
    """Return whether `x` is a matrix of floats that needs no conversion at a place."""
    plain = type(x) is np.ndarray and x.ndim == 2 and place.xp is HOST
    return plain and x.shape[1] == n_columns and x.dtype in NATIVE and len(x) > 0


def is_array(x: Any) -> bool:
    """Return whether `x` is an array of a supported namespace."""
    return type(x) is np.ndarray or is_torch_array(x) or bool(compat.is_array_api_obj(x))


# NumPy's namespace as the array API standard has it, from an array: `array_api_compat.numpy` loads
# all of NumPy, its test tools and its Fortran parser too, which costs as much as this library.
HOST: Any = compat.array_namespace(np.empty(0))


def standard_namespace(x: Array) -> Any:
    """Return the namespace of the library of `x`, as the array API standard has it."""
    if type(x) is np.ndarray:
        return HOST
    if is_torch_array(x):
        import array_api_compat.torch

        return array_api_compat.torch
    return compat.array_namespace(x)


# Six namespaces share no static type; what an array must be is checked at run time.
Array: TypeAlias = Any


@dataclass(frozen=True)
class Place:
    """A namespace and one of its devices; for Dask arrays, those of the blocks."""

    xp: Any
    device: Any

    @property
    def name(self) -> str:
        """Name for messages: ``torch`` on ``cuda:0`` reads "torch on cuda:0"."""
        short = namespace_name(self.xp)
        return short if self.device in (None, "cpu") else f"{short} on {self.device}"

    @property
    def on_host(self) -> bool:
        """Whether arrays are of NumPy, or chunks that are."""
        return self.xp is HOST or namespace_name(self.xp) in {"numpy", "dask.array"}

    def empty(self) -> Array:
        """Return an array without entries, which stands for this place in a pickle."""
        return self.xp.empty(0, device=self.device)


_HOST_PLACE = Place(HOST, "cpu")


def array_namespace(*arrays: Array, names: tuple[str, ...] | None = None) -> Any:
    """Return the common namespace of `arrays`, or raise TypeError naming the one that differs."""
    if len(arrays) == 1 and type(arrays[0]) is np.ndarray:
        return HOST
    spaces = []
    for i, array in enumerate(arrays):
        if type(array) is not np.ndarray:
            _require_array(array, names[i] if names else f"argument {i + 1}")
        spaces.append(standard_namespace(array))
    first = spaces[0]
    for i, space in enumerate(spaces):
        if space is not first:
            here, there = (names[0], names[i]) if names else ("argument 1", f"argument {i + 1}")
            raise TypeError(
                f"{here} is an array of {namespace_name(first)} but {there} of "
                f"{namespace_name(space)}; bring both to one library and device"
            )
    return first


def array_of_frame(x: Array, name: str = "X") -> Any:
    """Return the numbers of a frame of pandas, Polars or Arrow, or anything else unchanged."""
    if type(x) is np.ndarray:
        return x
    package = type(x).__module__.partition(".")[0]
    if package not in ("pandas", "polars", "pyarrow"):
        return x
    if package == "pyarrow" and hasattr(x, "columns"):
        columns = [column.to_numpy(zero_copy_only=False) for column in x.columns]
        values = np.column_stack(columns) if columns else np.empty((x.num_rows, 0))
    else:
        values = x.to_numpy()
    if values.dtype.kind in "biuf":
        return values
    kind = f"a {type(x).__name__} whose columns together have the dtype {values.dtype}"
    remedy = "categories as columns of 0 and 1, nullable columns by astype(float)"
    raise TypeError(f"{name} is {kind}: select numbers, encode dates as numbers of days, {remedy}")


def _require_array(x: Any, name: str) -> None:
    """Raise TypeError unless `x` is an array without a mask, with the call that converts it."""
    if not is_array(x):
        # Sparse matrices and data frames have a method of their own for it.
        methods = (method for method in ("toarray", "to_numpy") if hasattr(x, method))
        dense = next((f"{name}.{method}()" for method in methods), f"numpy.asarray({name})")
        remedy = "" if x is None else f"; convert it first, for instance with {dense}"
        raise TypeError(
            f"{name} must be an array of NumPy, CuPy, PyTorch, JAX, Dask or another array API "
            f"library, but is {type(x).__name__}{remedy}"
        )
    if is_torch_array(x) and str(x.layout) != "torch.strided":
        raise TypeError(f"{name} is sparse ({x.layout}): pass {name}.to_dense()")
    require_unmasked(x, name)


def require_unmasked(x: Any, name: str) -> None:
    """Raise TypeError for a masked array, whose mask NumPy would ignore."""
    if isinstance(x, np.ma.MaskedArray):
        remedy = f"drop or impute what is masked first, and pass numpy.asarray({name})"
        raise TypeError(f"{name} is a masked array: {remedy}")


def namespace_name(xp: ModuleType) -> str:
    """Return ``numpy``, ``torch``, ``jax.numpy`` and so on, without the wrapper's prefix."""
    return str(xp.__name__).removeprefix("array_api_compat.")


def is_lazy(x: Array) -> bool:
    """Return whether values are unavailable: Dask, tracers, tensors under compilation or vmap."""
    if type(x) is np.ndarray:
        return False
    if stays_lazy(x):
        return True
    if is_torch_array(x):
        from mehler._arrays import _torch

        return _torch.traced(x)
    if is_jax_array(x):
        import jax

        return isinstance(x, jax.core.Tracer)
    return False


def of_chunks(function: Callable[[Array], Array], x: Array, dtype: object) -> Array:
    """Return ``function(x)``, elementwise, lazily for each chunk where there are some."""
    if not stays_lazy(x):
        return function(x)
    return x.map_blocks(function, dtype=dtype, meta=x._meta.astype(dtype))


def place_of(x: Array) -> Place:
    """Return namespace and device of `x`; a tracer under ``jax.jit`` has no device."""
    if type(x) is np.ndarray:
        return _HOST_PLACE
    xp = array_namespace(x)
    if is_torch_array(x):
        return Place(xp, x.device)
    return Place(xp, None if is_lazy(x) else compat.device(x))


def resolve_place(like: Any) -> Place:
    """Return the place of a ``like=`` argument: an array's own, or a namespace's default device."""
    if like is None:
        return _HOST_PLACE
    if isinstance(like, Place):
        return like
    if is_array(like):
        return place_of(like)
    if hasattr(like, "__array_namespace_info__"):
        return Place(like, None)
    name = getattr(like, "__name__", None)
    if name in {library.module for library in LIBRARIES.values()}:
        # The bare library: ask one of its own arrays for its namespace by the standard.
        return Place(standard_namespace(like.asarray([0.0])), None)
    kind = "an array or an array namespace such as numpy or torch"
    raise TypeError(f"like= must be {kind}, not {like!r}")


def require_values(x: Any, name: str) -> None:
    """Raise TypeError for a traced array, whose values are unavailable; Dask's can be computed."""
    if type(x) is not np.ndarray and is_array(x) and is_lazy(x) and not stays_lazy(x):
        remedy = "call this outside of jax.jit, torch.func.vmap and torch.compile"
        raise TypeError(f"{name} is traced, so its values cannot be read here: {remedy}")


def require_same_place(x: Array, place: Place, *, name: str, owner: str) -> None:
    """Raise if `x` does not live where `owner` does; the message gives the call that moves it."""
    here = place_of(x)
    # Blocks of a Dask array are NumPy arrays: both take both.
    if here is place or (here.on_host and place.on_host):
        return
    remedy = f"use {owner}.to({name}), or draw with like={name}"
    if here.xp is not place.xp:
        raise TypeError(
            f"{name} is an array of {namespace_name(here.xp)} but the weights of this {owner} are "
            f"of {namespace_name(place.xp)}; {remedy}"
        )
    if None not in (here.device, place.device) and here.device != place.device:
        both = f"{here.device} but the weights of this {owner} on {place.device}"
        raise ValueError(f"{name} lives on {both}; {remedy}")


_REAL = ("float32", "float64")
NATIVE = (np.dtype(np.float64), np.dtype(np.float32))


def dtype_name(dtype: object) -> str:
    """Return ``"float32"`` for ``numpy.float32``, ``torch.float32``, ``dtype('float32')``."""
    if isinstance(dtype, (str, np.dtype)):
        return dtype if isinstance(dtype, str) else dtype.name
    # Dtypes have a name, and scalar types such as numpy.float32 too; those of PyTorch and of
    # array-api-strict carry it in their repr only.
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    return name.rsplit(".", 1)[-1]


def has_float64(xp: ModuleType, device: object = None) -> bool:
    """Return whether the device computes in double precision (JAX without x64 does not)."""
    if xp is HOST:
        return True
    return "float64" in xp.__array_namespace_info__().dtypes(device=device, kind="real floating")


def widest_float(xp: ModuleType, device: object = None) -> Any:
    """Return float64 where the device has it, else float32."""
    return xp.float64 if has_float64(xp, device) else xp.float32


def real_dtype(x: Array, *, name: str = "X") -> Any:
    """Return the dtype to compute in for `x`: its own if floating, else the default float."""
    if type(x) is np.ndarray and x.dtype in NATIVE:
        return x.dtype
    xp = array_namespace(x, names=(name,))
    text = dtype_name(x.dtype)
    if text in _REAL:
        # Files bring bytes in the other order, which no BLAS and no ufunc with `out` takes.
        return x.dtype if getattr(x.dtype, "isnative", True) else getattr(xp, text)
    if xp.isdtype(x.dtype, "complex floating"):
        raise TypeError(f"{name} is complex ({text}); the maps take real data: pass its real part")
    if xp.isdtype(x.dtype, ("integral", "bool")):
        return xpx.default_dtype(xp, device=place_of(x).device)
    raise TypeError(f"{name} has dtype {text}; the maps compute in float32 or float64: convert it")


def resolve_dtype(dtype: object, xp: ModuleType, device: object) -> Any:
    """Resolve a dtype given by name or as the namespace's object; ``None`` is the default float."""
    if dtype is None:
        return xpx.default_dtype(xp, device=device)
    text = dtype_name(dtype)
    if text not in _REAL:
        raise TypeError(f"dtype={dtype!r} must be 'float32' or 'float64'")
    if text == "float64" and not has_float64(xp, device):
        remedy = "use dtype='float32', or switch double precision on (for JAX: jax_enable_x64)"
        where = f"this device of {namespace_name(xp)}"
        raise TypeError(f"dtype float64 does not exist on {where}; {remedy}")
    return getattr(xp, text)


def loses_digits(x: Array, dtype: object) -> bool:
    """Return whether the dtype of `x` holds numbers that `dtype` rounds."""
    xp = array_namespace(x)
    if not xp.isdtype(x.dtype, "real floating"):
        return bool(xp.isdtype(x.dtype, "integral"))
    return float(xp.finfo(x.dtype).eps) < float(xp.finfo(dtype).eps)


def code_dtype(xp: ModuleType, n_values: int) -> Any:
    """Return the smallest integer dtype comparable in every namespace that holds `n_values`."""
    if n_values <= 2**8:
        return xp.uint8
    # torch has no arithmetic on uint16, so uint8 is followed by the signed types.
    return xp.int16 if n_values <= 2**15 else xp.int32


def is_row(x: Array | None) -> bool:
    """Return whether `x` is an array of one axis: a row without the axis of rows."""
    return getattr(x, "ndim", 0) == 1 and is_array(x)


def is_batched(x: Array | None) -> bool:
    """Return whether `x` is an array with batches of rows before its rows and columns."""
    # The number of axes first: it is cheap, and most rows are a matrix.
    return getattr(x, "ndim", 0) > 2 and is_array(x)


def from_host(values: Any, place: Place, dtype: object = None) -> Array:
    """Place a NumPy array: under ``jax.jit`` a constant, for Dask the array as it is."""
    xp = place.xp
    if dtype is not None:
        values = values.astype(dtype_name(dtype), copy=False)
    if xp is HOST:
        return values
    name = namespace_name(xp)
    if name == "dask.array":
        return values
    if name == "jax.numpy":
        import jax

        with jax.ensure_compile_time_eval():
            return jax.device_put(values, place.device)
    if name == "torch":
        # torch would share read-only memory, with a warning: copy first.
        return xp.asarray(np.array(values), device=place.device)
    return xp.asarray(values, device=place.device)


def clip(xp: ModuleType, x: Array, least: float, most: float) -> Array:
    """Clip to numbers, without waiting for values."""
    if type(x) is np.ndarray:
        return np.clip(x, least, most)
    if is_cupy_array(x):
        # array-api-compat's writes through masks, whose sizes the host has to know.
        return x.clip(least, most)
    return xp.clip(x, least, most)
