r"""Intervals for samples of unknown variance and bounded kurtosis.

Two facts about independent samples X_i of mean mu, variance s^2 and kurtosis at most kappa:

1. For every lambda, exp(lambda x - lambda^2 x^2/6) <= 1 + lambda x + lambda^2 x^2/3 for real x
   (Delyon 2009), so with A = sum (X_i - mu) and S = sum (X_i - mu)^2

       exp(+-lambda A - lambda^2 (S/6 + n s^2/3))   is a nonnegative supermartingale in n.

   So is its mean over fixed lambdas, and by Ville's inequality either sign ever reaches 2/alpha
   with probability at most alpha/2. No tail is assumed.
2. Y = (X - mu)^2 is not negative, and E Y^2 <= kappa (E Y)^2. Among such laws the one on
   {0, kappa s^2} has the largest E exp(-r Y), so S is at most (1 - t) n s^2 with probability at
   most exp(-n h(t)/kappa), h(t) = (1 - t) log(1 - t) + t. Else s^2 <= S / (n (1 - t)).

Together: sum (X_i - mu) is bounded in terms of S alone, an observable quantity.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._validate import require_positive, require_probability
from mehler.verify._arguments import sample_vector

# Allowed relative shortfall t of S below n s^2: FINE costs more samples and gives the shorter
# interval.
COARSE, FINE = 0.5, 0.25

# Bets lambda * scale, from 2^-20 to 2^8: enough for standard deviations from a hundredth of the
# scale to ten thousand times it, at any sample size.
BETS = 2.0 ** np.arange(-20, 9)

# Fraction of the error rate spent on the sum of squares.
SHARE = 0.125

# Grid of distances from the mean; bisection between grid points follows.
_GRID = 2.0 ** np.arange(-34.0, 15.0)
_HALVINGS = 20

# Samples may refute only where the kurtosis limit is this many times their own kurtosis.
MARGIN = 5.0


def shortfall(t: float) -> float:
    """Return h(t) = (1 - t) log(1 - t) + t."""
    return (1.0 - t) * math.log1p(-t) + t


def kurtosis_limit(n: int, false_alarm: float, t: float) -> float:
    """Return the largest kurtosis at which S <= (1 - t) n s^2 is rarer than `false_alarm`."""
    return n * shortfall(t) / -math.log(false_alarm)


@np.errstate(under="ignore")
def half_widths(
    n: int,
    squares: float | NDArray[np.float64],
    cost: float,
    t: float | NDArray[np.float64],
    scale: float,
) -> Any:
    """Return the distance from the mean of n samples to every m not excluded, elementwise.

    `squares` is sum (X_i - mean)^2 and `cost` log(2/alpha); infinite where n is too small.
    """
    squares = np.asarray(squares, dtype=np.float64)
    share = 1.0 / 6.0 + 1.0 / (3.0 * (1.0 - np.asarray(t)))
    level = cost + math.log(BETS.size)
    bets = (BETS / scale)[(slice(None),) + (None,) * squares.ndim]

    def lost(d: Array) -> Any:
        # At the claim m = mean - d, sum (X_i - m)^2 = squares + n d^2.
        best = bets * (n * d) - bets**2 * (share * (squares + n * d * d))
        return np.logaddexp.reduce(best, axis=0) >= level

    wealths = np.stack([lost(scale * step * np.ones(squares.shape)) for step in _GRID])
    first = np.argmax(wealths, axis=0)
    far = scale * _GRID[first]
    near = np.where(first > 0, 0.5 * far, 0.0)
    for _ in range(_HALVINGS):
        middle = 0.5 * (near + far)
        out = lost(middle)
        far, near = np.where(out, middle, far), np.where(out, near, middle)
    return np.where(wealths.any(axis=0), far, np.inf)


def effective_samples(
    squares: float | NDArray[np.float64], fourths: float | NDArray[np.float64]
) -> Any:
    """Return (sum (X - mean)^2)^2 / sum (X - mean)^4, n over the kurtosis; 0 for constants."""
    squares, fourths = np.asarray(squares), np.asarray(fourths)
    return np.divide(squares**2, fourths, out=np.zeros_like(squares), where=fourths > 0.0)


def samples_wanted(false_alarm: float, t: float) -> float:
    """Return the effective sample size at which the limit is MARGIN times the sample kurtosis."""
    return MARGIN * -math.log(false_alarm) / shortfall(t)


def self_normalised(
    samples: Array, false_alarm: float, *, scale: float = 1.0
) -> tuple[float, float]:
    r"""Return an interval for a mean from samples of unknown variance and bounded kurtosis.

    The means m at which neither wealth has reached :math:`2/\alpha'`:

    .. math:: \frac1K \sum_{k\le K} \exp\Big(\pm\lambda_k \sum_i (X_i - m)
              - \lambda_k^2 c_t \sum_i (X_i - m)^2\Big) < \frac{2}{\alpha'},
              \qquad c_t = \frac16 + \frac{1}{3(1-t)}

    Parameters
    ----------
    samples : array, shape (n,)
        Independent samples of one law; n fixed in advance.
    false_alarm : float
        alpha, the probability that the interval misses the mean if the kurtosis
        :math:`E(X-\mu)^4/\sigma^4` is at most :math:`n h(\tfrac12)/\log(8/\alpha)`,
        :math:`h(t) = (1-t)\log(1-t) + t`: 0.15 n over the logarithm.
    scale : float
        Order of magnitude of the deviation of interest, fixed before the samples. Standard
        deviations from a hundredth of it to ten thousand times it are served equally well.

    Returns
    -------
    low, high : float
        Ends of the interval; infinite where n is too small.

    Notes
    -----
    Half width about sqrt(4 c (log(2/alpha) + 3.5) s^2/n), c = 5/6 at t = 1/2. The kurtosis is an
    assumption that no sample can prove: an event rarer than 1/n may hide any mean. The checks
    refute by it only where the samples' own kurtosis is five times smaller.

    References
    ----------
    B. Delyon, Exponential inequalities for sums of weakly dependent variables, Electron. J.
    Probab. 14 (2009), Section 3; V. H. de la Pena, T. L. Lai and Q.-M. Shao, Self-normalized
    processes (2009), Chapter 11.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).exponential(size=20_000)
    >>> low, high = self_normalised(x, 1e-3)
    >>> bool(low < 1 < high), bool(high - low < 0.1)
    (True, True)
    """
    x = sample_vector(samples)
    false_alarm = require_probability("false_alarm", false_alarm)
    scale = require_positive("scale", scale)
    centre = float(x.mean())
    cost = math.log(2.0 / ((1.0 - SHARE) * false_alarm))
    squares = float(((x - centre) ** 2).sum())
    half = float(half_widths(x.size, squares, cost, COARSE, scale))
    return centre - half, centre + half
