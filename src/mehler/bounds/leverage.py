r"""Features drawn by their ridge leverage scores, with every constant explicit.

Features :math:`\phi(\cdot, \omega)` have the law P and the operator :math:`\Sigma =
E\,\phi\phi^*` in :math:`L^2(\mu)`; a feature's leverage is :math:`s_\lambda =
\langle\phi, (\Sigma + \lambda)^{-1}\phi\rangle`. A pool of :math:`M_0` features has the Gram matrix
G over the law of the rows, divided by :math:`M_0`, and the scores :math:`\tau_i`, the diagonal of
:math:`G(G + \lambda)^{-1}`. Estimates from :math:`N_0` rows have a hat; :math:`q_i = \tau_i/d`.

None of the numbers that :func:`mehler.bounds.solve` finds is necessary: measured needs were 3 to 6
times smaller for features, and a thousand times for rows.

All functions take the same arguments:

n_features, n_samples, pool_size : int or array
    Features drawn M, training rows N, and members of the pool :math:`M_0`.
n_scored : int or array
    :math:`N_0`: rows that the scores are estimated from.
ridge : float
    :math:`\lambda`.
degrees_of_freedom : float
    d: the trace of :math:`\Sigma(\Sigma + \lambda)^{-1}`, the mean of the leverage; or that of
    :math:`G(G + \lambda)^{-1}`, the sum of the scores.
estimated : float
    :math:`\hat d`, the sum of the estimated scores.
mix : float
    :math:`\eta` in (0, 1): features are drawn with the probabilities
    :math:`\tilde q_i = (1 - \eta)\hat q_i + \eta/M_0`.
feature_bound : float
    :math:`\kappa \ge |\phi|`; the root of 2 for cosines with an offset.
largest_ratio : float, optional
    :math:`D = \sup s_\lambda/q`, or more. Default d: sampling by leverage. For plain sampling
    :math:`\sup s_\lambda`, at most :math:`\sup|\phi|^2/\lambda`.
norm : float
    B, the radius of the ball.
gram_norm : float, optional
    :math:`\|G\|`, or a lower bound of it. The bound is vacuous for a ridge above it. If left out,
    the assumption is not checked beyond what d and :math:`\kappa` say of it.
delta : float or array
    Probability of one event; each function says how many of them it excludes.

Formulas are in terms of two relative errors,

.. math::

    \Delta = \sqrt{\frac{8\kappa^2}{3\lambda N_0}\log\frac{16d}\delta}, \qquad
    t = \frac{a\ell}{3M} + \sqrt{\Big(\frac{a\ell}{3M}\Big)^2 + \frac{2\ell D}M}, \quad
    \ell = \log^+\frac{8d}\delta, \quad a = \min(1, d),

of :math:`\hat G + \lambda` and of :math:`\hat\Sigma + \lambda` from below, by the matrix Bernstein
inequality, and of :math:`\Delta' = \Delta/(1 - \Delta)`.
"""

from __future__ import annotations

import math

from mehler.bounds._bound import Assumption
from mehler.bounds._function import Formula, bound, derived

__all__ = ["approximation", "excess_risk", "probability_error", "score_error", "score_ratio"]

_ROWS = "rows that the scores are estimated from are independent"
_FEATURES = "features are drawn independently, with density q with respect to P"
# Of Theorem D: half of the draws are plain.
_MIX = 0.5


@bound(
    "leverage.bach",
    "squared error of the best sum, plus its ridge",
    falls_in=("n_features",),
    assumes=(_FEATURES,),
)
def approximation(
    n_features: int,
    *,
    ridge: float,
    degrees_of_freedom: float,
    delta: float,
    largest_ratio: float | None = None,
    norm: float = 1.0,
) -> Formula:
    r"""Bound the error of the best sum of M features for every function of norm at most B.

    .. math:: \sup_{\|f\|_H \le B}\ \min_\beta\ \Big\|f - \sum_m\beta_mq_m^{-1/2}\phi_m\Big\|^2
        + M\lambda\|\beta\|^2 \le \frac{\lambda B^2}{1 - t}

    with probability at least :math:`1 - \delta`, for independent features of density q with respect
    to P; norms of functions without index are those of :math:`L^2(\mu)`. It is infinite where
    :math:`t \ge 1`: so many features are too few. The target :math:`4\lambda B^2` of Bach's
    proposition takes :math:`M \ge \frac{32}9(D + \frac a4)\log\frac{8d}\delta`.

    Term: "approximation". `trivial` is the error without features, :math:`\|\Sigma\|B^2 \le \lambda
    B^2 d/(1 - d)`; infinity for d of 1 and more, which does not bound the largest eigenvalue.

    Examples
    --------
    >>> from mehler.bounds import leverage, solve
    >>> numbers = {"ridge": 1e-3, "degrees_of_freedom": 18.12, "delta": 0.05}
    >>> round(leverage.approximation(600, **numbers).value, 5)
    0.00332
    >>> solve(leverage.approximation, at_most=4e-3, n_features=None, **numbers)
    521
    """
    d = degrees_of_freedom
    cost = max(0.0, math.log(8 * d / delta)) / n_features
    third = min(1.0, d) * cost / 3
    t = third + math.sqrt(third**2 + 2 * cost * require_ratio(d, largest_ratio))
    value = ridge * norm**2 / (1 - t) if t < 1 else math.inf
    terms = {"approximation": (value, r"\lambda B^2/(1 - t)" if t < 1 else r"\infty")}
    return Formula(
        terms,
        1 - delta,
        # The largest eigenvalue s has s/(s + lambda) <= d.
        trivial=ridge * d / (1 - d) * norm**2 if d < 1 else math.inf,
    )


