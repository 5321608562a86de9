"""Least squares on Gaussian rows by the laws of one direction: beta, chi-squared, a design."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import integrate, stats

# (N, d, k).
SIZES = ((1, 5, 2), (3, 9, 1), (6, 8, 4), (12, 40, 10), (9, 6, 2), (30, 8, 8), (5, 4, 1))


def missed(n: int, d: int, k: int, average: str) -> float:
    """Return E|w_hat - w|^2 without noise, |w| = 1.

    The share h of w in the span of n rows has a beta law. What the span's projection moves w by
    has the square h - h^2 across w, in an even direction: of d - 1 coordinates k - 1 are invariant.
    """
    if average == "before":
        d = k
    if n >= d:
        return 0.0
    law = stats.beta(n / 2, (d - n) / 2)
    across = (k - 1) / (d - 1) if average == "after" else 1.0

    def squared(h: float) -> float:
        return float(((1 - h) ** 2 + across * (h - h * h)) * law.pdf(h))

    return float(integrate.quad(squared, 0, 1, epsabs=0, epsrel=1e-10, limit=500)[0])


def spent(n: int, d: int, k: int, average: str) -> float:
    """Return E|w_hat - w|^2 for noise alone, of variance 1.

    Entries of the diagonal of an inverse Wishart matrix are 1 over a chi-squared variable.
    """
    if average == "before":
        d = k
    few, many = sorted((n, d))
    freedom = many - few + 1
    if freedom <= 2:
        return float("inf")
    law = stats.chi2(freedom)
    mean = integrate.quad(lambda v: law.pdf(v) / v, 0, np.inf, epsabs=0, epsrel=1e-10, limit=500)
    return few * float(mean[0]) * (k / d if average == "after" else 1.0)


def one_row(k: int, average: str) -> tuple[float, float]:
    """Return signal and noise of one row in dimension 4, in fractions.

    The 24 vertices of the 24-cell have the moments of an even direction up to the fifth; the mean
    of 1/|x|^2 is 1/2. The first k coordinates are invariant; w is the first.
    """
    axes = [
        tuple(Fraction(s if i == j else 0) for j in range(4)) for i in range(4) for s in (-1, 1)
    ]
    halves = list(itertools.product((Fraction(-1, 2), Fraction(1, 2)), repeat=4))
    bias = noise = Fraction(0)
    for u in [*axes, *halves]:
        kept = [u[0] * one for one in u]
        cut = k if average == "after" else 4
        bias += (kept[0] - 1) ** 2 + sum((v**2 for v in kept[1:cut]), Fraction(0))
        noise += sum((v**2 for v in u[:cut]), Fraction(0)) / 2
    return float(bias / 24), float(noise / 24)


def cases() -> Iterator[tuple[dict[str, Any], tuple[float, float]]]:
    """Return arguments of the formula, and signal and noise by the other route."""
    for average in ("none", "after", "before"):
        for n, d, k in SIZES:
            pair = missed(n, d, k, average), spent(n, d, k, average)
            yield {"n_samples": n, "n_inputs": d, "n_fixed": k, "average": average}, pair
        if average != "before":
            for k in (1, 2, 4):
                known = {"n_samples": 1, "n_inputs": 4, "n_fixed": k, "average": average}
                yield known, one_row(k, average)
