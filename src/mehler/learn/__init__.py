"""Learning on random features: ridge regression, the box estimator, measures of kernels."""

from mehler.learn import losses

# Shared with other packages of mehler, and no public names.
from mehler.learn._arguments import SCORINGS as SCORINGS
from mehler.learn._arguments import Scoring as Scoring
from mehler.learn._arguments import require_lambdas as require_lambdas
from mehler.learn._arguments import rows_at as rows_at
from mehler.learn._box_erm import BoxERM, box_erm, units
from mehler.learn._measures import Rademacher, rademacher, spectral_error
from mehler.learn._path import Errors as Errors
from mehler.learn._path import HeldOut as HeldOut
from mehler.learn._path import LeftOut as LeftOut
from mehler.learn._path import RidgeFit
from mehler.learn._path import best as best
from mehler.learn._ridge import one_vs_all, ridge
from mehler.learn._sums import RidgeSums

__all__ = [
    "BoxERM",
    "Rademacher",
    "RidgeFit",
    "RidgeSums",
    "box_erm",
    "losses",
    "one_vs_all",
    "rademacher",
    "ridge",
    "spectral_error",
    "units",
]
