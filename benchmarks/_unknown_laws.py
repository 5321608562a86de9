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

Sampler = Callable[[np.random.Generator, int], tuple[Any, Any, Any]]

# Two rows of five columns at correlation 0.3, on no axis.
_X = np.array([0.6, -0.4, 0.3, 0.5, -0.36])
_Y = np.array([0.1, -0.7, 0.5, -0.4, -0.2])
_X, _Y = _X / np.linalg.norm(_X), _Y / np.linalg.norm(_Y)
ROWS = np.stack([_X, _Y])


@dataclass(frozen=True)
class Law:
    """`products(rng, n)` of n features; `k` the claim at (x, y); `sizes` of a draw."""

    name: str
    k: float
    products: Sampler
    sizes: tuple[int, ...]


def _of(features: Callable[[np.random.Generator, int], tuple[Any, Any]]) -> Sampler:
    def products(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
        a, b = features(rng, n)
        return a * a, b * b, a * b

    return products


def _gaussians(rng: np.random.Generator, n: int, angle: float) -> tuple[Any, Any]:
    g, h = rng.standard_normal((2, n))
    return g, math.cos(angle) * g + math.sin(angle) * h


def rectified(angle: float, sizes: tuple[int, ...]) -> Law:
    def features(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        return tuple(math.sqrt(2.0) * np.maximum(g, 0.0) for g in _gaussians(rng, n, angle))

    k = (math.sin(angle) + (math.pi - angle) * math.cos(angle)) / math.pi
    return Law(f"rectified units, angle {angle:.3g}", k, _of(features), sizes)


def step(rest: float, sizes: tuple[int, ...]) -> Law:
    """Step units at the angle pi - rest."""

    def features(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        return tuple(math.sqrt(2.0) * (g > 0.0) for g in _gaussians(rng, n, math.pi - rest))

    return Law(f"step units, angle pi - {rest:.2g}", rest / math.pi, _of(features), sizes)


def exponential(norm: float, angle: float, sizes: tuple[int, ...]) -> Law:
    def features(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        return tuple(np.exp(norm * g - norm * norm) for g in _gaussians(rng, n, angle))

    k = math.exp(norm * norm * (math.cos(angle) - 1.0))
    return Law(f"exponential, norm {norm:g}, angle {angle:.2g}", k, _of(features), sizes)


def _linear(rng: np.random.Generator, weights: Any) -> tuple[Any, Any]:
    return weights @ _X, weights @ _Y


def sparse(s: int, sizes: tuple[int, ...]) -> Law:
    """Very sparse signs: an entry is +-sqrt(s) with probability 1/s, else 0."""

    def features(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        signs = rng.choice([-1.0, 1.0], size=(n, 5)) * math.sqrt(s)
        return _linear(rng, np.where(rng.random((n, 5)) < 1.0 / s, signs, 0.0))

    return Law(f"sparse signs, 1 of {s}", float(_X @ _Y), _of(features), sizes)


def on_an_axis(s: int, sizes: tuple[int, ...]) -> Law:
    """The same for the row (1, 0, ...) and one orthogonal to it."""

    def features(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        signs = rng.choice([-1.0, 1.0], size=(2, n)) * math.sqrt(s)
        return tuple(np.where(rng.random((2, n)) < 1.0 / s, signs, 0.0))

    return Law(f"sparse signs, 1 of {s}, on axes", 0.0, _of(features), sizes)


def student(df: float, sizes: tuple[int, ...]) -> Law:
    def features(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        return _linear(rng, rng.standard_t(df, (n, 5)) * math.sqrt((df - 2.0) / df))

    return Law(f"Student weights, {df:g} degrees of freedom", float(_X @ _Y), _of(features), sizes)


def polynomial(degree: int, sizes: tuple[int, ...]) -> Law:
    """Products of random signs (Kar and Karnick 2012)."""

    def features(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        a, b = np.ones((2, n))
        for _ in range(degree):
            left, right = _linear(rng, rng.choice([-1.0, 1.0], size=(n, 5)))
            a, b = a * left, b * right
        return a, b

    return Law(
        f"polynomial sketch, degree {degree}", float(_X @ _Y) ** degree, _of(features), sizes
    )


def cosines(distance: float, sizes: tuple[int, ...]) -> Law:
    def features(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
        phase = rng.uniform(0.0, 2.0 * math.pi, n)
        shift = distance * rng.standard_normal(n)
        return math.sqrt(2.0) * np.cos(phase), math.sqrt(2.0) * np.cos(phase + shift)

    k = math.exp(-0.5 * distance**2)
    return Law(f"cosines, k = {k:.1g}", k, _of(features), sizes)


def codes(k: float, sizes: tuple[int, ...]) -> Law:
    """Codes that agree with probability k; every code agrees with itself."""

    def products(rng: np.random.Generator, n: int) -> tuple[Any, Any, Any]:
        return np.ones(n), np.ones(n), (rng.random(n) < k).astype(float)

    return Law(f"codes, k = {k:g}", k, products, sizes)


_OPPOSITE = math.acos(-0.99)
ALL = (1, 16, 100)
LAWS = (
    rectified(math.pi / 3, ALL),
    rectified(_OPPOSITE, ALL),
    step(math.pi / 2, (1, 16)),
    step(3.14e-4, (1, 20)),
    exponential(1.0, 0.0, (1, 64)),
    exponential(2.0, 0.0, (1, 64)),
    exponential(2.5, math.pi / 3, (1, 64)),
    exponential(2.83, 0.0, (1, 64)),
    exponential(3.0, math.pi, (1, 64)),
    sparse(3, (1, 16)),
    sparse(100, (1, 16)),
    on_an_axis(1000, (1, 16)),
    student(2.2, (1, 16)),
    student(3.0, (1, 16)),
    student(5.0, (1, 16)),
    polynomial(2, (1, 16)),
    polynomial(4, (1, 16)),
    cosines(6.0, (1, 16)),
    codes(0.5, (1, 16)),
    codes(0.01, (1, 16)),
    codes(0.001, (1, 16)),
)
