"""Learning on random features: ridge regression, the box estimator, measures of kernels."""

from mehler.learn import losses
from mehler.learn._box_erm import BoxERM, box_erm, units
from mehler.learn._matrices import (
    ColumnSample,
    Rademacher,
    block_diagonal,
    column_sample,
    kernel_alignment,
    rademacher,
    spectral_error,
)
from mehler.learn._path import RidgeFit
from mehler.learn._ridge import one_vs_all, ridge
from mehler.learn._sums import RidgeSums

__all__ = [
    "BoxERM",
    "ColumnSample",
    "Rademacher",
    "RidgeFit",
    "RidgeSums",
    "block_diagonal",
    "box_erm",
    "column_sample",
    "kernel_alignment",
    "losses",
    "one_vs_all",
    "rademacher",
    "ridge",
    "spectral_error",
    "units",
]
