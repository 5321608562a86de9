"""Real floating dtypes: resolve names, find the default and the widest of a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays._namespace import Array, namespace_name, place_of

_REAL = ("float32", "float64")


def dtype_name(dtype: Any) -> str:
    """Return ``"float32"`` for ``numpy.float32``, ``torch.float32``, ``dtype('float32')``."""
    if isinstance(dtype, str):
        return dtype
    name = getattr(dtype, "name", None)  # NumPy, JAX, Dask and CuPy dtype objects
    if name is None:
        name = getattr(dtype, "__name__", None)  # scalar types such as numpy.float32
    if name is None:
        # torch.float32 and array_api_strict.float32 carry the name in their repr only.
        name = str(dtype)
    return str(name).rsplit(".", 1)[-1]


def _floats(xp: Any, device: Any) -> dict[str, Any]:
    info = xp.__array_namespace_info__()
    try:
        return dict(info.dtypes(device=device, kind="real floating"))
    except (TypeError, ValueError):
        # Some wrappers reject a device given in the library's own spelling.
        return dict(info.dtypes(kind="real floating"))


def has_float64(xp: Any, device: Any = None) -> bool:
    """Return whether the device computes in double precision (JAX without x64 does not)."""
    if namespace_name(xp) == "jax.numpy":
        import jax

        return bool(jax.config.jax_enable_x64)
    return "float64" in _floats(xp, device)


def widest_float(xp: Any, device: Any = None) -> Any:
    """Return float64 where the device has it, else float32."""
    return xp.float64 if has_float64(xp, device) else xp.float32


def _default_float(xp: Any, device: Any) -> Any:
    if namespace_name(xp) in {"numpy", "dask.array"}:
        return xp.float64
    info = xp.__array_namespace_info__()
    try:
        return info.default_dtypes(device=device)["real floating"]
    except (TypeError, ValueError):
        return info.default_dtypes()["real floating"]


def real_dtype(x: Array, *, name: str = "X") -> Any:
    """Return the dtype to compute in for `x`: its own if floating, else the default float."""
    place = place_of(x)
    xp = place.xp
    text = dtype_name(x.dtype)
    if text in _REAL:
        # Files bring bytes in the other order, which no BLAS and no ufunc with `out` takes.
        return x.dtype if getattr(x.dtype, "isnative", True) else getattr(xp, text)
    if xp.isdtype(x.dtype, "complex floating"):
        raise TypeError(f"{name} is complex ({text}); the maps take real data: pass its real part")
    if xp.isdtype(x.dtype, ("integral", "bool")):
        return _default_float(xp, place.device)
    raise TypeError(f"{name} has dtype {text}; the maps compute in float32 or float64: convert it")


def resolve_dtype(dtype: Any, xp: Any, device: Any) -> Any:
    """Resolve a dtype given by name or as the namespace's object; ``None`` is the default float."""
    if dtype is None:
        return _default_float(xp, device)
    text = dtype_name(dtype)
    if text not in _REAL:
        raise TypeError(f"dtype must be 'float32' or 'float64', not {text!r}")
    if text == "float64" and not has_float64(xp, device):
        raise TypeError(
            f"dtype float64 does not exist on this device of {namespace_name(xp)}; "
            "use dtype='float32', or switch double precision on (for JAX: jax_enable_x64)"
        )
    return getattr(xp, text)


def code_dtype(xp: Any, n_values: int) -> Any:
    """Return the smallest integer dtype comparable in every namespace that holds `n_values`."""
    if n_values <= 2**8:
        return xp.uint8
    # torch has no arithmetic on uint16, so uint8 is followed by the signed types.
    return xp.int16 if n_values <= 2**15 else xp.int32


def within_floats(compute: Callable[[], Any], x: Array, *, name: str) -> Any:
    """Compute where underflow is rounding, and other errors that NumPy is told to raise name `x`.

    What overflows on the way to a finite result, or divides by zero where it is not used, is none.
    """
    if not isinstance(x, np.ndarray):
        return compute()
    try:
        with np.errstate(under="ignore"):
            return compute()
    except FloatingPointError:
        with np.errstate(all="ignore"):
            values = compute()
    if all(np.isfinite(one).all() for one in (values if isinstance(values, tuple) else (values,))):
        return values
    raise ValueError(f"{name} leads out of the range of floats: scale it")
