"""Variance of one template's product without bins, bounded in closed form."""

from __future__ import annotations

import math
from typing import Any

from mehler._validate import require_instance, require_reals
from mehler.exact.orbits._templates import TemplateLaw


def limit_variance_bound(
    law: TemplateLaw, centre_square: Any, mean_distance: Any, concentration: Any
) -> Any:
    r"""Bound the variance of one template's product of unbinned distributions.

    For Y = s - mean of max(<t, a_i>, <t, b_j>) over all pairs, with u_ij = a_i - b_j,

    .. math:: \operatorname{Var} Y \le \frac{\sigma^2}4\Big(\|\bar a + \bar b\|^2 +
              \Big(1-\frac2\pi\Big)\Big\|\overline{\frac{uu^\top}{\|u\|}}\Big\|_F^2\Big)
              + \frac{\bar D^2}4\Big(\frac{2\sigma^2}\pi - \mu^2\Big)

    with sigma^2 and mu the mean square and the mean absolute value of a coordinate of t, given
    that t is not rejected.

    Parameters
    ----------
    law : TemplateLaw
        Distribution of the templates t.
    centre_square : array
        Squared norm of mean(a_i) + mean(b_j).
    mean_distance : array
        D, mean of the lengths of u_ij.
    concentration : array
        Squared Frobenius norm of the mean of u u^T / length(u).

    Returns
    -------
    array
        The second part is too large by at most 14 %; all else is exact.

    See Also
    --------
    mean_maximum : The product itself.
    TemplateLaw : Distribution of templates.

    Notes
    -----
    max(a, b) = (a + b)/2 + abs(a - b)/2. The odd part is uncorrelated with the even one. Of the
    even part, E abs<t, u> abs<t, v> = sigma^2 |u||v| sum_k c_k rho^(2k) with c_0 = 2/pi, all
    c_k > 0 and sum 1 (rotation invariance, and the Gaussian case by Mehler's formula); for k >= 1
    rho^(2k) <= rho^2.

    Examples
    --------
    One pair, b = -a: Y = s - abs<t, a>, of variance (1 - 2/pi) sigma^2 |a|^2 for Gaussian t.

    >>> law = TemplateLaw("gaussian", 4)
    >>> float(limit_variance_bound(law, 0.0, 2.0, 4.0)) == (1 - 2 / math.pi) / 4
    True
    """
    require_instance("law", law, TemplateLaw)
    norms = {
        "centre_square": centre_square,
        "mean_distance": mean_distance,
        "concentration": concentration,
    }
    for name, value in norms.items():
        if (require_reals(name, value) < 0.0).any():
            raise ValueError(f"{name} must be at least 0: it is a norm or a mean of lengths")
    centre_square, mean_distance, concentration = (require_reals(*item) for item in norms.items())
    square = law.mean_square
    even = (1.0 - 2.0 / math.pi) * concentration
    rest = 2.0 * square / math.pi - law.mean_absolute**2
    return 0.25 * square * (centre_square + even) + 0.25 * mean_distance**2 * rest
