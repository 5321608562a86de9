"""What somebody else's function may return for a matrix, as dense values on the host."""

from __future__ import annotations

from typing import Any

import array_api_compat as compat
import numpy as np

from mehler._arrays._dtypes import dtype_name
from mehler._arrays._host import to_host

_NUMPY = ("float16", "float32", "float64")


def dense_host(x: Any) -> tuple[Any, float | None]:
    """Return a NumPy array with the values of `x`, and the spacing of its numbers at 1.

    Sparse matrices of SciPy, PyTorch and JAX become dense. Formats that NumPy lacks, bfloat16 and
    those of 8 bits, become float32, which holds their values; the spacing stays that of the format.
    It is None where `x` is not of a floating dtype.
    """
    for dense in ("toarray", "to_dense", "todense"):
        if callable(getattr(x, dense, None)) and not isinstance(x, np.ndarray):
            # PyTorch has to_dense on dense tensors too, where it changes nothing.
            x = getattr(x, dense)()
            break
    if compat.is_torch_array(x) and x.dtype.is_floating_point:
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
    """Return the distance from 1 to the next number, found by rounding to the format."""
    # Half of it is rounded to 1, which is even.
    steps = 2.0 ** -np.arange(24.0)
    return float(steps[(1.0 + steps).astype(dtype).astype(np.float64) > 1.0].min())
