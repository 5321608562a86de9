"""Validate samples of vectors and claims about them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._arrays import Array, check_matrix, is_array, to_host
from mehler._validate import reals
from mehler._words import counted


def sample_matrix(samples: Array) -> Any:
    """Return samples as a finite float64 (n, p) array on the host."""
    given = samples if is_array(samples) else np.asarray(samples)
    check_matrix(given, name="samples")
    host = to_host(given)
    check_matrix(host, name="samples")  # the values of a lazy array are known only now
    return np.asarray(host, dtype=np.float64)


def claimed(value: Any, shape: tuple[int, ...], name: str) -> Any:
    """Return a claim as a finite float64 array of the given shape."""
    array = reals(name, to_host(value) if is_array(value) else value, finite=False)
    if array.shape != shape:
        raise ValueError(
            f"{name} has shape {array.shape} but samples of {counted(shape[-1], 'column')} "
            f"need {shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} holds NaN or infinity: nothing is claimed")
    return array


def spread(value: Any, p: int, name: str) -> Any:
    """Return one number per column, broadcasting a scalar."""
    if value is None:
        return [None] * p
    array = reals(name, to_host(value) if is_array(value) else value)
    if array.shape not in ((), (p,)):
        raise ValueError(f"{name} has shape {array.shape}: give one number, or one for each of {p}")
    return [float(each) for each in np.broadcast_to(array, (p,))]
