"""Excess risk of ridge regression on random features, sufficient m, and steps on fresh units.

With the exact kernel's eigenvalues on the rows, for bounded features and for those of Gaussian
weights. Proofs are in :doc:`/theorems/features-ridge`
and, for a fast rate with clipped values, in :doc:`/theorems/features-clipped-ridge`.
"""

from mehler.bounds.ridge._choice import excess_risk_features, ridge_choice
from mehler.bounds.ridge._clipped import clipped_risk
from mehler.bounds.ridge._excess import excess_risk
from mehler.bounds.ridge._stochastic import doubly_stochastic

__all__ = [
    "clipped_risk",
    "doubly_stochastic",
    "excess_risk",
    "excess_risk_features",
    "ridge_choice",
]
