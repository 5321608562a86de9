"""Correct maps with every kind of tail: the products of their features at two rows.

Each law samples, for one feature, the products at (x, x), (y, y) and (x, y), in units of
sqrt(k(x,x) k(y,y)), so that their means are 1, 1 and `k`. A draw of m features averages m of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

# Two rows of five columns at correlation 0.3, on no axis.
_X = np.array([0.6, -0.4, 0.3, 0.5, -0.36])
_Y = np.array([0.1, -0.7, 0.5, -0.4, -0.2])
_X, _Y = _X / np.linalg.norm(_X), _Y / np.linalg.norm(_Y)
RHO = float(_X @ _Y)


@dataclass(frozen=True)
class Law:
    """Features `at(rng, n)` of the rows; `k` the claim at (x, y); `sizes` of a draw."""

    name: str
    k: float
    at: Callable[[Any, int], tuple[Any, Any]]
    sizes: tuple[int, ...] = (1, 16)

    def products(self, rng: Any, n: int) -> tuple[Any, Any, Any]:
        a, b = self.at(rng, n)
        return a * a, b * b, a * b


def _gaussians(rng: Any, n: int, angle: float) -> tuple[Any, Any]:
    g, h = rng.standard_normal((2, n))
    return g, math.cos(angle) * g + math.sin(angle) * h


def rectified(angle: float, sizes: tuple[int, ...]) -> Law:
    def at(rng: Any, n: int) -> tuple[Any, Any]:
        return tuple(math.sqrt(2.0) * np.maximum(g, 0.0) for g in _gaussians(rng, n, angle))

    k = (math.sin(angle) + (math.pi - angle) * math.cos(angle)) / math.pi
    return Law(f"rectified units, angle {angle:.3g}", k, at, sizes)


def step(rest: float, sizes: tuple[int, ...]) -> Law:
    """Step units at the angle pi - rest."""

    def at(rng: Any, n: int) -> tuple[Any, Any]:
        return tuple(math.sqrt(2.0) * (g > 0.0) for g in _gaussians(rng, n, math.pi - rest))

    return Law(f"step units, angle pi - {rest:.2g}", rest / math.pi, at, sizes)


def exponential(norm: float, angle: float) -> Law:
    def at(rng: Any, n: int) -> tuple[Any, Any]:
        return tuple(np.exp(norm * g - norm * norm) for g in _gaussians(rng, n, angle))

    k = math.exp(norm * norm * (math.cos(angle) - 1.0))
    return Law(f"exponential, norm {norm:g}, angle {angle:.2g}", k, at, (1, 64))


def _signs(rng: Any, shape: tuple[int, ...], s: int = 1) -> Any:
    """An entry is +-sqrt(s) with probability 1/s, else 0."""
    signs = rng.choice([-1.0, 1.0], size=shape) * math.sqrt(s)
    return np.where(rng.random(shape) < 1.0 / s, signs, 0.0) if s > 1 else signs


def linear(name: str, weights: Callable[[Any, tuple[int, int]], Any]) -> Law:
    def at(rng: Any, n: int) -> tuple[Any, Any]:
        w = weights(rng, (n, 5))
        return w @ _X, w @ _Y

    return Law(name, RHO, at)


def student(df: float) -> Law:
    unit = math.sqrt((df - 2.0) / df)
    weights = lambda rng, shape: unit * rng.standard_t(df, shape)  # noqa: E731
    return linear(f"Student weights, {df:g} degrees of freedom", weights)


def polynomial(degree: int) -> Law:
    """Products of random signs (Kar and Karnick 2012)."""

    def at(rng: Any, n: int) -> tuple[Any, Any]:
        factors = [_signs(rng, (n, 5)) for _ in range(degree)]
        return tuple(math.prod(w @ row for w in factors) for row in (_X, _Y))

    return Law(f"polynomial sketch, degree {degree}", RHO**degree, at)


def cosines(distance: float) -> Law:
    def at(rng: Any, n: int) -> tuple[Any, Any]:
        phase, shift = rng.uniform(0.0, 2.0 * math.pi, n), distance * rng.standard_normal(n)
        return math.sqrt(2.0) * np.cos(phase), math.sqrt(2.0) * np.cos(phase + shift)

    k = math.exp(-0.5 * distance**2)
    return Law(f"cosines, k = {k:.1g}", k, at)


class Codes(Law):
    """Codes that agree with probability k; every code agrees with itself."""

    def products(self, rng: Any, n: int) -> tuple[Any, Any, Any]:
        return np.ones(n), np.ones(n), (rng.random(n) < self.k).astype(float)


_OPPOSITE = math.acos(-0.99)
ALL = (1, 16, 100)
LAWS = (
    rectified(math.pi / 3, ALL),
    rectified(_OPPOSITE, ALL),
    step(math.pi / 2, (1, 16)),
    step(3.14e-4, (1, 20)),
    *(exponential(norm, 0.0) for norm in (1.0, 2.0)),
    exponential(2.5, math.pi / 3),
    exponential(2.83, 0.0),
    exponential(3.0, math.pi),
    linear("sparse signs, 1 of 3", lambda rng, shape: _signs(rng, shape, 3)),
    linear("sparse signs, 1 of 100", lambda rng, shape: _signs(rng, shape, 100)),
    # For the row (1, 0, ...) and one orthogonal to it.
    Law("sparse signs, 1 of 1000, on axes", 0.0, lambda rng, n: tuple(_signs(rng, (2, n), 1000))),
    *(student(df) for df in (2.2, 3.0, 5.0)),
    *(polynomial(degree) for degree in (2, 4)),
    cosines(6.0),
    *(Codes(f"codes, k = {k:g}", k, lambda rng, n: ((), ())) for k in (0.5, 0.01, 0.001)),
)
