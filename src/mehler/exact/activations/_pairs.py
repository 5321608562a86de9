"""Moments of pairs of activated projections, and how well they are known."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from mehler import _arrays
from mehler.exact._validate import check_int, check_rho
from mehler.exact.activations import _arc_cosine, _mehler, _waves
from mehler.exact.activations._activation import Activation, activation_of
from mehler.exact.closed_form import scalar_if_scalar

Phase = Literal["none", "uniform"]
# Of the value at equal rows: rounding of a few operations.
_ROUNDING = 64 * float(np.finfo(np.float64).eps)


def activation_kernel(
    activation: Any,
    rho: Any,
    x_scale: Any = 1.0,
    y_scale: Any = 1.0,
    *,
    power: int = 1,
    phase: Phase = "none",
) -> Any:
    r"""Expected product of an activation of two correlated Gaussians.

    .. math:: E\,a(u)^p a(v)^p, \qquad u \sim N(0, s_x^2),\ v \sim N(0, s_y^2),\
              \mathrm{Corr}(u, v) = \rho

    With p = 1 the expected kernel of one random feature a(<w, x>), w ~ N(0, I), for
    s_x = |x|, s_y = |y| and rho the correlation of the rows.

    Parameters
    ----------
    activation : str or callable
        'step', 'relu', 'relu2' (arc-cosine orders 0, 1, 2), 'erf', 'tanh', 'cos', 'sin', or any
        elementwise function of polynomial growth.
    rho : float or array
        Correlations in [-1, 1].
    x_scale, y_scale : float or array
        Standard deviations, 0 or more; shapes broadcast with that of `rho`.
    power : int
        p, at least 1.
    phase : {"none", "uniform"}
        "uniform" adds the same phase, uniform on [0, 2 pi], to u and v; for cos and sin only.

    Returns
    -------
    float or array
        In the namespace and float dtype of `rho`.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or range, or the activation is not finite.

    Notes
    -----
    Closed forms where there are some: step, relu and relu2 while degree times p is at most 4,
    erf with p = 1, cos and sin; accuracy 64 eps times the value at equal rows. Otherwise
    Mehler's series on the host, up to 512 terms; :func:`activation_kernel_error` says how well
    it is known. Cost: 2,000 evaluations of `activation` a scale, and up to 512 operations a pair.

    References
    ----------
    Cho, Saul (2009), eq. (3) to (7), arc-cosine; Williams (1998), eq. (11), erf.

    Examples
    --------
    >>> activation_kernel("relu", 1.0)
    0.5
    >>> round(activation_kernel("erf", 0.5), 12)  # (2/pi) asin(2 rho / 3)
    0.216346895939
    >>> round(activation_kernel(lambda t: t**3, 1.0), 12)  # E g^6
    15.0
    """
    return _of_pairs(activation, rho, x_scale, y_scale, power, phase)[0]


def activation_kernel_error(
    activation: Any,
    rho: Any,
    x_scale: Any = 1.0,
    y_scale: Any = 1.0,
    *,
    power: int = 1,
    phase: Phase = "none",
) -> Any:
    r"""How far :func:`activation_kernel` may be from the truth, same arguments and shape.

    Closed forms: rounding. Mehler's series after n terms: the tail, at most
    :math:`|\rho|^n\sqrt{t_n(s_x)t_n(s_y)}`, which is proved, plus the quadrature's error, which
    is estimated by a finer rule.

    Examples
    --------
    >>> activation_kernel_error("tanh", 0.9) < 1e-12
    True
    >>> activation_kernel_error(lambda t: abs(t), 1.0) > 1e-6  # a kink, and rho = 1
    True
    """
    return _of_pairs(activation, rho, x_scale, y_scale, power, phase)[1]


def _of_pairs(
    activation: Any, rho: Any, x_scale: Any, y_scale: Any, power: int, phase: str
) -> tuple[Any, Any]:
    a = activation_of(activation)
    power = check_int(power, name="power", least=1)
    if phase not in ("none", "uniform"):
        raise ValueError(f"phase={phase!r} is not one of none, uniform")
    if phase == "uniform" and not a.waves:
        raise ValueError("phase='uniform' is for the activations cos and sin: leave it out")
    r = check_rho(rho)
    left, right = _scale(x_scale, "x_scale", r), _scale(y_scale, "y_scale", r)
    value, error = _values(a, r, left, right, power, phase == "uniform")
    if any(_arrays.is_array(one) for one in (rho, left, right)):
        return value, error
    return scalar_if_scalar(value), scalar_if_scalar(error)


def _scale(scale: Any, name: str, rho: _arrays.Array) -> Any:
    """A non-negative finite number, or an array of them in the namespace of `rho`."""
    if not _arrays.is_array(scale):
        if isinstance(scale, bool) or not isinstance(scale, (int, float, np.floating, np.integer)):
            raise TypeError(f"{name} must be a number or an array, not {scale!r}")
        if not 0 <= scale < math.inf:
            raise ValueError(f"{name}={scale!r} is not a finite number of at least 0")
        return float(scale)
    xp = _arrays.array_namespace(rho, scale, names=("rho", name))
    if not _arrays.is_lazy(scale) and not bool(xp.all((scale >= 0) & xp.isfinite(scale))):
        raise ValueError(f"{name} holds values that are negative or not finite")
    return scale


def _values(
    a: Activation, rho: _arrays.Array, x_scale: Any, y_scale: Any, power: int, uniform: bool
) -> tuple[_arrays.Array, _arrays.Array]:
    xp = _arrays.array_namespace(rho)
    product = x_scale * y_scale
    if a.waves:
        value = _waves.pair_moment(a.waves, power, rho, x_scale, y_scale, uniform_phase=uniform)
        return value, _ROUNDING * xp.ones_like(value)
    if a.degree is not None and a.degree * power <= _arc_cosine.LARGEST_ORDER:
        order = a.degree * power
        factor = product**order
        at_one = _arc_cosine.arc_cosine(xp.ones_like(rho), order)
        return factor * _arc_cosine.arc_cosine(rho, order), _ROUNDING * factor * at_one
    if a.name == "erf" and power == 1:
        norm = (1.0 + 2.0 * x_scale * x_scale) * (1.0 + 2.0 * y_scale * y_scale)
        inside = 2.0 * rho * product / norm**0.5
        value = (2.0 / math.pi) * xp.asin(inside)
        return value, _ROUNDING * xp.ones_like(value)
    host = [
        np.asarray(_arrays.to_host(s) if _arrays.is_array(s) else s, dtype=np.float64)
        for s in (rho, x_scale, y_scale)
    ]
    value, error = _mehler.pair_moment(lambda t: a(np, t) ** power, *host)
    place = _arrays.place_of(rho)
    return (
        _arrays.from_host(np.asarray(value), place, rho.dtype),
        _arrays.from_host(np.asarray(error), place, rho.dtype),
    )
