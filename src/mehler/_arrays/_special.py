"""Special functions that the standard lacks."""

from __future__ import annotations

from typing import Any

from mehler._arrays import _kinds
from mehler._arrays._host import from_host, to_host
from mehler._arrays._namespace import Array, place_of


def clip(xp: Any, x: Array, least: float, most: float) -> Array:
    """Clip to numbers, without waiting for values."""
    if _kinds.is_cupy_array(x):
        # array-api-compat's writes through masks, whose sizes the host has to know.
        return x.clip(least, most)
    return xp.clip(x, least, most)


def erf(_: Any, t: Array) -> Array:
    """Compute the error function elementwise, by the library or by SciPy on the host."""
    if _kinds.is_torch_array(t):
        import torch

        return torch.special.erf(t)
    if _kinds.is_jax_array(t):
        from jax.scipy.special import erf as on_jax

        return on_jax(t)
    if _kinds.is_cupy_array(t):
        from cupyx.scipy.special import erf as on_cupy

        return on_cupy(t)
    from scipy.special import erf as on_host

    if _kinds.is_dask_array(t):
        return t.map_blocks(on_host, dtype=t.dtype)
    if _kinds.is_numpy_array(t):
        return on_host(t)
    return from_host(on_host(to_host(t)), place_of(t))
