"""Tail bounds of the spectral error of a Gram matrix of random features, after Tropp (2015).

K is the exact kernel of n rows, with eigenvalues mu. A block is the columns that share a draw, such
as a cosine and its sine; M independent blocks have Gram matrices of mean K, and the map's Gram
matrix is their average. With a ridge lambda all matrices are multiplied by (K + lambda)^(-1/2) from
both sides: K becomes B, of eigenvalues beta = mu/(mu + lambda); without a ridge B = K. The size s
of a block is the trace of its matrix after that. With psi(x) = e^x - 1 - x, the chance that the
largest eigenvalue of average - B (sign +), or of B - average (sign -), reaches t is at most

    sum over i of (exp(a beta_i + w [i = 1]) - 1), divided by psi(theta t), where
    a = M psi(+-c L)/L,  w = M E[psi(+-c s); s > L],  c = theta/M,

for any theta > 0 and any cut L > 0. The proof is on the page features-gram-error, (a) to (d).
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._validate import require_positive
from mehler.bounds._arguments import counts, positives, require_host, squares
from mehler.bounds._bound import Assumption, Counts, Floats

MEAN = Assumption("blocks of features are independent, with the mean K")
# Eigenvalues of a Gram matrix are computed up to this part of the largest.
_ROUNDING = 1e-10


@dataclass(frozen=True)
class Size:
    """Eigenvalues `beta` of B, downwards, and the size s of a block: at most `most`, E s = `mean`.

    With `lipschitz` above 0, P(sqrt(s) > sqrt(mean) + lipschitz u) <= exp(-u^2/2).
    """

    beta: Floats
    most: float
    mean: float
    lipschitz: float
    assumptions: tuple[Assumption, ...]


def eigenvalues_of(gram: NDArray[np.float64] | None, eigenvalues: Any) -> Any:
    """Return the eigenvalues (n,) of K, downwards, from exactly one of both arguments."""
    if (gram is None) == (eigenvalues is None):
        raise ValueError("give one of gram, the exact kernel of the rows, and eigenvalues")
    name = "eigenvalues" if gram is None else "gram"
    values: Any = require_host(name, eigenvalues if gram is None else gram)
    if gram is not None:
        if values.ndim != 2 or values.shape[0] != values.shape[1] or values.size == 0:
            raise ValueError(f"gram has shape {values.shape}: give the kernel of n rows, (n, n)")
        if np.abs(values - values.T).max() > 1e-6 * np.abs(values).max():
            raise ValueError("gram is not symmetric: give the exact kernel of the rows")
        values = np.linalg.eigvalsh(values)
    elif values.ndim != 1 or values.size == 0:
        raise ValueError(f"eigenvalues has shape {values.shape}: give a list of them, (n,)")
    values = np.sort(values)[::-1]
    if not values[0] > 0:
        raise ValueError(f"{name}: the largest eigenvalue is {values[0]:.6g}, it must be positive")
    if values[-1] < -max(_ROUNDING, 1e-14 * values.size) * values[0]:
        raise ValueError(
            f"{name} has an eigenvalue of {values[-1]:.6g}: a kernel is positive semidefinite"
        )
    return np.maximum(values, 0.0)


def size_of(
    mu: Floats,
    *,
    ridge: float | None = None,
    sup: float | None = None,
    leverage: float | None = None,
    lipschitz: float | None = None,
) -> Size:
    """Return B's eigenvalues and bounds of s, by the arguments of :mod:`mehler.bounds.spectral`."""
    if sup is None and leverage is None and lipschitz is None:
        raise ValueError("give sup, leverage or lipschitz: how large the features of a block are")
    scale = 1.0 if ridge is None else ridge
    beta = mu if ridge is None else mu / (mu + scale)
    mean, rate, maxima = math.fsum(beta), 0.0, []
    if sup is not None:
        largest = float(mu.size * squares(sup=positives(sup=sup)) / scale)
        maxima.append(("no block's features of a row are longer than this", sup, largest))
    if leverage is not None:
        largest = float(require_positive("leverage", leverage))
        maxima.append(("no block's leverage is larger than this", leverage, largest))
    # The mean of s is the trace of B, so that no smaller bound of s is true.
    assumptions = [MEAN]
    assumptions += [Assumption(t, bool(x >= mean * (1 - 1e-6)), f"{v:g}") for t, v, x in maxima]
    if lipschitz is not None:
        rate = require_positive("lipschitz", lipschitz) / math.sqrt(scale)
        text = "the features of the rows are this Lipschitz in standard normal weights"
        assumptions.append(Assumption(text, None, f"{lipschitz:g}"))
    # A maximum below the mean is an assumption that is not met; it must not underflow.
    most = max(min((largest for *_, largest in maxima), default=math.inf), 1e-12 * mean)
    in_range = lipschitz is None or 0 < rate * rate < math.inf
    if most < 1e-280 or not in_range or (lipschitz is None and math.isinf(most)):
        raise ValueError(
            f"sup={sup!r}, lipschitz={lipschitz!r}: features over a ridge of {scale!r} overflow "
            "or underflow: use another ridge or other units"
        )
    return Size(beta, most, mean, rate, tuple(assumptions))


