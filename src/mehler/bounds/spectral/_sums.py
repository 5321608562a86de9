r"""Sums of e^(a beta) - 1 over a spectrum, which every tail needs at thousands of a.

S(a) = sum_i (e^(a beta_i) - 1) is a power series in a with coefficients that are not negative, so
log S is convex in log a (Hölder's inequality): between two of its points it is at most the chord.
Of a long spectrum S is computed once, at points, and the chords are used: from above.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

# Sums over a spectrum that are taken together.
_AT_ONCE = 24
# Longer spectra have a table.
_LONG = 512
# Its points x = a beta_1: equal steps of sqrt(x), since the second derivative of log S in log x is
# about x, or x^2/4 at worst. Chords are then 1e-6 above it, or 5e-5 at worst; below the smallest
# point S(a)/a increases.
_POINTS = np.concatenate([np.exp(np.arange(-100.0, -13.0)), np.arange(2e-3, 10.0, 2e-3) ** 2])


def log_sums(a: Any, w: Any, beta: Any) -> Any:
    """Return log(S(a) + e^(a beta_1) (e^w - 1)) for each a > 0 and w >= 0, beta downwards."""
    if beta.size <= _LONG:
        return _exact(a.ravel(), w.ravel(), beta).reshape(a.shape)
    x = a * beta[0]
    top, log_x, log_s = _POINTS[-1], np.log(_POINTS), _table(beta.tobytes())
    between = np.interp(np.log(x), log_x, log_s)
    # Beyond: S'/S is at most the largest beta_i/(1 - e^(-a beta_i)), that is beta_1 to 1e-40.
    between += np.maximum(x - top, 0.0) + np.minimum(np.log(x) - log_x[0], 0.0)
    with np.errstate(divide="ignore"):
        first = np.where(w < 1, np.log(np.expm1(np.minimum(w, 1.0))), w + np.log1p(-np.exp(-w)))
    return np.logaddexp(between, x + first)


@functools.lru_cache(maxsize=8)
def _table(spectrum: bytes) -> Any:
    beta = np.frombuffer(spectrum)
    return _exact(_POINTS, np.zeros_like(_POINTS), beta / beta[0])


def _exact(a: Any, w: Any, beta: Any) -> Any:
    found = []
    for start in range(0, a.size, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        exponent = a[part, None] * beta
        exponent[:, 0] += w[part]
        top = np.maximum(exponent[:, :1], 1.0)
        # Divided by the largest term, or without cancellation where all are small.
        small = np.expm1(np.minimum(exponent, 1.0)) * np.exp(-top)
        grown = np.where(top > 1, np.exp(exponent - top) - np.exp(-top), small)
        with np.errstate(divide="ignore"):  # of exponents that underflow
            found.append(top[:, 0] + np.log(grown.sum(axis=1)))
    return np.concatenate(found)
