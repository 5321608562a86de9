"""Independent Gaussian vectors: the projection of the papers."""

from __future__ import annotations

from typing import Any, ClassVar

from mehler import _random
from mehler.features.projections._base import Projection


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
