"""Diameter and doubling dimension of a finite set of points.

Functions of points take `X`, array of shape (n, d): in any namespace, rows that repeat count once,
a Dask array is computed, and refused above 1 GiB. Distances take O(n^2 d); up to 10,000 points
they keep 4 n^2 bytes at most.
"""

from mehler.doubling._dimension import DoublingDimension, doubling_dimension
from mehler.doubling._ends import Witness
from mehler.doubling._points import Interval, diameter, sparse_dimension

__all__ = [
    "DoublingDimension",
    "Interval",
    "Witness",
    "diameter",
    "doubling_dimension",
    "sparse_dimension",
]
