"""Transfer values between host and device, bit for bit."""

from __future__ import annotations

from typing import Any

import array_api_compat as compat
import numpy as np

from mehler._arrays._dtypes import dtype_name
from mehler._arrays._namespace import Array, Place, namespace_name


def to_host(x: Array) -> Any:
    """Return the values of `x` as a NumPy array; a Dask graph is computed once."""
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
    # array-api-strict can only be read from its CPU device.
    if namespace_name(compat.array_namespace(x)) == "array_api_strict":
        xp = compat.array_namespace(x)
        return compat.to_device(x, xp.Device("CPU_DEVICE"))
    return x


def without_gradient(x: Array) -> Array:
    """Detach `x` from PyTorch's graph, which a loop would grow; values are shared."""
    if compat.is_torch_array(x):
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
