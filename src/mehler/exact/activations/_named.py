"""Activations a(t) by name, and expected products of a(<w, x>) and a(<w, y>), w normal."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any, Literal, TypeAlias

import numpy as np

from mehler import _arrays
from mehler._validate import require_integer, require_not_negative, shown
from mehler.exact._correlations import require_rho, scalar_if_scalar
from mehler.exact.activations import _closed
from mehler.exact.activations._activation import Activation
from mehler.exact.activations._closed import pairs_of


def _step(xp: ModuleType, t: _arrays.Array) -> _arrays.Array:
    return xp.astype(t > 0.0, t.dtype)


def _relu(xp: ModuleType, t: _arrays.Array) -> _arrays.Array:
    # The first argument is overwritten, and `t` may be the user's.
    return _arrays.maximum(xp, xp.zeros_like(t), t)


def _gelu(xp: ModuleType, t: _arrays.Array) -> _arrays.Array:
    return 0.5 * t * (1.0 + _arrays.erf(xp, t * 0.5**0.5))


def _gelu_slope(xp: ModuleType, t: _arrays.Array) -> _arrays.Array:
    # Beyond, it is 0 or 1 in float64, and the square would overflow.
    t = xp.clip(t, -40.0, 40.0)
    density = xp.exp(-0.5 * t * t) / math.tau**0.5
    return 0.5 * (1.0 + _arrays.erf(xp, t * 0.5**0.5)) + t * density


def _sigmoid(xp: ModuleType, t: _arrays.Array) -> _arrays.Array:
    return 0.5 + 0.5 * xp.tanh(0.5 * t)  # nothing overflows


def _softplus(xp: ModuleType, t: _arrays.Array) -> _arrays.Array:
    return xp.maximum(t, xp.zeros_like(t)) + xp.log1p(xp.exp(-xp.abs(t)))


ACTIVATIONS = {
    activation.name: activation
    for activation in (
        Activation("step", _step, degree=0),
        Activation("relu", _relu, degree=1),
        Activation("relu2", lambda xp, t: _relu(xp, t) ** 2, degree=2),
        Activation("leaky_relu", lambda xp, t: _arrays.maximum(xp, 0.01 * t, t), degree=1),
        Activation(
            "gelu",
            _gelu,
            kernel=_closed.gelu_kernel,
            derivative=Activation("gelu'", _gelu_slope, kernel=_closed.gelu_slope_kernel),
        ),
        Activation(
            "sigmoid", _sigmoid, derivative=lambda xp, t: _sigmoid(xp, t) * _sigmoid(xp, -t)
        ),
        Activation("softplus", _softplus, derivative=_sigmoid),
        Activation(
            "erf",
            _arrays.erf,
            kernel=_closed.erf_kernel,
            derivative=Activation("erf'", _closed.erf_slope, kernel=_closed.erf_slope_kernel),
        ),
        Activation(
            "tanh", lambda xp, t: xp.tanh(t), derivative=lambda xp, t: 1.0 - xp.tanh(t) ** 2
        ),
        Activation("cos", lambda xp, t: xp.cos(t), waves=((1, 0.5), (-1, 0.5))),
        Activation("sin", lambda xp, t: xp.sin(t), waves=((1, -0.5j), (-1, 0.5j))),
    )
}


ActivationName: TypeAlias = Literal[
    "step", "relu", "relu2", "leaky_relu", "gelu", "sigmoid", "softplus", "erf", "tanh", "cos",
    "sin",
]  # fmt: skip
ActivationLike: TypeAlias = ActivationName | Activation | Callable[[Any], Any]


def activation_of(activation: ActivationLike) -> Activation:
    """Return the activation of a name or a callable; TypeError or ValueError if it is neither."""
    if isinstance(activation, Activation):
        return activation
    names = ", ".join(ACTIVATIONS)
    if isinstance(activation, str):
        if activation not in ACTIVATIONS:
            remedy = "any other function t -> a(t) can be passed itself"
            raise ValueError(f"activation={activation!r} is not one of {names}; {remedy}")
        return ACTIVATIONS[activation]
    if not callable(activation):
        neither = "neither a name nor a function t -> a(t)"
        raise TypeError(f"activation={shown(activation)} is {neither}; the names are {names}")
    return Activation("", lambda xp, t: activation(t))


_MOST_POWER = 64  # moments of more overflow, and sums of waves have thousands of terms


def activation_kernel(
    activation: ActivationLike,
    rho: Any,
    x_scale: _arrays.Array = 1.0,
    y_scale: _arrays.Array = 1.0,
    *,
    power: int = 1,
) -> Any:
    r"""Compute the expected product of an activation of two correlated Gaussians.

    .. math:: E\,a(u)^p a(v)^p, \qquad u \sim N(0, s_x^2),\ v \sim N(0, s_y^2),\
              \mathrm{Corr}(u, v) = \rho

    With p = 1 the expected kernel of one random feature a(<w, x>), w ~ N(0, I), for
    s_x = |x|, s_y = |y| and rho the correlation of the rows.

    Parameters
    ----------
    activation : str, Activation or callable
        'step', 'relu', 'relu2' (arc-cosine orders 0, 1, 2), 'leaky_relu' (slope 0.01), 'gelu'
        (exact, not by tanh), 'sigmoid', 'softplus', 'erf', 'tanh', 'cos', 'sin', or any
        elementwise function of polynomial growth; it may jump and bend.
    rho : float or array
        Correlations in [-1, 1].
    x_scale, y_scale : float or array
        Standard deviations, 0 or more; shapes broadcast with that of `rho`.
    power : int
        p, from 1 to 64.

    Returns
    -------
    float or array
        In the namespace and float dtype of `rho`.

    Notes
    -----
    Closed forms where the activation has one: a degree, while that times p is at most 16,
    waves, or a kernel of its own (erf and gelu with p = 1); accuracy 64 eps of the dtype times the
    value at equal rows. Otherwise Mehler's series on the host, to :func:`activation_kernel_error`:
    5,000 evaluations of `activation` per scale, as many more for each jump or kink, and up to 512
    operations per pair. A scale of 0 is a row of zeros: a(0) in every unit.

    References
    ----------
    Cho, Saul (2009), eq. (3) to (7), arc-cosine; Williams (1998), eq. (11), erf;
    Tsuchida et al. (2021), Avoiding kernel fixed points, gelu.

    Examples
    --------
    >>> activation_kernel("relu", 1.0)
    0.5
    >>> round(activation_kernel("erf", 0.5), 12)  # (2/pi) asin(2 rho / 3)
    0.216346895939
    >>> round(activation_kernel(lambda t: t**3, 1.0), 12)  # E g^6
    15.0
    """
    return _of_pairs(activation, rho, x_scale, y_scale, power)[0]


def activation_kernel_error(
    activation: ActivationLike,
    rho: _arrays.Array,
    x_scale: _arrays.Array = 1.0,
    y_scale: _arrays.Array = 1.0,
    *,
    power: int = 1,
) -> Any:
    r"""Bound the error of :func:`activation_kernel`.

    Of closed forms rounding; of Mehler's series after n terms the tail, at most
    :math:`|\rho|^n\sqrt{t_n(s_x)t_n(s_y)}`, which is proved, and the quadrature's error, which a
    finer rule estimates: features narrower than s/80, between two points, are missed. Arguments and
    shape are those of :func:`activation_kernel`.

    Examples
    --------
    >>> activation_kernel_error("tanh", 0.9) < 1e-12
    True
    >>> activation_kernel_error(lambda t: t > 0.3, 1.0) < 1e-12  # one integral, split at 0.3
    True
    >>> activation_kernel_error(lambda t: t > 0.3, 1 - 1e-6) > 1e-3  # a slow series
    True
    """
    return _of_pairs(activation, rho, x_scale, y_scale, power)[1]


def _of_pairs(
    activation: ActivationLike, rho: Any, x_scale: Any, y_scale: Any, power: int
) -> tuple[Any, Any]:
    a = activation_of(activation)
    power = require_integer("power", power, most=_MOST_POWER)
    r = require_rho(rho)
    pairs = pairs_of(r, _scale(x_scale, "x_scale", r), _scale(y_scale, "y_scale", r))
    with np.errstate(over="ignore", invalid="ignore"):
        value, error = a.moment(pairs, power)
    if not _arrays.is_lazy(value) and not _arrays.all_true(pairs.xp.isfinite, value):
        raise ValueError(
            f"the product of {a.title} overflows in {_arrays.dtype_name(value.dtype)}: "
            "take smaller scales, a smaller power, or float64"
        )
    if any(_arrays.is_array(part) for part in (rho, x_scale, y_scale)):
        return value, error
    return scalar_if_scalar(value), scalar_if_scalar(error)


def _scale(scale: Any, name: str, rho: _arrays.Array) -> Any:
    """Return non-negative finite scales as an array in the namespace of `rho`."""
    xp = _arrays.array_namespace(rho)
    if not _arrays.is_array(scale):
        return xp.asarray(
            require_not_negative(name, scale), dtype=rho.dtype, device=_arrays.place_of(rho).device
        )
    xp = _arrays.array_namespace(rho, scale, names=("rho", name))
    _arrays.real_dtype(scale, name=name)
    if not _arrays.is_lazy(scale) and not _arrays.all_true(
        lambda s: (s >= 0) & xp.isfinite(s), scale
    ):
        raise ValueError(f"{name} holds values that are negative or not finite")
    return scale
