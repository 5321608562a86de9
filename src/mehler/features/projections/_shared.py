"""A pool of projections shared by all units."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from mehler import _arrays, _random
from mehler._validate import require_integer
from mehler.features.projections._base import Projection


class SharedPool(Projection):
    """P independent Gaussian vectors, of which each unit uses q distinct ones at random.

    A product costs 2 d P operations a row, for all pieces and units together. A fixed P does not
    converge: with ever more units the estimates tend to those of one pool.

    Parameters
    ----------
    n_projections : int
        P, at least q.

    See Also
    --------
    mehler.MaxoutFeatures : Uses it for `n_projections`.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Table 3.

    Examples
    --------
    >>> from mehler.features.projections import SharedPool
    >>> pool, members = SharedPool(7).draw(0, 2, 3, 5, "float64")
    >>> pool.shape, members.shape
    ((7, 3), (2, 5))
    """

    name: ClassVar[str] = "shared"
    dense: ClassVar[bool] = False

    def __init__(self, n_projections: int) -> None:
        self.n_projections = require_integer("n_projections", n_projections)

    def check(self, n_pieces: int, n_inputs: int, n_units: int) -> None:
        """Raise ValueError if there are fewer vectors than a unit uses."""
        if self.n_projections < n_pieces:
            raise ValueError(
                f"n_projections={self.n_projections} cannot give each unit pool_size={n_pieces} "
                "distinct ones; make it larger"
            )

    def n_weights(self, n_pieces: int, n_inputs: int, n_units: int) -> int:
        """Return the size of the pool, plus half a number per index."""
        return self.n_projections * n_inputs + n_pieces * n_units // 2

    def _draw(
        self, seed: int, n_pieces: int, n_inputs: int, n_units: int, dtype: str, stream: int
    ) -> tuple[Any, ...]:
        """Draw the pool (P, d) and the members of each unit (q, m)."""
        members = _random.pool_members(seed, self.n_projections, n_pieces, n_units)
        return (*self.shared(seed, n_inputs, dtype, stream), members)

    def shared(
        self, seed: int, n_inputs: int, dtype: str, stream: int = _random.WEIGHTS
    ) -> tuple[Any, ...]:
        """Draw the pool (P, d)."""
        weights = _random.gaussian_weights(seed, stream, 1, n_inputs, self.n_projections, dtype)
        # Transposed, so that each projection is a contiguous row, which the units gather.
        return (weights[0].T.copy(),)

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
        """Return the vectors that some units use, and the members of each."""
        (pool,) = shared or self.shared(seed, n_inputs, dtype, stream)
        n = units.stop - units.start
        members = _random.pool_members(seed, self.n_projections, n_pieces, n, first=units.start)
        taken, places = np.unique(members, return_inverse=True)
        return pool[taken], places.reshape(members.shape).astype(np.int32)

    def pieces(self, xp: Any, rows: _arrays.Array, *weights: Any) -> Iterator[_arrays.Array]:
        """Products with each piece, see `Projection.pieces`; views of (m, n) arrays."""
        pool, members = weights
        projected = xp.matmul(pool, xp.matrix_transpose(rows))
        if _arrays.is_on_accelerator(rows):
            return _arrays.StackedProducts(_taken(xp, projected, members))
        return _in_turn(xp, projected, members)

    def block_rows_for_map(self, n_inputs: int) -> int | None:
        """Return rows of 1 MiB in float32, 64 to 512: units read all over the pool."""
        return max(64, min(512, (1 << 18) // self.n_projections))

    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        r"""Return 1 + (m - 1) q/P.

        Two units that share r of their q vectors have covariance C_r. The product of a unit is a
        symmetric function of q independent pairs, so by its Hoeffding decomposition
        C_r = sum over k <= r of binom(r, k) zeta_k with zeta_k >= 0: convex in r, C_0 = 0 and
        C_q = V, hence 0 <= C_r <= (r/q) V. The mean overlap is q^2/P.
        """
        return 1.0 + (n_units - 1) * n_pieces / self.n_projections


def _taken(xp: Any, projected: _arrays.Array, members: _arrays.Array) -> _arrays.Array:
    """Return all pieces at once, (q, n, m): the rows (P, n) that each member names, transposed."""
    taken = xp.take(projected, xp.reshape(members, (-1,)), axis=0)
    return xp.matrix_transpose(xp.reshape(taken, (*members.shape, projected.shape[1])))


def _in_turn(xp: Any, projected: _arrays.Array, members: _arrays.Array) -> Iterator[_arrays.Array]:
    yield xp.matrix_transpose(xp.take(projected, members[0, :], axis=0))
    piece = None
    for j in range(1, members.shape[0]):
        piece = _arrays.take_rows(xp, projected, members[j, :], piece)
        yield xp.matrix_transpose(piece)
