"""The two maps under comparison, and a pilot that draws both from common seeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from mehler._plural import counted
from mehler.verify._verdict import FLOOR
from mehler.verify.pairwise._measurement import Clock
from mehler.verify.sampling._choose_source import choose_source
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._output import read
from mehler.verify.sampling._pairs import Pairs
from mehler.verify.sampling._sources import Source, estimate, estimate_and_lengths

T = TypeVar("T")


class Side:
    """A draw function with a name, so that errors tell which of the two maps is meant."""

    def __init__(self, name: str, draw: Callable[[int], Any]) -> None:
        if not callable(draw):
            raise TypeError(f"{name}={draw!r} must be callable: seed -> map")
        self.name, self._draw = name, draw
        self.m = 0
        self.eps = 0.0

    def map(self, seed: int) -> Any:
        """Return the map of a seed."""
        return self._draw(seed)

    def features(self, phi: Any, pairs: Pairs) -> Any:
        """Return phi(X), checked for the width and dtype kind of the first draw."""
        z, eps = self._named(read, phi, pairs.left)
        if not self.m:
            self.m, self.eps = z.shape[1], eps
        return z

    def whole(self, phi: Any, pairs: Pairs) -> Any:
        """Return <phi(x), phi(y)> at the pairs."""
        return pairs.pick(self._named(estimate, phi, pairs, self.m))

    def whole_and_lengths(self, phi: Any, pairs: Pairs) -> tuple[Any, Any, Any]:
        """Return <phi(x), phi(y)> at the pairs, and |phi|^2 of the rows of either side."""
        gram, left, right = self._named(estimate_and_lengths, phi, pairs, self.m)
        return pairs.pick(gram), left, right

    def source(self, phi: Any, pairs: Pairs, independent_features: bool) -> Source:
        """Return the samples that the map's declarations allow, in units of the pairs."""
        return self._named(choose_source, phi, pairs, independent_features)

    def _named(self, function: Callable[..., T], *args: Any) -> T:
        try:
            return function(*args)
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"{self.name}: {error}") from error


# Draws that set the units; draws after which maps that always agreed count as the same.
UNITS, EQUAL = 32, 64

# Rounding of a feature, in units of sqrt(d) eps of the largest in its row.
_ULPS = 64.0

# Least variation over seeds, relative to the difference between maps, for agreement to count.
_TELLING = 16.0


@dataclass(frozen=True)
class Pilot:
    """The pilot draws, which are not reused.

    `pairs` are in units of sqrt(k(x,x) k(y,y)), k(x,x) the mean of |phi(x)|^2 over both maps;
    `products` are whole estimates, shape (2, draws, pairs); `largest` is the largest difference at
    one seed in units of that draw's lengths, or inf; `same_features`: equal to rounding.
    """

    pairs: Pairs
    products: Any
    largest: float
    same_features: bool
    finite: bool

    @property
    def n_draws(self) -> int:
        """Number of seeds drawn."""
        return int(self.products.shape[1])

    def agrees(self, resolution: float) -> bool:
        """Whether the maps agree seed by seed: no products differ by enough to refute.

        Products that hardly vary with the seed are no evidence, unless the features themselves
        agree.
        """
        moves = float(np.max(np.ptp(self.products[0], axis=0)))
        told = self.same_features or moves > _TELLING * max(self.largest, 1e-12)
        return told and self.largest <= FLOOR * resolution


def pilot(
    sides: tuple[Side, Side], pairs: Pairs, seeds: Draws, resolution: float, most: int, clock: Clock
) -> Pilot:
    """Draw both maps from common seeds until they differ and units are known."""
    products: list[list[Any]] = []
    lengths = [np.zeros(pairs.left.unit.size), np.zeros(pairs.right.unit.size)]
    largest, same, k = 0.0, True, 0
    while k < (EQUAL if largest <= FLOOR * resolution else UNITS) and k < most:
        if k and clock.over:
            break
        maps = [side.map(seeds.seed(k)) for side in sides]
        a, b = (side.features(phi, pairs) for side, phi in zip(sides, maps))
        same = same and _equal(a, b, max(side.eps for side in sides), pairs.left.host.shape[1])
        drawn = [side.whole_and_lengths(phi, pairs) for side, phi in zip(sides, maps)]
        k += 1
        products.append([gram for gram, _, _ in drawn])
        for total, left, right in zip(lengths, *(each[1:] for each in drawn)):
            total += 0.5 * (left + right)
        if not np.isfinite(products[-1]).all():
            return Pilot(pairs, np.array(products).swapaxes(0, 1), np.inf, False, False)
        scale = _scale(pairs, drawn)
        largest = max(largest, float(np.max(np.abs(drawn[0][0] - drawn[1][0]) / scale)))
    left, right = (np.sqrt(total / k) for total in lengths)
    for unit, side in ((left, "X"), (right, "Y")):
        if not (unit > 0.0).all():
            raise ValueError(
                f"both maps are 0 at row {int(np.argmin(unit))} of {side} in "
                f"{counted(k, 'draw')}: the "
                "resolution is relative to their size there; leave such rows out"
            )
    pairs = in_units(pairs, left, right)
    return Pilot(pairs, np.array(products).swapaxes(0, 1) / pairs.unit, largest, same, True)


def in_units(pairs: Pairs, left: Any, right: Any) -> Pairs:
    """Return the pairs with sqrt(k(x,x)) of the rows of either side."""
    rows = replace(pairs.left, unit=left)
    return replace(pairs, left=rows, right=rows if pairs.same else replace(pairs.right, unit=right))


def _scale(pairs: Pairs, drawn: list[Any]) -> Any:
    """Return sqrt(|phi(x)|^2 |phi(y)|^2) of this draw, the smaller of the two maps."""
    sizes = [np.sqrt(left[pairs.first] * right[pairs.second]) for _, left, right in drawn]
    return np.maximum(np.minimum(*sizes), np.finfo(float).tiny)


def _equal(a: Any, b: Any, eps: float, n_inputs: int) -> bool:
    if a.shape != b.shape:
        return False
    if a.dtype.kind != "f" and b.dtype.kind != "f":
        return bool(np.array_equal(a, b))
    a, b = a.astype(np.float64), b.astype(np.float64)
    size = np.abs(a).max(axis=1, keepdims=True)
    return bool((np.abs(a - b) <= _ULPS * np.sqrt(n_inputs) * eps * size).all())
