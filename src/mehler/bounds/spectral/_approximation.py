"""How near m random features come to any function of the kernel's space, with all weights free."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler._validate import require_positive
from mehler.bounds._bound import Assumption
from mehler.bounds._function import Formula, bound, square_of
from mehler.bounds.spectral._inputs import MEAN, blocks, size_of, with_eigenvalues
from mehler.bounds.spectral._tails import Tail, log_sums, tail

# Ridges of the proof, in units of the largest eigenvalue; theta over M/nu; both are only choices.
_RIDGES = np.geomspace(1e-8, 10.0, 55)
_TILTS = np.geomspace(1e-4, 1e3, 400)
_FEW = 1e-12
# Relative errors at which the mean is summed: both ends of (0, 1) count.
_STEPS = np.unique(
    np.concatenate([np.geomspace(1e-6, 0.5, 120), 1 - np.geomspace(0.5, 1e-12, 240)])
)


def require_kurtosis(name: str, value: Any) -> float:
    """Return a fourth moment over a squared second one."""
    if require_positive(name, value) < 1:
        raise ValueError(f"{name}={value!r} is below 1, which no mean of squares is")
    return float(value)


@bound(
    "features.nearest",
    "mean square distance of the nearest combination of features, worst of a ball",
    falls_in=("n_features",),
    domains={"kurtosis": require_kurtosis},
    prepare=with_eigenvalues,
)
def approximation(
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
) -> Formula:
    r"""Bound how far m features are from the functions of a ball, with the best weights.

    .. math:: E\sup_{\|f\|_H \le B}\min_{\alpha \in R^m}\frac1N\sum_{i \le N}\Big(f(x_i)
              - \sum_l\alpha_l\phi_l(x_i)\Big)^2 \le
              \min_\lambda B^2\lambda\int_0^{\Delta_1}\frac{p_m(t)}{(1-t)^2}\,dt

    with :math:`\lambda\Delta_1/(1-\Delta_1) = \mu_1/N` and p_m(t) a bound of the chance that
    :math:`\hat K_m + N\lambda` is not above 1 - t times :math:`K + N\lambda`. The class of the
    maxout paper's Lemma 3, weights of at most C p, is in the ball of C.

    Parameters
    ----------
    n_features, gram, eigenvalues, sup, leverage, lipschitz, block
        As :mod:`mehler.bounds.spectral` says; a leverage is that at N lambda, and needs `ridge`.
    norm : float
        B.
    kurtosis : float, optional
        c^2, at least 1: :math:`E\langle v, Gv\rangle^2 \le c^2\langle v, Kv\rangle^2` for all v
        and the Gram matrix G of one block; 3 for linear units, Gaussian over the weights. Then
        :math:`p_m(t) = \inf_\theta\sum_i(e^{\theta^2\nu\beta_i/(2M)} - 1)/\psi(\theta t)` with
        :math:`\nu = c^2d(\lambda)`: about :math:`2c^2d(\lambda)\log d` blocks are enough.
    ridge : float, optional
        lambda of the proof, in units of mean squares; by default the best of a grid.

    Returns
    -------
    Bound
        The single term "nearest", a mean square. Its probability is 1: it bounds a mean. `trivial`
        is B^2 mu_1/N.

    Raises
    ------
    ValueError
        If K is not positive semidefinite, none of `kurtosis`, `sup`, `leverage` and `lipschitz` is
        given, or a leverage without a ridge.

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
    ...     bound = spectral.approximation(m, norm=1.0, eigenvalues=mu, kurtosis=3.0)
    ...     print(f"{bound.value:.1e} {mu.sum() / 200 / m:.1e}")
    3.6e-02 5.0e-03
    9.3e-05 1.0e-03
    3.2e-09 2.0e-04
    """
    m, square = blocks(n_features, block), square_of("norm", norm)
    mu = eigenvalues
    bounded = (sup, leverage, lipschitz) != (None, None, None)
    if kurtosis is None and not bounded:
        raise ValueError("give kurtosis, sup, leverage or lipschitz: how large features are")
    if leverage is not None and ridge is None:
        raise ValueError("leverage is that at a ridge: give ridge")
    cap = float(mu[0]) / mu.size
    if ridge is not None and not _FEW * cap <= ridge <= cap / _FEW:
        raise ValueError(f"ridge={ridge!r} must be within 1e12 times {cap:.6g}, the largest error")
    least, assumptions = cap, [Assumption(MEAN)]
    for lam in _RIDGES * cap if ridge is None else [ridge]:
        shift = mu.size * float(lam)
        beta, sides = mu / (mu + shift), []
        # Far fewer blocks than that promise nothing.
        if kurtosis is not None and m > _FEW * kurtosis * math.fsum(beta):
            sides.append(_of_moments(beta, kurtosis * math.fsum(beta), m))
        if bounded:
            size = size_of(mu, ridge=shift, sup=sup, leverage=leverage, lipschitz=lipschitz)
            sides.append(tail(size.beta, size.level, m, -1))
            assumptions = list(size.assumptions)
        least = min([least, *(_mean(below, float(beta[0]), float(lam), cap) for below in sides)])
    if kurtosis is not None:
        text = "squares of combinations of a block's features have this kurtosis or less"
        assumptions.append(Assumption(text))
    formula = r"B^2\min_\lambda\lambda\int_0^{\Delta_1}p_m(t)/(1-t)^2\,dt"
    return Formula(
        {"nearest": (square * least, formula)},
        trivial=square * cap,
        assumptions=tuple(assumptions),
    )


def _of_moments(beta: Any, spread: float, m: int) -> Tail:
    """Return the lower tail by E[s H] at most `spread` B."""
    theta = _TILTS * m / spread
    rise = theta**2 * spread / (2 * m)
    return Tail(theta, log_sums(rise, np.zeros_like(rise), beta))


def _mean(below: Tail, largest: float, ridge: float, cap: float) -> float:
    """Bound E min(ridge t/(1 - t), cap) by steps at which p_m is not smaller."""
    starts = np.concatenate([[0.0], _STEPS])
    edges = np.minimum(np.concatenate([[0.0], ridge * _STEPS / (1 - _STEPS), [np.inf]]), cap)
    rises, chances = np.diff(edges), np.zeros(starts.size)
    chances[0] = 1.0
    # No t exceeds the largest eigenvalue of the mean.
    inside = (rises > 0) & (starts > 0) & (starts < largest)
    chances[inside] = np.exp(np.minimum(0.0, below.log_probability(starts[inside])))
    return math.fsum(rises * chances)
