"""Tail bound for one pair of rows, and union bound over all pairs of N rows."""

from __future__ import annotations

from typing import Any

from mehler.bounds._bound import Bound, require_count, require_positive, require_probability
from mehler.bounds._elementwise import elementwise
from mehler.bounds._inverse import least_features
from mehler.bounds.kernel_error._knowledge import Knowledge, know

STATEMENT = "maxout.kernel-error"


@elementwise
def one_pair(
    n_features: int,
    *,
    delta: float,
    route: str | None = None,
    pool_size: int | None = None,
    rho: float | None = None,
    variance: float | None = None,
    sub_gamma: tuple[float, float] | None = None,
    width: float | None = None,
    collision: float | None = None,
) -> Bound:
    r"""Bound the distance of the inner product of m features from the kernel, for one pair of rows.

    .. math:: P\Big(\Big|\frac1m\sum_{\ell\le m} F_\ell - K\Big| > \varepsilon\Big) \le \delta,
              \qquad \varepsilon = \begin{cases}
              \min_\lambda \big(\tfrac1m\log\tfrac2\delta + \psi(\pm\lambda)\big)/\lambda
              & \text{chernoff} \\
              \sqrt{2v\log(2/\delta)/m} + c\log(2/\delta)/m & \text{sub-gamma} \\
              \sqrt{V/(m\delta)} & \text{chebyshev} \\
              b\sqrt{\log(2/\delta)/(2m)} & \text{hoeffding} \end{cases}

    with F_l = h_l(x) h_l(z) the product of one unit and psi = log E exp(lambda (F - K)).

    Parameters
    ----------
    n_features : int or array
        m, independent units.
    delta : float or array
        The bound holds with probability at least 1 - delta.
    route : {"chernoff", "sub-gamma", "chebyshev", "hoeffding", "binomial"}, optional
        Default: the smallest at this m and delta that the given argument below allows.
    pool_size : int or array
        q of maxout units, for rows of norm 1: "chernoff" by the exact joint law, "sub-gamma" with
        v = 4(1 + abs(rho))(1 + h_1^2) and c = 2 sqrt(1 + abs(rho)), "chebyshev" by the exact
        variance.
    rho : float, optional
        Correlation of the rows; without it, and by "chernoff" below -0.95, the worst one of all
        in [-1, 1].
    variance : float
        Of one feature product, of any map: "chebyshev".
    sub_gamma : (float, float)
        v and c with log E exp(lambda (F - K)) <= lambda^2 v/(2 (1 - c abs(lambda))).
    width : float
        b, length of an interval that holds every product ("hoeffding", or "chebyshev" with
        b^2/4): 4 for the products of two features sqrt(2) cos, 1 for codes.
    collision : float
        Probability that codes agree: "binomial", Chernoff's bound with the divergence of two
        Bernoulli laws, "hoeffding", or "chebyshev" with their variance.

    Returns
    -------
    Bound
        With one term, "deviation", or with "variance" and "tail" for sub-gamma products.

    Raises
    ------
    TypeError, ValueError
        If not exactly one of `pool_size`, `variance`, `sub_gamma`, `width`, `collision` is given,
        or an argument is out of range.

    See Also
    --------
    one_pair_features : The least m for a target error.
    all_pairs : The same for all pairs of N rows.

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
    >>> from mehler.bounds import kernel_error
    >>> bound = kernel_error.one_pair(1000, delta=0.01, pool_size=8, rho=0.5)
    >>> round(bound.value, 3), bound.probability
    (0.157, 0.99)
    """
    known = know(
        route=route,
        pool_size=pool_size,
        rho=rho,
        variance=variance,
        sub_gamma=sub_gamma,
        width=width,
        collision=collision,
    )
    (n_features,) = require_count(n_features=n_features)
    require_probability(delta=delta)
    return _bound(known, n_features, delta, 1, "error of the kernel, one pair")


@elementwise
def one_pair_features(eps: float, *, delta: float, **known: Any) -> int:
    """Return the least number of features at which :func:`one_pair` is at most `eps`.

    Parameters
    ----------
    eps : float or array
        Target error.
    delta : float or array
        Failure probability.
    **known
        As in :func:`one_pair`.

    Returns
    -------
    int
        The least m: with one feature fewer the bound exceeds `eps`.

    Raises
    ------
    TypeError, ValueError
        As :func:`one_pair`; or if 10^18 features are not enough.

    See Also
    --------
    one_pair : The bound at a given m.
    all_pairs_features : The same for all pairs of N rows.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> kernel_error.one_pair_features(0.1, delta=0.01, pool_size=4)
    3309
    """
    return _features(eps, delta, 1, known)


