"""Moments of products of Fourier features, from the kernel at multiples of a difference."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import _arrays
from mehler.features import _spectra
from mehler.features.projections import Projection

# Below this variance, central moments from multiples of z have lost their digits.
_SMALL = 1e-4


def variance(spectrum: _spectra.Spectrum, t: _arrays.Array, form: str) -> _arrays.Array:
    """Variance of the estimate times m, for independent frequencies.

    Pairs: 2 Var cos = 1 + k(2z) - 2 k(z)^2. Offset: the product is A + B with A = cos <w, z> and
    B the cosine of a uniform angle that is independent of w, so Var A + 1/2.
    """
    spread = spectrum.spread(t)
    return spread if form == "pairs" else 0.5 * spread + 0.5


def dependence(
    spectrum: _spectra.Spectrum,
    projection: Projection,
    t: _arrays.Array,
    n_inputs: int,
    n_units: int,
) -> _arrays.Array:
    """Sum of the covariances of cos <w_l, z> with those of all other units, a unit.

    Exact for orthogonal blocks of the Gaussian kernel, an upper bound otherwise. Offsets are
    independent, so they add nothing.
    """
    single = 0.5 * spectrum.spread(t)
    near = projection.orthogonal_pairs(n_inputs, n_units)
    if near is None:
        return (projection.variance_factor(1, n_inputs, n_units) - 1.0) * single
    if not near.pairs:
        return 0.0 * single
    if isinstance(spectrum, _spectra.Gaussian):
        covariance = orthogonal_covariance(t, near.dimension)
    else:
        covariance = 3.0 / (near.dimension**2 - 1) * single
    return near.pairs * covariance + near.excess * single


def orthogonal_covariance(t: _arrays.Array, d: int) -> _arrays.Array:
    """Cov(cos <w, z>, cos <w', z>) = 1F1(d; d/2; -t) - exp(-2t), t = gamma |z|^2.

    For w, w' of orthogonal directions and independent lengths chi_d, times sqrt(2 gamma): w + w'
    and w - w' have squared length chi^2_{2d} and a uniform direction. To 1e-15.
    """
    from scipy.special import hyp1f1

    host = np.minimum(np.asarray(_arrays.to_host(t), dtype=np.float64), 1e8)
    value = hyp1f1(d, d / 2, -host) - np.exp(-2.0 * host)
    return _arrays.from_host(value, _arrays.place_of(t), t.dtype)


def kurtosis(spectrum: _spectra.Spectrum, t: _arrays.Array, form: str) -> _arrays.Array:
    """E(P - EP)^4 / Var(P)^2 of one product."""
    xp = _arrays.array_namespace(t)
    half = 0.5 * spectrum.spread(t)
    if isinstance(spectrum, _spectra.Gaussian):
        # ((1 - x)^2/2)^2 times this, x = k^2: no digits are lost at near rows.
        x = spectrum.kernel(t) ** 2
        own = 0.5 * (3.0 + x * (12.0 + x * (10.0 + x * (4.0 + x))))
        fourth = own * half**2
    else:
        k, k2, k3, k4 = (spectrum.kernel(t, j) for j in (1, 2, 3, 4))
        # Moments of the cosine: cos^2, cos^3, cos^4 by multiples of the angle.
        second, third, raw = (1.0 + k2) / 2.0, (3.0 * k + k3) / 4.0, (3.0 + 4.0 * k2 + k4) / 8.0
        fourth = raw - 4.0 * k * third + 6.0 * k**2 * second - 3.0 * k**4
        # |cos - k| <= 2, so the fourth moment is at most 4 Var.
        fourth = xp.where(half > _SMALL, fourth, 4.0 * half)
        own = fourth / xp.where(half > 0.0, half, xp.ones_like(half)) ** 2
    if form == "pairs":
        # Equal rows have a constant product.
        return xp.where(half > 0.0, own, xp.ones_like(half))
    # A + B with B the cosine of a uniform angle: Var B = 1/2, E B^4 = 3/8.
    total: Any = (fourth + 3.0 * half + 0.375) / (half + 0.5) ** 2
    return total
