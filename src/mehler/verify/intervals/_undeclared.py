"""Means of samples of which nothing is declared, at growing sizes.

Bets on squared lengths refute what is too large, intervals under a bounded kurtosis say what holds.
A mean that the samples so far refute is a suspicion only: it is confirmed on fresh draws, whose
number is then fixed, so that the error rate is theirs, whatever the first draws showed. The k-th
suspicion has the rate over 2^k. They are more than the first ones, and so many that events of
probability 1e-4 are seen nine times of ten.

Of samples that are symmetric about their mean no moments are assumed. For D symmetric about 0 and
every lambda, E exp(lambda D - lambda^2 D^2/2) <= 1, since cosh(x) <= exp(x^2/2). So

    exp(+-lambda sum D_i - (lambda^2/2) sum D_i^2)

are nonnegative supermartingales, and so is their mean over fixed lambdas (de la Pena 1999): at
any time it has ever reached 2/alpha with probability at most alpha/2 on either side.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler._plural import be, counted
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import Comparison
from mehler.verify.intervals._kurtosis import (
    COARSE,
    FEW,
    KURTOSIS,
    SHARE,
    Look,
    Unseen,
    half_widths,
    shortfall,
)
from mehler.verify.intervals._measurement import Evidence, Measurement, Task
from mehler.verify.intervals._nonnegative import FORMS, SquaredLengths, sums_and_differences
from mehler.verify.sampling._pairs import Pairs
from mehler.verify.sampling._sources import (
    Columns,
    Estimates,
    PairSource,
    Repeats,
    about,
    both,
    estimate_and_lengths,
    power_sums,
)

SYMMETRY = "symmetric differences (self-normalised)"

# Limit of the kurtosis from which on intervals are looked at; a mean of ten features or more is far
# below it.
_LEAST_KURTOSIS = 20.0
# First size at which a suspicion is looked for, and the ratio of successive sizes.
_FIRST, _STEP = 64, 1.25
# Most samples relative to the size that the first intervals ask for, and to the least one if tails
# are too heavy to be decided, after a few inspections; longer for squares, whose tails are heavier.
_PATIENCE, _TAIL_PATIENCE, _LONG_PATIENCE, _LEAST_LOOKS = 4.0, 16.0, 64.0, 4
# Least draws before giving up on heavy tails; where a draw has many samples, draws are cheap.
_LEAST_DRAWS = 1_000

# Least fresh events that confirm a suspicion: a correct map that hides a part of its claim in
# events of probability p is refuted if none is among them, at a chance of (1 - p)^LEAST.
LEAST = 24_000
# How many times the samples a suspicion takes to be tested again.
_AGAIN = 2.0
# Fresh draws suffice once unseen events would have to carry this fraction of the deviation, or at
# so many times the first draws.
_CARRIED, _TIMES = 0.5, 64.0


def least_samples(rate: float) -> int:
    """Return the size from which on the kurtosis of `_LEAST_KURTOSIS` is allowed."""
    return math.ceil(_LEAST_KURTOSIS * -math.log(0.25 * SHARE * rate) / shortfall(COARSE))


def expected_samples(variance: float, rate: float, resolution: float) -> float:
    """Return the size at which intervals are narrow, of samples without heavy tails.

    Half widths sqrt(4 c (log(1/rate) + 3.5) v/n), c = 0.7, are half of the resolution.
    """
    return 11.0 * (3.5 - math.log(rate)) * variance / resolution**2


class Lengths:
    """What a draw shows, power sums of deviations, and the squared lengths that are bet on."""

    bets: SquaredLengths | None = None
    block = 0

    def __init__(self, task: Task) -> None:
        self.source, self.repeats = task.source, Repeats()

    def of_draw(self, phi: Any) -> tuple[Any, ...]:
        """Return power sums of a draw, and squared lengths with their size."""
        return (self.source.sums(phi),)

    def add(self, sums: Array, *lengths: Array) -> Any:
        """Bet on the lengths of a draw; return its power sums."""
        self.repeats.add(sums)
        return sums

    def evidence(self, level: float, floor: float) -> Evidence | None:
        """Return the lengths that win."""
        return self.bets.evidence(level, floor) if self.bets else None


class OwnLengths(Lengths):
    """Samples that are not negative themselves."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        everything = np.arange(task.n)
        # Betting against a larger claim is conservative; a claim of 0 admits no bets.
        claims = np.maximum(task.source.claim, 1e-3 * task.resolution)
        self.bets = SquaredLengths(claims, everything[None], 0.0, "each is not negative")

    def of_draw(self, phi: Any) -> tuple[Any, ...]:
        x = np.concatenate([self.source.samples(phi, at) for at in self.source.blocks()], axis=1)
        return power_sums(x - self.source.claim), x

    def add(self, sums: Array, *lengths: Array) -> Any:
        if self.bets and np.isfinite(sums).all():
            self.bets.add(lengths[0], lengths[0])
        return sums


