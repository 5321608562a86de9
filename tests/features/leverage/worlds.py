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
