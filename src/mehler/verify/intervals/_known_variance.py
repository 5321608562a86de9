"""Catoni's interval, whose only assumption is a known variance."""

from __future__ import annotations

import math

import numpy as np

from mehler._arrays import Array
from mehler._validate import require_integer, require_positive, require_probability
from mehler.verify._arguments import MOST_SAMPLES, sample_vector
from mehler.verify.intervals._catoni_power_sums import crossing

# Squares of larger ones, and sums of them, would leave the range of floats.
_MOST_DEVIATIONS = 1e140


def catoni_tuning(n: int, variance: float, false_alarm: float) -> tuple[float, float]:
    """Return (a, B): theta is kept while |S(theta)| <= B, at the a that minimises the width."""
    cost = math.log(2.0 / false_alarm)
    return math.sqrt(2.0 * cost / (n * variance)), 2.0 * cost


def known_variance(
    samples: Array, variance: float, false_alarm: float, *, planned: int | None = None
) -> tuple[float, float]:
    r"""Return Catoni's interval for a mean, from samples of known variance.

    .. math:: \{\theta : |\sum_i \psi(a (X_i - \theta))| \le n a^2 V / 2 + \log(2/\alpha)\},
              \qquad a = \sqrt{2 \log(2/\alpha) / (n V)}

    with psi(u) = sign(u) log(1 + abs(u) + u^2/2). At the true mean
    E exp(+-sum psi(a (X_i - mu))) <= (1 + a^2 V/2)^n <= exp(n a^2 V/2), so Markov's inequality on
    either side leaves the truth outside with probability at most alpha, whatever the tails.

    Parameters
    ----------
    samples : array, shape (n,)
        Independent samples of a common mean.
    variance : float
        An upper bound V on their variance.
    false_alarm : float
        alpha, the probability that the interval misses the mean.
    planned : int, optional
        The n for which `a` is tuned; default the number of samples. With `a` fixed before the
        data, exp(+-S_t(mu) - t a^2 V/2) is a nonnegative supermartingale in t, so by Ville's
        inequality the interval is valid at any stopping time. Pass `planned` if n was not fixed in
        advance.

    Returns
    -------
    low, high : float
        Ends of the interval.

    Raises
    ------
    TypeError, ValueError
        If n <= 2 log(2/alpha), where the interval would be vacuous.

    See Also
    --------
    self_normalised : Unknown variance, bounded kurtosis.
    betting : Bounded samples, at any stopping time.

    Notes
    -----
    Half width sqrt(2 log(2/alpha) V/n) (1 + O(1/n)): 1.07 times the normal quantile's at
    alpha = 1e-9. Roots are found to 1e-13/a. Cost: about 15 passes over the samples.

    References
    ----------
    O. Catoni, Challenging the empirical mean and empirical variance: a deviation study, Annales
    de l'Institut Henri Poincare B 48 (2012) 1148-1185, Section 2.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).standard_t(5, size=10_000)  # variance 5/3, heavy tails
    >>> low, high = known_variance(x, 5 / 3, 1e-9)
    >>> bool(low < 0 < high), round(high - low, 3)
    (True, 0.169)
    """
    x = sample_vector(samples)
    variance = require_positive("variance", variance)
    false_alarm = require_probability("false_alarm", false_alarm)
    tuned = x.size if planned is None else require_integer("planned", planned, most=MOST_SAMPLES)
    cost = math.log(2.0 / false_alarm)
    if min(x.size, tuned) <= 2.0 * cost:
        raise ValueError(
            f"{min(x.size, tuned)} samples say nothing at false_alarm={false_alarm:.3g}: "
            f"more than 2 log(2/false_alarm) = {2 * cost:.1f} are needed; draw more"
        )
    # In units of about a standard deviation, a power of 2, no square leaves the range of floats.
    unit = 2.0 ** math.frexp(math.sqrt(variance))[1]
    if float(np.abs(x).max()) > _MOST_DEVIATIONS * unit:
        raise ValueError(
            f"samples lie {_MOST_DEVIATIONS:g} standard deviations from 0 or more: "
            f"variance={variance!r} is too small for them"
        )
    x, variance = x / unit, variance / unit / unit
    a, _ = catoni_tuning(tuned, variance, false_alarm)
    bound = 0.5 * x.size * a * a * variance + cost
    return crossing(x, a, bound) * unit, crossing(x, a, -bound) * unit
