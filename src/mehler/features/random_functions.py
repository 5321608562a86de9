"""Random features phi(x; omega) of any function phi and any law of its parameters omega."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from mehler import _random
from mehler._arrays import Array
from mehler._validate import require_function
from mehler.features._base import FeatureMap
from mehler.features._block import Units

Matrix = Callable[[Any, Any], Any]

_MOST_STORED = 1 << 24  # units that are drawn at once and kept, 64 by each call of the law


class RandomFunctions(FeatureMap):
    r"""Random kitchen sinks of any feature function and any law of its parameters.

    .. math:: \Phi(x) = \frac1{\sqrt m}\big(\phi(x; \omega_\ell)\big)_{\ell\le m}, \qquad
              \omega_\ell \sim \pi \text{ independently}

    Features and learning need no kernel. :meth:`kernel` and :meth:`variance` are those that are
    given; without them, :meth:`gram` of many features estimates the kernel.

    Parameters
    ----------
    function : callable
        :math:`\phi`, as ``function(X, *omega) -> (n, m)`` for rows (n, d) and the parameters of m
        units; X and omega are arrays of the rows' library.
    law : callable
        :math:`\pi`, as ``law(rng, n_inputs, n_units)``: an array whose last axis is that of the
        units, or a tuple of such arrays. Floats follow the dtype of the rows; integers stay.
    kernel, variance : callable, optional
        ``(X, Y) -> (n, k)``: the exact kernel, and the variance of one product.
    n_inputs, n_features, seed, like, dtype, stored
        As in :class:`mehler.features.FeatureMap`.

    Notes
    -----
    `law` is called with whole blocks of 64 units, each with a generator of its own. The theorems
    of Rahimi and Recht ask for :math:`|\phi| \le 1` (:doc:`/theorems/kitchen-sinks-theorem`). Such
    a map has no :meth:`recipe`: functions cannot be written as JSON.

    References
    ----------
    Rahimi, Recht (2009), Weighted sums of random kitchen sinks.

    Examples
    --------
    Gaussian bumps about random centres:

    >>> import numpy as np, mehler
    >>> def bump(X, centres):
    ...     return np.exp(-((X[:, :, None] - centres) ** 2).sum(axis=1))
    >>> centres = lambda rng, d, m: rng.uniform(-1, 1, (d, m))
    >>> phi = mehler.features.RandomFunctions.draw(2, 50, function=bump, law=centres, seed=0)
    >>> phi(np.eye(2)).shape
    (2, 50)
    """

    def __init__(
        self,
        n_inputs: int,
        n_features: int,
        *,
        function: Callable[..., Any],
        law: Callable[..., Any],
        kernel: Matrix | None = None,
        variance: Matrix | None = None,
        seed: int,
        like: object = None,
        dtype: object = None,
        stored: bool = True,
    ) -> None:
        self.function = require_function("function", function)
        self.law = require_function("law", law)
        self._kernel = require_function("kernel", kernel, optional=True)
        self._variance = require_function("variance", variance, optional=True)
        super().__init__(n_inputs, n_features, seed=seed, like=like, dtype=dtype, stored=stored)

    def _units(self) -> Units:
        # Rows of any size may have features beyond float32: functions may grow as they like.
        return super()._units()._replace(safe=0.0)

    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        n, size = units.stop - units.start, _random.UNITS_PER_BLOCK
        if n > _MOST_STORED:
            raise ValueError(
                f"n_features={n} would call law {n // 64} times and keep all: take at most "
                f"{_MOST_STORED}, or pass stored=False"
            )
        parts = []
        for block in range(units.start // size, -(-units.stop // size)):
            there = slice(max(0, units.start - block * size), units.stop - block * size)
            parts.append([part[..., there] for part in self._block_of(block)])
        arrays = (np.concatenate(part, axis=-1) for part in zip(*parts, strict=True))
        return tuple(
            part.astype(dtype) if part.dtype.kind == "f" else np.ascontiguousarray(part)
            for part in arrays
        )

    def _block_of(self, block: int) -> tuple[Any, ...]:
        """Draw the parameters of a whole block of units."""
        size = _random.UNITS_PER_BLOCK
        values = self.law(_random.generator(self.seed, _random.LAW, block), self.n_inputs, size)
        parts = tuple(
            np.asarray(part) for part in (values if isinstance(values, tuple) else (values,))
        )
        for part in parts:
            if part.ndim < 1 or part.shape[-1] != size or part.dtype.kind not in "fiub":
                raise ValueError(
                    f"law(rng, {self.n_inputs}, {size}) must return real arrays whose last axis is "
                    f"that of the {size} units, not one of shape {part.shape} and dtype "
                    f"{part.dtype}"
                )
            if not np.all(np.isfinite(part)):
                raise ValueError(f"law(rng, {self.n_inputs}, {size}) returned NaN or infinity")
        return parts

    def _transform(self, xp: ModuleType, rows: Array, *weights: Any) -> Array:
        values = self.function(rows, *weights)
        expected = (rows.shape[0], weights[0].shape[-1])
        if tuple(getattr(values, "shape", ())) != expected:
            raise ValueError(
                f"function(X, omega) must return shape {expected}, one column per unit, not "
                f"{tuple(getattr(values, 'shape', ()))}"
            )
        # Cast: functions may return booleans, or float64 for float32.
        return xp.astype(values, rows.dtype, copy=False) * (1.0 / math.sqrt(self.n_features))

    def _kernel_of(self, x: Array, y: Array | None) -> Array:
        return self._of_given("kernel", self._kernel, x, y)

    def _variance_of(self, x: Array, y: Array | None) -> Array:
        return self._of_given("variance", self._variance, x, y)

    def _of_given(self, what: str, function: Matrix | None, x: Array, y: Array | None) -> Any:
        if function is None:
            raise ValueError(
                f"the law of your function has no known {what}: draw the map with {what}=, "
                "a function (X, Y) -> (n, k), or estimate the kernel by gram(X) of many features"
            )
        return function(x, x if y is None else y)
