"""Projections stored as matrices: independent vectors, and blocks of orthogonal ones."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mehler import _arrays, _random
from mehler.features.projections._base import OrthogonalPairs, Projection


class Gaussian(Projection):
    r"""Independent vectors, :math:`w_{jl} \sim N(0, I_d)`.

    A product costs 2 d m operations a row and piece.

    Examples
    --------
    >>> from mehler.features.projections import Gaussian
    >>> (weights,) = Gaussian().draw(0, 1, 3, 5, "float64")
    >>> weights.shape
    (1, 3, 5)
    """

    name: ClassVar[str] = "gaussian"
    independent: ClassVar[bool] = True

    def draw_units(
        self,
        seed: int,
        n_pieces: int,
        n_inputs: int,
        units: slice,
        dtype: str,
        shared: tuple[Any, ...] = (),
        stream: int = _random.WEIGHTS,
    ) -> tuple[Any, ...]:
        """Draw weights of some units, see `Projection.draw_units`."""
        n = units.stop - units.start
        weights = _random.gaussian_weights(
            seed, stream, n_pieces, n_inputs, n, dtype, first=units.start
        )
        return (weights,)

    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        """Return 1."""
        return 1.0


class Orthogonal(Projection):
    r"""Vectors in blocks of d: orthogonal directions, independent lengths.

    .. math:: w_l = r_l\, u_l, \quad (u_1, \dots, u_d) \sim \text{Haar}(O(d)), \quad
              r_l \sim \chi_d \text{ independent}

    A uniform direction times an independent :math:`\chi_d` is exactly :math:`N(0, I_d)`. Vectors
    of one block do not look the same way, so sums over units vary less where units see small
    differences: for squares of projections not at all but for the lengths. Whatever the units do,
    they vary by at most 3/(d + 1) more than independent ones. Blocks and pieces are independent.

    Drawing costs a QR factorisation a block, about 3 d^3; products cost as much as Gaussian ones.
    Weights are the same on every array library; across processors they differ by the rounding of
    LAPACK, see :mod:`mehler.features.projections`.

    References
    ----------
    Yu, Suresh, Choromanski, Holtmann-Rice, Kumar (2016), Orthogonal random features. Bound and
    proof: :doc:`/theorems/projections`.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.features.projections import Orthogonal
    >>> weights = Orthogonal().draw(0, 1, 3, 5, "float64")[0][0]
    >>> gram = weights.T @ weights
    >>> bool(np.abs(gram[:3, :3] - np.diag(np.diag(gram)[:3])).max() < 1e-14)
    True
    """

    name: ClassVar[str] = "orthogonal"

    def _draw(
        self, seed: int, n_pieces: int, n_inputs: int, n_units: int, dtype: str, stream: int
    ) -> tuple[Any, ...]:
        d = n_inputs
        weights = np.empty((n_pieces, d, n_units), dtype=dtype)
        for block, units in enumerate(_arrays.slices(n_units, d)):
            rng = _random.generator(seed, _random.ORTHOGONAL + stream, block)
            drawn = haar(rng, n_pieces, d)
            # Columns are the directions: one length per column.
            drawn *= np.sqrt(rng.chisquare(d, size=(n_pieces, 1, d)))
            weights[:, :, units] = drawn[:, :, : units.stop - units.start]
        return (weights,)

    def pairs(self, n_inputs: int, n_units: int) -> int:
        """Count ordered pairs of distinct units that share a block."""
        whole, rest = divmod(n_units, n_inputs)
        return whole * n_inputs * (n_inputs - 1) + rest * (rest - 1)

    def orthogonal_pairs(self, n_inputs: int, n_units: int) -> OrthogonalPairs:
        """Return all pairs of a block."""
        return OrthogonalPairs(n_inputs, self.pairs(n_inputs, n_units) / n_units, 0.0)

    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        """Return 1 + 3 (b - 1)/(d^2 - 1) for blocks of b units: at most 1 + 3/(d + 1)."""
        pairs = self.pairs(n_inputs, n_units)
        return 1.0 + 3.0 * pairs / (n_units * (n_inputs**2 - 1)) if pairs else 1.0


def haar(rng: np.random.Generator, n: int, d: int) -> Any:
    """Return n orthogonal matrices from Haar's measure, shape (n, d, d)."""
    q, r = np.linalg.qr(rng.standard_normal((n, d, d)))
    # LAPACK chooses the signs of QR; multiplying by those of R's diagonal makes Q Haar.
    return q * np.where(np.diagonal(r, axis1=1, axis2=2) < 0.0, -1.0, 1.0)[:, None, :]
