"""Confidence intervals for means, each with an exact bound on its error rate.

Each says what it assumes of independent samples, of a number that was fixed in advance.
"""

from mehler.verify.intervals._counts import binomial, dkw, quantile
from mehler.verify.intervals._known_variance import known_variance
from mehler.verify.intervals._range import betting
from mehler.verify.intervals._undeclared import self_normalised

__all__ = ["betting", "binomial", "dkw", "known_variance", "quantile", "self_normalised"]
