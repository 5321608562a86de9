"""Lower bounds of the approximation."""

from __future__ import annotations

import math

from mehler.bounds._bound import require_count, require_positive
from mehler.bounds._elementwise import elementwise
from mehler.bounds.lower._lower_bound import LowerBound, below
from mehler.exact import require_pool


@elementwise
def lemma_3(n_features: int, *, pool_size: int, scale: float) -> LowerBound:
    r"""Bound from below how near m maxout units come to the class of Lemma 3, with any weights.

    .. math:: \sup_{f, \mu}\Big(E\min_{\alpha \in R^m}\Big\|\sum_l\alpha_l\phi_l
              - f\Big\|_{L^2(\mu)}^2\Big)^{1/2} \ge \frac{C\,E|M - \operatorname{med}M|}{2\sqrt m}

    over f of the class with sup |alpha|/p <= C and laws mu on the unit sphere, in dimension 2 m.

    Parameters
    ----------
    n_features : int or array
        m.
    pool_size : int or array
        q; M is the largest of q standard normals.
    scale : float
        C.

    Returns
    -------
    LowerBound
        The single term "approximation", a root mean square.

    See Also
    --------
    mehler.bounds.maxout.approximation : The upper bound, C sigma(q)/sqrt(m) in root mean square.

    References
    ----------
    Proof: :doc:`/theorems/features-lower`.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> round(lower.lemma_3(100, pool_size=1, scale=1.0).value, 4)
    0.0399
    """
    (n_features,) = require_count(n_features=n_features)
    require_positive(scale=scale)
    value = scale * _spread(require_pool(pool_size)) / (2 * math.sqrt(n_features))
    quantity = "root mean square distance of the nearest function"
    text = "the worst target of the class, and the worst law of the rows, in dimension 2 m"
    return below("approximation", value, r"C\,E|M - med M|/(2\sqrt m)", quantity, 1.0, text)


def _spread(q: int) -> float:
    """Return E|M - med M|."""
    from scipy.special import ndtri_exp

    return distance_from(float(ndtri_exp(math.log(0.5) / q)), q)


def distance_from(middle: float, q: int) -> float:
    """Return E|M - middle|, by parts: the integrals of both tails of the distribution."""
    from scipy import integrate
    from scipy.special import log_ndtr

    # Beyond 12 below and 40 above nothing is left.
    ends, known = (middle - 12, middle, middle + 40), {"epsabs": 0.0, "epsrel": 1e-11, "limit": 200}
    left = integrate.quad(lambda t: math.exp(q * log_ndtr(t)), *ends[:2], **known)[0]
    right = integrate.quad(lambda t: -math.expm1(q * log_ndtr(t)), *ends[1:], **known)[0]
    return float(left + right)
