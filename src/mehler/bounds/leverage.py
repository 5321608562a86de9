r"""Bounds for features drawn by their ridge leverage scores (Shahrampour and Kolouri 2019).

Features :math:`\phi(\cdot, \omega)` have the law P, rows the law :math:`\mu`; H is the space of
functions of their kernel. :math:`\Sigma = E\,\phi\phi^*` acts in :math:`L^2(\mu)`, and a feature's
leverage is :math:`s_\lambda = \langle\phi, (\Sigma + \lambda)^{-1}\phi\rangle`. Scores take its
place for a pool, :math:`M_0` draws from P: G is the pool's Gram matrix over the law of the rows,
divided by :math:`M_0`, and the score :math:`\tau_i` of a member is a diagonal entry of :math:`G(G +
\lambda)^{-1}`. M members are drawn with probabilities :math:`q_i = \tau_i/d`; estimates from
:math:`N_0` rows have a hat. Arguments broadcast, and are the same in all functions:

n_features, n_samples, pool_size : int or array
    Features drawn M, training rows N, and members of the pool :math:`M_0`.
n_scored : int or array
    :math:`N_0`: rows that the scores are estimated from.
ridge : float or array
    :math:`\lambda`.
degrees_of_freedom : float or array
    d: the trace of :math:`\Sigma(\Sigma + \lambda)^{-1}`, the mean of the leverage; or that of
    :math:`G(G + \lambda)^{-1}`, the sum of the scores.
estimated : float or array
    :math:`\hat d`, the sum of the estimated scores.
mix : float or array
    :math:`\eta` in (0, 1): features are drawn with the probabilities
    :math:`\tilde q_i = (1 - \eta)\hat q_i + \eta/M_0`.
feature_bound : float or array
    :math:`\kappa \ge |\phi|`; the root of 2 for cosines with an offset.
largest_ratio : float or array, optional
    :math:`D = \sup s_\lambda/q`, or more. Default d: sampling by leverage. For plain sampling
    :math:`\sup s_\lambda`, at most :math:`\sup|\phi|^2/\lambda`.
norm : float or array
    B, the radius of a ball of functions in H.
delta : float or array
    Probability of one event; each function says how many of them it excludes.

Formulas are in terms of two relative errors, with :math:`\Delta' = \Delta/(1 - \Delta)`,

.. math:: \Delta = \sqrt{\frac{8\kappa^2}{3\lambda N_0}\log\frac{16d}\delta}, \qquad
          t = \frac{a\ell}{3M} + \sqrt{\Big(\frac{a\ell}{3M}\Big)^2 + \frac{2\ell D}M}, \quad
          \ell = \log^+\frac{8d}\delta, \quad a = \min(1, d),

of :math:`\hat G + \lambda`, and of :math:`\Sigma + \lambda` by M features from below. Both are by
the matrix Bernstein inequality.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.bounds._arguments import counts, positives, probabilities, squares
from mehler.bounds._bound import Assumption, Bound, Counts, Reals, Term, bound, digits

__all__ = ["approximation", "excess_risk", "probability_error", "score_error", "score_ratio"]

_DRAWN = Assumption("features are drawn independently, with density q with respect to P")
_ROWS = Assumption("rows that the scores are estimated from are independent")
# eta of :func:`excess_risk`: half of the draws are plain.
_MIX = 0.5


@bound("leverage.bach", "squared error of the best sum, plus its ridge", "n_features")
def approximation(
    n_features: Counts,
    *,
    ridge: Reals,
    degrees_of_freedom: Reals,
    delta: Reals,
    largest_ratio: Reals | None = None,
    norm: Reals = 1.0,
) -> Bound:
    r"""Bound the error of the best sum of M features for every function of norm at most B.

    .. math:: \sup_{\|f\|_H \le B}\ \min_\beta\ \Big\|f - \sum_m\beta_mq_m^{-1/2}\phi_m\Big\|^2
        + M\lambda\|\beta\|^2 \le \frac{\lambda B^2}{1 - t}

    with probability at least :math:`1 - \delta`, for independent features of density q with respect
    to P; infinite where :math:`t \ge 1`. Norms of functions without index are those of
    :math:`L^2(\mu)`. Term: "approximation". `trivial` is the error without features,
    :math:`\|\Sigma\|B^2 \le \lambda B^2 d/(1 - d)`; infinity for d of 1 and more. Proof:
    :doc:`/theorems/leverage-bach`; arguments: :mod:`mehler.bounds.leverage`.

    Examples
    --------
    >>> from mehler.bounds import leverage
    >>> numbers = {"ridge": 1e-3, "degrees_of_freedom": 18.12, "delta": 0.05}
    >>> round(leverage.approximation(600, **numbers).value, 5)
    0.00332
    """
    m, chance = counts(n_features=n_features), probabilities(delta=delta)
    lam, d, length = positives(ridge=ridge, degrees_of_freedom=degrees_of_freedom, norm=norm)
    size = lam * squares(norm=length)
    cost = np.maximum(0.0, np.log(8 * d / chance)) / m
    third = np.minimum(1.0, d) * cost / 3
    t = third + np.sqrt(third**2 + 2 * cost * _ratio(d, largest_ratio))
    # The largest eigenvalue s has s/(s + lambda) <= d.
    trivial = np.where(d < 1, size * d / np.where(d < 1, 1 - d, 1.0), np.inf)
    terms = (Term("approximation", np.where(t < 1, size / (1 - t), np.inf)),)
    return Bound(terms=terms, probability=1 - chance, assumptions=(_DRAWN,), trivial=trivial)


def _ratio(degrees_of_freedom: Any, largest_ratio: Reals | None) -> Any:
    """Return D, by default d; raise for less, since D is a supremum and d the mean."""
    if largest_ratio is None:
        return degrees_of_freedom
    ratio = positives(largest_ratio=largest_ratio)
    if np.any(ratio < degrees_of_freedom * (1 - 1e-9)):
        mean = f"degrees_of_freedom={digits(degrees_of_freedom)}, its mean"
        raise ValueError(f"largest_ratio={digits(ratio)} is below {mean}")
    # Nor is it below by the rounding of both.
    return np.maximum(ratio, degrees_of_freedom)


@bound("leverage.corollary-5", "largest error of a score over 1 minus the score", "n_scored")
def score_error(
    n_scored: Counts,
    *,
    ridge: Reals,
    degrees_of_freedom: Reals,
    delta: Reals,
    feature_bound: Reals = 1.0,
) -> Bound:
    r"""Bound the errors of all leverage scores of a pool, estimated from rows.

    .. math:: \max_i\frac{|\hat\tau_i - \tau_i|}{1 - \tau_i} \le \Delta' =
        \frac\Delta{1 - \Delta}, \qquad
        \Delta^2 = \frac{8\kappa^2}{3\lambda N_0}\log\frac{16d}\delta

    with probability at least :math:`1 - \delta`, for :math:`\lambda \le \|G\|` and d of the pool.
    Term: "estimation", infinite for :math:`\Delta \ge 1`. `trivial` is :math:`\max(1,
    \kappa^2/\lambda)`. Proof: :doc:`/theorems/leverage-corollary-5`; arguments:
    :mod:`mehler.bounds.leverage`. After Avron et al. (2017), Theorem 7.

    Examples
    --------
    >>> from mehler.bounds import leverage, solve
    >>> pool = {"ridge": 1e-3, "degrees_of_freedom": 25.0, "delta": 0.1}
    >>> solve(leverage.score_error, at_most=1.0, n_scored=None, **pool)
    88470
    """
    scores, assumption = _scores(n_scored, ridge, degrees_of_freedom, delta, feature_bound)
    square = squares(feature_bound=positives(feature_bound=feature_bound))
    sure, most = 1 - probabilities(delta=delta), np.maximum(1.0, square / positives(ridge=ridge))
    return Bound(terms=(scores,), probability=sure, assumptions=(_ROWS, assumption), trivial=most)


def _scores(
    n_scored: Counts, ridge: Reals, degrees_of_freedom: Reals, delta: Reals, feature_bound: Reals
) -> tuple[Term, Assumption]:
    """Return Delta', infinite for Delta of 1 and more, and the assumption of a small ridge."""
    n, chance = counts(n_scored=n_scored), probabilities(delta=delta)
    lam, d = positives(ridge=ridge, degrees_of_freedom=degrees_of_freedom)
    square = squares(feature_bound=positives(feature_bound=feature_bound))
    cost = 8 * square / (3 * lam) * np.log(16 * d / chance)
    if np.any(cost < 0):
        raise ValueError(
            f"degrees_of_freedom={digits(d)} are below 1/16: the ridge exceeds every eigenvalue"
        )
    root = np.sqrt(cost / n)
    value = np.where(root < 1, root / (1 - root), np.inf)
    # The norm of G is at most its trace; for a smaller ridge one eigenvalue, and so d, is 1/2.
    holds = (d >= 0.5) & (lam <= square * (1 + 1e-12))
    text = "the ridge is at most the norm of the pool's Gram matrix"
    met = None if np.all(holds) else holds
    return Term("estimation", value), Assumption(text, met, f"d {digits(d)}")


