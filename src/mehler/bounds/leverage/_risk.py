"""Learning with features drawn by estimated scores: excess test risk."""

from __future__ import annotations

import math

from mehler._validate import require_flag
from mehler.bounds._bound import (
    Assumption,
    Bound,
    Term,
    require_count,
    require_positive,
    require_probability,
)
from mehler.bounds._elementwise import elementwise
from mehler.bounds.leverage._approximation import approximation_features
from mehler.bounds.leverage._mixed import mixed_ratio

_MIX = 0.5


@elementwise
def risk(
    n_samples: int,
    *,
    ridge: float,
    radius: float,
    lipschitz: float,
    degrees_of_freedom: float,
    pool_degrees: float,
    estimated: float,
    pool_size: int,
    n_scored: int,
    n_features: int,
    delta: float,
    kernel_norm: float | None = None,
    reuse: bool = False,
) -> Bound:
    r"""Bound the excess risk of the best weights for features drawn by estimated scores.

    .. math:: E_{train}R(\hat f) - \inf_{\|f\|_H \le B}R \le
        LB\big(6\sqrt\lambda + 8\sqrt2/\sqrt N\big)

    with probability :math:`1 - 3\delta` over pool, scores and draws, for features of at most 1,
    independent draws with half a share of plain sampling, and empirical minimisers over
    :math:`\{\theta^\top\psi: \|\theta\| \le 4B\}`.

    Parameters
    ----------
    n_samples : int or array
        Number of training rows N.
    ridge : float
        :math:`\lambda` of the scores, at most a seventh of the kernel's largest eigenvalue.
    radius : float
        B, the radius of the ball.
    lipschitz : float
        Lipschitz constant L of the loss in the prediction.
    degrees_of_freedom, pool_degrees, estimated : float
        Degrees of freedom d of the kernel and of the pool's kernel; the sum of estimated scores.
    pool_size, n_scored, n_features : int
        M_0, N_0 and M: the bound is vacuous where one is smaller than the proof needs.
    delta : float or array
        A third of the failure probability.
    kernel_norm : float, optional
        :math:`\|\Sigma\|`, the kernel's largest eigenvalue, or a lower bound of it: the bound is
        vacuous if the ridge exceeds a seventh. If left out, this assumption is not checked.
    reuse : bool, optional
        The scores are computed on the training rows. Then :math:`8\sqrt2` becomes
        :math:`16\sqrt{1 + \sqrt{2at} + at/3}`, :math:`a = 2M_0/M`,
        :math:`t = \log(M_0/\delta)`; the mean is over the training rows on an event of
        probability :math:`1 - 4\delta` over them too.

    Returns
    -------
    Bound
        Terms "approximation" and "statistical". `trivial` is :math:`(1 + 4\sqrt2)LB`, as no
        prediction exceeds :math:`4\sqrt2B`.

    See Also
    --------
    approximation : The approximation part.
    score_error : The error of estimated scores.

    References
    ----------
    In place of Shahrampour, Kolouri (2019), Theorem 1: :doc:`/theorems/leverage-theorem-1`.

    Examples
    --------
    >>> bound = risk(400, ridge=1/400, radius=1.0, lipschitz=1.0, degrees_of_freedom=10.0,
    ...              pool_degrees=10.0, estimated=10.0, pool_size=20_000, n_scored=10**7,
    ...              n_features=25_000, delta=0.03)
    >>> round(bound.value, 3), bound.vacuous
    (0.866, False)
    """
    require_flag("reuse", reuse)
    n_samples, pool_size, n_scored = require_count(
        n_samples=n_samples, pool_size=pool_size, n_scored=n_scored
    )
    (n_features,) = require_count(n_features=n_features)
    require_positive(ridge=ridge, radius=radius, lipschitz=lipschitz)
    require_positive(degrees_of_freedom=degrees_of_freedom, pool_degrees=pool_degrees)
    require_probability(delta=delta)
    ratio = mixed_ratio(
        n_scored,
        pool_size=pool_size,
        ridge=ridge,
        degrees_of_freedom=pool_degrees,
        estimated=estimated,
        mix=_MIX,
        delta=delta,
    ).value
    needed = {
        "pool_size": (
            pool_size,
            approximation_features(
                degrees_of_freedom=degrees_of_freedom,
                largest_ratio=max(1 / ridge, degrees_of_freedom),
                delta=delta,
            ),
        ),
        "n_features": (
            n_features,
            approximation_features(
                degrees_of_freedom=pool_degrees, largest_ratio=max(ratio, pool_degrees), delta=delta
            ),
        ),
    }
    spread = _reused(pool_size, n_features, delta) if reuse else 8 * math.sqrt(2)
    size = lipschitz * radius
    return Bound(
        statement="leverage.theorem-1",
        form="proved",
        quantity="mean excess risk" + (", on that event" if reuse else ""),
        terms=(
            Term("approximation", 6 * size * math.sqrt(ridge), r"6LB\sqrt\lambda"),
            Term("statistical", size * spread / math.sqrt(n_samples), r"8\sqrt2LB/\sqrt N"),
        ),
        probability=1 - (4 if reuse else 3) * delta,
        assumptions=(
            *(
                Assumption(f"{name} is at least {least}", have >= least, f"{have}")
                for name, (have, least) in needed.items()
            ),
            _small_ridge(ridge, kernel_norm),
            Assumption("features are at most 1 in absolute value"),
            Assumption("features are drawn independently, with half a share of plain sampling"),
        ),
        trivial=size * (1 + 4 * math.sqrt(2)),
    )


def _reused(pool_size: int, n_features: int, delta: float) -> float:
    """Bound by the pool's fixed ball: no member is drawn much more often than expected."""
    least = pool_size / (_MIX * n_features)
    cost = math.log(pool_size / delta)
    return 16 * math.sqrt(1 + math.sqrt(2 * least * cost) + least * cost / 3)


def _small_ridge(ridge: float, kernel_norm: float | None) -> Assumption:
    """Assume a ridge of at most a seventh of the largest eigenvalue.

    The pool's largest eigenvalue is then at least the ridge, on the event of the pool.
    """
    text = "the ridge is at most a seventh of the kernel's largest eigenvalue"
    if kernel_norm is None:
        return Assumption(text)
    require_positive(kernel_norm=kernel_norm)
    return Assumption(text, 7 * ridge <= kernel_norm * (1 + 1e-12), f"{kernel_norm:g}")
