"""Intervals for sub-gamma samples, and the sub-gamma constants of maxout products."""

from __future__ import annotations

import math

import numpy as np

from mehler._arrays import Array
from mehler._validate import (
    require_flag,
    require_integer,
    require_positive,
    require_probability,
    require_real,
)
from mehler.verify._arguments import MOST_SAMPLES, sample_vector


def sub_gamma(
    samples: Array, v: float, c: float, false_alarm: float, *, planned: int | None = None
) -> tuple[float, float]:
    r"""Return an interval for the mean of sub-gamma samples, valid at any stopping time.

    .. math:: \log E e^{\lambda (X - \mu)} \le \frac{\lambda^2 v}{2 (1 - c|\lambda|)}
              \;\Rightarrow\; \bar X_t \pm \Big(\frac{u v}{2} + \frac{L}{t}
              \big(\tfrac1u + c\big)\Big), \quad L = \log(2/\alpha),\; u = \sqrt{2L/(nv)}

    At t = n the half width is sqrt(2 v L/n) + c L/n.

    Parameters
    ----------
    samples : array, shape (t,)
        Independent samples of a common mean.
    v, c : float
        Variance factor and scale; for maxout products see `maxout_constants`.
    false_alarm : float
        alpha, the probability that the interval misses the mean at any t.
    planned : int, optional
        The n for which u is tuned; default the number of samples. Pass it if that number was not
        fixed in advance.

    Returns
    -------
    low, high : float
        Ends of the interval.

    See Also
    --------
    maxout_constants : v and c of maxout products.
    known_variance : Sharper where the variance is known.

    Notes
    -----
    With lambda = u/(1 + c u), exp(lambda S_t - t lambda^2 v/(2(1 - c lambda))) is a nonnegative
    supermartingale, likewise for -lambda: Ville's inequality on either side.

    References
    ----------
    S. Boucheron, G. Lugosi and P. Massart, Concentration Inequalities (2013), Section 2.4.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).exponential(size=10_000)  # v = 1, c = 1, mean 1
    >>> low, high = sub_gamma(x, 1.0, 1.0, 1e-9)
    >>> bool(low < 1 < high), round(high - low, 3)
    (True, 0.135)
    """
    x = sample_vector(samples)
    v, c = require_positive("v", v), require_positive("c", c)
    cost = math.log(2.0 / require_probability("false_alarm", false_alarm))
    n = x.size if planned is None else require_integer("planned", planned, most=MOST_SAMPLES)
    # u is rate / sqrt(v); products of the two with v would leave the range of floats.
    rate, spread = math.sqrt(2.0 * cost / n), math.sqrt(v)
    half = 0.5 * rate * spread + cost / x.size * (spread / rate + c)
    with np.errstate(over="ignore"):
        centre = float(x.mean())
    if not math.isfinite(centre):
        raise ValueError("samples are too large to be added up: scale them, and v and c")
    return centre - half, centre + half


def maxout_constants(rho: float, pool_size: int, *, centred: bool = False) -> tuple[float, float]:
    r"""Return (v, c) of the product M M' of two maxout units of unit vectors, for `sub_gamma`.

    .. math:: v = 4 (1 + |\rho|)(1 + h_1(q)^2), \qquad c = 2\sqrt{1 + |\rho|}

    Parameters
    ----------
    rho : float
        Correlation of the two rows, in [-1, 1].
    pool_size : int
        Number of projections q per maxout unit.
    centred : bool
        Use the product (M - h_1)(M' - h_1) instead: then 1 + h_1^2 becomes 1.

    Returns
    -------
    v, c : float
        For unit rows; for rows of norms a and b multiply v by (a b)^2 and c by a b.

    See Also
    --------
    sub_gamma : The interval that uses these constants.

    Notes
    -----
    The squared gradient of F = M M' in the Gaussians is M^2 + M'^2 + 2 rho M M' 1{same winner}, at
    most (1 + abs(rho)) (M^2 + M'^2). By the logarithmic Sobolev inequality E exp(F - E F) is at
    most E exp(squared gradient); Cauchy and Schwarz, and log E exp(s M^2) <= s (1 + h_1^2)/(1-2s)
    (M - h_1 is sub-Gaussian of variance 1), give the constants. v is four to seven times the exact
    variance: with that, `known_variance` is sharper.

    References
    ----------
    S. Bobkov and F. Goetze, Exponential integrability and transportation cost related to
    logarithmic Sobolev inequalities, J. Funct. Anal. 163 (1999), Theorem 1.2.

    Examples
    --------
    >>> maxout_constants(0.0, 1)
    (4.0, 2.0)
    """
    from mehler import exact

    require_flag("centred", centred)
    if not -1.0 <= require_real("rho", rho) <= 1.0:
        raise ValueError(f"rho={rho!r} must lie in [-1, 1]: it is a correlation")
    offset = 0.0 if centred else float(exact.max_moment(1, pool_size))
    spread = 1.0 + abs(float(rho))
    return 4.0 * spread * (1.0 + offset * offset), 2.0 * math.sqrt(spread)
