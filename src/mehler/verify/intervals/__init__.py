"""Intervals for a mean that hold with a stated probability, each with what it assumes.

============== ============================================ =================================
function       assumes of the independent samples           error rate
============== ============================================ =================================
known_variance a variance of at most the one given          exact bound at every n, any tails
bounded        values in [low, high]                        exact bound at every n
binomial       successes of n equal trials                  exact bound at every n
asymptotic     a variance, and n large                      only in the limit of large n
============== ============================================ =================================
"""

from mehler.verify.intervals._asymptotic import asymptotic
from mehler.verify.intervals._binomial import binomial
from mehler.verify.intervals._bounded import bounded
from mehler.verify.intervals._known_variance import known_variance

__all__ = ["asymptotic", "binomial", "bounded", "known_variance"]
