"""Units of a map (each one draw of weights), in blocks, and angles that floats can resolve.

A float of size A is rounded by eps A/2, so an angle <w, x> of many turns loses the part that
cosines depend on: the angles of rows of 64-bit integers would be wrong by radians.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler._random import UNITS_PER_BLOCK
from mehler._validate import require_flag
from mehler.features._correlation import lengths

# Largest root mean square of the error of an angle, in radians. Errors e, e' of the angles of two
# rows change a feature product's mean by a factor of at least 1 - (e^2 + e'^2)/2 = 1 - 2^-12.
LIMIT = 2.0**-6


@dataclass(frozen=True)
class Angles:
    """The angles of a map of waves (cosines, sines), whose rounding bounds the length of rows.

    Angles of standard normal weights have the root mean square `scale` per unit of length of a
    row; the waves take them `harmonic` times. Other weights have lengths (m,) or entries
    (1, d, m), at the position `law` among the map's weights, from which the scale is computed.
    """

    scale: float
    harmonic: float = 1.0
    law: int | None = None

    def reach(self, weights: tuple[Any, ...]) -> float:
        """Return the root mean square of an angle over the length of its row, mean over units."""
        if self.law is None:
            return self.scale
        w = np.asarray(_arrays.to_host(weights[self.law]), dtype=np.float64)
        with np.errstate(all="ignore"):
            sizes = np.abs(w) if w.ndim < 3 else lengths(np, w[0].T)[:, 0] / math.sqrt(w.shape[1])
            return self.scale * float(np.mean(sizes))

    def longest(self, dtype: str, n_inputs: int, reach: float) -> float:
        """Return the length of rows at which angles, computed in `dtype`, err by `LIMIT`.

        Products are rounded, and the partial sums of d of them, each of at most the angle's
        variance over draws: independent errors of eps/2 add up to 1/2 eps sqrt(d + 3) reach |x|.
        """
        eps = float(np.finfo(dtype).eps)
        return LIMIT / (0.5 * eps * math.sqrt(n_inputs + 3) * self.harmonic * reach)

    def require(self, rows: Array, dtype: str, most: float, name: str) -> None:
        """Raise ValueError for rows longer than `most`; those with NaN have no length."""
        n, d = rows.shape
        for part in _arrays.slices(n, _arrays.block_rows_for_map(d, 8, rows)):
            with np.errstate(all="ignore"):
                size = lengths(np, np.asarray(_arrays.to_host(rows[part, :]), dtype=np.float64))
            # A length that overflows is infinite; that of a row with NaN or infinity is NaN.
            far = np.flatnonzero(size[:, 0] > most)
            if far.size:
                remedy = "" if dtype == "float64" else "; or compute in float64"
                raise ValueError(
                    f"{name} has the length {size[far[0], 0]:.3g} in row {part.start + far[0]}, and"
                    f" angles <w, x> of rows longer than {most:.3g} are rounded in {dtype} by "
                    f"more than {LIMIT:.2g} radians: centre the columns, scale them, or take a "
                    f"larger length scale{remedy}"
                )


class Units(NamedTuple):
    """Properties of the units of a map that the base class needs.

    n_weights
        Numbers that all units draw, to refuse absurd sizes.
    columns
        Columns of a unit: features (n, m) are (n, a, n_units, b), side by side.
    angles
        Of a map of waves, the scale of its angles; None serves any finite row.
    block
        Rows per block that suit the host's cache; None is any block of at most 32 MiB.
    width
        Numbers held for each row of a block, where these are more than m.
    n_values
        Features are integers below it, unless it is 0.
    safe
        Rows of smaller entries have features within float32: those of larger ones are looked at.
    """

    n_weights: int
    columns: tuple[int, int] = (1, 1)
    angles: Angles | None = None
    block: int | None = None
    width: int = 0
    n_values: int = 0
    safe: float = 1e4


# Numbers per block of weights: 4 MiB of float32, as are its products with 1024 rows.
_NUMBERS = 1 << 20
_MOST_UNITS = 4096  # beyond, the matrix product gains nothing


class UnitBlock:
    """A block of consecutive units of a map, from :meth:`FeatureMap.unit_blocks`.

    A callable from rows to the columns of these units, with the weights and the scale that they
    have in the map. Weights are drawn when first needed, and released with the block.

    Attributes
    ----------
    start, stop : int
        Units from `start` to before `stop`.
    n_features : int
        Number of columns.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> phi = mehler.FourierFeatures.draw(3, 1000, seed=0)
    >>> block = next(phi.unit_blocks(64))
    >>> block.columns[:2], block.columns[-2:]  # cosines and sines of 64 of the 500 frequencies
    (array([0, 1]), array([562, 563]))
    >>> X = np.eye(3)
    >>> bool(np.allclose(block(X), phi(X)[:, block.columns]))
    True
    """

    def __init__(self, phi: Any, start: int, stop: int) -> None:
        self.start, self.stop = start, stop
        self._phi = phi
        self._placed: dict[str, Any] = {}
        groups, width = phi._unit.columns
        # Columns of the map, in the order of the block.
        self.slices = tuple(
            slice((g * phi.n_units + start) * width, (g * phi.n_units + stop) * width)
            for g in range(groups)
        )
        self.n_features = groups * width * (stop - start)

    @property
    def columns(self) -> Any:
        """Column numbers in the map, shape (n_features,): ``Z[:, block.columns] = block(X)``."""
        return np.concatenate([np.arange(part.start, part.stop) for part in self.slices])

    def __call__(self, X: Array, *, check_finite: bool = True) -> Array:
        """Compute the columns of these units, (n, n_features), as the map itself does."""
        if _arrays.is_row(X):
            return self(X[None, :], check_finite=check_finite)[0, :]
        return self._phi._features(X, require_flag("check_finite", check_finite), self)

    def weights(self, dtype: str) -> tuple[Any, ...]:
        """Return the weights of these units in a named dtype, where the map's are."""
        if dtype not in self._placed:
            arrays = self._phi._draw(dtype, slice(self.start, self.stop))
            self._placed[dtype] = tuple(_arrays.from_host(part, self._phi.place) for part in arrays)
        return self._placed[dtype]


def unit_blocks(phi: Any, size: int | None = None) -> Iterator[UnitBlock]:
    """Yield blocks of units; by default whole blocks of the stream, 64 to 4096 units."""
    if size is None:
        fit = _NUMBERS // max(1, phi._unit.n_weights // phi.n_units)
        size = max(1, min(_MOST_UNITS, fit) // UNITS_PER_BLOCK) * UNITS_PER_BLOCK
    return (UnitBlock(phi, part.start, part.stop) for part in _arrays.slices(phi.n_units, size))