@elementwise
def all_pairs(
    n_features: int,
    *,
    n_samples: int,
    delta: float,
    route: str | None = None,
    pool_size: int | None = None,
    rho: float | None = None,
    variance: float | None = None,
    sub_gamma: tuple[float, float] | None = None,
    width: float | None = None,
    collision: float | None = None,
) -> Bound:
    r"""Bound the largest error of the Gram matrix of N rows.

    .. math:: P\Big(\max_{i \le j}|\hat K_{ij} - K_{ij}| > \varepsilon\Big) \le \delta,
              \qquad \varepsilon = \varepsilon_1\Big(\frac{2\delta}{N(N+1)}\Big)

    with epsilon_1(delta) the bound of :func:`one_pair`, by a union bound over the N(N+1)/2 entries.

    Parameters
    ----------
    n_features : int or array
        m, independent units.
    n_samples : int or array
        N.
    delta : float or array
        The bound holds with probability at least 1 - delta.
    route, pool_size, rho, variance, sub_gamma, width, collision
        As in :func:`one_pair`, and true of every pair, the diagonal included. Leave `rho` out
        unless all pairs have this correlation.

    Returns
    -------
    Bound
        With the terms of :func:`one_pair`.

    See Also
    --------
    all_pairs_features : The least m for a target error.
    one_pair : The bound for one pair.

    References
    ----------
    Proof: :doc:`/theorems/kernel-error`.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> bound = kernel_error.all_pairs(10_000, n_samples=5000, delta=0.01, pool_size=4)
    >>> round(bound.value, 3), bound.probability
    (0.117, 0.99)
    """
    known = know(
        route=route,
        pool_size=pool_size,
        rho=rho,
        variance=variance,
        sub_gamma=sub_gamma,
        width=width,
        collision=collision,
    )
    n_features, n_samples = require_count(n_features=n_features, n_samples=n_samples)
    require_probability(delta=delta)
    return _bound(known, n_features, delta, n_pairs(n_samples), _all(n_samples))


@elementwise
def all_pairs_features(eps: float, *, n_samples: int, delta: float, **known: Any) -> int:
    """Return the least number of features at which :func:`all_pairs` is at most `eps`.

    Parameters
    ----------
    eps : float or array
        Target error.
    n_samples : int or array
        Number of rows N.
    delta : float or array
        Failure probability.
    **known
        As in :func:`one_pair`.

    Returns
    -------
    int
        The least m: with one feature fewer the bound exceeds `eps`.

    Raises
    ------
    TypeError, ValueError
        As :func:`all_pairs`; or if 10^18 features are not enough.

    See Also
    --------
    all_pairs : The bound at a given m.
    uniform_features : The same over a set of unit vectors.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> kernel_error.all_pairs_features(0.1, n_samples=5000, delta=0.01, pool_size=4)
    13513
    """
    (n_samples,) = require_count(n_samples=n_samples)
    return _features(eps, delta, n_pairs(n_samples), known)


def n_pairs(n_samples: int) -> int:
    """Count the entries of a symmetric matrix, the diagonal included."""
    return n_samples * (n_samples + 1) // 2


def _all(n_samples: int) -> str:
    return f"largest error of the kernel, all pairs of {n_samples} rows"


def _bound(known: Knowledge, m: int, delta: float, pairs: int, quantity: str) -> Bound:
    return Bound(
        statement=STATEMENT,
        form="proved",
        quantity=quantity,
        terms=known.terms(m, delta / pairs),
        probability=1 - delta,
        assumptions=known.assumptions,
        trivial=known.trivial,
    )


_OPTIONS = ("route", "pool_size", "rho", "variance", "sub_gamma", "width", "collision")


def _features(eps: float, delta: float, pairs: int, options: dict[str, Any]) -> int:
    unknown = sorted(set(options) - set(_OPTIONS))
    if unknown:
        raise TypeError(f"unexpected {', '.join(unknown)}; the options are {', '.join(_OPTIONS)}")
    known = know(**{name: options.get(name) for name in _OPTIONS})
    require_positive(eps=eps)
    require_probability(delta=delta)
    return least_features(lambda m: _bound(known, m, delta, pairs, "error").value, eps)