def require_ratio(degrees_of_freedom: float, largest_ratio: float | None) -> float:
    """Return D, by default d; raise for less, since d is a mean of what D is the supremum of."""
    if largest_ratio is None:
        return degrees_of_freedom
    if largest_ratio < degrees_of_freedom * (1 - 1e-9):
        raise ValueError(
            f"largest_ratio={largest_ratio!r} is below degrees_of_freedom="
            f"{degrees_of_freedom!r}, its mean"
        )
    return largest_ratio


def _enough(degrees_of_freedom: float, ratio: float, delta: float) -> int:
    """Compute M at which t of :func:`approximation` is at most 3/4."""
    least = 32 / 9 * (ratio + 0.25) * math.log(8 * degrees_of_freedom / delta)
    return max(1, math.ceil(least))


@bound(
    "leverage.theorem-1",
    "largest error of a score over 1 minus the score",
    falls_in=("n_scored",),
    assumes=(_ROWS,),
)
def score_error(
    n_scored: int,
    *,
    ridge: float,
    degrees_of_freedom: float,
    delta: float,
    feature_bound: float = 1.0,
    gram_norm: float | None = None,
) -> Formula:
    r"""Bound the errors of all leverage scores of a pool, estimated from rows.

    .. math:: \max_i\frac{|\hat\tau_i - \tau_i|}{1 - \tau_i} \le \Delta' =
        \frac\Delta{1 - \Delta}, \qquad
        \Delta^2 = \frac{8\kappa^2}{3\lambda N_0}\log\frac{16d}\delta

    with probability at least :math:`1 - \delta`, for :math:`\lambda \le \|G\|` and d of the pool.

    Term: "estimation": infinite for :math:`\Delta \ge 1`. `trivial` is :math:`\max(1,
    \kappa^2/\lambda)`, from :math:`1 - \tau_i \ge \lambda/(\|G\| + \lambda)`.

    References
    ----------
    After Avron et al. (2017), Theorem 7, and Shahrampour, Kolouri (2019), Lemmas 3 and 4.

    Examples
    --------
    >>> from mehler.bounds import leverage, solve
    >>> pool = {"ridge": 1e-3, "degrees_of_freedom": 25.0, "delta": 0.1}
    >>> leverage.score_error(10**6, **pool).value < 0.5
    True
    >>> solve(leverage.score_error, at_most=1.0, n_scored=None, **pool)
    88470
    """
    spread, latex = _spread(n_scored, ridge, degrees_of_freedom, delta, feature_bound)
    terms = {"estimation": (spread, latex)}
    assumptions = (_below_norm(ridge, degrees_of_freedom, feature_bound, gram_norm),)
    return Formula(
        terms, 1 - delta, trivial=max(1.0, feature_bound**2 / ridge), assumptions=assumptions
    )


@bound(
    "leverage.theorem-1",
    "sum of errors of the probabilities",
    falls_in=("n_scored",),
    assumes=(_ROWS,),
)
@derived(score_error.body)
def probability_error(
    scores: Formula, *, pool_size: int, degrees_of_freedom: float, delta: float
) -> Formula:
    r"""Bound the error of all sampling probabilities of a pool together.

    .. math:: \sum_i|\hat q_i - q_i| \le 2\Delta'\,\frac{M_0 - d}d

    with probability at least :math:`1 - \delta`, for :math:`\lambda \le \|G\|`.

    Term: "estimation". `trivial` is 2.

    References
    ----------
    Statement A of the proof.

    Examples
    --------
    >>> from mehler.bounds import leverage
    >>> leverage.probability_error(10**6, pool_size=100, ridge=0.01, degrees_of_freedom=20.0,
    ...                            delta=0.1).vacuous
    False
    """
    d = degrees_of_freedom
    if d > pool_size:
        raise ValueError(
            f"degrees_of_freedom={d!r} exceed pool_size={pool_size}: they are a sum of that many "
            "scores below 1"
        )
    spread, latex = scores.terms["estimation"]
    rest = pool_size / d - 1
    terms = {"estimation": (2 * spread * rest, rf"2{latex}(M_0 - d)/d") if rest else (0.0, "0")}
    return Formula(terms, 1 - delta, trivial=2.0, assumptions=scores.assumptions)


