"""Eigenvalues of deep maxout kernels on the sphere: the rates of ReLU, with constants."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from mehler import exact
from mehler.statements import Context, Evidence, check

from .._worlds import World, hold_worlds
from ._coefficients import eigenvalues, kink, leading, of_power

# Relative error of an eigenvalue by quadrature, of degrees to 82, if no more is measured.
_QUADRATURE = 1e-4
# Even and odd, and about twice those.
_DEGREES = (40, 41, 80, 81)
Leading = Callable[..., tuple[float, float]]


def _networks(context: Context) -> Iterator[tuple[int, int, dict[str, float]]]:
    """Yield pools, depths and variances; weights are critical unless they are given."""
    sizes = ((3, 4), (1, 3)) if context.quick else ((3, 4, 8, 16), (1, 2, 3, 5))
    for q, depth in itertools.product(*sizes):
        yield q, depth, {}
    biased = ({"bias_variance": 0.1}, {"weight_variance": 0.6, "bias_variance": 0.3})
    few = ((2, 4), (1, 3)) if context.quick else ((2, 3, 8), (1, 2, 5))
    for q, depth, variances in itertools.product(*few, biased):
        yield q, depth, variances


def _worlds(
    method: str, context: Context, claimed: Leading, slope: Callable[[int], float]
) -> list[World]:
    found = []
    for (q, depth, variances), d in itertools.product(_networks(context), (3, 5)):
        nu, c = claimed(method, q, depth, slope(q), **variances)
        powers = [c * of_power(nu, d, k) for k in _DEGREES]
        values, errors = eigenvalues(method, q, depth, d, _DEGREES, **variances)
        off = np.abs(values / powers - 1.0)
        error = max(_QUADRATURE, float(np.max(errors / np.abs(powers))))
        where = "".join(f", {name.replace('_', ' ')} {one}" for name, one in variances.items())
        for k, near, far in zip(_DEGREES[:2], off[:2], off[2:], strict=True):
            found.append(
                World(
                    f"q = {q}, depth {depth}{where}, dimension {d}, degree {k}",
                    (max(0.0, far - error), far + error),
                    0.5 * near + 2.0 * error,
                )
            )
    return found


@check("depth.spectrum", form="printed", name="tangent kernel")
def tangent(
    context: Context, *, claimed: Leading = leading, slope: Callable[[int], float] = kink
) -> Evidence:
    """Hold the tangent kernel's eigenvalues of odd and even degree against the limit."""
    return hold_worlds(
        _worlds("ntk", context, claimed, slope),
        form="printed",
        claim=r"tangent kernel: $|\mu_k/(c\,\mu_k[(1-t)^{1/2}]) - 1|$ halves where $k$ doubles",
    )


@check("depth.spectrum", form="printed", name="covariance")
def covariance(
    context: Context, *, claimed: Leading = leading, slope: Callable[[int], float] = kink
) -> Evidence:
    """Hold the covariance's."""
    return hold_worlds(
        _worlds("nngp", context, claimed, slope),
        form="printed",
        claim=r"covariance: $|\mu_k/(c\,\mu_k[(1-t)^{3/2}]) - 1|$ halves where $k$ doubles",
    )


@check("depth.spectrum", form="printed", name="the kink")
def kinks(context: Context, *, slope: Callable[[int], float] = kink) -> Evidence:
    """Hold a_q against differences of the collision probability at small angles."""
    worst, at = 0.0, 0
    for q in (2, 3, 4, 8, 16, 64):
        # Neville's scheme on 1 - kappa over the angle, at angles h, h/2, h/4, ...
        h = 0.05 * 0.5 ** np.arange(6)
        column = (1.0 - np.array([exact.collision_probability(np.cos(x), q) for x in h])) / h
        for order in range(1, 6):
            column = (2.0**order * column[1:] - column[:-1]) / (2.0**order - 1.0)
        off = float(column[0]) / slope(q) - 1.0
        if abs(off) >= abs(worst):
            worst, at = off, q
    return Evidence.exact_comparison(
        form="printed",
        claim=rf"$1 - \kappa_q(\cos\theta) \sim a_q\theta$ (largest difference at $q = {at}$)",
        observed=worst,
        exact=0.0,
        # Rounding of kappa, 1e-13, over the smallest angle and by the scheme's weights.
        interval=(worst - 1e-8, worst + 1e-8),
        resolution=1e-6,
        method="extrapolated differences",
    )


@check("depth.spectrum", form="printed", name="one layer of ReLU has no odd orders")
def relu_misses_half(context: Context, *, q: int = 2) -> Evidence:
    """Ask whether a layer of pools of two has no odd orders, which pools of three and more have."""
    (even, odd), _ = eigenvalues("ntk", q, 1, 3, (40, 41))
    ratio = abs(float(odd / even))
    return Evidence.bound_comparison(
        form="printed",
        claim=f"the tangent kernel's eigenvalue of degree 41 over that of 40, one layer, q = {q}",
        observed=ratio,
        interval=(max(0.0, ratio - 1e-9), ratio + 1e-9),
        upper=1e-6,
        method="Gauss-Legendre quadrature in the angle",
    )
