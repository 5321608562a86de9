"""A function of the kernel's space without bounded weights: x e^(-x^2/2), with sines."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def distance(c: float) -> float:
    """Compute (E (|w| - c)_+^2)^(1/2)."""
    from scipy.special import ndtr

    density = math.exp(-0.5 * c * c) / math.sqrt(2 * math.pi)
    # Cancellation: at c = 6 it is off by 1e-4 of itself.
    return math.sqrt(2 * ((1 + c * c) * float(ndtr(-c)) - c * density))


def seen_from(points: Any, c: float) -> float:
    """Compute the distance visible at some points, by least squares in a box."""
    from scipy.optimize import lsq_linear

    w, mass = np.polynomial.hermite_e.hermegauss(120)
    kept = mass > 1e-14 * mass.max()
    w, mass = w[kept], mass[kept] / mass.sum()
    features = np.sin(np.outer(points, w))
    kernel = (features * mass) @ features.T
    values, vectors = np.linalg.eigh(kernel)
    # Directions in which the kernel is rounding show nothing.
    some = values > 1e-10 * values[-1]
    root = vectors[:, some] / np.sqrt(values[some])
    target = root.T @ (points * np.exp(-0.5 * points**2))
    found = lsq_linear(root.T @ (features * mass), target, bounds=(-c, c), tol=1e-12)
    return math.sqrt(2 * float(found.cost))
