"""Error of the Gram matrix of m features against the exact kernel, and sufficient m.

For one pair of rows, for all pairs of N rows, and uniformly over a set; each with its inverse.
Proofs are in :doc:`/theorems/kernel-error` and, for any map on a set, in
:doc:`/theorems/features-uniform`.
"""

from mehler.bounds.kernel_error._centred_slope import centred_maxout_slope
from mehler.bounds.kernel_error._named_slopes import fourier_slope, sinks_slope
from mehler.bounds.kernel_error._normal import central_limit, central_limit_features
from mehler.bounds.kernel_error._pairs import (
    all_pairs,
    all_pairs_features,
    one_pair,
    one_pair_features,
)
from mehler.bounds.kernel_error._uniform import uniform, uniform_features

__all__ = [
    "all_pairs",
    "all_pairs_features",
    "central_limit",
    "central_limit_features",
    "centred_maxout_slope",
    "fourier_slope",
    "one_pair",
    "one_pair_features",
    "sinks_slope",
    "uniform",
    "uniform_features",
]
