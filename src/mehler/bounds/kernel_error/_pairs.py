"""Tail bound for one pair of rows, the union bound over all pairs, and the limit of both."""

from __future__ import annotations

import math

from scipy.special import ndtri

from mehler._validate import require_positive
from mehler.bounds._function import Formula, bound, number
from mehler.bounds.kernel_error._product import DOMAINS, Method, Product, variance_of
from mehler.exact import require_pool

STATEMENT = "maxout.kernel-error"


@bound(
    STATEMENT,
    "error of the kernel, one pair",
    falls_in=("n_features",),
    domains=DOMAINS,
)
def one_pair(
    n_features: int,
    *,
    delta: float,
    method: Method | None = None,
    pool_size: int | None = None,
    rho: float | None = None,
    variance: float | None = None,
    sub_gamma: tuple[float, float] | None = None,
    width: float | None = None,
    collision: float | None = None,
) -> Formula:
    r"""Bound the distance of the inner product of m features from the kernel, for one pair of rows.

    .. math:: P\Big(\Big|\frac1m\sum_{\ell\le m} F_\ell - K\Big| > \varepsilon\Big) \le \delta,
              \qquad \varepsilon = \begin{cases}
              \Delta_\rho(\tfrac1m\log\tfrac2\delta) & \text{chernoff} \\
              \sqrt{2v\log(2/\delta)/m} + c\log(2/\delta)/m & \text{sub-gamma} \\
              \sqrt{V/(m\delta)} & \text{chebyshev} \\
              b\sqrt{\log(2/\delta)/(2m)} & \text{hoeffding} \\
              \Delta_\kappa(\tfrac1m\log\tfrac2\delta) & \text{binomial} \end{cases}

    with F_l = h_l(x) h_l(z) the product of one unit and the smallest inequality that applies.

    Parameters
    ----------
    n_features, delta, method, pool_size, rho, variance, sub_gamma, width, collision
        As :mod:`mehler.bounds.kernel_error` says.

    Returns
    -------
    Bound
        With one term, "deviation", or with "variance" and "tail" for sub-gamma products. `trivial`
        is b, and for codes the larger of kappa and 1 - kappa.

    Notes
    -----
    "chernoff" integrates the joint density of (M, M') numerically and takes the minimum over a
    grid of lambda: at most 0.4 % above the true one, or 6 % where few units and a small delta put
    it next to the pole 1/(1 + abs(rho)). The rule's error is bounded, by 1e-8 of psi or so, and
    added; what is left is rounding, against which psi is 2e-9 larger. q = 1 is a closed form. The
    first call of a pool size takes 0.1 s, without `rho` about a second; at q = 10^6 ten times that.

    References
    ----------
    Proofs: :doc:`/theorems/kernel-error`. S. Boucheron, G. Lugosi, P. Massart, Concentration
    Inequalities (2013), Sections 2.2 to 2.6.

    Examples
    --------
    >>> from mehler import bounds
    >>> bound = bounds.kernel_error.one_pair(1000, delta=0.01, pool_size=8, rho=0.5)
    >>> round(bound.value, 3), bound.probability
    (0.157, 0.99)
    >>> bounds.solve(bounds.kernel_error.one_pair, at_most=0.1, n_features=None, delta=0.01,
    ...              pool_size=4)
    3309
    """
    product = Product(method, pool_size, rho, variance, sub_gamma, width, collision)
    return Formula(
        product.deviation(n_features, delta),
        probability=1 - delta,
        trivial=product.trivial,
        assumptions=product.assumptions,
    )


@bound(
    STATEMENT,
    "largest error of the kernel, all pairs of {n_rows} rows",
    falls_in=("n_features",),
    domains=DOMAINS,
)
def all_pairs(
    n_features: int,
    *,
    n_rows: int,
    delta: float,
    method: Method | None = None,
    pool_size: int | None = None,
    rho: float | None = None,
    variance: float | None = None,
    sub_gamma: tuple[float, float] | None = None,
    width: float | None = None,
    collision: float | None = None,
) -> Formula:
    r"""Bound the largest error of the Gram matrix of N rows.

    .. math:: P\Big(\max_{i \le j}|\hat K_{ij} - K_{ij}| > \varepsilon\Big) \le \delta,
              \qquad \varepsilon = \varepsilon_1\Big(\frac\delta P\Big), \qquad
              P = \frac{N(N+1)}2

    with epsilon_1(delta) the bound of :func:`one_pair`, by a union bound over the P entries.

    Parameters
    ----------
    n_features, n_rows, delta
        As :mod:`mehler.bounds.kernel_error` says.
    method, pool_size, rho, variance, sub_gamma, width, collision
        As there, and true of every pair, the diagonal included. Leave `rho` out unless all pairs
        have this correlation.

    Returns
    -------
    Bound
        With the terms of :func:`one_pair`.

    References
    ----------
    Proof: :doc:`/theorems/kernel-error`.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> bound = kernel_error.all_pairs(10_000, n_rows=5000, delta=0.01, pool_size=4)
    >>> round(bound.value, 3), bound.probability
    (0.117, 0.99)
    """
    product = Product(method, pool_size, rho, variance, sub_gamma, width, collision)
    # Half of N (N + 1), the diagonal included.
    return Formula(
        product.deviation(n_features, delta / (n_rows * (n_rows + 1) // 2), pairs="P"),
        probability=1 - delta,
        trivial=product.trivial,
        assumptions=product.assumptions,
    )


@number(
    STATEMENT,
    "normal approximation to a quantile of the kernel error",
    falls_in=("n_features",),
    domains={"variance": require_positive},
)
def normal_quantile(
    n_features: int,
    *,
    delta: float,
    pool_size: int | None = None,
    rho: float | None = None,
    variance: float | None = None,
    n_pairs: int = 1,
) -> float:
    r"""Compute the normal approximation to the (1 - delta)-quantile of the kernel error.

    .. math:: \varepsilon = z\sqrt{V/m}, \qquad 1 - \Phi(z) = \frac{\delta}{2\,P}

    A number and not a :class:`mehler.bounds.Bound`: it is the limit of the quantile for one pair
    (P = 1) and an upper bound of the limit for P pairs, and promises nothing at a given m.

    Parameters
    ----------
    n_features, delta, pool_size, rho, variance
        As :mod:`mehler.bounds.kernel_error` says; exactly one of `pool_size` and `variance`.
    n_pairs : int or array
        Number P of pairs that must all be close; N (N + 1)/2 for a Gram matrix of N rows.

    Returns
    -------
    float or array
        The error epsilon.

    Examples
    --------
    >>> from mehler import bounds
    >>> known = {"delta": 0.01, "pool_size": 8, "rho": 0.5}
    >>> round(bounds.kernel_error.normal_quantile(1000, **known), 4)
    0.1213
    >>> bounds.solve(bounds.kernel_error.normal_quantile, at_most=0.1, n_features=None, **known)
    1472
    """
    if (pool_size is None) == (variance is None):
        raise ValueError("give exactly one of pool_size and variance")
    if pool_size is not None:
        variance = variance_of(require_pool(pool_size), rho)
    elif rho is not None:
        raise ValueError("rho goes with pool_size: the variance is known already")
    assert variance is not None
    return float(-ndtri(delta / (2 * n_pairs))) * math.sqrt(variance / n_features)
