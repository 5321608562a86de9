"""Learning on random features: ridge regression, the box estimator, measures of kernels."""

from mehler.learn import losses
from mehler.learn._box_erm import BoxERM, box_erm, units

# Shared with other packages of mehler, and no public names.
from mehler.learn._features import SCORINGS as SCORINGS
from mehler.learn._features import Features as Features
from mehler.learn._features import Scoring as Scoring
from mehler.learn._features import dense_blocks as dense_blocks
from mehler.learn._features import require_lambdas as require_lambdas
from mehler.learn._features import rows_at as rows_at
from mehler.learn._features import spectral_error
from mehler.learn._path import RidgeFit
from mehler.learn._ridge import fit as fit
from mehler.learn._ridge import one_vs_all, ridge
from mehler.learn._sums import RidgeSums

__all__ = [
    "BoxERM",
    "RidgeFit",
    "RidgeSums",
    "box_erm",
    "losses",
    "one_vs_all",
    "ridge",
    "spectral_error",
    "units",
]