def blocks(n_features: Counts, block: Counts) -> Any:
    """Return M, the number of independent blocks of columns."""
    m, size = counts(n_features=n_features, block=block)
    if np.any(m % size):
        raise ValueError(f"n_features={n_features} is not a multiple of block={block}")
    return m / size


# Values of c L: any is valid, and neighbours change the exponent by less than 1e-3.
_GRID = np.geomspace(1e-12, 60.0, 500)
# The same for s without a maximum: c in units of 1/E s, and of 1/lipschitz^2 up to the pole at 0.5;
# square roots of cuts L, in units of `lipschitz` above the root of E s.
_COARSE = np.geomspace(1e-12, 25.0, 160)
_NEAR = np.array([0.2, 0.25, 0.3, 0.35, 0.39, 0.42, 0.44, 0.46, 0.47, 0.48])
_CUTS = np.linspace(0.25, 12.0, 24)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(160)
# Exponentials of sums over a spectrum that are computed together.
_AT_ONCE = 2**14


@dataclass(frozen=True)
class Tail:
    """The bound for one sign: values of theta, and the logarithm of the sum over i at each."""

    theta: Floats
    numerator: Floats

    def log_probability(self, t: float | NDArray[np.float64]) -> Any:
        """Return the logarithm of the bound at each t, by the best theta."""
        # A sum that underflows to 0 is no upper bound: at such a theta nothing is known.
        above = np.where(np.isneginf(self.numerator), np.inf, self.numerator)
        with np.errstate(invalid="ignore"):
            bounds = above - _log_psi(np.multiply.outer(t, self.theta))
        return np.min(np.where(np.isnan(bounds), np.inf, bounds), axis=-1)


def deviation(size: Size, m: float, delta: float) -> float:
    """Return the spectral error that m blocks exceed with probability at most delta."""
    upper, lower = (tail(size, m, sign) for sign in (1, -1))
    largest = float(size.beta[0])

    def chance(t: float) -> float:
        # B - average has no eigenvalue above the largest one of B.
        down = lower.log_probability(t) if t < largest else -math.inf
        return math.exp(min(upper.log_probability(t), 1.0)) + math.exp(min(down, 1.0))

    low, high = 0.0, largest
    while chance(high) > delta:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if chance(middle) <= delta else (middle, high)
    return high


@np.errstate(over="ignore", invalid="ignore")
def tail(size: Size, m: float, sign: int) -> Tail:
    """Return the tail of one sign: with L = `most` and w = 0, and with cuts of a Lipschitz s."""
    parts = []
    if math.isfinite(size.most):
        a = m * _psi(sign * _GRID) / size.most
        parts.append((_GRID / size.most * m, log_sums(a, np.zeros_like(a), size.beta)))
    if size.lipschitz:
        c, beyond = _beyond(size.mean, size.lipschitz, sign)
        ends = (math.sqrt(size.mean) + size.lipschitz * _CUTS) ** 2
        a = m * _psi(sign * c[:, None] * ends) / ends
        parts.append((c * m, log_sums(a, m * beyond, size.beta).min(axis=1)))
    return Tail(*(np.concatenate(part) for part in zip(*parts, strict=True)))


