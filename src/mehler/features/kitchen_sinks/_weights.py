"""Distributions of the weights of kitchen sinks, and of their projections."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from mehler import _arrays, _random
from mehler.exact.activations import Activation, Projected, gaussian, on_sphere
from mehler.features.projections import Projection

Draw = Callable[[str], tuple[Any, ...]]
Matrix = Callable[[Any, Any], Any]
LawName: TypeAlias = Literal["gaussian", "sphere", "stumps"]
Law: TypeAlias = Callable[[np.random.Generator, int, int], Any]


class WeightLaw(ABC):
    """Distribution of a weight vector w, in units of `weight_scale`.

    `follows`: whether kernel, variance and distribution follow from the activation.
    `brings_offset`: whether the weights end with offsets; None if the drawn weights say so.
    """

    name: ClassVar[str]
    follows: ClassVar[bool] = True
    brings_offset: ClassVar[bool | None] = False
    # Origin of a kernel that does not follow from the activation.
    source: ClassVar[str] = "given"

    @abstractmethod
    def check(self, activation: Activation, bias: float | str, projection: Projection) -> None:
        """Raise ValueError for arguments incompatible with this law."""

    @abstractmethod
    def weights(
        self, dtype: str, seed: int, n_inputs: int, units: slice, draw: Draw
    ) -> tuple[Any, ...]:
        """Return weights of some units, from Gaussian ones of `draw`."""

    def length_factor(self, degree: int, n_inputs: int) -> float:
        """Compute E |w|^(2 degree) over that of Gaussian weights."""
        return 1.0

    def projected(self, n_inputs: int) -> Projected:
        """Return the distribution function of one projection of a row."""
        return gaussian

    def moment(self, what: str, x: _arrays.Array, y: _arrays.Array) -> Any:
        """Evaluate the user's kernel or variance, if they do not follow."""
        raise ValueError(
            f"the law of the weights carries no {what}: a law of your own is known by what you "
            f"say of it; draw the map with {what}=, a function (X, Y) -> (n, k), or estimate the "
            "kernel by gram(X) of many features"
        )

    def kernel_error(self, x: _arrays.Array, y: _arrays.Array | None) -> _arrays.Array:
        """Bound the error of a kernel that does not follow from the activation."""
        raise ValueError("the kernel of a law of your own is as exact as you made it")


class GaussianWeights(WeightLaw):
    """N(0, I), arranged by the projection."""

    name = "gaussian"

    def check(self, activation: Activation, bias: float | str, projection: Projection) -> None:
        """Accept everything."""

    def weights(
        self, dtype: str, seed: int, n_inputs: int, units: slice, draw: Draw
    ) -> tuple[Any, ...]:
        return draw(dtype)


class SphereWeights(WeightLaw):
    """Uniform on the sphere of radius sqrt(d): Gaussian directions, for homogeneous activations."""

    name = "sphere"

    def check(self, activation: Activation, bias: float | str, projection: Projection) -> None:
        if activation.degree is None or bias != 0.0:
            without = " with a bias" if activation.degree is not None else ""
            raise ValueError(
                "law='sphere' has an exact kernel for activations that carry a degree, such as "
                f"step, relu and relu2, without bias, not for {activation.title}{without}; use "
                "law='gaussian'"
            )
        if not projection.dense:
            raise ValueError(
                f"law='sphere' needs the weights themselves, which projections={projection.name!r} "
                "does not keep; use 'gaussian' or 'orthogonal'"
            )

    def weights(
        self, dtype: str, seed: int, n_inputs: int, units: slice, draw: Draw
    ) -> tuple[Any, ...]:
        n = units.stop - units.start
        exactly = draw("float64")[0]
        # NumPy sums a single column in a different order from each of many.
        squares = np.repeat(exactly**2, 2 if n == 1 else 1, axis=2)
        length = np.sqrt(np.sum(squares, axis=1, keepdims=True) / n_inputs)
        return ((exactly / length[:, :, :n]).astype(dtype),)

    def length_factor(self, degree: int, n_inputs: int) -> float:
        return math.prod(n_inputs / (n_inputs + 2 * i) for i in range(degree))

    def projected(self, n_inputs: int) -> Projected:
        return on_sphere(n_inputs)


