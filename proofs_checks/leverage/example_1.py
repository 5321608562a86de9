"""Example 1: the variance of Fourier features of a Gaussian kernel, in pairs or with a phase.

The estimate of k = e^(-z^2/2) at distance z is a mean of D products cos(wz), w normal, of pairs, or
of 2 cos(u + b) cos(v + b), u - v = wz, with a phase b. Its variance for pairs, by Shahrampour and
Kolouri (2019), restored from a paper they cite, and ours with b are compared with integrals over w.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import FourierFeatures, verify
from mehler.statements import Context, Evidence, Plot, Series, check

from .._comparisons import compute, run_check
from .._plots import plot

Variance = Callable[[float], float]
_DISTANCES = (0.25, 0.5, 1.0, 2.0)
_ROUNDING = 1e-10


def as_restored(z: float) -> float:
    """Compute D times the variance of that mean for pairs: (1 - e^(-z^2))^2/2."""
    return 0.5 * math.expm1(-z * z) ** 2


def with_phase(z: float) -> float:
    """Compute D times the variance of that mean for features with a phase: 1 + k^4/2 - k^2."""
    return 1 + 0.5 * math.exp(-2 * z * z) - math.exp(-z * z)


def of_phases(z: float) -> float:
    """Compute Var 2 cos(b) cos(wz + b): Gauss-Hermite in w, exact sums over 16 phases."""
    w, mass = np.polynomial.hermite_e.hermegauss(80)
    b = 2 * np.pi * np.arange(16) / 16
    product = 2 * np.cos(b) * np.cos(w[:, None] * z + b)
    mean, square = ((mass @ (product**k).mean(axis=1)) / mass.sum() for k in (1, 2))
    return float(square - mean**2)


def of_pairs(z: float) -> float:
    """Compute Var cos(wz)."""
    w, mass = np.polynomial.hermite_e.hermegauss(80)
    mean, square = ((mass @ np.cos(w * z) ** k) / mass.sum() for k in (1, 2))
    return float(square - mean**2)


def _compare(claim: str, true: Variance, claimed: Variance, plots: Any = ()) -> Evidence:
    ratios = np.array([claimed(z) / true(z) for z in _DISTANCES])
    worst = float(ratios[np.argmax(np.abs(ratios - 1))])
    claim = f"{claim}: over the true one, farthest from 1 of four distances"
    method = "Gauss-Hermite quadrature in the frequency, sums over phases"
    return compute(claim, worst, _ROUNDING, exact=1.0, method=method, plots=plots)


@check("leverage.example-1", form="restored", name="pairs of cosine and sine")
def pairs(context: Context, *, claimed: Variance = as_restored) -> Evidence:
    """Compare the variance with that of pairs of cosine and sine, as in the cited lemma."""
    return _compare(
        r"$\frac12(1-e^{-z^2})^2$ is the variance of $\cos\omega^\top(x-y)$",
        of_pairs,
        claimed,
        (_plot(),),
    )


@check("leverage.example-1", form="proved", name="the variance with a phase")
def phases(context: Context, *, claimed: Variance = with_phase) -> Evidence:
    """Compare the other variance with that of features with a phase."""
    return _compare(
        r"$1 + \frac12e^{-2z^2} - e^{-z^2}$ is that of features with a phase", of_phases, claimed
    )


@check("leverage.example-1", form="proved", name="measured at z = 1/2")
def by_features(context: Context, *, claimed: Variance = with_phase) -> Evidence:
    """Measure the variance of features with a phase."""
    x = np.zeros((1, 3))
    y = x + np.array([[0.4, -0.3, 0.0]])
    z = 0.5

    def variance(left: Any, right: Any) -> Any:
        return np.full((len(left), len(right)), claimed(z))

    return run_check(
        context,
        verify.check_variance,
        lambda seed: FourierFeatures.draw(3, 1000, gamma=0.5, form="offset", seed=seed),
        variance,
        x,
        y,
        label="measured",
        resolution=(0.2, 0.05),
        claim=r"$m\,\mathrm{Var}\langle\Phi(x),\Phi(y)\rangle$ over $1+\frac12e^{-2z^2}-e^{-z^2}$",
    )


def _plot() -> Plot:
    z = np.linspace(0.0, 3.0, 61)
    return plot(
        "Variance of one product of Gaussian features",
        "distance of the rows over the bandwidth",
        "variance",
        Series(label="pairs", x=z, y=np.array([as_restored(distance) for distance in z])),
        Series(label="with a phase", x=z, y=np.array([with_phase(distance) for distance in z])),
        caption="Near rows: pairs have no variance, features with a phase have 1/2.",
    )