@bound("leverage.corollary-5", "sum of errors of the probabilities", "n_scored", zero=True)
def probability_error(
    n_scored: Counts,
    *,
    pool_size: Counts,
    ridge: Reals,
    degrees_of_freedom: Reals,
    delta: Reals,
    feature_bound: Reals = 1.0,
) -> Bound:
    r"""Bound the error of all sampling probabilities of a pool together.

    .. math:: \sum_i|\hat q_i - q_i| \le 2\Delta'\,\frac{M_0 - d}d

    with probability at least :math:`1 - \delta`, for :math:`\lambda \le \|G\|`. Term: "estimation".
    `trivial` is 2. Proof: :doc:`/theorems/leverage-corollary-5`, statement A; arguments:
    :mod:`mehler.bounds.leverage`.

    Examples
    --------
    >>> from mehler.bounds import leverage
    >>> pool = {"pool_size": 100, "ridge": 0.01, "degrees_of_freedom": 20.0, "delta": 0.1}
    >>> round(leverage.probability_error(10**6, **pool).value, 3)
    0.389
    """
    scores, assumption = _scores(n_scored, ridge, degrees_of_freedom, delta, feature_bound)
    d, pool = positives(degrees_of_freedom=degrees_of_freedom), counts(pool_size=pool_size)
    if np.any(d > pool):
        raise ValueError(f"degrees_of_freedom={digits(d)} exceed pool_size={digits(pool)}")
    rest = pool / d - 1
    value = np.where(rest > 0, np.maximum(2 * scores.value * rest, np.nextafter(0.0, 1.0)), 0.0)
    terms, sure = (Term("estimation", value),), 1 - probabilities(delta=delta)
    return Bound(terms=terms, probability=sure, assumptions=(_ROWS, assumption), trivial=2.0)


