"""Samples of unknown variance: intervals under a bounded kurtosis, and what was not seen.

The proofs, and the letters below, are in docs/guarantees.md.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._plural import counted
from mehler._validate import require_positive, require_probability
from mehler.verify._arguments import sample_vector
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import FEW_EFFECTIVE, FLOOR, Comparison
from mehler.verify.intervals._measurement import Measurement
from mehler.verify.intervals._range import KAPPA, SHARES, halved, log_wealth
from mehler.verify.sampling._power_sums import Moments, Reals, power_sums

KURTOSIS = "bounded kurtosis (self-normalised)"

# Allowed relative shortfall t of the sum of squares below n s^2: FINE costs more samples and gives
# the shorter interval.
COARSE, FINE = 0.5, 0.25
# Bets lambda * scale, from 2^-20 to 2^8: enough for standard deviations from a hundredth of the
# scale to ten thousand times it, at any sample size.
BETS = 2.0 ** np.arange(-20, 9)
# Fraction of the error rate spent on the sum of squares.
SHARE = 0.125
# Grid of distances from the mean; bisection between grid points follows.
_GRID = 2.0 ** np.arange(-34.0, 15.0)
_HALVINGS = 20
# Intervals are not widened where the kurtosis limit is this many times the samples' own kurtosis;
# with fewer than FEW effective samples, n over their kurtosis, nothing is refuted.
MARGIN, FEW = 5.0, 100.0
# Rounding left of a sum of squares that should cancel, relative to it and times sqrt(n).
_CANCELLED = 64.0 * float(np.finfo(np.float64).eps)


def shortfall(t: float) -> float:
    """Return h(t) = (1 - t) log(1 - t) + t."""
    return (1.0 - t) * math.log1p(-t) + t


def kurtosis_limit(n: float, false_alarm: float, t: float) -> float:
    """Return the largest kurtosis at which S <= (1 - t) n s^2 is rarer than `false_alarm`."""
    return n * shortfall(t) / -math.log(false_alarm)


@np.errstate(under="ignore")
def half_widths(n: int, squares: Reals, cost: float, t: Reals, scale: float) -> Any:
    """Return the distance from the mean of n samples to every m not excluded, elementwise.

    `squares` is sum (X_i - mean)^2 and `cost` log(2/alpha); infinite where n is too small.
    """
    squares = np.asarray(squares, dtype=np.float64)
    share = 1.0 / 6.0 + 1.0 / (3.0 * (1.0 - np.asarray(t)))
    level = cost + math.log(BETS.size)
    bets = (BETS / scale)[(slice(None),) + (None,) * squares.ndim]

    def is_excluded(d: Array) -> Any:
        # At the claim m = mean - d, sum (X_i - m)^2 = squares + n d^2.
        best = bets * (n * d) - bets**2 * (share * (squares + n * d * d))
        return np.logaddexp.reduce(best, axis=0) >= level

    steps = np.stack([is_excluded(scale * step * np.ones(squares.shape)) for step in _GRID])
    first = np.argmax(steps, axis=0)
    far = scale * _GRID[first]
    _, far = halved(is_excluded, np.where(first > 0, 0.5 * far, 0.0), far, _HALVINGS)
    return np.where(steps.any(axis=0), far, np.inf)


def effective_samples(squares: Reals, fourths: Reals) -> Any:
    """Return (sum (X - mean)^2)^2 / sum (X - mean)^4, n over the kurtosis; 0 for constants."""
    squares, fourths = np.asarray(squares), np.asarray(fourths)
    return np.divide(squares**2, fourths, out=np.zeros_like(squares), where=fourths > 0.0)


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
        Ends of the interval, infinite where n is too small; half width about
        sqrt(4 c (log(2/alpha) + 3.5) s^2/n), c = 5/6 at t = 1/2.

    Notes
    -----
    The kurtosis is an assumption that no sample can prove: an event rarer than 1/n may hide any
    mean. The checks do not refute by it.

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


@np.errstate(over="ignore", under="ignore", invalid="ignore")
def carried(
    n: float,
    sums: NDArray[np.float64],
    rate: float,
    scale: float,
    ends: tuple[Any, Any] | None = None,
) -> Any:
    """Return how much of each mean rare events must carry for its claim to be right.

    `sums` are power sums of n samples about the claims, `scale` the order of the deviation of
    interest, fixed before the samples; `ends` the least and the largest gap, where at hand.
    """
    moments, level = Moments(n, sums), math.log(4.0 / rate)
    sign, mean = np.where(sums[0] < 0.0, -1.0, 1.0), np.abs(moments.mean)
    largest = sums[3] ** 0.25
    if ends is not None:
        largest = np.where(sums[0] < 0.0, ends[1], -np.asarray(ends[0]))
    stakes = (BETS / scale)[(slice(None),) + (None,) * mean.ndim]

    def is_excluded(theta: Array) -> Any:
        wealth = log_wealth(stakes, n, mean - theta, moments.at(mean - theta, sign), KAPPA[0])
        wealth = np.where(stakes * (largest + theta) <= SHARES[0], wealth, -np.inf)
        return np.logaddexp.reduce(wealth, axis=0) >= level + math.log(BETS.size)

    return halved(is_excluded, mean, np.zeros(mean.shape), _HALVINGS)[1]


class Look:
    """Intervals of the deviations of means from their claims, from power sums of n samples.

    `rate` is the error rate of one mean, `number` that of this inspection, from 1, or None if n was
    fixed before; `fixed` says that all draws are one map, so that chance plays no part. `centred`
    are sums of squares and fourth powers about the mean, where they are known better than by
    `sums`; `ends` the least and the largest gap.

    `effective` samples are n over the kurtosis, 0 where samples differ by rounding only; where few
    large ones decide, `short`, intervals are widened, since they are `lack` times too few.
    """

    def __init__(
        self,
        n: int,
        sums: NDArray[np.float64],
        rate: float,
        resolution: float,
        rounding: float = 0.0,
        number: int | None = None,
        fixed: bool = False,
        ends: tuple[Any, Any] | None = None,
        centred: tuple[Any, Any] | None = None,
    ) -> None:
        self.n, self.sums, self.rate, self.resolution = n, sums, rate, resolution
        self.rounding, self.number, self.fixed, self.ends = rounding, number, fixed, ends
        moments = Moments(n, sums)
        self.off, self.squares = moments.mean, moments.squares
        if centred is None:
            rounded = n * (rounding**2 + 1e-24) + _CANCELLED * math.sqrt(n) * sums[1]
            effective = effective_samples(self.squares, moments.fourths)
            self.effective = np.where(self.squares > rounded, effective, 0.0)
        else:
            self.squares, self.effective = centred[0], effective_samples(*centred)
        # The rate spent on the sum of squares, at each allowance of two.
        self._paid = SHARE * rate / (2.0 * (number * (number + 1.0) if number else 1.0))
        fine, coarse = (MARGIN / kurtosis_limit(1.0, self._paid, t) for t in (FINE, COARSE))
        is_fine = self.effective >= fine
        self._allowance = np.where(is_fine, FINE, COARSE)
        wanted = np.where(is_fine, fine, coarse)
        self.short = (self.effective > 0.0) & (self.effective < wanted) & (not fixed)
        self.lack = np.where(self.short, wanted / np.maximum(self.effective, 1.0), 1.0)

    def recentred(self, sums: Any) -> Look:
        """Return this look by sums near the mean; in exact arithmetic both agree.

        Moving a sample by d rounds its fourth power by 64 eps d^4 at most: five terms, of 16 d^4.
        """
        moments = Moments(self.n, sums)
        centred = moments.squares, moments.fourths + _CANCELLED * self.n * self.off**4
        rest = self.rate, self.resolution, self.rounding, self.number, self.fixed, self.ends
        return Look(self.n, self.sums, *rest, centred)

    def half_at(self, rate: float) -> Any:
        """Return half widths at an error rate, not widened."""
        cost = math.log(2.0 / ((1.0 - SHARE) * rate))
        return half_widths(self.n, self.squares, cost, self._allowance, self.resolution)

    @functools.cached_property
    def plain(self) -> Any:
        """Half widths that are not widened, without the rounding."""
        return self.half_at(self.rate)

    @property
    def half(self) -> Any:
        """Half widths."""
        return self.plain * np.sqrt(self.lack) + self.rounding

    def detectable(self, miss: float) -> Any:
        """Return how far off a claim is excluded but for a chance of `miss`."""
        return self.half + self.half_at(miss) * np.sqrt(self.lack) + self.rounding

    @functools.cached_property
    def carried(self) -> Any:
        """What rare events would have to carry of each mean."""
        return carried(self.n, self.sums, self.rate, self.resolution, self.ends)

    def unless(self, k: int, events: str, unit: str) -> str:
        """Say what events would have to carry for the claim of mean k to be right."""
        one_in = self.n / math.log(4.0 / self.rate)
        step = 10.0 ** max(0, math.floor(math.log10(max(one_in, 1.0))) - 1)
        return (
            f"{events} rarer than 1 in {int(one_in // step * step):,} carry at least "
            f"{float(self.carried[k]):.2g} of {unit}"
        )

    @functools.cached_property
    def refutable(self) -> Any:
        """Where claims are wrong unless rare events carry more than a floor."""
        floor = FLOOR * self.resolution
        enough = (self.effective >= FEW) & (np.abs(self.off) >= floor)
        return enough & (self.carried >= floor) if enough.any() else enough

    def compared(self, refuted: bool | NDArray[np.bool_], least: Reals) -> Comparison:
        """Compare intervals with the claims, of which those `refuted` are off by `least`."""
        half, above = self.half, self.off > 0.0
        near = np.where(refuted, np.minimum(half, np.abs(self.off) - least), half)
        low, high = self.off - np.where(above, near, half), self.off + np.where(above, half, near)
        return Comparison(self.off, 0.0, low, high, self.resolution, refuted)

    def wanted(self, means: Any = True) -> float:
        """Return the size at which intervals of `means` are narrow enough, extrapolated."""
        ratio = float(np.max(2.0 * self.half / self.resolution, initial=0.0, where=means))
        return self.n * ratio**2 if math.isfinite(ratio) else 2.0 * self.n

    def tails(self, most: float) -> Any:
        """Return where even `most` samples would be too few: effective ones grow like n at best."""
        return self.short & (self.lack * self.n > most)

    def needed(self, most: float) -> float:
        """Return the size that decides all means but those with heavy tails, 0 if unknown."""
        narrow = (2.0 * (self.plain + self.rounding) / self.resolution) ** 2
        ratio = np.maximum(narrow, self.lack)
        factor = float(np.max(ratio, initial=0.0, where=~self.tails(most)))
        return self.n * factor if math.isfinite(factor) else 0.0

    def beyond(self, most: float) -> bool:
        """Whether only heavy-tailed means are open, and `most` samples would leave one open.

        Widened intervals shrink like 1/n.
        """
        narrow = 2.0 * self.half <= self.resolution
        at_most = 2.0 * self.half * self.n <= most * self.resolution
        return bool((narrow | self.short).all() and (self.tails(most) & ~at_most).any())

    def assumptions(self, noun: str) -> tuple[str, ...]:
        """Return what the error rate assumes of tails; a mean is that of one `noun`."""
        if self.fixed:
            return ("draws that agree in every bit are one fixed map",)
        limit = kurtosis_limit(self.n, self._paid, float(np.max(self._allowance)))
        own = float(np.max(self.n / self.effective[self.effective > 0.0], initial=1.0))
        lines = [
            f"the kurtosis of one sample is at most {limit:.4g}; the samples show at most {own:.3g}"
        ]
        if self.short.any():
            few, n = max(1, int(self.effective[self.short].min())), int(self.short.sum())
            lines.append(
                f"{FEW_EFFECTIVE} (as if {counted(few, 'sample')} at the worst of "
                f"{counted(n, noun)}): their intervals are widened and hold only in the limit"
            )
        return tuple(lines)

    def statistics(self, *, shared: bool, block: int = 1, fresh: Look | None = None) -> Statistics:
        """Return what decided; `shared`: bets on squared lengths have half of the error rate."""
        plan: dict[str, Any] = {"n": self.n, "block": block, "look": self.number}
        plan |= {"fixed": self.fixed, "rounding": self.rounding, "shared": shared}
        tests = {"sums": self.sums}
        if self.ends is not None:
            tests["ends"] = np.stack(self.ends)
        if fresh is not None:
            plan["fresh"], tests["fresh_sums"] = fresh.n, fresh.sums
        return Statistics("self normalised", plan, tests)


def means_of_bounded_kurtosis(
    x: Array, claim: Array, resolution: float, rate: float, miss: float
) -> Measurement:
    """Return intervals of means, from samples (n, means) of a number that was fixed before."""
    size = np.abs(x).max(axis=0)
    if not ((size == 0.0) | ((size > 1e-60) & (size < 1e60))).all():
        raise ValueError(
            f"samples reach {size.max():.3g} in one column and {size.min():.3g} in one: scale "
            "them, so that fourth powers are floats"
        )
    n, centre = len(x), x.mean(axis=0)
    gaps, about = x - centre, x - claim
    # Samples that differ by rounding only count as constant.
    squares, fourths = (gaps**2).sum(axis=0), (gaps**4).sum(axis=0)
    fourths = fourths * (squares > n * (1e-15 * size) ** 2)
    ends = about.min(axis=0), about.max(axis=0)
    sums, centred = power_sums(about), (squares, fourths)
    look = Look(n, sums, rate, resolution, ends=ends, centred=centred)
    compared = look.compared(look.refutable, look.carried)
    worst, unless, note = compared.worst, "", ""
    if compared.refuted[worst]:
        unless = look.unless(worst, "samples", f"the {abs(look.off[worst]):.2g} by which it is off")
    elif compared.outside[worst] and not look.effective[worst]:
        rarest = min(1.0, -math.log(rate) / n)
        note = (
            f"All {counted(n, 'sample')} agree: an event rarer than {rarest:.2g} could make "
            "the claim right. Declare variance= or bounds=."
        )
    elif compared.outside[worst]:
        note = (
            "The mean is off, but few large samples decide it, and nothing bounds what was not "
            "seen. Declare variance= or bounds=, or take more samples."
        )
    elif look.short[worst]:
        note = f"{FEW_EFFECTIVE.capitalize()}: declare variance= or bounds=."
    return Measurement(
        observed=centre,
        low=claim + compared.low,
        high=claim + compared.high,
        detectable=float(look.detectable(miss).max()),
        method=KURTOSIS,
        assumptions=() if unless else look.assumptions("mean"),
        may_refute=look.refutable,
        unless=unless,
        note=note,
        statistics=(look.statistics(shared=False, block=n),),
    )
