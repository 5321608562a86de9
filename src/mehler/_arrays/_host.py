"""Values from the host to a device and back, without changing a bit of them."""

from __future__ import annotations

from typing import Any

import array_api_compat as compat
import numpy as np

from mehler._arrays._dtypes import dtype_name
from mehler._arrays._namespace import Array, Place, namespace_name


def to_host(x: Array) -> Any:
    """A NumPy array with the values of `x`; a Dask graph is computed, once."""
    if isinstance(x, np.ndarray):
        return x
    if compat.is_dask_array(x):
        return to_host(x.compute())
    if compat.is_torch_array(x):
        return x.detach().cpu().numpy()
    if compat.is_cupy_array(x):
        return x.get()
    if compat.is_array_api_obj(x):
        return np.asarray(_on_cpu(x))
    return np.asarray(x)


def _on_cpu(x: Array) -> Array:
    # array-api-strict refuses to be read from any device but its CPU one.
    if namespace_name(compat.array_namespace(x)) == "array_api_strict":
        xp = compat.array_namespace(x)
        return compat.to_device(x, xp.Device("CPU_DEVICE"))
    return x


def without_gradient(x: Array) -> Array:
    """`x` cut off from the graph that PyTorch records, which a loop would grow; values shared."""
    if compat.is_torch_array(x):
        return x.detach()
    return x


def from_host(values: Any, place: Place, dtype: Any = None) -> Array:
    """A NumPy array, placed; under ``jax.jit`` it becomes a constant, not a tracer.

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
        # torch warns about read-only memory, and would share it: give it a copy of its own.
        return xp.asarray(np.array(values), device=place.device)
    return xp.asarray(values, device=place.device)