class OwnWeights(WeightLaw):
    """A user's distribution, with the moments that the user supplies."""

    name = "your own"
    follows = False
    brings_offset = None

    def __init__(self, law: Callable[..., Any], kernel: Matrix | None, variance: Matrix | None):
        self.law = law
        self.said = {"kernel": kernel, "variance": variance}
        for what, function in self.said.items():
            if function is not None and not callable(function):
                raise TypeError(f"{what}={function!r} must be a function (X, Y) -> (n, k)")

    def check(self, activation: Activation, bias: float | str, projection: Projection) -> None:
        if not projection.independent:
            raise ValueError("a law of your own brings its weights whole: leave projections out")

    def weights(
        self, dtype: str, seed: int, n_inputs: int, units: slice, draw: Draw
    ) -> tuple[Any, ...]:
        # Whole blocks of units at a time, so that any block can be drawn alone.
        n = units.stop - units.start
        found = np.empty((n_inputs, n))
        offsets: Any = None
        size = _random.UNITS_PER_BLOCK
        for block, here, there in _random.covering(units.start, n):
            drawn = self.law(_random.generator(seed, _random.LAW, block), n_inputs, size)
            paired = isinstance(drawn, tuple)
            weight, offset = drawn if paired and len(drawn) == 2 else (drawn, None)
            found[:, here] = self._checked(weight, n_inputs, (n_inputs, size))[:, there]
            if paired:
                offsets = np.empty((1, n)) if offsets is None else offsets
                offsets[:, here] = self._checked(offset, n_inputs, (size,))[None, there]
        whole = (found.astype(dtype)[None],)
        return whole if offsets is None else (*whole, offsets.astype(dtype))

    def _checked(self, drawn: Any, n_inputs: int, shape: tuple[int, ...]) -> Any:
        size = _random.UNITS_PER_BLOCK
        values = np.asarray(drawn)
        if (
            values.shape != shape
            or values.dtype.kind not in "fiub"
            or not np.isfinite(values).all()
        ):
            raise ValueError(
                f"law(rng, {n_inputs}, {size}) must return finite weights of shape "
                f"{(n_inputs, size)}, or a pair of them and offsets of shape {(size,)}, not an "
                f"array of shape {values.shape} and dtype {values.dtype}"
            )
        return values

    def projected(self, n_inputs: int) -> Projected:
        raise ValueError(
            "the law of the weights carries no distribution: the distribution of a feature is not "
            "known for a law of your own"
        )

    def moment(self, what: str, x: _arrays.Array, y: _arrays.Array) -> Any:
        function = self.said.get(what)
        return super().moment(what, x, y) if function is None else function(x, y)


_NAMED: dict[str, WeightLaw] = {one.name: one for one in (GaussianWeights(), SphereWeights())}
_STUMPS = "stumps"


def law_of(
    law: Any, kernel: Matrix | None, variance: Matrix | None, stumps: Callable[[], WeightLaw]
) -> WeightLaw:
    """Return the law of a name or a function; ValueError if there is none."""
    if callable(law):
        return OwnWeights(law, kernel, variance)
    if not isinstance(law, str) or law not in (*_NAMED, _STUMPS):
        names = ", ".join((*_NAMED, _STUMPS))
        raise ValueError(f"law={law!r} is not one of {names}, nor a function")
    if kernel is not None or variance is not None:
        raise ValueError(
            f"kernel and variance are known for law={law!r}: leave them out, or pass the law as a "
            "function"
        )
    return stumps() if law == _STUMPS else _NAMED[law]


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

    def moment(self, what: str, x: _arrays.Array, y: _arrays.Array) -> Any:
        if self.activation.degree != 0:
            raise ValueError(
                f"law='stumps' has a closed form for activations that carry degree 0, such as "
                f"step, not for {self.activation.title}; estimate the kernel by "
                "gram(X) of many features"
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
