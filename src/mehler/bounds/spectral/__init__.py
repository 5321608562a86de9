"""Spectral error of the Gram matrix of m features, and sufficient m.

Relative to the kernel and a ridge, as ridge regression needs it, and in operator norm; for bounded
features, and for unbounded ones of Gaussian weights. Proofs are in
:doc:`/theorems/features-gram-error`; what functions the features reach is in
:doc:`/theorems/features-nearest`.
"""

from mehler.bounds.spectral._gram import gram_error, gram_error_features, operator_error
from mehler.bounds.spectral._nearest import nearest

__all__ = ["gram_error", "gram_error_features", "nearest", "operator_error"]
