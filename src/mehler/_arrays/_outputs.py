"""Convert matrices returned by third-party code to dense values on the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._arrays import _kinds
from mehler._arrays._dtypes import dtype_name
from mehler._arrays._host import to_host

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
    if _kinds.is_torch_array(x) and x.dtype.is_floating_point:
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
