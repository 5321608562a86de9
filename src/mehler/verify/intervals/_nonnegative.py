"""Intervals for means of nonnegative samples; the lower end assumes nothing else.

Lower end. For X >= 0 of mean at most q and stakes 0 <= s < 1, the wealth prod (1 + s (X_i/q - 1))
is a nonnegative supermartingale, whatever the law, and so is its mean over a grid of stakes.

Upper end. Among laws on [0, inf) of mean mu with E X^2 <= kappa mu^2 the one on {0, kappa mu} has
the largest E exp(-r X), so

    P(sum X_i <= (1 - t) n mu) <= exp(-n h(t)/kappa),   h(t) = (1 - t) log(1 - t) + t,

and mu <= mean/(1 - t) except with that probability.

For features u = phi(x) / sqrt(k(x,x)) and v alike, |u|^2, |u + v|^2 and |u - v|^2 are nonnegative,
and the kernel claims their means q: 1 and 2 +- 2 k(x,y) / sqrt(k(x,x) k(y,y)). By Ville's
inequality the wealth ever reaches 1/alpha with probability at most alpha.

A Gram matrix that differs from the claim has an excess in one of these directions unless it is
smaller than the claim on the diagonal: a wrong bandwidth, a lost offset, columns left out at equal
length. A diagonal that is merely too small cannot be refuted without a tail assumption, since an
event too rare to be seen may carry the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._validate import require_probability
from mehler.verify._arguments import sample_vector
from mehler.verify.intervals._self_normalised import MARGIN

# Fractions of the wealth staked; the best of them grows within 1/8 of the optimal rate.
_STAKES = 0.96 * 0.5 ** np.arange(11)[:, None]

# Draws multiplied before taking the logarithm, the dominant cost; fewer where one is large.
_TOGETHER, _LARGE = 8, 1e30


class Excess:
    """Wealth of bets against upper bounds on means of nonnegative samples; `claims` > 0, (n,)."""

    def __init__(self, claims: NDArray[np.float64]) -> None:
        self.claims = np.asarray(claims, dtype=np.float64)
        self._log = np.zeros((_STAKES.size, self.claims.size))
        self._product = np.ones_like(self._log)
        self._held = 0
        self._sum = np.zeros(self.claims.size)
        self.n = 0

    def add(self, samples: Array) -> None:
        """Bet on one draw's nonnegative samples, shape (n,), or on those of many, (draws, n)."""
        samples = np.atleast_2d(samples)
        gains = samples / self.claims - 1.0
        for start in range(0, len(gains), _TOGETHER):
            some = gains[start : start + _TOGETHER]
            if len(some) > 1 and some.max() < _LARGE ** (1.0 / len(some)):
                self._fold()
                self._product = (1.0 + _STAKES[:, None] * some).prod(axis=1)
                self._held = len(some)
                continue
            for gain in some:
                self._product *= 1.0 + _STAKES * gain
                self._held += 1
                # Seven factors of at least 1 - 0.96 and a large one neither under- nor overflow.
                if self._held == _TOGETHER or not gain.max() < _LARGE:
                    self._fold()
        self._sum += samples.sum(axis=0)
        self.n += samples.shape[0]

    def _fold(self) -> None:
        self._log += np.log(self._product)
        self._product = np.ones_like(self._log)
        self._held = 0

    @property
    def mean(self) -> Any:
        """Means of the samples so far."""
        return self._sum / max(1, self.n)

    @property
    def log_wealth(self) -> Any:
        """Logarithm of the wealth averaged over all stakes, shape (n,)."""
        self._fold()
        return np.logaddexp.reduce(self._log, axis=0) - math.log(_STAKES.size)

    def statistics(self, chosen: Any = slice(None)) -> dict[str, Any]:
        """Return count, sum, claim of the bets and the log wealth of each stake, of some means."""
        self._fold()
        return {
            "n": self.n,
            "sum": self._sum[chosen],
            "bet": self.claims[chosen],
            "log_wealths": self._log[:, chosen],
        }

    def lower_ends(self, level: float) -> Any:
        """Return lower confidence bounds on means whose wealth has reached exp(level).

        1 + s (Q/(r q) - 1) >= (1 + s (Q/q - 1))/r for r >= 1, so the wealth against the claim r q
        is at least that against q over r^n.
        """
        gain = np.maximum(self.log_wealth - level, 0.0)
        return self.claims * np.exp(gain / max(1, self.n))


@dataclass(frozen=True)
class Found:
    """A direction whose squared length exceeds the claim; `form` is its formula."""

    pair: int
    form: str
    observed: float
    claim: float
    low: float


