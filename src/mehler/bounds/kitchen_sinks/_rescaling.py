"""Unbounded features divided by a bound of their own: the cost for maxout units."""

from __future__ import annotations

import math
from typing import Literal

from mehler.bounds._bound import require_count, require_positive
from mehler.bounds._elementwise import elementwise

By = Literal["frobenius", "longest"]


@elementwise
def maxout_feature_scale(
    n_inputs: int, pool_size: int, *, radius: float, by: By = "frobenius"
) -> float:
    r"""Compute the mean of b(W), by which maxout units are divided to be at most 1.

    A unit :math:`\phi(x; W) = \max_{j\le q}\langle w_j, x\rangle` with standard normal weights has
    no bound, and the lemmas fail for it. On inputs with :math:`|x| \le R` it is at most b(W),

    .. math::

        b = R\,\|W\|_F: \quad E b = R\sqrt2\,\frac{\Gamma((dq+1)/2)}{\Gamma(dq/2)} \le R\sqrt{dq},
        \qquad b = R\max_j|w_j|: \quad E b \le R\big(\sqrt d + \sqrt{2\log q}\big).

    Draw W from a density proportional to b times the normal one and use :math:`\phi/b`: then all
    of `lemma_1`, `risk_lemma`, `estimation_lemma` and `theorem` hold with this number as
    ``feature_scale``.

    Parameters
    ----------
    n_inputs : int
        Input dimension d.
    pool_size : int or array
        Pool size q.
    radius : float
        R, the largest norm of an input.
    by : {"frobenius", "longest"}
        Frobenius: :math:`W/\|W\|_F` is uniform on the unit sphere of dq coordinates, so divide a
        normal draw by its Frobenius norm. Longest: from those, keep each W with probability
        :math:`\max_j|w_j|/\|W\|_F`, and divide by its longest row; a smaller scale.

    Returns
    -------
    float
        E b, in units of the radius.

    See Also
    --------
    lemma_1 : Takes this number as `feature_scale`.
    mehler.bounds.maxout.approximation : Bounds for maxout units without division.

    Notes
    -----
    Frobenius: relative error below 1e-12. Longest: quadrature, relative error below 1e-12; a
    fraction of a millisecond.

    Examples
    --------
    >>> round(maxout_feature_scale(20, 4, radius=1.0), 4)
    8.9164
    >>> round(maxout_feature_scale(20, 4, radius=1.0, by="longest"), 4)
    5.1502
    """
    n_inputs, pool_size = require_count(n_inputs=n_inputs, pool_size=pool_size)
    require_positive(radius=radius)
    if by == "frobenius":
        return radius * _chi_mean(n_inputs * pool_size)
    if by == "longest":
        return radius * _longest(n_inputs, pool_size)
    raise ValueError(f"by={by!r} is neither 'frobenius' nor 'longest'")


def _chi_mean(n: int) -> float:
    """Compute the mean norm of n standard normals, sqrt(2) Gamma((n+1)/2) / Gamma(n/2)."""
    from scipy.special import poch

    # The ratio of Gamma functions without their overflow.
    return math.sqrt(2) * float(poch(n / 2, 0.5))


def _longest(d: int, q: int) -> float:
    """Compute the mean largest of q norms: the integral of 1 - P(norm <= r)^q over r >= 0."""
    import numpy as np
    from scipy.special import gammaincc, log1p

    # Lengths lie within a few of sqrt(d); above, the integrand is below q e^{-u^2/2}, u the excess.
    low = max(0.0, math.sqrt(d) - 8.0)
    high = math.sqrt(d) + math.sqrt(2 * math.log(q)) + 9.0
    # In pieces: the fall from 1 to 0 is about 1/sqrt(2 log q) wide.
    ends = np.linspace(low, high, 13)
    nodes, weights = np.polynomial.legendre.leggauss(64)
    half = (ends[1] - ends[0]) / 2
    r = (ends[:-1, np.newaxis] + half * (nodes + 1)).ravel()
    tail = gammaincc(d / 2, r**2 / 2)
    with np.errstate(divide="ignore"):  # the tail rounds to 1 at small r, whose power is 0
        exceeds = -np.expm1(q * log1p(-tail))
    return low + float(half * (np.tile(weights, len(ends) - 1) @ exceeds))
