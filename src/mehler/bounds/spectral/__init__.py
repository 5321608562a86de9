r"""Spectral error of the Gram matrix of m features, and what functions they reach.

Relative to the kernel and a ridge, as ridge regression needs it, and in operator norm; for bounded
features, and for unbounded ones of Gaussian weights. Proofs are in
:doc:`/theorems/features-gram-error` and :doc:`/theorems/features-nearest`.
:func:`mehler.bounds.solve` returns sufficient numbers of features.

What the bounds share:

n_features : int or array
    Columns m, in M = m/block independent blocks.
block : int
    Columns that share a draw: 2 for pairs of cosine and sine.
delta : float or array
    The bound holds with probability at least 1 - delta.
gram : array, shape (n, n)
    The exact kernel K of the rows, as ``phi.kernel(X)``; or `eigenvalues`.
eigenvalues : array, shape (n,)
    All n eigenvalues mu of K, zeros included.

How large one block's features are, one or more of these:

sup : float
    An upper bound of the length of one block's features of a row, normalised so that their mean
    square is K(x, x): 1 for pairs of cosine and sine (block=2), sqrt 2 for a cosine with an
    offset. Then the leverage is at most n sup^2/lambda.
leverage : float
    A bound of the largest ridge leverage s = <phi, (K + lambda)^(-1) phi> of a block.
lipschitz : float
    For features that are functions of standard normals, with or without a bound: those of the
    rows, (n,), are this Lipschitz in them. The largest singular value of the rows for maxout and
    1-Lipschitz activations; (2 gamma)^(1/2) times it for Gaussian frequencies.
"""

from mehler.bounds.spectral._approximation import approximation
from mehler.bounds.spectral._gram import gram_error, operator_error

__all__ = ["approximation", "gram_error", "operator_error"]
