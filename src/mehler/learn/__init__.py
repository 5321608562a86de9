"""Learning on random features: the estimators that the theorems are about."""
