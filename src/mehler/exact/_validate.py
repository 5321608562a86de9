"""Validate arguments of exact functions: pool sizes, orders and correlations."""

from __future__ import annotations

import math
from typing import Any

from mehler import _arrays
from mehler._validate import require_integer

# Largest pool size at which tests/exact verify the stated accuracy of the tables.
LARGEST_POOL = 10**6

# Correlations beyond 1 by more than this are not rounding but a bug.
ROUNDING = {"float32": 1e-5, "float64": 1e-12}


def require_pool(q: Any, *, dps: int | None = None) -> int:
    """A pool size; float64 tables stop at 10^6, arbitrary precision does not."""
    return require_integer("pool size q", q, most=LARGEST_POOL if dps is None else None)


def require_rho(rho: Any) -> Any:
    """Return correlations clipped to [-1, 1], if they leave it by rounding only.

    The result is an array of a real floating dtype, in the namespace of `rho`; Python numbers and
    lists become NumPy arrays. Chunks of Dask are looked at as they are computed, and tracers are
    clipped unchecked.
    """
    if not _arrays.is_array(rho):
        import numpy as np

        rho = np.asarray(rho)
        if rho.dtype.kind not in "biuf":
            raise TypeError(f"rho must hold real numbers, but has dtype {rho.dtype}")
    xp = _arrays.array_namespace(rho)
    dtype = _arrays.real_dtype(rho, name="rho")
    if _arrays.is_chunked(rho):
        return rho.map_blocks(require_rho, dtype=dtype, meta=rho._meta.astype(dtype))
    rho = xp.astype(rho, dtype) if rho.dtype != dtype else rho
    if not _arrays.is_lazy(rho) and 0 not in rho.shape:
        slack = ROUNDING[_arrays.dtype_name(dtype)]
        # NaN fails this comparison too.
        if not _arrays.all_true(lambda r: xp.abs(r) <= 1 + slack, rho):
            host = _arrays.to_host(rho)
            worst = float(host[~(abs(host) <= 1 + slack)].flat[0] if host.ndim else host)
            cause = (
                "as do the rows that it comes from"
                if math.isnan(worst)
                else "divide inner products by both norms"
            )
            raise ValueError(f"rho must lie in [-1, 1] but holds {worst!r}; {cause}")
    return _arrays.graft(_arrays.clip(xp, rho, -1.0, 1.0), rho)
