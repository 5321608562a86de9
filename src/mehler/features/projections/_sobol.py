"""Quasi-Monte Carlo: scrambled Sobol points, through the normal quantile function."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mehler import _random
from mehler.features.projections._base import Projection

# Digits of a point; lower digits are drawn uniformly.
_BITS = 30
# Keeps quantiles finite: uniform numbers nearer to 0 or 1 have probability 2^-53.
_LEAST = 2.0**-54


class Sobol(Projection):
    """Sobol's sequence, scrambled by random linear maps and a random shift of digits.

    Point l of the sequence of dimension q d is unit l: all its pieces. Each point is uniform on
    the cube, so each unit has exactly the distribution of independent Gaussian vectors. Points
    are more even than independent ones, the more so the fewer coordinates matter; no useful bound
    on the variance holds for all units and rows in many dimensions, so that maps declare the
    trivial one, m times that of independent units.

    Needs q d of at most 21201, the dimensions that SciPy knows. Scrambles are SciPy's: the same
    on every library, but another version may draw others.

    References
    ----------
    `scipy.stats.qmc.Sobol`; J. Matousek (1998), On the L2-discrepancy for anchored boxes. What
    is exact: :doc:`/theorems/projections`.

    Examples
    --------
    >>> from mehler.features.projections import Sobol
    >>> (weights,) = Sobol().draw(0, 1, 3, 5, "float64")
    >>> weights.shape
    (1, 3, 5)
    """

    name: ClassVar[str] = "sobol"
    isotropic: ClassVar[bool] = False

    def check(self, n_pieces: int, n_inputs: int, n_units: int) -> None:
        """Raise ValueError beyond 21201 coordinates a unit, or 2^30 units."""
        from scipy.stats.qmc import Sobol as Sequence

        if n_pieces * n_inputs > Sequence.MAXDIM:
            raise ValueError(
                f"projections='sobol' has {Sequence.MAXDIM} coordinates a unit, and these are "
                f"{n_pieces} * {n_inputs}: take another projection"
            )
        if n_units > 1 << _BITS:
            raise ValueError(
                f"projections='sobol' has 2^{_BITS} points, fewer than {n_units} units: take "
                "another projection"
            )

    def _draw(
        self, seed: int, n_pieces: int, n_inputs: int, n_units: int, dtype: str, stream: int
    ) -> tuple[Any, ...]:
        from scipy.special import ndtri
        from scipy.stats.qmc import Sobol as Sequence

        rng = _random.generator(seed, _random.QUASI + stream, 0)
        coordinates = int(n_pieces * n_inputs)
        sequence = Sequence(coordinates, scramble=True, bits=_BITS, seed=rng)
        # Powers of 2 only: SciPy warns of other numbers, though any prefix is as uniform.
        points = sequence.random_base2((int(n_units) - 1).bit_length())[:n_units]
        # The digits below the last scrambled one.
        uniform = points + rng.random((n_units, coordinates)) * 2.0**-_BITS
        normal = ndtri(np.clip(uniform, _LEAST, 1.0 - 2.0 * _LEAST))
        weights = normal.reshape(n_units, n_pieces, n_inputs).transpose(1, 2, 0)
        return (np.ascontiguousarray(weights, dtype=dtype),)

    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        """Return m, which holds for any dependence (Cauchy and Schwarz)."""
        return float(n_units)
