"""Polynomial sketches: products of random signs, and the count and tensor sketch.

The signs' units are independent; a whole draw of a count sketch is one sample.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.verify import toys

D = 4
ROWS = toys.points(3, D, seed=3)


def power(degree: int) -> Any:
    return lambda x, y: (x @ y.T) ** degree


def signs_variance(degree: int) -> Any:
    """E (r.x)^2 (r.y)^2 = |x|^2|y|^2 + 2 <x,y>^2 - 2 sum x_i^2 y_i^2 for random signs r."""

    def variance(x: Any, y: Any) -> Any:
        inner = x @ y.T
        second = np.outer((x**2).sum(1), (y**2).sum(1)) + 2.0 * inner**2 - 2.0 * x**2 @ (y**2).T
        return second**degree - inner ** (2 * degree)

    return variance


def _signs(rng: Any) -> Any:
    return lambda size: rng.choice([-1.0, 1.0], size=size)


@dataclass(frozen=True)
class Signs:
    """prod_k (r_kl.x) / sqrt(m) for `degree` independent sign vectors (Kar and Karnick 2012)."""

    seed: int
    n_features: int = 2000
    reused: bool = False
    gain: float = 1.0
    degree: int = 2
    drawn: int | None = None
    flip: float = 1.0
    law: str = "signs"

    independent_units = True
    n_inputs = D
    kernel = staticmethod(power(2))
    variance = staticmethod(signs_variance(2))

    @functools.cached_property
    def weights(self) -> Any:
        shape = (self.drawn or self.degree, D, self.n_features)
        rng = np.random.default_rng(self.seed)
        draw = rng.standard_normal if self.law == "normal" else _signs(rng)
        r = self.flip * draw(size=shape)
        return r[[0] * len(r)] if self.reused else r

    def __call__(self, x: Any) -> Any:
        return self.gain * np.prod(x @ self.weights, axis=0) / math.sqrt(self.n_features)

    def products(self, x: Any, y: Any) -> Any:
        return self.n_features * self(x) * self(y)


def count_variance(x: Any, y: Any) -> Any:
    """Times m: |x|^2|y|^2 + <x,y>^2 - 2 sum x_i^2 y_i^2, pairs i < j that collide."""
    inner = x @ y.T
    return np.outer((x**2).sum(1), (y**2).sum(1)) + inner**2 - 2.0 * x**2 @ (y**2).T


def tensor_bound(x: Any, y: Any) -> Any:
    """Times m, degree 2: at most (2 + 3^2) |x|^4 |y|^4 (Avron, Nguyen and Woodruff 2014)."""
    return 11.0 * np.outer((x**2).sum(1), (y**2).sum(1)) ** 2


@dataclass(frozen=True)
class Sketch:
    """Count sketch (degree 1) or tensor sketch (degree 2; Pham and Pagh 2013)."""

    seed: int
    n_features: int = 64
    degree: int = 1
    signed: bool = True
    reused: bool = False
    buckets: int | None = None

    n_inputs = D

    @property
    def kernel(self) -> Any:
        return power(self.degree)

    @property
    def variance(self) -> Any:
        return count_variance if self.degree == 1 else tensor_bound

    @functools.cached_property
    def matrices(self) -> Any:
        """One (d, m) matrix a factor, with one sign a row."""
        rng = np.random.default_rng(self.seed)
        matrices = np.zeros((self.degree, D, self.n_features))
        for matrix in matrices:
            column = rng.integers(self.buckets or self.n_features, size=D)
            matrix[np.arange(D), column] = rng.choice([-1.0, 1.0], size=D) if self.signed else 1.0
        return matrices[[0] * self.degree] if self.reused else matrices

    def __call__(self, x: Any) -> Any:
        parts = x @ self.matrices
        if self.degree == 1:
            return parts[0]
        spectrum = np.prod(np.fft.rfft(parts, axis=2), axis=0)
        return np.fft.irfft(spectrum, n=self.n_features, axis=1)