@bound("leverage.corollary-5", "largest score over its probability", "n_scored")
def score_ratio(
    n_scored: Counts,
    *,
    pool_size: Counts,
    ridge: Reals,
    degrees_of_freedom: Reals,
    estimated: Reals,
    mix: Reals,
    delta: Reals,
    feature_bound: Reals = 1.0,
) -> Bound:
    r"""Bound the largest ratio of score to probability, for estimated scores mixed with uniform.

    .. math:: \max_i\frac{\tau_i}{\tilde q_i} \le \min\Big\{\frac{\kappa^2}{\eta\lambda},\
        \max\Big(\frac{2\hat d}{1 - \eta}, \frac{2\Delta'M_0}\eta\Big)\Big\}

    the first for certain and any ridge, the second with probability at least :math:`1 - \delta` for
    :math:`\lambda \le \|G\|` and d of the pool. Term: "ratio", the `largest_ratio` of
    :func:`approximation` where the pool is P. Proof: :doc:`/theorems/leverage-corollary-5`,
    statement B; arguments: :mod:`mehler.bounds.leverage`.

    Examples
    --------
    >>> from mehler.bounds import leverage
    >>> leverage.score_ratio(500, pool_size=1000, ridge=0.01, degrees_of_freedom=10.0,
    ...                      estimated=10.0, mix=0.5, delta=0.1).value
    200.0
    """
    scores, assumption = _scores(n_scored, ridge, degrees_of_freedom, delta, feature_bound)
    pool, eta = counts(pool_size=pool_size), probabilities(mix=mix)
    lam, total, most = positives(ridge=ridge, estimated=estimated, feature_bound=feature_bound)
    certain = squares(feature_bound=most) / (eta * lam)
    likely = np.maximum(2 * total / (1 - eta), 2 * scores.value * pool / eta)
    first = certain <= likely
    assumptions: tuple[Assumption, ...] = ()
    if not np.all(first):
        met = None if assumption.met is None else first | assumption.met
        assumptions = (_ROWS, Assumption(assumption.text, met, assumption.value))
    sure = np.where(first, 1.0, 1 - probabilities(delta=delta))
    terms = (Term("ratio", np.where(first, certain, likely)),)
    return Bound(terms=terms, probability=sure, assumptions=assumptions)