# Features that are averaged before a bet on them, and most elements of all averages of a draw.
_TOGETHER, _MOST_AVERAGES = 4, 1 << 21


class PairLengths(Lengths):
    """|u + v|^2 and |u - v|^2 at all pairs, u and v the features over sqrt(k(x,x)), sqrt(k(y,y)).

    A stake on a whole draw is limited by its claim, not by how little it varies: of independent
    features four are averaged, and bet on.
    """

    source: PairSource

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        pairs = self.source.pairs
        claims = sums_and_differences(pairs.squares, pairs.claim)
        named = "|u {} v|^2, u = phi(x)/sqrt(k(x,x)), v = phi(y)/sqrt(k(y,y))"
        index = np.stack([pairs.first, pairs.second])
        self.bets = SquaredLengths(claims, index, task.rounding, named)
        if isinstance(self.source, Columns):
            elements = 2 * pairs.n * self.source.per_draw
            self.block = max(_TOGETHER, math.ceil(elements / _MOST_AVERAGES))

    def of_draw(self, phi: Any) -> tuple[Any, ...]:
        cross, left, right = products_of(phi, self.source, self.source.pairs, self.block)
        pairs = self.source.pairs
        whole = left[:, pairs.first] + right[:, pairs.second]
        if isinstance(self.source, Estimates):
            return power_sums(cross - self.source.claim), cross, whole
        return self.source.sums(phi), cross, whole

    def add(self, sums: Array, *lengths: Array) -> Any:
        cross, whole = lengths
        self.repeats.add(cross)
        if self.bets and np.isfinite(sums).all():
            self.bets.add(sums_and_differences(whole, cross), np.tile(whole, 2))
        return sums


def products_of(
    phi: Callable[..., Any], source: PairSource, pairs: Pairs, block: int
) -> tuple[Any, Any, Any]:
    """Return means of <u, v> at the pairs and of |u|^2 of the rows of either side.

    In units of the claim, over blocks of features or the whole draw: (blocks, pairs), (blocks, n).
    """
    if not block:
        gram, left, right = estimate_and_lengths(phi, pairs, source.n_features)
        cross = pairs.pick(gram) / pairs.unit
        squares = left / pairs.left.unit**2, right / pairs.right.unit**2
        return cross[None], squares[0][None], squares[1][None]
    u, v = both(phi, pairs, source.n_features)
    u, v = (
        z.T * math.sqrt(z.shape[1]) / rows.unit for z, rows in ((u, pairs.left), (v, pairs.right))
    )
    starts = np.arange(0, source.n_features, block)
    sizes = np.diff(np.append(starts, source.n_features))[:, None]
    parts = (u[:, pairs.first] * v[:, pairs.second], u * u, v * v)
    cross, left, right = (np.add.reduceat(part, starts, axis=0) / sizes for part in parts)
    return cross, left, right


