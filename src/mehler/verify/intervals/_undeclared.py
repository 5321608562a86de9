r"""Intervals for means of samples without a declared variance or range, and refutations.

A claim *holds* by intervals that assume a bounded kurtosis E(X - mu)^4/s^4 of samples X of mean mu
and variance s^2. Two ways refute it, at half of the error rate each. Squared lengths of features
are at least 0, so bets on them refute features that are too long. Any other deviation may be due to
events too rare to be in the sample: it is a *suspicion*, which fresh draws have to confirm, of a
number fixed then: more than the first ones, and so many that events of probability 1e-4 occur nine
times of ten. The k-th suspicion has the rate over 2^k. Proofs are in docs/guarantees.md.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._plural import be, counted
from mehler._validate import require_positive, require_probability
from mehler.verify._arguments import sample_vector
from mehler.verify._measurement import ExcessLength, Measurement, Task
from mehler.verify._sources import CANCELLED, CentralSums, Reals, about, power_sums
from mehler.verify._verdict import FEW_EFFECTIVE, FLOOR, Comparison, Statistics
from mehler.verify.intervals._range import FORMS, KAPPA, SHARES, SquaredLengths, halved, log_wealth

KURTOSIS = "bounded kurtosis (self-normalised)"

# Relative shortfalls t of sum (X_i - mu)^2 below n s^2 that intervals allow for, and the SHARE of
# the error rate spent on larger ones.
COARSE, FINE, SHARE = 0.5, 0.25, 0.125
# Grids of stakes lambda and of distances from the mean, in units of a scale; bisections between.
BETS, _GRID, _HALVINGS = 2.0 ** np.arange(-20, 9), 2.0 ** np.arange(-34.0, 15.0), 20
# Intervals are not widened where the kurtosis limit is this many times the samples' own kurtosis;
# with fewer than FEW effective samples, n over their kurtosis, nothing is refuted.
MARGIN, FEW = 5.0, 100.0
# The kurtosis allowed where intervals are looked at; first size of suspicions, and ratio of sizes.
_LEAST_KURTOSIS, _FIRST, _STEP = 20.0, 64, 1.25
# Most samples, relative to the size that the first intervals ask for; relative to the least size if
# tails are too heavy to decide, more for squares; inspections and draws that come before that.
_PATIENCE, _TAIL_PATIENCE, _LONG_PATIENCE, _LEAST_LOOKS, _LEAST_DRAWS = 4.0, 16.0, 64.0, 4, 1_000
# Least fresh events: a map that hides in events of probability p is refuted at (1 - p)^LEAST.
LEAST = 24_000
# How many times the samples a suspicion takes to be tested again. Fresh draws suffice once unseen
# events carry so much of a deviation, or at so many first draws.
_AGAIN, _CARRIED, _TIMES = 2.0, 0.5, 64.0


def shortfall(t: float) -> float:
    return (1.0 - t) * math.log1p(-t) + t  # h(t) of `self_normalised`


def kurtosis_limit(n: float, false_alarm: float, t: float) -> float:
    """Return the kurtosis up to which P(sum of squares <= (1 - t) n s^2) is below `false_alarm`."""
    return n * shortfall(t) / -math.log(false_alarm)


def least_samples(rate: float) -> int:
    """Return the number of samples from which on a kurtosis of `_LEAST_KURTOSIS` is allowed."""
    return math.ceil(_LEAST_KURTOSIS * -math.log(0.25 * SHARE * rate) / shortfall(COARSE))


@np.errstate(under="ignore")
def half_widths(n: int, squares: Reals, cost: float, t: Reals, scale: float) -> Any:
    """Return the distance from the mean of n samples to every m not excluded, elementwise.

    `squares` is sum (X_i - mean)^2 and `cost` log(2/alpha); infinite where n is too small.
    """
    squares = np.asarray(squares, dtype=np.float64)
    share = 1.0 / 6.0 + 1.0 / (3.0 * (1.0 - np.asarray(t)))
    threshold = cost + math.log(BETS.size)
    bets = (BETS / scale)[(slice(None),) + (None,) * squares.ndim]

    def is_excluded(d: Array) -> Any:
        # At the claim m = mean - d, sum (X_i - m)^2 = squares + n d^2.
        best = bets * (n * d) - bets**2 * (share * (squares + n * d * d))
        return np.logaddexp.reduce(best, axis=0) >= threshold

    steps = np.stack([is_excluded(scale * step * np.ones(squares.shape)) for step in _GRID])
    first = np.argmax(steps, axis=0)
    far = scale * _GRID[first]
    _, far = halved(is_excluded, np.where(first > 0, 0.5 * far, 0.0), far, _HALVINGS)
    return np.where(steps.any(axis=0), far, np.inf)


def self_normalised(
    samples: Array, false_alarm: float, *, scale: float = 1.0
) -> tuple[float, float]:
    r"""Return an interval for a mean from samples of unknown variance and bounded kurtosis.

    The means m at which neither wealth, a sum below, has reached :math:`2/\alpha'`, with
    :math:`\alpha' = 7\alpha/8`, K bets :math:`\lambda_k` and :math:`c_t = 1/6 + 1/(3(1-t))`:

    .. math:: \frac1K \sum_{k\le K} \exp\Big(\pm\lambda_k \sum_i (X_i - m)
              - \lambda_k^2 c_t \sum_i (X_i - m)^2\Big) < \frac{2}{\alpha'}

    Parameters
    ----------
    samples : array, shape (n,)
        Independent samples of one law; n fixed in advance.
    false_alarm : float
        alpha, the probability that the interval misses the mean if the kurtosis
        :math:`E(X-\mu)^4/\sigma^4` is at most :math:`n h(\tfrac12)/\log(8/\alpha)`,
        :math:`h(t) = (1-t)\log(1-t) + t`: an assumption that no sample can prove.
    scale : float
        Order of the deviation of interest, fixed before the samples; standard deviations from a
        hundredth of it to ten thousand times it are served equally well.

    Returns
    -------
    low, high : float
        Ends of the interval, infinite where n is too small; half width about
        sqrt(4 c (log(2/alpha) + 3.5) s^2/n), c = 5/6 at t = 1/2.

    References
    ----------
    B. Delyon, Exponential inequalities for sums of weakly dependent variables, Electron. J.
    Probab. 14 (2009), Section 3.

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
    half = float(half_widths(x.size, float(((x - centre) ** 2).sum()), cost, COARSE, scale))
    return centre - half, centre + half


@np.errstate(over="ignore", under="ignore", invalid="ignore")
def contribution(
    n: float, sums: Any, rate: float, scale: float, ends: tuple[Any, Any] | None = None
) -> Any:
    """Return how much rare events must contribute to each mean for its claim to be right.

    `sums` are about the claims; `ends` are the least and the largest gap, where at hand.
    """
    moments, threshold = CentralSums(n, sums), math.log(4.0 / rate)
    sign, mean = np.where(sums[0] < 0.0, -1.0, 1.0), np.abs(moments.mean)
    largest = sums[3] ** 0.25
    if ends is not None:
        largest = np.where(sums[0] < 0.0, ends[1], -np.asarray(ends[0]))
    stakes = (BETS / scale)[(slice(None),) + (None,) * mean.ndim]

    def is_excluded(theta: Array) -> Any:
        wealth = log_wealth(stakes, n, mean - theta, moments.at(mean - theta, sign), KAPPA[0])
        wealth = np.where(stakes * (largest + theta) <= SHARES[0], wealth, -np.inf)
        return np.logaddexp.reduce(wealth, axis=0) >= threshold + math.log(BETS.size)

    return halved(is_excluded, mean, np.zeros(mean.shape), _HALVINGS)[1]


@dataclass
class Look:
    """A look, one inspection of n samples: intervals of the deviations of means from their claims.

    `sums` are power sums of samples minus claims, `number` counts inspections from 1, None if n was
    fixed before; `fixed` says that all draws are one map; `ends` are the least and the largest
    sample minus claim; `centred` are sums of squares and fourth powers about the mean, where `sums`
    lose them. `effective` samples are n over the kurtosis, 0 where all agree to rounding. Where
    they are too few, `short`, by a factor `lack`, intervals are widened.
    """

    n: int
    sums: NDArray[np.float64]
    rate: float
    resolution: float
    rounding: float = 0.0
    number: int | None = None
    fixed: bool = False
    ends: tuple[Any, Any] | None = None
    centred: tuple[Any, Any] | None = None

    def __post_init__(self) -> None:
        n, moments = self.n, CentralSums(self.n, self.sums)
        self.deviation = moments.mean
        self.squares, fourths = self.centred or (moments.squares, moments.fourths)
        varies = np.asarray(fourths > 0.0)
        if self.centred is None:
            rounded = n * (self.rounding**2 + 1e-24) + CANCELLED * math.sqrt(n) * self.sums[1]
            varies = varies & (self.squares > rounded)
        zeros = np.zeros_like(self.squares)
        self.effective = np.divide(self.squares**2, fourths, out=zeros, where=varies)
        # The error rate spent on the sum of squares, at each of the two shortfalls.
        number = self.number
        self._square_rate = SHARE * self.rate / (2.0 * (number * (number + 1.0) if number else 1.0))
        fine, coarse = (MARGIN / kurtosis_limit(1.0, self._square_rate, t) for t in (FINE, COARSE))
        is_fine = self.effective >= fine
        self._allowance = np.where(is_fine, FINE, COARSE)
        least = np.where(is_fine, fine, coarse)
        self.short = (self.effective > 0.0) & (self.effective < least) & (not self.fixed)
        self.lack = np.where(self.short, least / np.maximum(self.effective, 1.0), 1.0)

    def recentre(self, sums: Any) -> Look:
        """Return this look by power sums about a point near the mean, which lose fewer digits."""
        # Moving a sample by d rounds its fourth power by 64 eps d^4 at most: five terms, of 16 d^4.
        near, rounded = CentralSums(self.n, sums), CANCELLED * self.n * self.deviation**4
        return replace(self, centred=(near.squares, near.fourths + rounded))

    def agrees(self, fresh: Look) -> bool:
        both = self.refutable & fresh.refutable
        return bool((both & (self.deviation * fresh.deviation > 0.0)).any())

    def half_at(self, rate: float) -> Any:
        cost = math.log(2.0 / ((1.0 - SHARE) * rate))
        return half_widths(self.n, self.squares, cost, self._allowance, self.resolution)

    @functools.cached_property
    def half(self) -> Any:
        return self.half_at(self.rate) * np.sqrt(self.lack) + self.rounding

    def detectable(self, miss: float) -> float:
        """Return the deviation at which claims are excluded except with probability `miss`."""
        return float(np.max(self.half + self.half_at(miss) * np.sqrt(self.lack) + self.rounding))

    @functools.cached_property
    def contribution(self) -> Any:
        return contribution(self.n, self.sums, self.rate, self.resolution, self.ends)

    @functools.cached_property
    def refutable(self) -> Any:
        """A mask of claims that are wrong unless rare events contribute more than a floor."""
        floor = FLOOR * self.resolution
        ample = (self.effective >= FEW) & (np.abs(self.deviation) >= floor)
        return ample & (self.contribution >= floor) if ample.any() else ample

    def unless(self, k: int, events: str, unit: str) -> str:
        """Say how much rare events would have to contribute for the claim of mean k to be right."""
        one_in = self.n / math.log(4.0 / self.rate)
        step = 10.0 ** max(0, math.floor(math.log10(max(one_in, 1.0))) - 1)
        return (
            f"{events} rarer than 1 in {int(one_in // step * step):,} carry at least "
            f"{float(self.contribution[k]):.2g} of {unit}"
        )

    def comparison(self, refuted: bool | NDArray[np.bool_], least: Reals) -> Comparison:
        """Compare intervals with claims; `refuted` ones deviate by at least `least`."""
        half, deviation, above = self.half, self.deviation, self.deviation > 0.0
        near = np.where(refuted, np.minimum(half, np.abs(deviation) - least), half)
        low, high = deviation - np.where(above, near, half), deviation + np.where(above, half, near)
        return Comparison(deviation, 0.0, low, high, self.resolution, refuted)

    def forecast(self, means: Any = True) -> float:
        """Return the size at which intervals of `means` are narrow enough, extrapolated."""
        ratio = float(np.max(2.0 * self.half / self.resolution, initial=0.0, where=means))
        return self.n * ratio**2 if math.isfinite(ratio) else 2.0 * self.n

    def sufficient_size(self) -> int:
        """Return about how many samples decide; 0 where these have heavy tails, or none varies."""
        if (self.effective * _LEAST_KURTOSIS < self.n).any():
            return 0
        cost = math.log(2.0 * BETS.size / ((1.0 - SHARE) * self.rate))
        share = 1.0 / 6.0 + 1.0 / (3.0 * (1.0 - COARSE))
        # Half widths are sqrt(4 share cost/n) standard deviations, a fifth more for the grid.
        spread = float(np.max(self.squares)) / self.n * 19.2 * share * cost / self.resolution**2
        return math.ceil(max(least_samples(self.rate), self.n * float(np.max(self.lack)), spread))

    def tails(self, most: float) -> Any:
        """Mask the means for which `most` samples would be too few: `effective` grows like n."""
        return self.short & (self.lack * self.n > most)

    def beyond(self, most: float) -> bool:
        """Whether only heavy-tailed means are open, and `most` samples would leave one open."""
        # Widened intervals shrink like 1/n.
        narrow = 2.0 * self.half <= self.resolution
        at_most = 2.0 * self.half * self.n <= most * self.resolution
        return bool((narrow | self.short).all() and (self.tails(most) & ~at_most).any())

    def assumptions(self, noun: str) -> tuple[str, ...]:
        """Return the assumptions of the error rate on tails; a mean is that of one `noun`."""
        if self.fixed:
            return ("draws that agree in every bit are one fixed map",)
        limit = kurtosis_limit(self.n, self._square_rate, float(np.max(self._allowance)))
        most = float(np.max(self.n / self.effective[self.effective > 0.0], initial=1.0))
        text = f"the kurtosis of one sample is at most {limit:.4g}; the samples show at most"
        lines = [f"{text} {most:.3g}"]
        if self.short.any():
            few = counted(max(1, int(self.effective[self.short].min())), "sample")
            at = f"{few} at the worst of {counted(int(self.short.sum()), noun)}"
            rest = "their intervals are widened and hold only in the limit"
            lines.append(f"{FEW_EFFECTIVE} (as if {at}): {rest}")
        return tuple(lines)

    def statistics(self, *, shared: bool, block: int = 1, fresh: Look | None = None) -> Statistics:
        plan: dict[str, Any] = {"n": self.n, "block": block, "look": self.number}
        plan |= {"fixed": self.fixed, "rounding": self.rounding, "shared": shared}
        tests = {"sums": self.sums}
        if self.ends is not None:
            tests["ends"] = np.stack(self.ends)
        if fresh is not None:
            plan["fresh"], tests["fresh_sums"] = fresh.n, fresh.sums
        return Statistics("self normalised", plan, tests)

    def measurement(
        self, claim: Array, miss: float, events: str, noun: str, unit: str = "", block: int = 1
    ) -> Measurement:
        """Return the measurement from given samples, whose number was fixed in advance."""
        comparison = self.comparison(self.refutable, self.contribution)
        worst, unless, note = comparison.worst, "", ""
        shared, remedy = bool(unit), " Declare variance= or bounds=, or take more samples."
        if shared:
            remedy = " Take more samples, or products as samples, with variance= or bounds=."
        if comparison.refuted[worst]:
            unit = unit or f"the {abs(self.deviation[worst]):.2g} by which it is off"
            unless = self.unless(worst, events, unit)
        elif comparison.outside[worst] and not self.effective[worst]:
            rarest = min(1.0, -math.log(self.rate) / self.n)
            note = f"All {counted(self.n, 'sample')} agree: an event rarer than {rarest:.2g} could "
            note += f"make the claim right.{remedy.replace(', or take more samples', '')}"
        elif comparison.outside[worst] or self.short[worst]:
            lead = f"The {noun} is off, but few" if comparison.outside[worst] else "Few"
            note = f"{lead} large samples decide it, and nothing bounds what was not seen.{remedy}"
        return Measurement(
            observed=claim + self.deviation,
            low=claim + comparison.low,
            high=claim + comparison.high,
            detectable=self.detectable(miss),
            method=KURTOSIS,
            assumptions=() if unless else self.assumptions(noun),
            may_refute=comparison.refuted,
            need=self.sufficient_size(),
            unless=unless,
            note=note,
            statistics=(self.statistics(shared=shared, block=block),),
        )


def means_of_bounded_kurtosis(
    x: Array, claim: Array, resolution: float, rate: float, miss: float
) -> Measurement:
    """Return intervals of means, from samples (n, means) of a number that was fixed before."""
    size = np.abs(x).max(axis=0)
    if not ((size == 0.0) | ((size > 1e-60) & (size < 1e60))).all():
        text = f"samples reach {size.max():.3g} in one column and {size.min():.3g} in one"
        raise ValueError(f"{text}, whose fourth powers overflow or underflow: scale them")
    n, centre = len(x), x.mean(axis=0)
    gaps, about_claim = x - centre, x - claim
    # Samples that differ by rounding only count as constant.
    squares, fourths = (gaps**2).sum(axis=0), (gaps**4).sum(axis=0)
    fourths = fourths * (squares > n * (1e-15 * size) ** 2)
    ends = about_claim.min(axis=0), about_claim.max(axis=0)
    sums, centred = power_sums(about_claim), (squares, fourths)
    look = Look(n, sums, rate, resolution, ends=ends, centred=centred)
    return replace(look.measurement(claim, miss, "samples", "mean", block=n), observed=centre)


class _Run:
    """The state of `measure_undeclared`: samples so far, inspections, suspicions, confirmation."""

    def __init__(self, task: Task, least: int | None) -> None:
        source, lengths = task.source, task.source.lengths()
        self.task, self.source = task, source
        self.bets = None if lengths is None else SquaredLengths(*lengths)
        self.rate = task.rate * (0.5 if self.bets else 1.0)
        self.n_bets = self.bets.n_bets if self.bets else 0
        # The logarithm of the wealth that refutes.
        self.threshold = math.log(2.0 * max(1, self.n_bets) / task.options.false_alarm)
        self.affordable, self.start = task.affordable(2**52), least_samples(self.rate)
        self.first = self.start if least is None else least
        self.least_fresh = -(-LEAST // source.group)
        self.patience = (_TAIL_PATIENCE if least is None else _LONG_PATIENCE) * self.start
        self.sums, self.draws, self.number, self.attempts = np.zeros((4, task.n)), 0, 0, 0
        # Draws that are forecast, and those that would confirm a suspicion.
        self.total, self.need = 0.0, 0
        self.excess_length: ExcessLength | None = None
        self.fresh: Look | None = None
        self.unconfirmed, self._opening, self._repeats = "", np.empty(0), True
        # Sums about a mean so far from its claim that those about the claim lose fourth powers.
        self._centre: Any = None
        self._near: Any = 0.0

    @property
    def n(self) -> int:
        return self.draws * self.source.per_draw

    @property
    def over(self) -> bool:
        finite = bool(np.isfinite(self.sums).all())
        return self.excess_length is not None or not finite or self.task.clock.over

    def draw_until(self, target: int) -> None:
        """Draw until a size is reached, a bet is won, or time is over."""
        while self.draws < target:
            sums, values, *lengths = self.source.of_draw(self.task.item(self.draws, self.total))
            self._opening = values if self.draws == 0 else self._opening
            self._repeats = self._repeats and np.array_equal(values, self._opening)
            self.sums = self.sums + sums
            if self._centre is not None:
                self._near = self._near + about(self._centre, self.source.per_draw, sums)
            self.draws += 1
            if self.bets is not None and np.isfinite(self.sums).all():
                self.bets.bet(*lengths)
                # Inspections of bets are free: take them often at first, then each sixteenth part.
                if self.draws % max(1, self.draws // 16) == 0:
                    self.excess_length = self.bets.excess_length(self.threshold, self.task.floor)
            if self.over:
                return

    def look(self) -> Look:
        # Draws that agree in every bit, and not in zeros alone, as rare events do, are one map.
        fixed = self._repeats and self.draws > 1 and bool(np.any(self._opening))
        fixed = fixed and self.source.per_draw == 1
        return self._look(self.n, self.sums, self.rate, self.number + 1, fixed)

    def _look(self, n: int, sums: Any, rate: float, *rest: Any) -> Look:
        if self.source.is_bound and n:
            # Power sums about the mean where that is less than a claim of `at most`.
            sums = about(np.minimum(sums[0] / n, 0.0), n, sums)
        return Look(n, sums, rate, self.task.resolution, self.task.rounding, *rest)

    def is_sure(self, look: Look) -> bool:
        """Whether all draws agree and are so many that no other map is to be expected."""
        return look.fixed and self.draws >= self.least_fresh

    def confirm(self, look: Look) -> Look:
        """Draw fresh samples for the suspicions of a look; keep them as `fresh` if they agree."""
        n, draws, first = self.n, self.draws, self.sums
        size = self._confirming(look)
        suspicion = f"A mean is off in the first {counted(draws, 'draw')}, and"
        few = f"too few draws are allowed to confirm it, which takes {counted(size, 'fresh draw')}"
        self.unconfirmed = f"{suspicion} {few}"
        self.attempts, self.need = self.attempts + 1, draws + size
        self._centre, self._near = look.deviation, np.zeros((4, 1))
        self.draw_until(min(self.affordable, draws + size))
        look, fresh_draws = self.look(), self.draws - draws
        if self.over:
            return look
        fresh = self._look(self.n - n, self.sums - first, self.rate / 2.0**self.attempts)
        if not look.agrees(fresh) and not self.source.is_bound:
            look = look.recentre(self._near + about(self._centre, n, first))
            fresh = fresh.recentre(self._near)
        if 2 * fresh.n >= self.n and fresh.n >= self.least_fresh and look.agrees(fresh):
            self.fresh = fresh
        elif fresh_draws >= size:
            fresh_text = counted(fresh_draws, "fresh draw")
            self.unconfirmed, self.need = f"{suspicion} {fresh_text} do not confirm it", 0
        return look

    def _confirming(self, look: Look) -> int:
        """Return the number of fresh draws that confirm a suspicion."""
        refuted, draws = look.refutable, self.draws
        sums, deviation = look.sums[:, refuted], np.abs(look.deviation[refuted])
        size = float(max(1.5 * draws, -(-self.least_fresh // self.source.per_draw)))
        while size < _TIMES * draws:
            times = size / draws
            rest = contribution(look.n * times, sums * times, look.rate, look.resolution)
            if (rest >= _CARRIED * deviation).any():
                break
            size *= 1.25
        return math.ceil(size)

    def note(self, look: Look, comparison: Comparison) -> str:
        """Return why a deviating or open mean is not refuted, and the remedy; else no text."""
        source, task = self.source, self.task
        open_, tails = comparison.outside & ~comparison.refuted, look.tails(self.patience)
        if (tails & (open_ | (comparison.width > task.resolution))).any():
            opening = "A mean is off, but few" if (open_ & tails).any() else "A mean is open: few"
            why = "large samples decide it, and nothing bounds what was not seen"
            return f"{opening} {why}; {source.remedy}."
        if self.unconfirmed:
            return f"{self.unconfirmed}; {source.remedy}, or allow more draws."
        if not open_.any():
            return ""
        if look.short.any() or look.n < FEW:
            n = counted(look.n, "sample")
            return f"A mean is off; {n} {be(look.n)} too few to refute it."
        rarest = min(1.0, math.log(2.0 * task.n / task.options.false_alarm) / look.n)
        never = f"A {source.noun} is off its claim and never varied: an event rarer than"
        return f"{never} {rarest:.2g} a sample could make it right; {source.remedy}."

    def measurement(self, look: Look) -> Measurement:
        source, bets, fresh = self.source, self.bets, self.fresh
        refuted, unless = np.full(self.task.n, self.is_sure(look)), ""
        comparison, assumptions = look.comparison(refuted, 0.0), look.assumptions(source.noun)
        if fresh is not None:
            refuted = fresh.refutable & (fresh.deviation * look.deviation > 0.0)
            comparison, assumptions = look.comparison(refuted, fresh.contribution), ()
            worst = comparison.worst
            unless = fresh.unless(worst, source.events, source.unit_text(worst))
        if self.excess_length is not None:
            assumptions = (f"nothing else: {source.squares} are not negative",)
        rest = bets.statistics(self.task.floor) if bets else ()
        statistics = look.statistics(shared=bets is not None, block=source.per_draw, fresh=fresh)
        finite = bool(np.isfinite(look.half).all())
        size = look.forecast(~look.tails(self.patience)) if finite else 0.0
        return Measurement(
            observed=source.claim + look.deviation,
            low=source.claim + comparison.low,
            high=source.claim + comparison.high,
            n_draws=self.draws,
            n_intervals=self.task.n + self.n_bets,
            detectable=look.detectable(self.task.options.miss),
            need=max(self.need, math.ceil(max(self.start, size) / source.per_draw)),
            method=KURTOSIS if self.excess_length is None else FORMS,
            assumptions=assumptions,
            may_refute=refuted,
            excess_length=self.excess_length,
            unless=unless,
            note=self.note(look, comparison),
            statistics=(statistics, *rest),
        )


def measure_undeclared(task: Task, *, least: int | None = None) -> Measurement:
    """Return intervals of means; draw until one refutes, all are narrow, or more would not help.

    Intervals are inspected from `least` samples on, by default where a kurtosis of 20 is allowed.
    """
    run, per_draw, again, most = _Run(task, least), task.source.per_draw, 0.0, math.inf
    target = min(run.affordable, -(-_FIRST // per_draw))
    while True:
        run.draw_until(target)
        look = run.look()
        is_last = run.draws >= run.affordable or run.over
        # Squares settle late: a forecast from their first ones is far too long.
        if least is None and not look.tails(run.patience).any():
            run.total = look.forecast() / per_draw
        if not is_last and run.n >= again and look.refutable.any():
            look = run.confirm(look)
            if run.over or run.fresh is not None:
                break
            again, is_last = _AGAIN * run.n, run.draws >= run.affordable
        if run.n >= run.first or is_last:
            run.number += 1
            is_sure = run.is_sure(look)
            if is_last or look.comparison(is_sure, 0.0).status != "inconclusive":
                break
            if look.fixed and not is_sure:
                target = min(run.affordable, run.least_fresh)
                continue
            if math.isinf(most) and np.isfinite(look.half).all():
                most = _PATIENCE * max(run.start, look.forecast(~look.short))
                least_most = max(run.patience, _LEAST_DRAWS * per_draw)
                most = max(most, min(_PATIENCE * look.forecast(), least_most))
            if run.n >= most or (run.number >= _LEAST_LOOKS and look.beyond(run.patience)):
                break
        target = min(run.affordable, math.ceil(_STEP * run.draws))
        if run.n < run.first:
            target = min(target, -(-run.first // per_draw))
    return run.measurement(look)
