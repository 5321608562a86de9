"""The size of a finite set of points at every scale: diameter, packings, doubling dimension."""

from mehler.bounds.doubling._diameter import diameter
from mehler.bounds.doubling._dimension import DoublingDimension, doubling_dimension
from mehler.bounds.doubling._interval import Interval
from mehler.bounds.doubling._numbers import covering_number, packing_number
from mehler.bounds.doubling._universal import sparse_dimension
from mehler.bounds.doubling._witness import Witness

__all__ = [
    "DoublingDimension",
    "Interval",
    "Witness",
    "covering_number",
    "diameter",
    "doubling_dimension",
    "packing_number",
    "sparse_dimension",
]
