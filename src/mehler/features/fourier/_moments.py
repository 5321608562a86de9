"""Moments of products of Fourier features, from the functions of a spectrum."""

from __future__ import annotations

from typing import Any

from mehler import _arrays
from mehler.features.projections import Projection
from mehler.features.spectra import Spectrum


def variance(spectrum: Spectrum, t: Any, form: str) -> _arrays.Array:
    """Compute m times the variance of the estimate, for independent frequencies.

    Pairs: 2 Var cos = 1 + k(2z) - 2 k(z)^2. Offset: the product is A + B with A = cos <w, z> and
    B the cosine of a uniform angle that is independent of w, so Var A + 1/2.
    """
    spread = spectrum.spread(t)
    return spread if form == "pairs" else 0.5 * spread + 0.5


def dependence(
    spectrum: Spectrum, projection: Projection, t: Any, n_inputs: int, n_units: int
) -> _arrays.Array:
    """Sum the covariances of cos <w_l, z> with those of all other units, per unit.

    Exact for orthogonal blocks if the spectrum defines that covariance, else an upper bound.
    Offsets are independent, so they add nothing.
    """
    single = 0.5 * spectrum.spread(t)
    near = projection.orthogonal_pairs(n_inputs, n_units)
    if near is None:
        return (projection.variance_factor(1, n_inputs, n_units) - 1.0) * single
    if not near.pairs:
        return 0.0 * single
    covariance: Any = spectrum.orthogonal_covariance(t, near.dimension)
    if covariance is None:
        covariance = 3.0 / (near.dimension**2 - 1) * single
    return near.pairs * covariance + near.excess * single


def kurtosis(spectrum: Spectrum, t: Any, form: str) -> _arrays.Array:
    """Compute E(P - EP)^4 / Var(P)^2 of one product."""
    half = 0.5 * spectrum.spread(t)
    own = spectrum.kurtosis(t)
    if form == "pairs":
        # The product is constant for equal rows.
        xp = _arrays.array_namespace(half)
        return xp.where(half > 0.0, own, xp.ones_like(half))
    # A + B with B the cosine of a uniform angle: Var B = 1/2, E B^4 = 3/8.
    total: Any = (own * half * half + 3.0 * half + 0.375) / (half + 0.5) ** 2
    return total
