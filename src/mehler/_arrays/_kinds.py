"""Which library an array is of.

array-api-compat says so too, but by cached functions, which ``torch.compile`` warns of: arrays of
PyTorch are told apart before it is asked.
"""

from __future__ import annotations

import sys
from typing import Any

import array_api_compat as compat
import numpy as np


def is_torch_array(x: Any) -> bool:
    """Return whether `x` is a tensor of PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def is_numpy_array(x: Any) -> bool:
    """Return whether `x` is an array or a scalar of NumPy."""
    return isinstance(x, (np.ndarray, np.generic)) and bool(compat.is_numpy_array(x))


def is_jax_array(x: Any) -> bool:
    """Return whether `x` is an array or a tracer of JAX."""
    return not is_torch_array(x) and bool(compat.is_jax_array(x))


def is_dask_array(x: Any) -> bool:
    """Return whether `x` is an array of Dask."""
    return not is_torch_array(x) and bool(compat.is_dask_array(x))


def is_cupy_array(x: Any) -> bool:
    """Return whether `x` is an array of CuPy."""
    return not is_torch_array(x) and bool(compat.is_cupy_array(x))


def is_on_accelerator(x: Any) -> bool:
    """Return whether a device with memory of its own, such as a GPU, computes with `x`."""
    if is_torch_array(x):
        return x.device.type not in {"cpu", "meta"}
    if is_jax_array(x):
        import jax

        if isinstance(x, jax.core.Tracer):
            return bool(jax.default_backend() != "cpu")
        return any(device.platform != "cpu" for device in x.devices())
    return is_cupy_array(x)


def is_array(x: Any) -> bool:
    """Return whether `x` is an array of a supported namespace."""
    return is_torch_array(x) or bool(compat.is_array_api_obj(x))


def namespace(x: Any) -> Any:
    """Return the standard's face of the library of `x`."""
    if is_torch_array(x):
        import array_api_compat.torch

        return array_api_compat.torch
    return compat.array_namespace(x)


def device(x: Any) -> Any:
    """Return the device of `x`."""
    return x.device if is_torch_array(x) else compat.device(x)
