"""Transfer values between host and device, bit for bit, and name places for pickles."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import array_api_compat as compat
import numpy as np

from mehler._arrays._namespace import (
    Array,
    Place,
    dtype_name,
    is_array,
    is_chunked,
    is_cupy_array,
    is_jax_array,
    is_lazy,
    is_torch_array,
    namespace_name,
    place_of,
    resolve_place,
    standard_namespace,
)


def to_host(x: Array) -> Any:
    """Return the values of `x` as a NumPy array; a Dask graph is computed once."""
    if isinstance(x, np.ndarray):
        return x
    if is_chunked(x):
        return to_host(x.compute())
    if is_torch_array(x):
        return x.detach().cpu().numpy()
    if is_cupy_array(x):
        return x.get()
    if is_array(x):
        return np.asarray(_on_cpu(x))
    return np.asarray(x)


def _on_cpu(x: Array) -> Array:
    # array-api-strict can only be read from its CPU device.
    if namespace_name(standard_namespace(x)) == "array_api_strict":
        xp = standard_namespace(x)
        return compat.to_device(x, xp.Device("CPU_DEVICE"))
    return x


def elementwise_on_host(function: Callable[[Any], Any], x: Array, *, what: str) -> Array:
    """Apply an elementwise NumPy function in float64, under JAX's transforms too.

    Whoever calls this supplies the derivative, or refuses it.
    """
    if is_jax_array(x):
        import jax

        if isinstance(x, jax.core.Tracer):
            return jax.pure_callback(
                lambda host: function(np.asarray(host, dtype=np.float64)).astype(host.dtype),
                jax.ShapeDtypeStruct(x.shape, x.dtype),
                x,
                vmap_method="expand_dims",
            )
    elif is_lazy(x) and not is_chunked(x):
        raise TypeError(
            f"{what} is computed by NumPy and SciPy: call it outside of torch.func.vmap and "
            "torch.compile"
        )
    host = function(np.asarray(to_host(x), dtype=np.float64))
    return from_host(host, place_of(x), x.dtype)


def without_gradient(x: Array) -> Array:
    """Detach `x` from PyTorch's graph, which a loop would grow; values are shared."""
    if is_torch_array(x):
        return x.detach()
    return x


def from_host(values: Any, place: Place, dtype: Any = None) -> Array:
    """Place a NumPy array; under ``jax.jit`` it becomes a constant, not a tracer.

    Dask takes NumPy blocks as they are: a weight matrix is one constant of the graph,
    so for Dask the array stays on the host.
    """
    xp = place.xp
    if dtype is not None:
        values = values.astype(dtype_name(dtype), copy=False)
    name = namespace_name(xp)
    if name in {"numpy", "dask.array"}:
        return values
    if name == "jax.numpy":
        import jax

        with jax.ensure_compile_time_eval():
            return jax.device_put(values, place.device)
    if name == "torch":
        # torch would share read-only memory, with a warning: copy first.
        return xp.asarray(np.array(values), device=place.device)
    return xp.asarray(values, device=place.device)


_NUMPY = ("float16", "float32", "float64")


def dense_host(x: Any) -> tuple[Any, float | None]:
    """Return `x` as a dense NumPy array, with the machine epsilon of its original dtype.

    Sparse matrices of SciPy, PyTorch and JAX become dense. bfloat16 and 8-bit floats become
    float32, exactly, and keep their own epsilon, which is None for dtypes that are not floating.
    """
    for dense in ("toarray", "to_dense", "todense"):
        if callable(getattr(x, dense, None)) and not isinstance(x, np.ndarray):
            # PyTorch has to_dense on dense tensors too, where it changes nothing.
            x = getattr(x, dense)()
            break
    if is_torch_array(x) and x.dtype.is_floating_point:
        import torch

        known = dtype_name(x.dtype) in _NUMPY
        return to_host(x if known else x.float()), float(torch.finfo(x.dtype).eps)
    values = np.asarray(to_host(x))
    if issubclass(values.dtype.type, np.floating):
        return values, float(np.finfo(values.dtype).eps)
    if "float" in values.dtype.name:
        return values.astype(np.float32), _spacing(values.dtype)
    return values, None


def _spacing(dtype: Any) -> float:
    """Return the machine epsilon of a dtype, found by rounding to it."""
    # 1 + eps/2 is a tie and rounds to 1, the even neighbour.
    steps = 2.0 ** -np.arange(24.0)
    return float(steps[(1.0 + steps).astype(dtype).astype(np.float64) > 1.0].min())


@dataclass(frozen=True)
class Address:
    """The module of a library, and a device as that library is told it; None for its default."""

    module: str
    device: str | int | None

    def find(self) -> Place:
        """Return the place, or the nearest one that is here, with a warning."""
        try:
            library = importlib.import_module(self.module)
        except ImportError:
            here = resolve_place(None)
            _warn(self.module, "which is not installed here", here)
            return here
        # NumPy itself is not the face of it that its arrays have.
        default = resolve_place(None if self.module == "numpy" else library)
        if self.device is None or self.module in ("numpy", "dask.array"):
            return Place(default.xp, self.device)
        try:
            return Place(default.xp, _DEVICES[self.module](library, self.device))
        # Each library has its own error for a device that it does not find.
        except (RuntimeError, ValueError, AssertionError, LookupError):
            _warn(f"{self.module} on {self.device}", "which is not here", default)
            return default


def address_of(place: Place) -> Address:
    """Return the address of a place."""
    module, device = namespace_name(place.xp), place.device
    if device is None:
        return Address(module, None)
    if module == "jax.numpy":
        return Address(module, f"{device.platform}:{device.id}")
    return Address(module, int(device.id) if module == "cupy" else _name(device))


def _name(device: Any) -> str:
    # array-api-strict gives the name in the repr alone: array_api_strict.Device('device1').
    return str(device).rpartition("Device('")[2].removesuffix("')")


def _jax_device(_: Any, name: str) -> Any:
    import jax

    platform, _, number = name.partition(":")
    return {device.id: device for device in jax.devices(platform)}[int(number)]


def _cupy_device(cupy: Any, number: int) -> Any:
    if number >= cupy.cuda.runtime.getDeviceCount():
        raise ValueError(f"there is no device {number}")
    return cupy.cuda.Device(number)


_DEVICES: dict[str, Any] = {
    "torch": lambda torch, name: torch.empty(0, device=name).device,
    "jax.numpy": _jax_device,
    "cupy": _cupy_device,
    "array_api_strict": lambda strict, name: strict.Device(name),
}


def _warn(lost: str, why: str, here: Place) -> None:
    warnings.warn(
        f"pickled on {lost}, {why}: it comes back on {here.name}; move a map with its method to()",
        RuntimeWarning,
        stacklevel=4,
    )