@bound("leverage.theorem-1", "largest score over its probability", falls_in=("n_scored",))
@derived(score_error.body)
def score_ratio(
    scores: Formula,
    *,
    pool_size: int,
    ridge: float,
    estimated: float,
    mix: float,
    delta: float,
    feature_bound: float = 1.0,
) -> Formula:
    r"""Bound the largest ratio of score to probability, for estimated scores mixed with uniform.

    .. math:: \max_i\frac{\tau_i}{\tilde q_i} \le \min\Big\{\frac{\kappa^2}{\eta\lambda},\
        \max\Big(\frac{2\hat d}{1 - \eta}, \frac{2\Delta'M_0}\eta\Big)\Big\}

    the first for certain and any ridge, the second with probability at least :math:`1 - \delta`
    for :math:`\lambda \le \|G\|` and d of the pool.

    Term: "ratio", the `largest_ratio` of :func:`approximation` where the pool is P; with
    probability 1 where it is the first.

    References
    ----------
    Statement B of the proof.

    Examples
    --------
    >>> from mehler.bounds import leverage
    >>> leverage.score_ratio(500, pool_size=1000, ridge=0.01, degrees_of_freedom=10.0,
    ...                      estimated=10.0, mix=0.5, delta=0.1).value
    200.0
    """
    spread, latex = scores.terms["estimation"]
    certain = feature_bound**2 / (mix * ridge)
    likely = max(2 * estimated / (1 - mix), 2 * spread * pool_size / mix)
    if certain <= likely:
        return Formula({"ratio": (certain, r"\kappa^2/(\eta\lambda)")})
    terms = {"ratio": (likely, rf"\max(2\hat d/(1 - \eta), 2{latex}M_0/\eta)")}
    return Formula(terms, 1 - delta, assumptions=(Assumption(_ROWS), *scores.assumptions))


