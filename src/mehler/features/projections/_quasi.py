"""Quasi-Monte Carlo: randomised low-discrepancy points, through the normal quantile function."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from mehler import _random
from mehler.features.projections._base import Projection

# Digits of a Sobol point; lower digits are drawn uniformly.
_BITS = 30
# Coordinates of Halton's sequence.
_MOST_COORDINATES = 1 << 13
# Keeps quantiles finite: uniform numbers nearer to 0 or 1 have probability 2^-53.
_LEAST = 2.0**-54


class _Quasi(Projection):
    """Point l of a randomised sequence of dimension q d is unit l: all its pieces.

    Each point is uniform on the cube, so each unit has exactly the distribution of independent
    Gaussian vectors. Points are more even than independent ones, the more so the fewer coordinates
    matter; no useful bound on the variance holds for all units and rows in many dimensions, so
    maps declare the trivial one, m times that of independent units.
    """

    isotropic: ClassVar[bool] = False

    def _draw(
        self, seed: int, n_pieces: int, n_inputs: int, n_units: int, dtype: str, stream: int
    ) -> tuple[Any, ...]:
        from scipy.special import ndtri

        rng = _random.generator(seed, _random.QUASI + stream, self._number)
        uniform = self._points(rng, int(n_pieces * n_inputs), int(n_units))
        normal = ndtri(np.clip(uniform, _LEAST, 1.0 - 2.0 * _LEAST))
        weights = normal.reshape(n_units, n_pieces, n_inputs).transpose(1, 2, 0)
        return (np.ascontiguousarray(weights, dtype=dtype),)

    # Stream offset, so that two sequences share no generator.
    _number: ClassVar[int]

    @abstractmethod
    def _points(self, rng: np.random.Generator, n_coordinates: int, n_points: int) -> Any:
        """Return the first points, each uniform on the cube, shape (n_points, n_coordinates)."""

    def variance_factor(self, n_pieces: int, n_inputs: int, n_units: int) -> float:
        """Return m, which holds for any dependence (Cauchy and Schwarz)."""
        return float(n_units)


class Sobol(_Quasi):
    """Sobol's sequence, scrambled by random linear maps and a random shift of digits.

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
    _number: ClassVar[int] = 0

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

    def _points(self, rng: np.random.Generator, n_coordinates: int, n_points: int) -> Any:
        from scipy.stats.qmc import Sobol as Sequence

        sequence = Sequence(n_coordinates, scramble=True, bits=_BITS, seed=rng)
        # Powers of 2 only: SciPy warns of other numbers, though any prefix is as uniform.
        points = sequence.random_base2((n_points - 1).bit_length())[:n_points]
        # The digits below the last scrambled one.
        return points + rng.random((n_points, n_coordinates)) * 2.0**-_BITS


class Halton(_Quasi):
    """Halton's sequence, its digits permuted at random, independently for each coordinate.

    Up to 8192 coordinates q d: SciPy keeps digits permuted for each, in memory that grows like the
    square of their number, 0.7 GB at 2000. Beyond some tens their bases are large and the first
    points no longer even, which costs nothing but the advantage. A coordinate is uniform on a grid
    as fine as the digits that SciPy permutes, spaced by at most 2^-40.
    Permutations are SciPy's: the same on every library, but another version may draw others.

    References
    ----------
    `scipy.stats.qmc.Halton`; A. B. Owen (2017), A randomized Halton algorithm in R. What is
    exact: :doc:`/theorems/projections`.

    Examples
    --------
    >>> from mehler.features.projections import Halton
    >>> (weights,) = Halton().draw(0, 2, 3, 5, "float64")
    >>> weights.shape
    (2, 3, 5)
    """

    name: ClassVar[str] = "halton"
    _number: ClassVar[int] = 1

    def check(self, n_pieces: int, n_inputs: int, n_units: int) -> None:
        """Raise ValueError beyond 8192 coordinates a unit, which take more than 10 GB."""
        if n_pieces * n_inputs > _MOST_COORDINATES:
            raise ValueError(
                f"projections='halton' has up to {_MOST_COORDINATES} coordinates a unit, and these "
                f"are {n_pieces} * {n_inputs}: take another projection"
            )

    def _points(self, rng: np.random.Generator, n_coordinates: int, n_points: int) -> Any:
        from scipy.stats.qmc import Halton as Sequence

        return Sequence(n_coordinates, scramble=True, seed=rng).random(n_points)
