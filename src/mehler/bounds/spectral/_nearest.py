"""How near m random features come to any function of the kernel's space, with all weights free."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler._validate import require_positive
from mehler.bounds._bound import Assumption, Bound, Term, square_of
from mehler.bounds._elementwise import elementwise
from mehler.bounds.spectral._known import blocks, eigenvalues_of, know
from mehler.bounds.spectral._sums import log_sums
from mehler.bounds.spectral._tails import Tail, tail

STATEMENT = "features.nearest"
# Ridges of the proof, in units of the largest eigenvalue; theta over M/nu; both are only choices.
_RIDGES = np.geomspace(1e-8, 10.0, 55)
_TILTS = np.geomspace(1e-4, 1e3, 400)
_FEW = 1e-12
# Relative errors at which the mean is summed: both ends of (0, 1) count.
_STEPS = np.unique(
    np.concatenate([np.geomspace(1e-6, 0.5, 120), 1 - np.geomspace(0.5, 1e-12, 240)])
)


@elementwise
def nearest(
    n_features: int,
    *,
    norm: float,
    gram: Any = None,
    eigenvalues: Any = None,
    kurtosis: float | None = None,
    sup: float | None = None,
    leverage: float | None = None,
    lipschitz: float | None = None,
    ridge: float | None = None,
    block: int = 1,
) -> Bound:
    r"""Bound how far m features are from the functions of a ball, with the best weights.

    .. math:: E\sup_{\|f\|_H \le B}\min_{\alpha \in R^m}\frac1N\sum_{i \le N}\Big(f(x_i)
              - \sum_l\alpha_l\phi_l(x_i)\Big)^2 \le
              \min_\lambda B^2\lambda\int_0^{\Delta_1}\frac{p_m(t)}{(1-t)^2}\,dt

    with :math:`\lambda\Delta_1/(1-\Delta_1) = \mu_1/N` and p_m(t) a bound of the chance that
    :math:`\hat K_m + N\lambda` is not above 1 - t times :math:`K + N\lambda`. The class of Lemma 3,
    weights of at most C p, is in the ball of C.

    Parameters
    ----------
    n_features : int or array
        Columns m.
    norm : float
        B.
    gram : array, shape (N, N)
        The exact kernel of the rows, as ``phi.kernel(X)``; or `eigenvalues`.
    eigenvalues : array, shape (N,)
        All N of K, zeros included.
    kurtosis : float, optional
        c^2, at least 1: :math:`E\langle v, Gv\rangle^2 \le c^2\langle v, Kv\rangle^2` for all v
        and the Gram matrix G of one block; 3 for linear units, Gaussian over the weights. Then
        :math:`p_m(t) = \inf_\theta\sum_i(e^{\theta^2\nu\beta_i/(2M)} - 1)/\psi(\theta t)` with
        :math:`\nu = c^2d(\lambda)`: about :math:`2c^2d(\lambda)\log d` blocks are enough.
    sup, leverage, lipschitz, block
        How large one block's features are, as in :func:`gram_error`; a leverage is that at
        N lambda, and needs `ridge`.
    ridge : float, optional
        lambda of the proof, in units of mean squares; by default the best of a grid.

    Returns
    -------
    Bound
        The single term "nearest", a mean square. Its probability is 1: it bounds a mean.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, K is not positive semidefinite, none of `kurtosis`, `sup`,
        `leverage` and `lipschitz` is given, or a leverage without a ridge.

    See Also
    --------
    mehler.bounds.maxout.approximation : One function of the class, by its Monte Carlo weights.
    mehler.bounds.leverage.approximation : For features drawn by their leverage.

    References
    ----------
    Proof: :doc:`/theorems/features-nearest`, after F. Bach (2017).

    Examples
    --------
    Eigenvalues that halve, linear units; what Monte Carlo weights promise of one function:

    >>> import numpy as np
    >>> from mehler.bounds import spectral
    >>> mu = 200 * 0.5 ** np.arange(1, 201)
    >>> for m in (200, 1000, 5000):
    ...     bound = spectral.nearest(m, norm=1.0, eigenvalues=mu, kurtosis=3.0)
    ...     print(f"{bound.value:.1e} {mu.sum() / 200 / m:.1e}")
    3.6e-02 5.0e-03
    9.3e-05 1.0e-03
    3.2e-09 2.0e-04
    """
    count = blocks(n_features, block)
    size = square_of("norm", require_positive("norm", norm))
    mu = eigenvalues_of(gram, eigenvalues)
    if kurtosis is not None and require_positive("kurtosis", kurtosis) < 1:
        raise ValueError(f"kurtosis={kurtosis!r} is below 1, which no mean of squares is")
    sizes = {"sup": sup, "leverage": leverage, "lipschitz": lipschitz}
    bounded = any(one is not None for one in sizes.values())
    if kurtosis is None and not bounded:
        raise ValueError("give kurtosis, sup, leverage or lipschitz: how large features are")
    if leverage is not None and ridge is None:
        raise ValueError("leverage is that at a ridge: give ridge")
    cap = float(mu[0]) / mu.size
    if ridge is not None and not _FEW * cap <= require_positive("ridge", ridge) <= cap / _FEW:
        raise ValueError(f"ridge={ridge!r} must be within 1e12 times {cap:.6g}, the largest error")
    least, assumptions = cap, tuple[Assumption, ...]()
    for one in _RIDGES * cap if ridge is None else [ridge]:
        shift = mu.size * float(one)
        beta, found = mu / (mu + shift), []
        # Far fewer blocks than that promise nothing.
        if kurtosis is not None and count > _FEW * kurtosis * math.fsum(beta):
            found.append(_of_moments(beta, kurtosis * math.fsum(beta), count))
        if bounded:
            known = know(mu, ridge=shift, **sizes)
            found.append(tail(known.beta, known.level, count, -1))
            assumptions = known.assumptions
        least = min([least, *(_mean(below, float(beta[0]), float(one), cap) for below in found)])
    texts = ["blocks of features are independent, with the mean K"] if not assumptions else []
    if kurtosis is not None:
        texts.append("squares of combinations of a block's features have this kurtosis or less")
    return Bound(
        statement=STATEMENT,
        form="proved",
        quantity="mean square distance of the nearest combination of features, worst of a ball",
        terms=(Term("nearest", size * least, r"B^2\lambda\int_0^{\Delta_1}p_m(t)/(1-t)^2\,dt"),),
        probability=1.0,
        assumptions=(*assumptions, *map(Assumption, texts)),
        trivial=size * cap,
    )


def _of_moments(beta: Any, spread: float, count: int) -> Tail:
    """Return the lower tail by E[s H] at most `spread` B."""
    theta = _TILTS * count / spread
    rise = theta**2 * spread / (2 * count)
    return Tail(theta, log_sums(rise, np.zeros_like(rise), beta))


def _mean(below: Tail, largest: float, ridge: float, cap: float) -> float:
    """Bound E min(ridge t/(1 - t), cap) by steps at which p_m is not smaller."""
    starts = np.concatenate([[0.0], _STEPS])
    edges = np.minimum(np.concatenate([[0.0], ridge * _STEPS / (1 - _STEPS), [np.inf]]), cap)
    rises, chances = np.diff(edges), np.zeros(starts.size)
    chances[0] = 1.0
    # No t exceeds the largest eigenvalue of the mean.
    seen = (rises > 0) & (starts > 0) & (starts < largest)
    chances[seen] = np.exp(np.minimum(0.0, below.log_probability(starts[seen])))
    return math.fsum(rises * chances)
