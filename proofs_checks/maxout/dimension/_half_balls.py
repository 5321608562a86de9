"""Number of half-size balls that cover a ball or a sphere: by area, by cells, by caps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.spatial import ConvexHull
from scipy.special import betainc

# Circles of latitude (polar angle, points, turn), in degrees: 22 caps of 30 degrees.
CAPS = ((0.0, 1, 0.0), (52.0, 6, 0.0), (90.0, 8, 11.25), (128.0, 6, 0.0), (180.0, 1, 0.0))


def area_bound(n_inputs: int) -> float:
    r"""Bound the number of half-size balls that cover the unit sphere of R^d from below, by area.

    .. math:: N \ge \frac{2}{I_{1/4}\left(\frac{d-1}{2}, \frac12\right)},

    the sphere's area over that of a cap of 30 degrees, the most that a ball of radius 1/2 meets:
    6, 15, 35 and 789 for d = 2, 3, 4 and 8.
    """
    return float(2 / betainc((n_inputs - 1) / 2, 0.5, 0.25))


def polygon(n: int) -> Any:
    """Return the regular polygon with n corners on the unit circle, shape (n, 2)."""
    angles = 2 * np.pi * np.arange(n) / n
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def icosahedron() -> Any:
    """Return twelve points of the unit sphere, no two within 63 degrees."""
    golden = (1 + math.sqrt(5)) / 2
    corners = [(0.0, a, b * golden) for a in (-1, 1) for b in (-1, 1)]
    points = [corner[shift:] + corner[:shift] for corner in corners for shift in range(3)]
    return np.asarray(points) / math.sqrt(1 + golden**2)


def in_space(points: Any, n_inputs: int, rng: np.random.Generator) -> Any:
    """Embed points in a subspace of R^d in general position."""
    basis = np.linalg.qr(rng.standard_normal((n_inputs, n_inputs)))[0]
    return points @ basis[: points.shape[1]]


def on_circles(circles: tuple[tuple[float, int, float], ...] = CAPS) -> Any:
    """Return points on circles of latitude of the unit sphere, shape (n, 3)."""
    points = []
    for polar, count, turn in circles:
        t = math.radians(polar)
        for j in range(count):
            p = math.radians(turn + 360 * j / count)
            points.append((math.sin(t) * math.cos(p), math.sin(t) * math.sin(p), math.cos(t)))
    return np.asarray(points)


def covering_angle(centres: Any) -> float:
    """Compute the largest angle, in degrees, from a point of the sphere to the nearest centre."""
    return math.degrees(math.acos(-ConvexHull(centres).equations[:, 3].max()))
