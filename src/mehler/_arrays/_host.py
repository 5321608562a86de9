"""The host: values to and from it, bit for bit, its threads, its global random states."""

from __future__ import annotations

import os
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import array_api_extra as xpx
import numpy as np

from mehler._arrays._namespace import (
    Array,
    dtype_name,
    from_host,
    is_array,
    is_cupy_array,
    is_jax_array,
    is_torch_array,
    namespace_name,
    place_of,
    require_unmasked,
    require_values,
    standard_namespace,
    stays_lazy,
)


def to_host(x: Array) -> Any:
    """Return the values of `x` as a NumPy array; a Dask graph is computed once."""
    if type(x) is np.ndarray:
        return x
    require_unmasked(x, "this")
    if isinstance(x, np.ndarray):
        return x
    if stays_lazy(x):
        return to_host(x.compute())
    if is_torch_array(x):
        return x.detach().cpu().numpy()
    if is_cupy_array(x):
        return x.get()
    if is_array(x) and namespace_name(standard_namespace(x)) == "array_api_strict":
        # It can only be read from its CPU device.
        x = x.to_device(standard_namespace(x).Device("CPU_DEVICE"))
    return np.asarray(x)


def elementwise_on_host(function: Callable[[Any], Any], x: Array, *, what: str) -> Array:
    """Apply an elementwise NumPy function in float64, under JAX's transforms too."""
    if is_jax_array(x):
        return xpx.lazy_apply(
            lambda host: function(host.astype(np.float64)).astype(host.dtype),
            x,
            shape=x.shape,
            dtype=x.dtype,
            as_numpy=True,
        )
    require_values(x, f"the argument of {what}")
    host = function(np.asarray(to_host(x), dtype=np.float64))
    return from_host(host, place_of(x), x.dtype)


def dense_host(x: Array) -> tuple[Any, float | None]:
    """Return `x` as a dense NumPy array, and the machine epsilon of its dtype, None of integers."""
    for dense in ("toarray", "to_dense", "todense"):
        if hasattr(x, dense):
            # PyTorch has to_dense on dense tensors too, where it changes nothing.
            x = getattr(x, dense)()
            break
    if not is_array(x) or "float" not in (name := dtype_name(x.dtype)):
        return np.asarray(to_host(x)), None
    # NumPy has no dtype of its own for bfloat16 and floats of 8 bits, which float32 holds.
    narrow = not hasattr(np, name)
    if narrow and isinstance(x, np.ndarray):
        return x.astype(np.float32), float(np.spacing(x.dtype.type(1)))
    xp = standard_namespace(x)
    eps = float(xp.finfo(x.dtype).eps)
    return np.asarray(to_host(xp.astype(x, xp.float32) if narrow else x)), eps


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1


def host_threads() -> int:
    """Return ``OMP_NUM_THREADS`` if it is set, as BLAS does; else the number of usable cores."""
    number = os.environ.get("OMP_NUM_THREADS", "")
    return int(number) if number.isdigit() and int(number) > 0 else usable_cores()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS, whose threads spin while they wait, to one thread, if threadpoolctl is there."""
    try:
        from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # it has none
    except ImportError:
        yield
        return
    with threadpool_limits(1, user_api="blas"):
        yield


def global_states() -> dict[str, bytes]:
    """Return the state of each global generator there is, by library; none is ever set."""
    # As those who use it do.
    legacy = np.random.get_state()  # noqa: NPY002
    states: dict[str, Any] = {"random": random.getstate(), "numpy.random": legacy}
    # Nobody can have used the generators of a library that is not imported.
    torch = sys.modules.get("torch")
    if torch is not None:
        states["torch"] = torch.get_rng_state()
        if torch.cuda.is_initialized():
            states["torch.cuda"] = torch.cuda.get_rng_state_all()
    return {name: _key(state) for name, state in states.items()}


def _key(state: Any) -> bytes:
    """Return bytes that are equal for equal states; those of PyTorch are tensors."""
    parts = state if isinstance(state, list | tuple) else [state]
    return pickle.dumps([np.asarray(part) for part in parts])
