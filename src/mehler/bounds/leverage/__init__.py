"""Sufficient numbers of features, rows and pool members for leverage score sampling.

None of these is necessary: measured needs were 3 to 6 times smaller for
`approximation_features`, and a thousand times for `score_error_samples`.
"""

from mehler.bounds.leverage._approximation import approximation, approximation_features
from mehler.bounds.leverage._mixed import mixed_ratio
from mehler.bounds.leverage._risk import risk
from mehler.bounds.leverage._scores import probability_error, score_error, score_error_samples

__all__ = [
    "approximation",
    "approximation_features",
    "mixed_ratio",
    "probability_error",
    "risk",
    "score_error",
    "score_error_samples",
]
