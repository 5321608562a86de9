"""Estimate the expected kernel of maps whose law does not say it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from mehler import _arrays
from mehler._random import require_seed
from mehler._validate import require_integer, require_probability
from mehler.features._base import FeatureMap

# Units drawn at a time.
_BLOCK = 4096
# Numbers drawn in all.
_MOST_NUMBERS = 1 << 31


@dataclass(frozen=True)
class KernelEstimate:
    """An estimated kernel, with an interval for each entry.

    Parameters
    ----------
    value : array, shape (n, k)
        Mean product of the drawn units.
    half_width : array, shape (n, k)
        The interval is value +- half_width, at `confidence` for each entry by itself.
    confidence : float
        Probability, in the limit of many units.
    n_units : int
        Units drawn.

    See Also
    --------
    mehler.KitchenSinks.estimate_kernel : Make one.
    """

    value: _arrays.Array
    half_width: _arrays.Array
    confidence: float
    n_units: int


class EstimatedKernel(FeatureMap):
    """A map of single-column independent units, whose kernel can be estimated by more of them."""

    def estimate_kernel(
        self,
        X: _arrays.Array,
        Y: _arrays.Array | None = None,
        *,
        seed: int,
        n_units: int = 16_384,
        confidence: float = 0.95,
    ) -> KernelEstimate:
        """Estimate the expected kernel from units drawn anew, with an interval for each entry.

        For a law whose kernel nobody has derived; :meth:`kernel` is exact where it is known.

        Parameters
        ----------
        X, Y : array, shape (n, n_inputs), (k, n_inputs)
            Rows on the map's library and device; ``None`` for `Y` stands for `X`.
        seed : int
            Seed of the new units. Other than the map's, for an estimate independent of the map.
        n_units : int, optional
            Units to draw, at least 2; intervals shrink like 1/sqrt(n_units). Of n_inputs numbers
            each, and at most 2^31 numbers in all.
        confidence : float, optional
            Probability of each interval, in (0, 1).

        Returns
        -------
        KernelEstimate
            Value and half-width of each entry.

        Raises
        ------
        TypeError, ValueError
            If an argument is not of its kind or range; if units depend on each other.

        Notes
        -----
        Intervals are those of the central limit theorem with the measured variance: right in the
        limit, and too short for few units or products of heavy tails. To test a claimed kernel
        with an error rate use :func:`mehler.verify.check_kernel`.

        Examples
        --------
        >>> import numpy as np, mehler
        >>> heavy = lambda rng, d, m: rng.standard_t(3, (d, m))
        >>> phi = mehler.KitchenSinks.draw(2, 100, activation="tanh", law=heavy, seed=0)
        >>> k = phi.estimate_kernel(np.eye(2), seed=1)
        >>> k.value.shape, bool((k.half_width < 0.01).all())
        ((2, 2), True)
        """
        _arrays.array_namespace(X, names=("X",))
        _arrays.real_dtype(X, name="X")
        n_units = require_integer("n_units", n_units, least=2)
        if n_units * self.n_inputs > _MOST_NUMBERS:
            raise ValueError(
                f"n_units={n_units} of {self.n_inputs} numbers each are more than 2^31 numbers: "
                f"take at most {_MOST_NUMBERS // self.n_inputs}"
            )
        confidence = require_probability("confidence", confidence)
        if not self.independent_units or self.n_units != self.n_features:
            raise ValueError(
                "units of this map depend on each other, so that no interval follows from them: "
                "draw it with projections='gaussian'"
            )
        many = type(self)(
            **{**self._arguments(), "n_features": n_units, "seed": require_seed(seed)},
            like=X,
            dtype=self.dtype,
            **({"stored": False} if self.stored else {}),
        )
        first: Any = 0.0
        second: Any = 0.0
        for block in many.unit_blocks(_BLOCK):
            left = block(X) * math.sqrt(n_units)
            right = left if Y is None else block(Y) * math.sqrt(n_units)
            xp = _arrays.array_namespace(left)
            first = first + xp.matmul(left, xp.matrix_transpose(right))
            second = second + xp.matmul(left**2, xp.matrix_transpose(right**2))
        value = first / n_units
        spread = xp.maximum(second / n_units - value**2, xp.zeros_like(value)) / (n_units - 1)
        quantile = NormalDist().inv_cdf(0.5 + 0.5 * confidence)
        return KernelEstimate(value, quantile * xp.sqrt(spread), confidence, n_units)
