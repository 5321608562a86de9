"""Moments of slopes, and laws of products and increments, of named maps."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from mehler import exact
from mehler._validate import require_choice, require_integer, require_positive
from mehler.bounds.kitchen_sinks import moment_of_longest
from mehler.exact import require_pool

# Up to here the quadrature of lengths keeps its digits.
_LARGEST = 10**12
# Dimensions beyond which the length of normals is computed by its series.
_MANY = 1000
# For larger nu the Matern kernel is practically Gaussian, and no map has it.
_SMOOTHEST = 50.0
# A moment by quadrature is right to 1e-10 of itself; the second one is made larger by this part,
# which pays for the rounding of the first too.
_ROUNDING = 1e-8


def slope_fourier(
    n_inputs: int,
    *,
    gamma: float | None = None,
    nu: float | None = None,
    length_scale: float | None = None,
    form: Literal["pairs", "offset"] = "pairs",
) -> dict[str, Any]:
    r"""Return the arguments of :func:`uniform_by_slope` for a Gaussian or a Matern kernel.

    .. math:: G = |w|, \quad \mathbb{E}|w| = s\,\frac{\sqrt2\,\Gamma(\frac{d+1}2)}{\Gamma(\frac d2)}
              \,\mathbb{E}R, \quad \mathbb{E}|w|^2 = s^2d\,\mathbb{E}R^2

    for frequencies s R N(0, I): s^2 = 2 gamma and R = 1 for the Gaussian kernel; s one over the
    length, E R = sqrt(nu) Gamma(nu - 1/2)/Gamma(nu) and E R^2 = nu/(nu - 1) for the Matern kernel.
    Proof: :doc:`/theorems/features-uniform`.

    Parameters
    ----------
    n_inputs : int
        Columns d of the rows.
    gamma : float, optional
        Of the Gaussian kernel exp(-gamma abs(x - y)^2).
    nu, length_scale : float, optional
        Of the Matern kernel, nu above 1 and at most 50: for rougher ones E G^2 is infinite. The
        length is 1 unless it is given.
    form : {"pairs", "offset"}
        Pairs of cosine and sine of one frequency; or cosines with an offset, whose G is 2 abs(w).

    Returns
    -------
    dict
        `slope` and `width`. For pairs m is half of the map's features.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> setting = kernel_error.slope_fourier(2, gamma=0.5)
    >>> [round(moment, 6) for moment in setting["slope"]], setting["width"]
    ([1.253314, 2.0], 2.0)
    """
    d = require_integer("n_inputs", n_inputs, most=_LARGEST)
    times = 1.0 if require_choice("form", form, ("pairs", "offset")) == "pairs" else 2.0
    if (gamma is None) == (nu is None) or (gamma is not None and length_scale is not None):
        raise ValueError("give gamma, of the Gaussian kernel, or nu and length_scale, of a Matern")
    if gamma is not None:
        scale, first, second = math.sqrt(2 * require_positive("gamma", gamma)), 1.0, 1.0
    else:
        degrees = require_positive("nu", nu)
        if not 1 < degrees <= _SMOOTHEST:
            raise ValueError(
                f"nu={nu!r} must be above 1, where the slope has a second moment, and at most "
                f"{_SMOOTHEST:g}; beyond take gamma = 1/(2 length_scale^2)"
            )
        scale = 1 / require_positive("length_scale", 1.0 if length_scale is None else length_scale)
        first = math.sqrt(degrees) * math.exp(math.lgamma(degrees - 0.5) - math.lgamma(degrees))
        second = degrees / (degrees - 1)
    if d <= _MANY:
        length = math.sqrt(2) * math.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))
    else:
        # Logarithms would cancel; the next term is below 1e-12.
        length = math.sqrt(d) * (1 - 1 / (4 * d) + 1 / (32 * d * d) + 5 / (128 * d**3))
    steep = times * scale
    slope = (steep * length * first, steep * steep * d * second)
    return {**_floats({"slope": slope}), "width": 2 * times}


@np.errstate(over="ignore")
def slope_kitchen_sinks(n_inputs: int, *, lipschitz: float, radius: float) -> dict[str, Any]:
    r"""Return the arguments of :func:`uniform_by_slope` for kitchen sinks of Lipschitz activation.

    .. math:: G = L^2R|w|^2, \quad v = 8\tau^2(\tau^2 + \mu^2), \quad
              c = 2\sqrt2\,\tau^2, \quad \tau = LR, \quad \mu = \sqrt{2/\pi}\,\tau

    for units a(<w, x>) with a(0) = 0 and w of the law N(0, I); increments have v = 3 tau'^2 and c =
    2 tau', tau' = L tau. Proof: :doc:`/theorems/features-uniform`, where units have offsets.

    Parameters
    ----------
    n_inputs : int
        Columns d of the rows.
    lipschitz : float
        L of the activation, 1 for relu and tanh, times the standard deviation of the weights.
    radius : float
        R, no row of the set is longer.

    Returns
    -------
    dict
        `slope`, `sub_gamma` and `increments`.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> relu = kernel_error.slope_kitchen_sinks(2, lipschitz=1.0, radius=1.0)
    >>> [round(moment, 6) for moment in relu["slope"]]
    [2.0, 8.0]
    """
    d = require_integer("n_inputs", n_inputs, most=_LARGEST)
    # Powers of NumPy's floats overflow to infinity; Python's raise.
    steep = np.float64(require_positive("lipschitz", lipschitz))
    tau = steep * require_positive("radius", radius)
    mu, moved = math.sqrt(2 / math.pi) * tau, steep * tau
    return _floats(
        {
            "slope": (steep * (tau * float(d)), steep**2 * (tau**2 * (d * (d + 2.0)))),
            "sub_gamma": (8 * tau**2 * (tau**2 + mu**2), 2 * math.sqrt(2) * tau**2),
            "increments": (3 * moved**2, 2 * moved),
        }
    )


def slope_maxout_centred(n_inputs: int, *, pool_size: int) -> dict[str, Any]:
    r"""Return the arguments of :func:`uniform_by_slope` for centred maxout units on unit vectors.

    .. math:: G = N(N + h_1), \quad N = \max_{j\le q}|w_j|, \quad v = 8, \quad c = 2\sqrt2

    for units max_j <w_j, x> - h_1(q); the moments of N, the largest of q lengths of d normals, by
    quadrature. Increments have v = 4 max_p 2 E N_1^(2p)/(p! 4^(p-2)) and c = 8, N_1 the same for d
    = 1. Proof: :doc:`/theorems/features-uniform`. Plain maxout units have :func:`uniform`.

    Parameters
    ----------
    n_inputs : int
        Columns d of the rows, which have norm 1.
    pool_size : int
        q.

    Returns
    -------
    dict
        `slope`, `sub_gamma` and `increments`.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> setting = kernel_error.slope_maxout_centred(2, pool_size=4)
    >>> [round(moment, 4) for moment in setting["slope"]]
    [6.188, 47.0043]
    """
    d = require_integer("n_inputs", n_inputs, most=_LARGEST)
    q = require_pool(pool_size, "pool_size")
    h1 = float(exact.max_moment(1, q))
    first, second, third, fourth = (moment_of_longest(d, q, p) for p in (1, 2, 3, 4))
    square = fourth + 2 * h1 * third + h1**2 * second
    bernstein, p = 0.0, 2
    # E N_1^(2p) <= q E g^(2p) <= q p! 2^p, so that from p on it is at most 32 q/2^p.
    while 32 * q / 2**p > bernstein:
        moment = 2 * moment_of_longest(1, q, 2 * p) / (math.factorial(p) * 4.0 ** (p - 2))
        bernstein, p = max(bernstein, moment), p + 1
    return {
        "slope": (second + h1 * first, square * (1 + _ROUNDING)),
        "sub_gamma": (8.0, 2 * math.sqrt(2)),
        "increments": (4 * bernstein * (1 + _ROUNDING), 8.0),
    }


def _floats(constants: dict[str, Any]) -> dict[str, Any]:
    """Return pairs of positive floats, or say that they are not."""
    constants = {name: tuple(map(float, pair)) for name, pair in constants.items()}
    if not all(0 < c < math.inf for pair in constants.values() for c in pair):
        raise ValueError(
            "gamma, length_scale, lipschitz, radius: moments of slopes or products leave the "
            "floats, give rows and features in other units"
        )
    return constants
