"""A function of the kernel's space that no bounded weights have: x e^(-x^2/2), with sines.

phi = sin(w x), w ~ N(0, 1), and f = E w sin(w x) = x e^(-x^2/2), whose weights over the density are
w itself. Of all representations this is the least, as what represents 0 is even; so f has norm 1,
is in no F_pi, and its distance to the functions with |weights| <= C density is that of w to
clip(w, -C, C).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def distance(c: float) -> float:
    """(E (|w| - c)_+^2)^(1/2)."""
    from scipy.special import ndtr

    density = math.exp(-0.5 * c * c) / math.sqrt(2 * math.pi)
    # Cancellation: at c = 6 it is off by 1e-4 of itself.
    return math.sqrt(2 * ((1 + c * c) * float(ndtr(-c)) - c * density))


def seen_from(points: Any, c: float) -> float:
    """The distance as far as values at some points show it: a least squares problem in a box."""
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
