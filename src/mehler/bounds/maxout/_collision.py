"""How often codes agree, bounded from above in elementary functions of any level."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mehler._validate import require_not_negative
from mehler.bounds._function import Formula, bound
from mehler.bounds.maxout._inputs import NORMAL

_LEVELS = 2000


@bound(
    "maxout.remark-1-codes",
    "probability that two digits agree",
    assumes=(NORMAL,),
    domains={"level": require_not_negative},
)
def collision_probability(rho: float, *, pool_size: int, level: float | None = None) -> Formula:
    r"""Bound the probability that maxout codes of two rows agree in a digit, from above.

    .. math:: \kappa_q(\rho) \le 2\,\Phi(a)^q + q\,\Phi\Big(-\frac{2a}{\sqrt{2(1+\rho)}}\Big)

    for every level a > 0: either maximum is at most a; or one index has g + g' > 2a.

    Parameters
    ----------
    rho : float
        Cosine of the rows, in [-1, 1].
    pool_size : int or array
        q.
    level : float, optional
        a, at least 0; by default the best of many.

    Returns
    -------
    Bound
        With the terms "below" and "above"; it holds with certainty.

    See Also
    --------
    mehler.bounds.lower.collision_probability : The same from below.

    Notes
    -----
    Vacuous, above 1, for equal rows or small pools. At rows that are not near each other it is
    larger than the probability by a power of log q. Rounding is 1e-12 of it, about a millisecond.

    References
    ----------
    Proof: :doc:`/theorems/remark-1-codes`.

    Examples
    --------
    >>> from mehler import exact
    >>> from mehler.bounds import lower, maxout
    >>> known = {"pool_size": 10**6}
    >>> for function in (lower.collision_probability, maxout.collision_probability):
    ...     bound = function(0.5, **known)
    ...     print({term.name: round(term.value, 4) for term in bound.terms})
    {'both': 0.0008, 'others': -0.0005}
    {'below': 0.04, 'above': 0.1225}
    >>> round(exact.collision_probability(0.5, 10**6), 4)
    0.0036
    """
    a = levels(pool_size) if level is None else np.array([level])
    below, above = _terms(a, rho, pool_size)
    best = int(np.argmin(below + above))
    return Formula(
        {
            "below": (float(below[best]), r"2\Phi(a)^q"),
            "above": (float(above[best]), r"q\Phi(-2a/\sqrt{2(1+\rho)})"),
        },
        trivial=1.0,
    )


def levels(q: int) -> NDArray[np.float64]:
    """Return levels to choose from: any is valid."""
    return np.linspace(0.0, 1.2 * math.sqrt(2 * math.log(q)) + 3, _LEVELS)


@np.errstate(over="ignore")
def _terms(
    a: NDArray[np.float64], rho: float, q: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from scipy.special import log_ndtr, ndtr

    below = 2 * np.exp(q * log_ndtr(a))
    spread = math.sqrt((1 + rho) / 2)
    # Opposite rows: g + g' is 0, not above 2a.
    above = q * ndtr(-a / spread) if spread > 0 else np.zeros(a.shape)
    # What underflows is above 0 still: a bound from above is rounded up.
    return np.maximum(below, np.nextafter(0.0, 1.0)), above
