r"""Error of the Gram matrix of m features against the exact kernel.

For one pair of rows, for all pairs of N rows, and uniformly over a set. Proofs are in
:doc:`/theorems/kernel-error` and, for any map on a set, in :doc:`/theorems/features-uniform`;
:func:`mehler.bounds.solve` returns sufficient numbers of features. What the bounds share:

n_features, n_rows : int or array
    Number m of independent units (of frequencies, for pairs of cosine and sine), and N of rows.
delta : float or array
    The bound holds with probability at least 1 - delta.
dimension, diameter : float
    Doubling dimension k, or more: every ball's part of the set is covered by 2^k balls of half its
    radius (centres anywhere); and D of the set.
method : str, optional
    The inequality; by default the smallest at this m and delta that the argument allows.

What is known of the product F of one unit at two rows, of mean K; exactly one of these:

pool_size : int or array
    q of maxout units, for rows of norm 1: "chernoff" by the exact joint law, "sub-gamma" with
    v = 4(1 + abs(rho))(1 + h_1^2) and c = 2 sqrt(1 + abs(rho)), "chebyshev" by the exact variance
    V. Chernoff's deviation Delta_rho(u) is the larger one, over both signs, of the minimum over
    lambda of (u + psi(+-lambda))/lambda, psi = log E exp(lambda (F - K)); Delta(u) that of the
    supremum of psi over all correlations.
rho : float, optional
    Correlation of the rows; without it, and by "chernoff" below -0.95, the worst one of all.
variance : float
    V of the product, of any map: "chebyshev".
sub_gamma : (float, float)
    v and c with log E exp(lambda (F - K)) <= lambda^2 v/(2 (1 - c abs(lambda))).
width : float
    b, length of an interval that holds every product ("hoeffding", or "chebyshev" with
    V = b^2/4): 4 for the products of two features sqrt(2) cos, 1 for codes.
collision : float
    Probability kappa that codes agree: "binomial" with Delta_kappa(u), the largest t with kl(kappa
    +- t, kappa) <= u for Bernoulli laws; "hoeffding", b = 1; "chebyshev", V = kappa(1 - kappa).
"""

from mehler.bounds.kernel_error._pairs import all_pairs, normal_quantile, one_pair
from mehler.bounds.kernel_error._uniform import slope_fourier, uniform, uniform_by_slope

__all__ = [
    "all_pairs",
    "normal_quantile",
    "one_pair",
    "slope_fourier",
    "uniform",
    "uniform_by_slope",
]
