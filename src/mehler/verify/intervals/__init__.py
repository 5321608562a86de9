"""Confidence intervals for means, each with an exact bound on its error rate.

Each says what it assumes of independent samples. Those of `known_variance` and `betting` are valid
at any stopping time, if `planned`, the sample size to tune for, is fixed in advance; the others at
a fixed size.
"""

from mehler.verify.intervals._counts import binomial, dkw, quantile
from mehler.verify.intervals._known_variance import known_variance
from mehler.verify.intervals._range import betting
from mehler.verify.intervals._undeclared import self_normalised

__all__ = [
    "betting",
    "binomial",
    "dkw",
    "known_variance",
    "quantile",
    "self_normalised",
]