@bound("leverage.corollary-5", "mean excess risk", "n_samples")
def excess_risk(
    n_samples: Counts,
    *,
    n_features: Counts,
    pool_size: Counts,
    n_scored: Counts | None = None,
    ridge: Reals,
    radius: Reals,
    lipschitz: Reals,
    degrees_of_freedom: Reals,
    pool_degrees: Reals,
    estimated: Reals,
    delta: Reals,
) -> Bound:
    r"""Bound the excess risk of the best weights for features drawn by estimated scores.

    .. math:: E_{train}R(\hat f) - \inf_{\|f\|_H \le B}R \le
        LB\big(6\sqrt\lambda + 8\sqrt2/\sqrt N\big)

    with probability at least :math:`1 - 3\delta` over pool, scores and draws, for features of at
    most 1, independent draws with :math:`\eta = \frac12`, and empirical minimisers over
    :math:`\{\theta^\top\psi: \|\theta\| \le 4B\}`. If the training rows are scored themselves,
    :math:`16\sqrt{1 + \sqrt{2au} + au/3}` with :math:`a = 2M_0/M`, :math:`u = \log(M_0/\delta)`
    stands for :math:`8\sqrt2`, and the mean is over the training rows on an event of probability
    :math:`1 - 4\delta` over them too. Terms: "approximation" and "statistical". `trivial` is
    :math:`(1 + 4\sqrt2)LB`. Proof: :doc:`/theorems/leverage-corollary-5`; arguments:
    :mod:`mehler.bounds.leverage`.

    Parameters
    ----------
    n_scored : int or array, optional
        Rows that are independent of the training rows. If left out, those are scored themselves.
    ridge : float or array
        :math:`\lambda` of the scores, at most a seventh of the kernel's largest eigenvalue.
    radius, lipschitz : float or array
        B, the radius of the ball, and L, the Lipschitz constant of the loss in the prediction.
    degrees_of_freedom, pool_degrees : float or array
        d of the kernel, and of the pool.

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
    n, m, pool = counts(n_samples=n_samples, n_features=n_features, pool_size=pool_size)
    lam, ball, steep = positives(ridge=ridge, radius=radius, lipschitz=lipschitz)
    d, pool_d = positives(degrees_of_freedom=degrees_of_freedom, pool_degrees=pool_degrees)
    ratio = score_ratio(
        n_samples if n_scored is None else n_scored,
        pool_size=pool_size,
        ridge=ridge,
        degrees_of_freedom=pool_degrees,
        estimated=estimated,
        mix=_MIX,
        delta=delta,
    )["ratio"]
    chance = probabilities(delta=delta)
    size, spread = steep * ball, 8 * np.sqrt(2)
    if reuse:
        # Scores of training rows: take the ball of the whole pool, and bound draws per member.
        least, cost = pool / (_MIX * m), np.log(pool / chance)
        spread = 16 * np.sqrt(1 + np.sqrt(2 * least * cost) + least * cost / 3)
    first = Term("approximation", 6 * size * np.sqrt(lam))
    return Bound(
        terms=(first, Term("statistical", size * spread / np.sqrt(n))),
        probability=1 - (4 if reuse else 3) * chance,
        assumptions=(
            Assumption("features are at most 1 in absolute value"),
            Assumption("features are drawn independently, with half a share of plain sampling"),
            Assumption(f"the loss is {digits(steep)}-Lipschitz in the prediction"),
            _enough("pool_size", pool, d, 1 / lam, chance),
            _enough("n_features", m, pool_d, ratio, chance),
            Assumption("the ridge is at most a seventh of the kernel's largest eigenvalue"),
        ),
        trivial=size * (1 + 4 * np.sqrt(2)),
        quantity="mean excess risk, on the event of the scores" if reuse else "",
    )


def _enough(name: str, number: Any, d: Any, ratio: Any, delta: Any) -> Assumption:
    """Assume as many draws as make t of :func:`approximation` at most 3/4."""
    least = np.ceil(32 / 9 * (np.maximum(ratio, d) + 0.25) * np.log(8 * d / delta))
    count = np.maximum(1.0, least)
    whole = f"{count:.0f}" if np.ndim(count) == 0 else digits(count)
    return Assumption(f"{name} is at least {whole}", number >= count, f"{name} {digits(number)}")
