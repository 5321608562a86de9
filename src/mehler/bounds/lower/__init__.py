r"""Lower bounds: what no promise, no map or no learner can go below.

Beside the upper bounds of the same names in the other modules they say how sharp these are. Each is
a :class:`LowerBound`; a bound with `delta` says that the quantity is at least the value with
probability at least delta. Proofs are in :doc:`/theorems/features-lower`.

Functions take the same arguments:

n_features, n_samples, n_rows : int or array
    Number of features m, of training rows N, and of the rows of a Gram matrix, N.
pool_size : int or array
    q of maxout units; M is the largest of q standard normals.
delta : float or array
    The error is at least the bound with probability at least delta.
scale, lipschitz : float
    C and L, of the class of functions of :mod:`mehler.bounds.maxout` and of the loss.
ridge : float
    lambda, in units of the Gram matrix K: n times the penalty of mean squared errors.
gram, eigenvalues : array, shape (n, n) or (n,)
    The exact kernel of the rows, as ``phi.kernel(X)``; or all its eigenvalues :math:`\mu_1 \ge
    \mu_2 \ge \dots`, zeros included.
block : int
    Columns that share a draw: 2 for pairs of cosine and sine. M = m/block are independent.
"""

from mehler.bounds._bound import LowerBound
from mehler.bounds.lower._gram import gram_error, gram_error_direction, gram_error_rare
from mehler.bounds.lower._kernel import all_pairs, one_pair, uniform
from mehler.bounds.lower._risk import approximation, excess_risk, fixed_design_error

__all__ = [
    "LowerBound",
    "all_pairs",
    "approximation",
    "excess_risk",
    "fixed_design_error",
    "gram_error",
    "gram_error_direction",
    "gram_error_rare",
    "one_pair",
    "uniform",
]