class _Samples:
    """The samples of a task so far."""

    def __init__(self, task: Task, lengths: Lengths, level: float) -> None:
        self._task, self._lengths, self._level = task, lengths, level
        self.sums, self.draws = np.zeros((4, task.n)), 0
        self.evidence: Evidence | None = None
        self.planned: float | None = None

    @property
    def n(self) -> int:
        return self.draws * self._task.source.per_draw

    @property
    def is_finite(self) -> bool:
        return bool(np.isfinite(self.sums).all())

    @property
    def is_over(self) -> bool:
        """Whether no more draws are to be made, whatever they show."""
        return self.evidence is not None or not self.is_finite or self._task.clock.over

    def draw_until(self, target: int) -> None:
        """Draw until a size is reached, a bet is won, or time is over."""
        planned = None if self.planned is None else max(self.planned, target)
        made = self._task.results(self._lengths.of_draw, self.draws, target, planned=planned)
        with made as results:
            for result in results:
                self.sums = self.sums + self._lengths.add(*result)
                self.draws += 1
                # Inspections of bets are free: take them often at first, then each sixteenth part.
                if self.draws % max(1, self.draws // 16) == 0 and self.is_finite:
                    self.evidence = self._lengths.evidence(self._level, self._task.floor)
                if self.is_over:
                    return

    def one_sided(self, n: int, sums: Any) -> Any:
        """Return power sums, about their mean where that is less than a claim of `at most`."""
        if not self._task.source.is_bound or not n:
            return sums
        return about(np.minimum(sums[0] / n, 0.0), n, sums)

    def look(self, rate: float, number: int | None) -> Look:
        """Return the intervals."""
        task = self._task
        fixed = task.source.per_draw == 1 and self._lengths.repeats.is_fixed
        return Look(
            self.n,
            self.one_sided(self.n, self.sums),
            rate,
            task.resolution,
            task.rounding,
            number,
            fixed,
        )


def measure_undeclared(
    task: Task, lengths: Lengths | None = None, *, least: int | None = None
) -> Measurement:
    """Draw until a claim is refuted, all intervals are narrow enough, or more would not help.

    Half of the error rate is for bets on squared lengths, if there are any. `least` is the size
    from which on intervals are looked at, by default that at which the kurtosis may be large.
    """
    lengths = lengths or Lengths(task)
    per_draw, shares = task.source.per_draw, 2.0 if lengths.bets else 1.0
    rate, affordable = task.rate / shares, task.affordable(2**52)
    n_bets = lengths.bets.n_bets if lengths.bets else 0
    level = math.log(2.0 * max(1, n_bets) / task.options.false_alarm)
    start = least_samples(rate)
    first, fresh_least = start if least is None else least, -(-LEAST // task.source.group)
    patience = (_TAIL_PATIENCE if least is None else _LONG_PATIENCE) * start
    samples, number, most = _Samples(task, lengths, level), 0, math.inf
    fresh: Look | None = None
    attempts, again = 0, 0.0
    unconfirmed, target = "", min(affordable, -(-_FIRST // per_draw))
    while True:
        samples.draw_until(target)
        is_last = samples.draws >= affordable or samples.is_over
        look = samples.look(rate, number + 1)
        if samples.planned is None and samples.is_finite:
            variance = float(np.max(look.squares)) / look.n
            wanted = expected_samples(variance, rate, task.resolution)
            samples.planned = max(first, min(wanted, patience)) / per_draw
        if not is_last and samples.n >= again and look.refutable.any():
            before, sums, attempts = samples.draws, samples.sums, attempts + 1
            until = before + _confirming(task, look, before, fresh_least)
            unconfirmed = (
                f"A mean is off in the first {counted(before, 'draw')}, and too few draws are "
                f"allowed to confirm it, which takes {counted(until - before, 'fresh draw')}"
            )
            samples.draw_until(min(affordable, until))
            if samples.is_over:
                look = samples.look(rate, number + 1)
                break
            n = (samples.draws - before) * per_draw
            fresh_sums = samples.one_sided(n, samples.sums - sums)
            # The k-th attempt has the rate over 2^k.
            paid = rate / 2.0**attempts
            fresh = Look(n, fresh_sums, paid, task.resolution, task.rounding)
            agrees = look.refutable & fresh.refutable & (look.off * fresh.off > 0.0)
            look = samples.look(rate, number + 1)
            if 2 * n >= samples.n and n >= fresh_least and agrees.any():
                break
            fresh, again = None, _AGAIN * samples.n
            if samples.draws >= until:
                unconfirmed = _unconfirmed(before, samples.draws - before)
            is_last = samples.draws >= affordable
        if samples.n >= first or is_last:
            number += 1
            decided = look.compared(look.fixed, 0.0).status != "inconclusive"
            if is_last or decided:
                break
            if math.isinf(most) and np.isfinite(look.half).all():
                most = _PATIENCE * max(start, look.wanted(~look.short))
                least_most = max(patience, _LEAST_DRAWS * per_draw)
                most = max(most, min(_PATIENCE * look.wanted(), least_most))
                samples.planned = min(look.needed(math.inf), most) / per_draw
            if samples.n >= most or (number >= _LEAST_LOOKS and look.beyond(patience)):
                break
        target = min(affordable, math.ceil(_STEP * samples.draws))
        if samples.n < first:
            target = min(target, -(-first // per_draw))
    return _measured(task, samples, look, fresh, unconfirmed, lengths, patience)


def _confirming(task: Task, look: Look, draws: int, least: int) -> int:
    """Return the fresh draws that are to confirm a suspicion."""
    refuted = look.refutable
    sums, off = look.sums[:, refuted], np.abs(look.off[refuted])
    # More than the first ones, which stop when they just suffice.
    size = float(max(1.5 * draws, -(-least // task.source.per_draw)))
    while size < _TIMES * draws:
        times = size / draws
        unseen = Unseen.of(look.n * times, sums * times, look.rate, look.resolution)
        if (unseen.least >= _CARRIED * off).any():
            break
        size *= 1.25
    return math.ceil(size)


def _unconfirmed(first: int, fresh: int) -> str:
    """Say that fresh draws do not confirm a suspicion."""
    return (
        f"A mean is off in the first {counted(first, 'draw')}, and {counted(fresh, 'fresh draw')} "
        f"{'do' if fresh != 1 else 'does'} not confirm it"
    )


def _measured(
    task: Task,
    samples: _Samples,
    look: Look,
    fresh: Look | None,
    unconfirmed: str,
    lengths: Lengths,
    patience: float,
) -> Measurement:
    """Return what was measured, with what it rests on and what would decide it."""
    source, evidence = task.source, samples.evidence
    refuted, least = look.fixed & np.ones(task.n, dtype=bool), np.zeros(task.n)
    unless = ""
    if fresh is not None:
        refuted, least = fresh.refutable & (fresh.off * look.off > 0.0), fresh.unseen.least
    compared = look.compared(refuted, least)
    if fresh is not None:
        worst = compared.worst
        unit = source.unit_text(worst)
        unless = fresh.unseen.text(worst, source.events, unit)
    assumptions = look.assumptions(source.noun)
    if evidence is not None:
        assumptions = (f"nothing else: {source.lengths} are not negative",)
    elif unless:
        assumptions = ()
    bets = lengths.bets
    statistics = (
        look.statistics(shared=bets is not None, block=source.per_draw, fresh=fresh),
        *(bets.statistics(task.floor, block=lengths.block) if bets else ()),
    )
    # The samples so far cannot tell how many more a heavy tail needs.
    needed = max(least_samples(look.rate), look.needed(patience)) / source.per_draw
    missed = look.half_at(task.options.miss) * np.sqrt(look.lack) + task.rounding
    return Measurement(
        observed=source.claim + look.off,
        low=source.claim + compared.low,
        high=source.claim + compared.high,
        n_draws=samples.draws,
        n_intervals=task.n + (bets.n_bets if bets else 0),
        detectable=float(np.max(look.half + missed)),
        needed=math.ceil(needed),
        method=KURTOSIS if evidence is None else FORMS,
        assumptions=assumptions,
        may_refute=refuted,
        evidence=evidence,
        unless=unless,
        note=_note(task, samples, look, compared, unconfirmed, patience),
        statistics=statistics,
    )


def _note(
    task: Task,
    samples: _Samples,
    look: Look,
    compared: Comparison,
    unconfirmed: str,
    patience: float,
) -> str:
    """Say why an outcome is open, and what to do."""
    source, open_ = task.source, compared.outside & ~compared.refuted
    tails = look.tails(patience)
    if (tails & (open_ | (compared.width > task.resolution))).any():
        opening = "A mean is off, but few" if (open_ & tails).any() else "A mean is open: few"
        return (
            f"{opening} large samples decide it, and nothing bounds what was not seen; "
            f"{source.remedy}."
        )
    if unconfirmed:
        return f"{unconfirmed}; {source.remedy}, or allow as many draws again."
    if not open_.any():
        return ""
    if look.short.any() or samples.n < FEW:
        n = counted(samples.n, "sample")
        return f"A mean is off; {n} {be(samples.n)} too few to refute it."
    rarest = min(1.0, math.log(2.0 * task.n / task.options.false_alarm) / look.n)
    return (
        f"A {source.noun} is off its claim and never varied: an event rarer than {rarest:.2g} a "
        f"sample could make it right; {source.remedy}."
    )


def measure_symmetric(task: Task, lengths: Lengths | None = None) -> Measurement:
    """Watch means of samples that are symmetric about them; intervals are valid at all times."""
    lengths, source = lengths or Lengths(task), task.source
    samples, affordable = _Samples(task, lengths, math.inf), task.affordable(2**52)
    target, most = _FIRST, math.inf
    while True:
        samples.draw_until(min(affordable, target))
        off = samples.sums[0] / samples.n
        squares = np.maximum(samples.sums[1] - off * samples.sums[0], 0.0)

        def half_at(rate: float, squares: Any = squares) -> Any:
            # t = 0, without allowance: the bets are paid by the samples' own sum of squares.
            cost = math.log(2.0 / rate)
            half = half_widths(samples.n, squares, cost, 0.0, task.resolution)
            return half + task.rounding

        half = half_at(task.rate)
        compared = Comparison(off, 0.0, off - half, off + half, task.resolution)
        ratio = float(np.max(2.0 * half / task.resolution))
        wanted = samples.n * ratio**2 if math.isfinite(ratio) else 2.0 * samples.n
        if math.isinf(most) and math.isfinite(ratio):
            start, few = least_samples(task.rate), samples.look(task.rate, 1).effective < FEW
            sure = float(np.max(2.0 * half / task.resolution, initial=0.0, where=~few))
            most = _PATIENCE * max(start, samples.n * sure**2)
            most = max(most, min(_PATIENCE * wanted, _TAIL_PATIENCE * start))
        if samples.is_over or samples.draws >= affordable or samples.n >= most:
            break
        if compared.status != "inconclusive":
            break
        samples.planned = min(wanted, most)
        target = math.ceil(_STEP * samples.draws)
    tests = {"n": samples.n, "sums": samples.sums, "block": 1}
    plan = {"rounding": task.rounding, "shared": False}
    return Measurement(
        observed=source.claim + off,
        low=source.claim + compared.low,
        high=source.claim + compared.high,
        n_draws=samples.draws,
        n_intervals=task.n,
        detectable=float(np.max(half + half_at(task.options.miss))),
        needed=math.ceil(wanted),
        method=SYMMETRY,
        assumptions=(
            "the estimates of both maps have one law, up to a shift of their mean: then "
            "their differences are symmetric",
        ),
        statistics=(Statistics("symmetric", plan, tests),),
    )
