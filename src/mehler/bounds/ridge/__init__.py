"""Excess risk of ridge regression on random features, and sufficient m.

With the exact kernel's eigenvalues on the rows, for bounded features and for those of Gaussian
weights. Proofs are in :doc:`/theorems/features-ridge`.
"""

from mehler.bounds.ridge._excess import excess_risk, excess_risk_features, ridge_choice

__all__ = ["excess_risk", "excess_risk_features", "ridge_choice"]
