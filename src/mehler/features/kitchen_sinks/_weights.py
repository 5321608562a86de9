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

    def given(self, what: str, x: _arrays.Array, y: _arrays.Array) -> Any:
        """Evaluate the user's kernel or variance, if they do not follow."""
        raise ValueError(
            f"the law of the weights carries no {what}: a law of your own is known by what you "
            f"say of it; draw the map with {what}=, a function (X, Y) -> (n, k), or estimate the "
            "kernel by estimate_kernel(X, Y, seed=...)"
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

    def given(self, what: str, x: _arrays.Array, y: _arrays.Array) -> Any:
        function = self.said.get(what)
        return super().given(what, x, y) if function is None else function(x, y)


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
