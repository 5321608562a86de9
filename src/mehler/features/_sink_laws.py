"""The law of one kitchen-sink feature: a known function of one projection of known law."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import _arrays

_REACH = 14.0  # standard deviations beyond which a Gaussian has no mass in float64


def feature_cdf(phi: Any, X: _arrays.Array, t: _arrays.Array) -> _arrays.Array:
    """P(a(p) <= t[i, j]) for the projection p of row i."""
    _arrays.check_matrix(X, name="X", n_columns=phi.n_inputs)
    xp = _arrays.array_namespace(X, t, names=("X", "t"))
    if t.ndim != 2 or t.shape[0] != X.shape[0]:
        raise ValueError(
            f"t has shape {tuple(t.shape)} but must have one row of values for each of the "
            f"{X.shape[0]} rows of X"
        )
    rows = np.asarray(_arrays.to_host(X), dtype=np.float64)
    values = np.asarray(_arrays.to_host(t), dtype=np.float64)
    scale = phi.weight_scale * np.linalg.norm(rows, axis=1, keepdims=True)
    if phi.bias == "uniform":
        at = _phase_cdf(values)
    else:
        scale = np.hypot(scale, phi.bias)
        projected = _sphere(phi.n_inputs) if phi.law == "sphere" else _gaussian
        of = _waves_cdf if phi._activation.waves else _monotone_cdf
        at = of(phi.activation, values, scale, projected)
    place = _arrays.place_of(X)
    return xp.astype(_arrays.from_host(at, place), _arrays.real_dtype(X), copy=False)


def _gaussian(p: Any, scale: Any) -> Any:
    """P(scale g <= p); a scale of 0 is the constant 0."""
    from scipy.special import ndtr

    return np.where(scale > 0.0, ndtr(p / np.where(scale > 0.0, scale, 1.0)), p >= 0.0)


def _sphere(d: int) -> Callable[[Any, Any], Any]:
    """P(scale sqrt(d) u_1 <= p) for u uniform on the unit sphere: u_1^2 is Beta(1/2, (d-1)/2)."""

    def law(p: Any, scale: Any) -> Any:
        from scipy.special import betainc

        at = p / (np.where(scale > 0.0, scale, 1.0) * math.sqrt(d))
        if d == 1:
            tail = np.where(np.abs(at) >= 1.0, 1.0, 0.0)
        else:
            tail = betainc(0.5, (d - 1) / 2, np.minimum(at * at, 1.0))
        return np.where(scale > 0.0, 0.5 + 0.5 * np.sign(at) * tail, p >= 0.0)

    return law


def _monotone_cdf(name: str, t: Any, scale: Any, projected: Callable[[Any, Any], Any]) -> Any:
    """A increases, so a(p) <= t says that p <= sup {p : a(p) <= t}."""
    from scipy.special import erfinv

    if name == "step":
        inverse = np.zeros_like(t)
        low, high = t < 0.0, t >= 1.0
    elif name in ("relu", "relu2"):
        inverse = np.maximum(t, 0.0) ** (1.0 if name == "relu" else 0.5)
        low, high = t < 0.0, t == np.inf
    else:
        low, high = t <= -1.0, t >= 1.0
        inside = np.where(low | high, 0.0, t)
        inverse = np.arctanh(inside) if name == "tanh" else erfinv(inside)
    return np.where(low, 0.0, np.where(high, 1.0, projected(inverse, scale)))


def _phase_cdf(t: Any) -> Any:
    """A uniform phase makes cos and sin arcsine distributed whatever the row."""
    return 1.0 - np.arccos(np.clip(t, -1.0, 1.0)) / math.pi


def _waves_cdf(name: str, t: Any, scale: Any, projected: Callable[[Any, Any], Any]) -> Any:
    """Sum over periods of the intervals in which the wave is at most t."""
    inside = np.clip(t, -1.0, 1.0)
    if name == "cos":
        first, last = np.arccos(inside), math.tau - np.arccos(inside)
    else:
        first, last = math.pi - np.arcsin(inside), math.tau + np.arcsin(inside)
    periods = math.ceil(_REACH * float(np.max(scale, initial=0.0)) / math.tau) + 2
    total = np.zeros(np.broadcast_shapes(t.shape, scale.shape))
    for k in range(-periods, periods + 1):
        shift = math.tau * k
        total += projected(last + shift, scale) - projected(first + shift, scale)
    constant = np.where(scale > 0.0, total, (1.0 if name == "cos" else 0.0) <= t)
    return np.where(t >= 1.0, 1.0, np.where(t < -1.0, 0.0, constant))
