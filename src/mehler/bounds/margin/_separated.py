"""Risk of a classifier of which a margin and a share of errors are known, and the rows for it."""

from __future__ import annotations

from typing import Any

from scipy import special

from mehler import _validate
from mehler.bounds._bound import Bound, require_count, require_positive, require_probability
from mehler.bounds._elementwise import elementwise
from mehler.bounds._inverse import least_features
from mehler.bounds.margin._gaussian import THRESHOLDS, best_bound


@elementwise
def separated(
    n_samples: int,
    *,
    margin: float,
    delta: float,
    below: float = 0.0,
    scale: float | None = None,
    thresholds: Any = THRESHOLDS,
) -> Bound:
    r"""Bound the risk of a linear classifier where all rows but a share keep a margin.

    .. math:: P(y\langle w, \phi(x)\rangle \le 0) \le \frac1{\Phi(\theta)}\,\mathrm{kl}^{-1}\Big(
              \beta + (1-\beta)\,\Phi(\theta - \mu t),\; \frac{\mu^2/2 + \log(K\xi_N/\delta)}N\Big)

    is :func:`risk` with :math:`t_i \ge t` for all rows but a share beta, which counts as errors.
    At beta = 0 it is about :math:`\log N/(t^2N)`.

    Parameters
    ----------
    n_samples : int or array
        N.
    margin : float
        t, a cosine in (0, 1].
    delta : float or array
        Failure probability.
    below : float
        beta in [0, 1), the share of the rows with a smaller margin.
    scale, thresholds
        As in :func:`risk`.

    Returns
    -------
    Bound
        With the terms of :func:`risk`. Both `margin` and `below` may be read off the rows.

    See Also
    --------
    risk : The bound by all margins, which is smaller.
    samples : The least N for a target.

    References
    ----------
    Proof: :doc:`/theorems/features-margin`.

    Examples
    --------
    >>> from mehler.bounds import margin
    >>> for n in (10**3, 10**4, 10**5):
    ...     print(f"{margin.separated(n, margin=0.3, delta=0.01).value:.4f}")
    0.1132
    0.0159
    0.0020
    """
    (n,) = require_count(n_samples=n_samples)
    t, beta = _validate.require_positive("margin", margin), _validate.require_real("below", below)
    if t > 1:
        raise ValueError(f"margin={margin!r} is a cosine: it must be at most 1")
    if not 0 <= beta < 1:
        raise ValueError(f"below={below!r} must be a share in [0, 1)")

    def errors(mu: float, threshold: float) -> float:
        return beta + (1 - beta) * float(special.ndtr(threshold - mu * t))

    return best_bound(n, errors, rough=errors, delta=delta, scale=scale, thresholds=thresholds)


@elementwise
def samples(
    eps: float,
    *,
    margin: float,
    delta: float,
    below: float = 0.0,
    thresholds: Any = THRESHOLDS,
) -> int:
    """Return the least number of rows at which :func:`separated` is at most `eps`.

    Parameters
    ----------
    eps : float or array
        Target risk.
    margin, delta, below, thresholds
        As in :func:`separated`.

    Returns
    -------
    int
        The least N: with one row fewer the bound exceeds `eps`.

    Raises
    ------
    TypeError, ValueError
        As :func:`separated`; or if no number of rows is enough, as for `eps` of at most `below`.

    See Also
    --------
    separated : The bound at a given N.

    Notes
    -----
    About 0.1 s.

    Examples
    --------
    >>> from mehler.bounds import margin
    >>> margin.samples(0.05, margin=0.3, delta=0.01), margin.samples(0.005, margin=0.3, delta=0.01)
    (2674, 36241)
    """
    require_positive(eps=eps)
    require_probability(delta=delta)
    known = {"margin": margin, "delta": delta, "below": below, "thresholds": thresholds}
    return least_features(lambda n: separated(n, **known).value, eps)