@functools.lru_cache(maxsize=64)
@np.errstate(over="ignore", invalid="ignore")
def _beyond(mean: float, lipschitz: float, sign: int) -> tuple[Any, Any]:
    """Return values of c, and at each c and cut L a bound of E[psi(+-c s); s > L], by parts."""
    c = _COARSE / mean
    if sign > 0:
        # The integral is finite up to 0.5/lipschitz^2.
        near = _NEAR / lipschitz**2
        c = np.concatenate([c[c < near[0]], near[near * mean < 40]])
    root = math.sqrt(mean)
    at = root + lipschitz * _CUTS
    edge = _psi(sign * c[:, None] * at**2) * np.exp(-(_CUTS**2) / 2)
    # The integrand is at most a factor times exp(-p (u - b/p)^2/2), which ends 14 deviations above.
    p = 1 - 2 * c * lipschitz**2 if sign > 0 else np.ones_like(c)
    b = 2 * c * root * lipschitz if sign > 0 else np.zeros_like(c)
    end = np.maximum(_CUTS, (b / p)[:, None]) + 14 / np.sqrt(p)[:, None]
    half = (end - _CUTS) / 2
    u = _CUTS[:, None] + half[..., None] * (1 + _NODES)
    r = root + lipschitz * u
    x = sign * c[:, None, None] * r**2
    gauss = np.exp(-(u**2) / 2)
    grown = np.expm1(np.minimum(x, 1)) * gauss
    if sign > 0:  # together, where exp(x) alone would overflow
        grown = np.where(x < 1, grown, np.exp(x - u**2 / 2) - gauss)
    density = 2 * c[:, None, None] * lipschitz * r * grown * sign
    bound = edge + half * (density @ _WEIGHTS)
    # Where a factor overflows and another one is 0, nothing is known.
    return c, np.where(np.isnan(bound), np.inf, bound)


def log_sums(a: Floats, w: Floats, beta: Floats) -> Any:
    """Return the logarithm of the sum of exp(a beta_i + w [i = 1]) - 1 at each a > 0, w >= 0."""
    shape, a, w, parts = a.shape, a.ravel(), w.ravel(), []
    size = max(1, _AT_ONCE // beta.size)
    for start in range(0, a.size, size):
        part = slice(start, start + size)
        exponent = a[part, None] * beta
        exponent[:, 0] += w[part]
        top = np.maximum(exponent[:, :1], 1.0)
        # Divided by the largest term, or without cancellation where all are small.
        small = np.expm1(np.minimum(exponent, 1.0)) * np.exp(-top)
        grown = np.where(top > 1, np.exp(exponent - top) - np.exp(-top), small)
        with np.errstate(divide="ignore"):  # of exponents that underflow
            parts.append(top[:, 0] + np.log(grown.sum(axis=1)))
    return np.concatenate(parts).reshape(shape)


def _psi(x: NDArray[np.float64]) -> Any:
    """Return e^x - 1 - x without cancellation."""
    x = np.asarray(x, dtype=float)
    near = np.abs(x) < 1e-3
    small = np.where(near, x, 0.0)
    series = small * small * (1 / 2 + small * (1 / 6 + small * (1 / 24 + small / 120)))
    with np.errstate(over="ignore"):
        return np.where(near, series, np.expm1(x) - x)


def _log_psi(x: NDArray[np.float64]) -> Any:
    """Return log psi(x) for x > 0, also where e^x overflows."""
    x = np.asarray(x, dtype=float)
    small = np.minimum(x, 50.0)
    # The branch for large x is computed for small ones too.
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(x < 50, np.log(_psi(small)), x + np.log1p(-(1 + x) * np.exp(-x)))
