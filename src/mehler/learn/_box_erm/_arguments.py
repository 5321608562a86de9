"""Validate the arguments of the box estimator."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler._arrays._host import without_gradient
from mehler.learn.losses import Hinge, Logistic, Loss, Ramp

_LOSSES: dict[str, type[Hinge] | type[Logistic]] = {
    "hinge": Hinge,
    "logistic": Logistic,
    "ramp": Ramp,
}


def require_features(z: Array, name: str = "Z", n_features: int | None = None) -> Array:
    """Return `z` as a matrix of finite floats; integers become the default float."""
    if isinstance(z, np.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array; fill it or drop the rows with masked values")
    xp = _arrays.array_namespace(z, names=(name,))
    if _arrays.is_lazy(z):
        raise TypeError(
            f"{name} is lazy (a Dask graph, or traced by jax.jit) but each iteration reads all of "
            f"it; compute it first, for instance {name} = {name}.compute()"
        )
    _arrays.require_matrix(z, name=name)
    if n_features is not None and z.shape[1] != n_features:
        raise ValueError(
            f"{name} has {z.shape[1]} columns but the weights are {n_features}; pass the features "
            "of the map that they were fitted on"
        )
    return xp.astype(without_gradient(z), _arrays.real_dtype(z, name=name), copy=False)


def require_labels(y: Array, z: Array) -> None:
    """Return labels -1 and +1, one per row of `z`, beside it."""
    xp = _arrays.array_namespace(z, y, names=("Z", "y"))
    if _arrays.is_lazy(y):
        raise TypeError("y is lazy; compute it first")
    here, there = _arrays.place_of(z), _arrays.place_of(y)
    if here.device != there.device:
        raise ValueError(f"Z lives on {here.device} but y on {there.device}; bring y to Z's device")
    if tuple(y.shape) != (z.shape[0],):
        raise ValueError(
            f"y must have one label a row of Z, shape ({z.shape[0]},), but has {tuple(y.shape)}"
            + ("; use y[:, 0]" if y.ndim == 2 and y.shape[1] == 1 else "")
        )
    if not xp.isdtype(y.dtype, ("real floating", "signed integer")):
        raise TypeError(
            f"y has dtype {_arrays.dtype_name(y.dtype)}, which cannot hold the labels -1 and +1; "
            "use a signed integer or a float"
        )
    found = np.unique(_arrays.to_host(y))
    if not np.isin(found, (-1, 1)).all():
        shown = ", ".join(f"{value:g}" for value in found[:5]) + (", ..." if len(found) > 5 else "")
        remedy = "; use 2 * y - 1" if np.isin(found, (0, 1)).all() else ""
        raise ValueError(
            f"y holds {shown}; the losses are of y f(x), so labels are -1 and +1{remedy}"
        )


def require_limits(limits: Any, dtype: str) -> None:
    """Raise for boxes with outputs that the dtype cannot square and sum."""
    largest = float(limits.max())
    if not largest <= (2.0**40 if dtype == "float64" else 2.0**20):
        raise ValueError(
            f"the box reaches outputs of size {largest:.3g} on row {int(limits.argmax())} of Z, "
            f"too large for losses of order 1 in {dtype}; make Z or scale smaller"
        )


def require_reachable(gap: float, rounding: float) -> None:
    """Raise for a gap below rounding, which no certificate can show."""
    if gap <= 2.0 * rounding:
        raise ValueError(
            f"gap={gap:g} is within the rounding of a certificate for these rows, {rounding:.1g}; "
            f"ask for more than {2.0 * rounding:.1g}"
        )


def require_loss(loss: Any, clip: bool) -> Loss:
    """Return the loss of a name or an object; ``clip=False`` removes its bound."""
    if isinstance(loss, str) and loss in _LOSSES:
        loss = _LOSSES[loss]()
    if not isinstance(loss, Loss):
        raise ValueError(
            f"loss={loss!r} is not one of {', '.join(map(repr, _LOSSES))} or an object of "
            "mehler.learn.losses"
        )
    return loss if clip else replace(loss, bound=math.inf)
