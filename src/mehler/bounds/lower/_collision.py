"""How often codes agree, bounded from below at any level."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler._validate import require_not_negative
from mehler.bounds._bound import Assumption, Term
from mehler.bounds._elementwise import elementwise
from mehler.bounds.lower._lower_bound import LowerBound
from mehler.bounds.maxout._collision import levels
from mehler.exact import require_pool, require_rho

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(48)
# The integrand is followed until it has fallen to exp(-40) of its largest value.
_FALL = 40.0
STATEMENT = "maxout.remark-1-codes"


@elementwise
def collision(rho: float, *, pool_size: int, level: float | None = None) -> LowerBound:
    r"""Bound the probability that maxout codes of two rows agree in a digit, from below.

    .. math:: \kappa_q(\rho) \ge q\,P(g > a, g' > a)\,\big(1 - 2q\,\Phi(-a)\big), \qquad
              P(g > a, g' > a) = \frac1\pi\int_{\theta/2}^{\pi/2}e^{-a^2/(2\cos^2 t)}\,dt

    for every level a and :math:`\rho = \cos\theta`: one index is above a twice, and no other is.

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
    LowerBound
        With the terms "both" and "others", which is negative; it holds with certainty.

    See Also
    --------
    mehler.bounds.maxout.collision_probability : The same from above.
    mehler.exact.collision_probability : The probability itself.

    Notes
    -----
    For equal rows an eighth, of 1. At rows that are not near each other it is smaller than the
    probability by a power of log q. Rounding is 1e-12 of it at levels from 0.4 on, below which it
    is above 0 for q = 1 alone; some milliseconds.

    References
    ----------
    Proof: :doc:`/theorems/remark-1-codes`; the integral is Craig's (1991), as recalled.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> round(lower.collision(1.0, pool_size=1024).value, 3)
    0.125
    """
    rho, q = float(require_rho(rho)), require_pool(pool_size)
    a = levels(q) if level is None else np.array([require_not_negative("level", level)])
    both, others = _terms(a, rho, q)
    best = int(np.argmax(both + others))
    return LowerBound(
        statement=STATEMENT,
        form="proved",
        quantity="probability that two digits agree",
        terms=(
            Term("both", float(both[best]), r"qP(g > a, g' > a)"),
            Term("others", float(others[best]), r"-2q\Phi(-a)\,qP(g > a, g' > a)"),
        ),
        probability=1.0,
        assumptions=(Assumption("weights are independent standard normal"),),
    )


def _terms(a: Any, rho: float, q: int) -> tuple[Any, Any]:
    from scipy.special import ndtr

    both = q * both_above(a, rho)
    return both, 0.0 - 2 * q * ndtr(-a) * both


@np.errstate(over="ignore")
def both_above(a: Any, rho: float) -> Any:
    """Compute P(g > a, g' > a) for a >= 0, with relative accuracy: every node adds to it."""
    if rho == -1:
        return np.zeros(a.shape)
    start = math.acos(rho) / 2
    # Where a^2/(2 cos^2 t) has grown by _FALL; what is left out would only add.
    end = np.arctan(np.sqrt(math.tan(start) ** 2 + 2 * _FALL / np.maximum(a, 1e-9) ** 2))
    half = (end - start) / 2
    t = start + half[:, None] * (_NODES + 1)
    return half / math.pi * (np.exp(-((a[:, None] / np.cos(t)) ** 2) / 2) @ _WEIGHTS)
