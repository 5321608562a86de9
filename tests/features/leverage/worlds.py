"""Pools whose scores are known in closed form."""

from __future__ import annotations

import math

import numpy as np


def circle(k_max: int = 12, scale: float = 3.0, n_rows: int | None = None):
    """sqrt2 cos(kx + b) on a grid, three phases a frequency: Phi, pool weights, k, b.

    Three equidistant phases integrate cos^2 as all do, and so do 2 k_max + 2 equidistant rows.
    """
    k = np.repeat(np.arange(k_max + 1), 3)
    b = np.tile(np.arange(3) * 2 * np.pi / 3, k_max + 1)
    law = np.exp(-(k**2) / (2 * scale**2))
    n = n_rows or 2 * k_max + 2
    x = 2 * np.pi * np.arange(n) / n
    return math.sqrt(2) * np.cos(np.outer(x, k) + b), law / law.sum(), k, b


def circle_scores(law, k, b, lam):
    """1/(p_k/2 + lam) for k >= 1, whatever the phase; for constants 2 cos(b)^2/(p_0 + lam)."""
    p = np.array([law[k == one].sum() for one in k])
    return np.where(k == 0, 2 * np.cos(b) ** 2 / (p + lam), 1 / (p / 2 + lam))


def gaussian(n_rows: int, n_features: int, gamma: float):
    """exp(i w x), x from N(0, 1), kernel exp(-gamma z^2), both laws as Gauss-Hermite rules.

    Returns Phi with rows times the root of their weight over 1/n, pool weights, and w.
    """
    x, row = np.polynomial.hermite_e.hermegauss(n_rows)
    w, law = np.polynomial.hermite_e.hermegauss(n_features)
    w = w * math.sqrt(2 * gamma)
    row, law = row / row.sum(), law / law.sum()
    return np.sqrt(row * n_rows)[:, None] * np.exp(1j * np.outer(x, w)), law, w


def gaussian_scores(w, gamma: float, lam: float, terms: int = 80):
    r"""Mehler's expansion: s(w) = sum_n |<e^{iwx}, psi_n>|^2/(lam_n + lam), Gaussian data.

    With a = 1/4, c = sqrt(a^2 + 2 a gamma), the eigenvalues are sqrt(2a/(a + gamma + c)) B^n with
    B = gamma/(a + gamma + c), and psi_n = c_n exp(-(c - a) x^2) H_n(sqrt(2c) x).
    """
    a = 0.25
    c = math.sqrt(a * a + 2 * a * gamma)
    whole = a + gamma + c
    r = math.sqrt((c - a) / (c + a))
    t = w * math.sqrt(2 * c) / (2 * (a + c) * r)
    # H_n/sqrt(2^n n!) by its recurrence.
    h = [np.ones_like(t), math.sqrt(2) * t]
    for n in range(1, terms):
        h.append((math.sqrt(2) * t * h[n] - math.sqrt(n) * h[n - 1]) / math.sqrt(n + 1))
    total = np.zeros_like(t)
    for n in range(terms):
        value = math.sqrt(2 * a / whole) * (gamma / whole) ** n
        square = 2 * a / (a + c) * math.sqrt(c / a) * r ** (2 * n) * h[n] ** 2
        total += square * np.exp(-(w**2) / (2 * (a + c))) / (value + lam)
    return total
