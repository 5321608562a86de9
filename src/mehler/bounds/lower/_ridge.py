"""The lower bound of the risk at the rows, squared loss: Pinsker's box in the ellipsoid."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler._validate import require_not_negative, require_positive
from mehler.bounds._bound import square_of
from mehler.bounds.lower._lower_bound import LowerBound, below
from mehler.bounds.spectral._known import eigenvalues_of

# The least eigenvalue over the largest, and the largest signal over the noise.
_LEAST, _MOST = 1e-12, 1e30


def excess_risk(
    *, norm: float, noise: float, gram: Any = None, eigenvalues: Any = None
) -> LowerBound:
    r"""Bound the mean squared error at the rows from below, for every learner.

    .. math:: \inf_{\hat f}\sup_{\|f\|_H \le B} E\,\frac1N\sum_{i\le N}(\hat f - f)^2(x_i) \ge
              \frac{\sigma^2}N\sum_ir\Big(\frac{\tau_i}\sigma\Big), \qquad
              \frac{\tau_i^2}{\sigma^2} = \Big(\sqrt{\frac{\mu_i}\nu} - 1\Big)_+, \quad
              \sum_{\mu_i > 0}\frac{\tau_i^2}{\mu_i} = B^2

    for :math:`y_i = f(x_i) + \epsilon_i` with independent normal noise of variance
    :math:`\sigma^2`, mu the eigenvalues of the exact kernel on the rows. With
    :math:`t^2/(1+t^2)` for r(t) the sum is Pinsker's, the risk of the best linear learner; here
    :math:`r(t) = \max\big(\frac45\,\frac{t^2}{1+t^2},\ t^2(1-t^2-t^4),\ \frac{t^2}{t^2+\pi^2}\big)`
    , so that the bound is at least 4/5 of it.

    Parameters
    ----------
    norm : float
        B, the norm of the target in the kernel's space.
    noise : float
        sigma, the standard deviation of the targets; without noise nothing is claimed.
    gram : array, shape (N, N)
        The exact kernel of the rows, as ``phi.kernel(X)``; or `eigenvalues`.
    eigenvalues : array, shape (N,)
        All N of K, zeros included.

    Returns
    -------
    LowerBound
        The single term "minimax", a mean over the noise.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, or K is not positive semidefinite.

    See Also
    --------
    mehler.bounds.ridge.excess_risk : The upper bound, of ridge regression on features.

    Notes
    -----
    A lower bound for a normal law of the noise is one for all laws of at most this variance.

    References
    ----------
    Proof: :doc:`/theorems/features-lower`, after M. S. Pinsker (1980) and D. L. Donoho,
    R. C. Liu, B. MacGibbon (1990).

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.bounds import lower, ridge
    >>> known = {"norm": 1.0, "noise": 0.5, "eigenvalues": 500 * 0.5 ** np.arange(1, 501)}
    >>> above = ridge.excess_risk(10**9, ridge=ridge.ridge_choice(**known), sup=1.0, **known)
    >>> round(lower.excess_risk(**known).value, 5), round(above.value, 5)
    (0.0029, 0.00469)
    """
    size = require_positive("norm", norm)
    varied = square_of("noise", require_not_negative("noise", noise))
    square_of("norm", size)
    mu = eigenvalues_of(gram, eigenvalues)
    value = 0.0
    if varied > 0:
        ratio = min(size / float(noise) * math.sqrt(float(mu[0])), _MOST)
        # One direction alone, too: with little signal the box is lost in rounding.
        boxes = (_box(mu / mu[0], ratio), np.array([ratio * ratio]))
        value = varied / mu.size * max(math.fsum(_normal_mean(box)) for box in boxes)
    formula = r"\sigma^2\sum r(\tau_i/\sigma)/N"
    quantity = "mean excess risk at the rows of any learner"
    text = "noise is normal and independent, and the target the worst of its norm"
    return below("minimax", value, formula, quantity, 1.0, text)


def _box(mu: Any, size: float) -> Any:
    """Return the squared half edges of Pinsker's box in the ellipsoid of this size, noise 1.

    Of eigenvalues that are lost in rounding none is used.
    """
    mu = mu[mu > _LEAST]
    # With j edges: sum over i <= j of (sqrt(1/(mu_i nu)) - 1/mu_i) = size^2.
    root = (size * size + np.cumsum(1 / mu)) / np.cumsum(1 / np.sqrt(mu))
    edges = root * np.sqrt(mu) - 1
    used = int(np.flatnonzero(edges > 0)[-1]) + 1 if np.any(edges > 0) else 1
    squares = np.maximum(root[used - 1] * np.sqrt(mu[:used]) - 1, 0.0)
    # Rounding of the sums must not leave the ellipsoid.
    spent = math.fsum(squares / mu[:used])
    return squares * min(1.0, size * size / spent) if spent > 0 else squares


def _normal_mean(squares: Any) -> Any:
    """Return less than the minimax risk of a normal mean, noise 1, with these squared bounds."""
    few = squares * (1 - squares - squares**2)
    linear = 0.8 * squares / (1 + squares)
    return np.maximum(np.maximum(linear, few), squares / (squares + math.pi**2))
