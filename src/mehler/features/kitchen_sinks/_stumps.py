"""Decision stumps as a law of the weights: one coordinate, and a uniform threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import _arrays, _random
from mehler.exact.activations import Activation, Projected
from mehler.features.kitchen_sinks._weights import Draw, WeightLaw
from mehler.features.projections import Projection


class StumpWeights(WeightLaw):
    """w = e_j for a uniform coordinate j, and an offset uniform in [-half_width, half_width].

    An activation of degree 0 sees the sign of its projection alone. Of two rows, clipped to the
    thresholds, the share that one threshold separates is their distance in the sum norm over
    2 d half_width: kernel and variance are functions of it and of the sums of the rows.
    """

    name = "stumps"
    follows = False
    brings_offset = True
    source = "closed form"

    def __init__(self, activation: Activation, weight_scale: float, half_width: float | str):
        if not isinstance(half_width, float) or half_width == 0.0:
            raise ValueError(
                f"law='stumps' has thresholds uniform between -bias and bias: bias={half_width!r} "
                "must be a number above 0"
            )
        self.activation = activation
        self.weight_scale = weight_scale
        self.half_width = half_width

    def check(self, activation: Activation, bias: float | str, projection: Projection) -> None:
        if not projection.independent:
            raise ValueError("law='stumps' draws coordinates: leave projections out")

    def weights(
        self, dtype: str, seed: int, n_inputs: int, units: slice, draw: Draw
    ) -> tuple[Any, ...]:
        n = units.stop - units.start
        weight, offset = np.zeros((n_inputs, n)), np.empty((1, n))
        size = _random.UNITS_PER_BLOCK
        for block, here, there in _random.covering(units.start, n):
            rng = _random.generator(seed, _random.LAW, block)
            chosen = rng.integers(n_inputs, size=size)
            offset[0, here] = self.half_width * (2.0 * rng.random(size) - 1.0)[there]
            weight[chosen[there], np.arange(n)[here]] = 1.0
        return weight.astype(dtype)[None], offset.astype(dtype)

    def projected(self, n_inputs: int) -> Projected:
        raise ValueError(
            "law='stumps' carries no distribution: a stump has two values, whose probabilities "
            "the mean of a row says"
        )

    def given(self, what: str, x: _arrays.Array, y: _arrays.Array) -> Any:
        if self.activation.degree != 0:
            raise ValueError(
                f"law='stumps' has a closed form for activations that carry degree 0, such as "
                f"step, not for {self.activation.title}; estimate the kernel by "
                "estimate_kernel(X, Y, seed=...)"
            )
        first = self._moment(x, y, 1)
        if what == "kernel":
            return first
        xp = _arrays.array_namespace(first)
        variance = self._moment(x, y, 2) - first**2
        return xp.maximum(variance, xp.zeros_like(variance))

    def kernel_error(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        y = x if y is None else y
        xp = _arrays.array_namespace(x)
        largest = max(abs(value) for value in self._sides())
        # Sums of d terms, each at most half_width.
        error = 4.0 * x.shape[1] * float(np.finfo(np.float64).eps) * largest**2
        return error * xp.ones_like(xp.matmul(x, xp.matrix_transpose(y)))

    def _sides(self) -> tuple[float, float]:
        below, above = self.activation.on_host(np.array([-1.0, 1.0]))
        return float(below), float(above)

    def _moment(self, x: _arrays.Array, y: _arrays.Array, power: int) -> _arrays.Array:
        xp = _arrays.array_namespace(x, y)
        a, d = self.half_width, x.shape[1]
        left, right = (xp.clip(rows * self.weight_scale, -a, a) / (2.0 * a * d) for rows in (x, y))
        apart: Any = 0.0
        for j in range(d):
            apart = apart + xp.abs(left[:, j][:, None] - right[:, j][None, :])
        middle = 0.5 * (xp.sum(left, axis=1)[:, None] + xp.sum(right, axis=1)[None, :])
        both_above = 0.5 + middle - 0.5 * apart
        both_below = 0.5 - middle - 0.5 * apart
        below, above = (value**power for value in self._sides())
        return above**2 * both_above + below**2 * both_below + above * below * apart
