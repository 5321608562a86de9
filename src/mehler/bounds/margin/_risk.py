"""Risk of a linear classifier by the margins of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from mehler import _arrays
from mehler._validate import require_reals
from mehler.bounds._bound import Bound
from mehler.bounds._elementwise import elementwise
from mehler.bounds.margin._gaussian import THRESHOLDS, best_bound

# Cosines that are computed may exceed 1 by rounding, of float32 too.
_ROUNDING = 1e-5
_ROUGH = 1000


@elementwise
def risk(
    margins: Any,
    *,
    delta: float,
    scale: float | None = None,
    thresholds: Any = THRESHOLDS,
) -> Bound:
    r"""Bound the probability that a linear classifier on features is wrong, by its margins.

    .. math:: P(y\langle w, \phi(x)\rangle \le 0) \le \frac1{\Phi(\theta)}\,\mathrm{kl}^{-1}\Big(
              \frac1N\sum_i\Phi(\theta - \mu t_i),\;
              \frac{\mu^2/2 + \log(K\xi_N/\delta)}N\Big), \qquad
              t_i = \frac{y_i\langle w, \phi(x_i)\rangle}{|w|\,|\phi(x_i)|}

    with probability at least :math:`1 - \delta` over the rows, for all w, lengths
    :math:`\mu > 0` and K thresholds :math:`\theta \ge 0` at once. Here
    :math:`\mathrm{kl}^{-1}(e, c)` is the largest p with
    :math:`e\log\frac ep + (1-e)\log\frac{1-e}{1-p} \le c`, and
    :math:`\xi_N \le \sqrt{\pi N/2}\,e^{1/(12N)} + \frac23`. The weights may be fitted to the same
    rows by any learner, and features may be unbounded and of any number. Where all margins are at
    least t, it is about :math:`\log N/(t^2N)`.

    Parameters
    ----------
    margins : array, shape (N,)
        t_i, cosines of the weights and the features, negative where the class is wrong; 0 for a row
        whose features are all 0. An intercept is one more feature, 1 in each row.
    delta : float or array
        Failure probability.
    scale : float, optional
        mu; default the best, which costs nothing.
    thresholds : sequence of float
        theta >= 0, chosen without a look at the rows; the best is taken, for :math:`\log K`.

    Returns
    -------
    Bound
        Its terms are "margin", the share of margin errors, and what is added to it by "weights",
        by "confidence" and by "threshold", the factor :math:`1/\Phi(\theta)`.

    Raises
    ------
    TypeError, ValueError
        If there are no margins, one is not in [-1, 1], or a number is out of range.

    See Also
    --------
    separated : The bound where all rows but a share keep a margin.
    samples : The rows for a target.

    Notes
    -----
    About 10 ms; 0.2 s for 60,000 rows. Rows that are held out, and a binomial interval, give a
    smaller bound where they can be spared.

    References
    ----------
    Proof: :doc:`/theorems/features-margin`. J. Langford, J. Shawe-Taylor (2002), with
    :math:`\theta = 0`; A. Maurer (2004).

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler import learn
    >>> from mehler.bounds import margin
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((5000, 4))
    >>> y = np.where(X[:, 0] > 0, 1.0, -1.0)
    >>> phi = mehler.MaxoutFeatures.draw(4, 300, 4, seed=0, centred=True)
    >>> w = np.ravel(learn.ridge(phi, X, y, lambdas=0.1, intercept=False).weights)
    >>> Z = phi(X)
    >>> t = y * (Z @ w) / (np.linalg.norm(w) * np.linalg.norm(Z, axis=1))
    >>> bound = margin.risk(t, delta=0.01)
    >>> {term.name: round(term.value, 3) for term in bound.terms}
    {'margin': 0.052, 'weights': 0.055, 'confidence': 0.004, 'threshold': 0.111}
    """
    t = require_reals("margins", _arrays.to_host(margins) if _arrays.is_array(margins) else margins)
    if t.ndim != 1 or t.size == 0:
        raise ValueError(f"margins has shape {t.shape}: give one number for each row, (N,)")
    if (farthest := float(abs(t).max())) > 1 + _ROUNDING:
        raise ValueError(
            f"margins are up to {farthest:g} and must be in [-1, 1]: divide y <w, phi(x)> by the "
            "norms of w and of phi(x)"
        )
    few = np.quantile(t, (np.arange(_ROUGH) + 0.5) / _ROUGH) if t.size > _ROUGH else t
    return best_bound(
        t.size,
        lambda mu, threshold: _share(t, mu, threshold),
        rough=lambda mu, threshold: _share(few, mu, threshold),
        delta=delta,
        scale=scale,
        thresholds=thresholds,
    )


def _share(t: Any, mu: float, threshold: float) -> float:
    """Average Phi(theta - mu t): how often a normal vector about the weights errs."""
    return float(special.ndtr(threshold - mu * np.minimum(t, 1.0)).mean())