_HALVINGS = 50

# Fractions of the wealth staked; the best of them grows within 1/8 of the optimal rate.
_STAKE_GRID = 0.96 * 0.5 ** np.arange(11)

# Samples per block.
_BLOCK = 1 << 14

# Log of the smallest ratio to the mean at which a lower end is sought; below it is 0.
_FAR = -40.0


def upper_ends(
    n: int, mean: float | NDArray[np.float64], squares: float | NDArray[np.float64], rate: float
) -> Any:
    """Return upper confidence bounds at error `rate`, for kappa <= MARGIN times the samples' own.

    `mean` and `squares` are the means of n samples and of their squares; infinite where n is too
    small.
    """
    mean, squares = np.asarray(mean, dtype=float), np.asarray(squares, dtype=float)
    kappa = np.divide(squares, mean**2, out=np.full(mean.shape, np.inf), where=mean > 0.0)
    level = MARGIN * kappa * -math.log(rate) / n
    low, high = np.zeros(mean.shape), np.ones(mean.shape)
    for _ in range(_HALVINGS):
        t = 0.5 * (low + high)
        short = (1.0 - t) * np.log1p(-t) + t < level
        low, high = np.where(short, t, low), np.where(short, high, t)
    out = np.full(mean.shape, np.inf)
    return np.divide(mean, 1.0 - high, out=out, where=(level < 1.0) & (high < 1.0))


def nonnegative(samples: Array, false_alarm: float) -> tuple[float, float]:
    r"""Return an interval for the mean of nonnegative samples, such as squares.

    The lower end is the largest q at which the wealth of bets that the mean exceeds q reaches
    2/alpha,

    .. math:: \frac1K \sum_{k\le K} \prod_i \Big(1 + s_k \big(\tfrac{X_i}{q} - 1\big)\Big)
              \ge \frac2\alpha,

    the upper end is :math:`\bar X/(1-t)` with :math:`n\,h(t) = \kappa \log(2/\alpha)`,
    :math:`h(t) = (1-t)\log(1-t) + t`.

    Parameters
    ----------
    samples : array, shape (n,)
        Independent samples of one law on [0, inf); n fixed in advance.
    false_alarm : float
        alpha, the probability that the interval misses the mean. At the lower end it is alpha/2
        for every law; at the upper end alpha/2 if kappa, five times the samples' own mean square
        over squared mean, is at least that of their law.

    Returns
    -------
    low, high : float
        Ends of the interval; 0 and infinity where n is too small.

    Raises
    ------
    TypeError, ValueError
        If a sample is negative.

    Notes
    -----
    The lower end is about mean - sqrt(2 log(2/alpha) s^2/n), 1/8 more at worst. No upper end is
    free of assumptions: an event too rare to be seen may carry the rest of the mean.

    References
    ----------
    J. Ville, Etude critique de la notion de collectif (1939); A. Maurer, A bound on the deviation
    probability for sums of non-negative random variables, J. Inequal. Pure Appl. Math. 4 (2003).

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(1).standard_normal(20_000) ** 2
    >>> low, high = nonnegative(x, 1e-3)
    >>> bool(low < 1 < high), bool(0.9 < low), bool(high < 1.2)
    (True, True, True)
    """
    x = sample_vector(samples)
    if x.min() < 0.0:
        raise ValueError(f"a sample is {x.min():.6g}: samples that are not negative were promised")
    rate = 0.5 * require_probability("false_alarm", false_alarm)
    mean = float(x.mean())
    high = float(upper_ends(x.size, mean, float((x * x).mean()), rate))
    return _lower_end(x, mean, -math.log(rate)), high


def _lower_end(x: Array, mean: float, level: float) -> float:
    """Return the largest claim at which bets, whose wealth decreases in it, reach exp(level)."""
    if not mean > 0.0:
        return 0.0
    # Logarithms relative to the mean; bets against the mean itself win nothing.
    low, high = _FAR, 0.0
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        won = _log_wealth(x / (mean * math.exp(middle)) - 1.0) >= level
        low, high = (middle, high) if won else (low, middle)
    return mean * math.exp(low) if low > _FAR else 0.0


@np.errstate(under="ignore")
def _log_wealth(gains: NDArray[np.float64]) -> float:
    logs = np.zeros(_STAKE_GRID.size)
    for start in range(0, gains.size, _BLOCK):
        logs += np.log1p(_STAKE_GRID[:, None] * gains[start : start + _BLOCK]).sum(axis=1)
    return float(np.logaddexp.reduce(logs)) - math.log(_STAKE_GRID.size)
