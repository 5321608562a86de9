"""Confidence intervals for means, each with its assumptions and the status of its error rate.

=============== ================================================= ==============================
function        assumption on the independent samples             error rate
=============== ================================================= ==============================
known_variance  a variance of at most the one given               exact bound, any tails;
                                                                  any stopping time
betting         values in [low, high]                             exact bound; any stopping time
bounded         values in [low, high]                             exact bound at a fixed n
binomial        successes of n equal trials                       exact bound at a fixed n
self_normalised a kurtosis below a limit proportional to n        exact bound at a fixed n
quantile        none; for a quantile, not the mean                exact bound at a fixed n
dkw             (a band for the distribution function)            exact bound at a fixed n
=============== ================================================= ==============================

Pass `planned`, the sample size to tune for, to the intervals that are valid at any stopping time
when n is not fixed in advance.
"""

from mehler.verify.intervals._counts import binomial, dkw, quantile
from mehler.verify.intervals._known_variance import known_variance
from mehler.verify.intervals._kurtosis import self_normalised
from mehler.verify.intervals._range import betting, bounded

__all__ = [
    "betting",
    "binomial",
    "bounded",
    "dkw",
    "known_variance",
    "quantile",
    "self_normalised",
]