@bound(
    "leverage.theorem-1",
    "mean excess risk",
    falls_in=("n_samples",),
    assumes=(
        "features are at most 1 in absolute value",
        "features are drawn independently, with half a share of plain sampling",
        "the loss is {lipschitz:g}-Lipschitz in the prediction",
    ),
)
def excess_risk(
    n_samples: int,
    *,
    n_features: int,
    pool_size: int,
    n_scored: int | None = None,
    ridge: float,
    radius: float,
    lipschitz: float,
    degrees_of_freedom: float,
    pool_degrees: float,
    estimated: float,
    delta: float,
    kernel_norm: float | None = None,
) -> Formula:
    r"""Bound the excess risk of the best weights for features drawn by estimated scores.

    .. math:: E_{train}R(\hat f) - \inf_{\|f\|_H \le B}R \le
        LB\big(6\sqrt\lambda + 8\sqrt2/\sqrt N\big)

    with probability at least :math:`1 - 3\delta` over pool, scores and draws, for features of at
    most 1, independent draws with :math:`\eta = \frac12`, and empirical minimisers over
    :math:`\{\theta^\top\psi: \|\theta\| \le 4B\}`. If the training rows are scored themselves,
    :math:`16\sqrt{1 + \sqrt{2au} + au/3}` with :math:`a = 2M_0/M`, :math:`u = \log(M_0/\delta)`
    stands for :math:`8\sqrt2`, and the mean is over the training rows on an event of probability
    :math:`1 - 4\delta` over them too.

    Terms: "approximation" and "statistical". `trivial` is :math:`(1 + 4\sqrt2)LB`, as no prediction
    exceeds :math:`4\sqrt2B`.

    Parameters
    ----------
    n_features, pool_size : int or array
        The bound is vacuous for fewer than the assumptions say.
    n_scored : int or array, optional
        :math:`N_0`, rows that are independent of the training rows. If left out, the training rows
        are scored themselves.
    ridge : float
        :math:`\lambda` of the scores, at most a seventh of the kernel's largest eigenvalue.
    radius, lipschitz : float
        B, the radius of the ball, and L, the Lipschitz constant of the loss in the prediction.
    degrees_of_freedom, pool_degrees : float
        d of the kernel, and of the pool.
    kernel_norm : float, optional
        :math:`\|\Sigma\|`, or a lower bound of it: the bound is vacuous if the ridge exceeds a
        seventh. If left out, this assumption is not checked.

    Examples
    --------
    >>> from mehler.bounds import leverage
    >>> bound = leverage.excess_risk(400, ridge=1/400, radius=1.0, lipschitz=1.0,
    ...     degrees_of_freedom=10.0, pool_degrees=10.0, estimated=10.0, pool_size=20_000,
    ...     n_scored=10**7, n_features=25_000, delta=0.03)
    >>> round(bound.value, 3), bound.vacuous
    (0.866, False)
    """
    reuse = n_scored is None
    ratio = score_ratio.body(
        n_samples if n_scored is None else n_scored,
        pool_size=pool_size,
        ridge=ridge,
        degrees_of_freedom=pool_degrees,
        estimated=estimated,
        mix=_MIX,
        delta=delta,
    ).terms["ratio"][0]
    needed = {
        "pool_size": (pool_size, degrees_of_freedom, 1 / ridge),
        "n_features": (n_features, pool_degrees, ratio),
    }
    size, root = lipschitz * radius, math.sqrt(n_samples)
    spread, latex = 8 * math.sqrt(2), r"8\sqrt2LB/\sqrt N"
    if reuse:
        # No member is drawn much more often than expected: by the pool's fixed ball.
        least, cost = pool_size / (_MIX * n_features), math.log(pool_size / delta)
        spread = 16 * math.sqrt(1 + math.sqrt(2 * least * cost) + least * cost / 3)
        latex = r"16LB\sqrt{1 + \sqrt{2au} + au/3}/\sqrt N"
    terms = {
        "approximation": (6 * size * math.sqrt(ridge), r"6LB\sqrt\lambda"),
        "statistical": (size * spread / root, latex),
    }
    assumptions = (
        *(
            Assumption(f"{name} is at least {least}", count >= least, f"{count}")
            for name, (count, d, largest) in needed.items()
            for least in (_enough(d, max(largest, d), delta),)
        ),
        _small_ridge(ridge, kernel_norm),
    )
    trivial = size * (1 + 4 * math.sqrt(2))
    return Formula(
        terms,
        1 - (4 if reuse else 3) * delta,
        trivial=trivial,
        assumptions=assumptions,
        quantity="mean excess risk, on the event of the scores" if reuse else "",
    )


def _spread(
    n_scored: int, ridge: float, degrees_of_freedom: float, delta: float, feature_bound: float
) -> tuple[float, str]:
    """Compute Delta' = Delta/(1 - Delta), and its symbol; infinite for Delta of 1 and more."""
    need = 8 * feature_bound**2 / (3 * ridge) * math.log(16 * degrees_of_freedom / delta)
    if need < 0:
        raise ValueError(
            f"degrees_of_freedom={degrees_of_freedom!r} are below 1/16: the ridge exceeds every "
            "eigenvalue"
        )
    root = math.sqrt(need / n_scored)
    return (root / (1 - root), r"\Delta'") if root < 1 else (math.inf, r"\infty")


def _below_norm(
    ridge: float, degrees_of_freedom: float, feature_bound: float, gram_norm: float | None
) -> Assumption:
    """Assume a ridge of at most the norm of G, which d and the size of features bound from above.

    The norm is at most the trace, the mean of squares of the features. For a ridge of at most the
    norm the largest eigenvalue of G(G + ridge)^-1 is at least 1/2, and so is d, their sum.
    """
    largest = feature_bound**2 if gram_norm is None else gram_norm
    holds = degrees_of_freedom >= 0.5 and ridge <= largest * (1 + 1e-12)
    return Assumption(
        "the ridge is at most the norm of the pool's Gram matrix",
        holds if gram_norm is not None or not holds else None,
        f"norm {gram_norm:g}" if gram_norm is not None else f"d {degrees_of_freedom:g}",
    )


def _small_ridge(ridge: float, kernel_norm: float | None) -> Assumption:
    """Assume a ridge of at most a seventh of the largest eigenvalue.

    The pool's largest eigenvalue is then at least the ridge, on the event of the pool.
    """
    text = "the ridge is at most a seventh of the kernel's largest eigenvalue"
    if kernel_norm is None:
        return Assumption(text)
    return Assumption(text, 7 * ridge <= kernel_norm * (1 + 1e-12), f"{kernel_norm:g}")
