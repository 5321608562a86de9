"""Means of samples of which nothing is declared, at growing sizes.

Bets on squared lengths, at half of the rate, refute what is too large; intervals under a bounded
kurtosis say what holds. A mean that the samples refute otherwise is a suspicion only, at any size:
fresh draws, of a number that is then fixed, have to refute it by themselves, so that the error rate
is theirs. They are more than the first ones, and so many that events of probability 1e-4 are seen
nine times of ten. The k-th suspicion has the rate over 2^k.
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from mehler._plural import be, counted
from mehler.verify._verdict import Comparison
from mehler.verify.intervals._kurtosis import (
    COARSE,
    FEW,
    KURTOSIS,
    SHARE,
    Look,
    carried,
    shortfall,
)
from mehler.verify.intervals._measurement import Evidence, Measurement, Task
from mehler.verify.intervals._nonnegative import FORMS, SquaredLengths, sums_and_differences
from mehler.verify.sampling._power_sums import about, power_sums
from mehler.verify.sampling._sources import (
    Columns,
    Estimates,
    PairSource,
    both,
    estimate_and_lengths,
)

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

# Least fresh events: a map that hides in events of probability p is refuted at (1 - p)^LEAST.
LEAST = 24_000
# How many times the samples a suspicion takes to be tested again.
_AGAIN = 2.0
# Fresh draws suffice once unseen events carry so much of a deviation, or at so many first draws.
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
    """Power sums of the deviations of a draw, without bets."""

    bets: SquaredLengths | None = None

    def __init__(self, task: Task) -> None:
        self.source = task.source

    def of_draw(self, phi: Any) -> tuple[Any, ...]:
        """Return power sums, by what draws are told apart, and lengths to bet on with their size.

        Nothing tells draws apart where they may agree by chance.
        """
        sums = self.source.sums(phi)
        return sums, sums, (), ()


class OwnLengths(Lengths):
    """Samples that are not negative themselves."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        # Betting against a larger claim is conservative; a claim of 0 admits no bets.
        claims = np.maximum(task.source.claim, 1e-3 * task.resolution)
        everything = np.arange(task.n)[None]
        self.bets = SquaredLengths(claims, everything, 0.0, "each is not negative")

    def of_draw(self, phi: Any) -> tuple[Any, ...]:
        x = np.concatenate([self.source.samples(phi, at) for at in self.source.blocks()], axis=1)
        return power_sums(x - self.source.claim), (), x, x


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

    def of_draw(self, phi: Any) -> tuple[Any, ...]:
        source, pairs = self.source, self.source.pairs
        of = self._averages if isinstance(source, Columns) else self._whole
        cross, left, right = of(phi, source.n_features)
        squares = left[:, pairs.first] + right[:, pairs.second]
        sums = power_sums(cross - source.claim) if isinstance(source, Estimates) else None
        sums = source.sums(phi) if sums is None else sums
        return sums, cross, sums_and_differences(squares, cross), squares

    def _whole(self, phi: Any, m: int) -> tuple[Any, Any, Any]:
        """Return <u, v> at the pairs, and |u|^2 of the rows of either side."""
        pairs = self.source.pairs
        gram, left, right = estimate_and_lengths(phi, pairs, m)
        left, right = left / pairs.left.unit**2, right / pairs.right.unit**2
        return (pairs.pick(gram) / pairs.unit)[None], left[None], right[None]

    def _averages(self, phi: Any, m: int) -> tuple[Any, Any, Any]:
        """Return the same over blocks of features, one row a block."""
        pairs = self.source.pairs
        u, v = (
            z.T * math.sqrt(m) / rows.unit
            for z, rows in zip(both(phi, pairs, m), (pairs.left, pairs.right))
        )
        block = max(_TOGETHER, math.ceil(2 * pairs.n * m / _MOST_AVERAGES))
        starts = np.arange(0, m, block)
        sizes = np.diff(np.append(starts, m))[:, None]
        parts = (u[:, pairs.first] * v[:, pairs.second], u * u, v * v)
        cross, left, right = (np.add.reduceat(part, starts, axis=0) / sizes for part in parts)
        return cross, left, right


class _Samples:
    """The samples of a task so far; `level` is the logarithm of the wealth that refutes."""

    def __init__(self, task: Task, lengths: Lengths, level: float) -> None:
        self._task, self.lengths, self._level = task, lengths, level
        self.sums, self.draws, self.planned = np.zeros((4, task.n)), 0, 0.0
        self.evidence: Evidence | None = None
        self._first: Any = None
        self._repeats = True
        # Sums about a mean so far from its claim that those about the claim lose fourth powers.
        self.centre, self.near = cast(Any, None), cast(Any, 0.0)

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
        bets = self.lengths.bets
        while self.draws < target:
            phi = self._task.draw(self.draws, self.planned)
            sums, values, lengths, sizes = self.lengths.of_draw(phi)
            self._first = values if self.draws == 0 else self._first
            self._repeats = self._repeats and np.array_equal(values, self._first)
            self.sums = self.sums + sums
            if self.centre is not None:
                self.near = self.near + about(self.centre, self._task.source.per_draw, sums)
            self.draws += 1
            if bets is not None and np.isfinite(sums).all():
                bets.add(lengths, sizes)
            # Inspections of bets are free: take them often at first, then each sixteenth part.
            if bets and self.draws % max(1, self.draws // 16) == 0 and self.is_finite:
                self.evidence = bets.evidence(self._level, self._task.floor)
            if self.is_over:
                return

    def look(
        self, rate: float, number: int | None = None, since: tuple[int, Any] = (0, 0.0)
    ) -> Look:
        """Return the intervals from the draws since some number of them, with those sums."""
        task, (before, sums) = self._task, since
        n, sums = (self.draws - before) * task.source.per_draw, self.sums - sums
        if task.source.is_bound and n:
            # Power sums about the mean where that is less than a claim of `at most`.
            sums = about(np.minimum(sums[0] / n, 0.0), n, sums)
        # Draws that agree in every bit, and not in zeros alone, as rare events do, are one map.
        fixed = self._repeats and self.draws > 1 and bool(np.any(self._first))
        fixed = fixed and task.source.per_draw == 1 and not before
        return Look(n, sums, rate, task.resolution, task.rounding, number, fixed)


def measure_undeclared(
    task: Task, lengths: Lengths | None = None, *, least: int | None = None
) -> Measurement:
    """Draw until a claim is refuted, all intervals are narrow enough, or more would not help.

    Half of the error rate is for bets on squared lengths, if there are any. `least` is the size
    from which on intervals are looked at, by default that at which the kurtosis may be large.
    """
    lengths, source = lengths or Lengths(task), task.source
    rate, n_bets = task.rate, 0
    if lengths.bets is not None:
        rate, n_bets = 0.5 * rate, lengths.bets.n_bets
    level = math.log(2.0 * max(1, n_bets) / task.options.false_alarm)
    per_draw, affordable, start = source.per_draw, task.affordable(2**52), least_samples(rate)
    first, least_fresh = start if least is None else least, -(-LEAST // source.group)
    patience = (_TAIL_PATIENCE if least is None else _LONG_PATIENCE) * start
    samples, number, most = _Samples(task, lengths, level), 0, math.inf
    fresh: Look | None = None
    attempts, again, unconfirmed = 0, 0.0, ""
    target = min(affordable, -(-_FIRST // per_draw))
    while True:
        samples.draw_until(target)
        is_last = samples.draws >= affordable or samples.is_over
        look = samples.look(rate, number + 1)
        # Squares settle late: a forecast from their first ones is far too long.
        if least is None and not look.tails(patience).any():
            samples.planned = look.wanted() / per_draw
        if not is_last and samples.n >= again and look.refutable.any():
            since, attempts = (samples.draws, samples.sums), attempts + 1
            size = _confirming(task, look, samples.draws, least_fresh)
            suspicion = f"A mean is off in the first {counted(samples.draws, 'draw')}, and"
            unconfirmed = (
                f"{suspicion} too few draws are allowed to confirm it, which takes "
                f"{counted(size, 'fresh draw')}"
            )
            samples.centre, samples.near = look.off, np.zeros_like(samples.sums)
            samples.draw_until(min(affordable, since[0] + size))
            if samples.is_over:
                look = samples.look(rate, number + 1)
                break
            fresh = samples.look(rate / 2.0**attempts, since=since)
            agrees = look.refutable & fresh.refutable & (look.off * fresh.off > 0.0)
            look = samples.look(rate, number + 1)
            if not agrees.any() and not source.is_bound:
                both = samples.near + about(samples.centre, since[0] * per_draw, since[1])
                fresh, look = fresh.recentred(samples.near), look.recentred(both)
                agrees = look.refutable & fresh.refutable & (look.off * fresh.off > 0.0)
            if 2 * fresh.n >= samples.n and fresh.n >= least_fresh and agrees.any():
                break
            drawn, fresh, again = fresh.n // per_draw, None, _AGAIN * samples.n
            if drawn >= size:
                does = "do" if drawn != 1 else "does"
                unconfirmed = f"{suspicion} {counted(drawn, 'fresh draw')} {does} not confirm it"
            is_last = samples.draws >= affordable
        if samples.n >= first or is_last:
            number += 1
            # Draws that agree are one fixed map, or rare ones were not seen yet.
            is_sure = look.fixed and samples.draws >= least_fresh
            if is_last or look.compared(is_sure, 0.0).status != "inconclusive":
                break
            if look.fixed and not is_sure:
                target = min(affordable, least_fresh)
                continue
            if math.isinf(most) and np.isfinite(look.half).all():
                most = _PATIENCE * max(start, look.wanted(~look.short))
                least_most = max(patience, _LEAST_DRAWS * per_draw)
                most = max(most, min(_PATIENCE * look.wanted(), least_most))
            if samples.n >= most or (number >= _LEAST_LOOKS and look.beyond(patience)):
                break
        target = min(affordable, math.ceil(_STEP * samples.draws))
        if samples.n < first:
            target = min(target, -(-first // per_draw))
    return _measured(task, samples, look, fresh, unconfirmed, patience)


def _confirming(task: Task, look: Look, draws: int, least: int) -> int:
    """Return the fresh draws that are to confirm a suspicion."""
    refuted = look.refutable
    sums, off = look.sums[:, refuted], np.abs(look.off[refuted])
    size = float(max(1.5 * draws, -(-least // task.source.per_draw)))
    while size < _TIMES * draws:
        times = size / draws
        rest = carried(look.n * times, sums * times, look.rate, look.resolution)
        if (rest >= _CARRIED * off).any():
            break
        size *= 1.25
    return math.ceil(size)


def _measured(
    task: Task, samples: _Samples, look: Look, fresh: Look | None, unconfirmed: str, patience: float
) -> Measurement:
    """Return what was measured, with what it rests on and what would decide it."""
    source, evidence, bets = task.source, samples.evidence, samples.lengths.bets
    is_sure = look.fixed and samples.draws >= -(-LEAST // source.group)
    refuted, unless = np.full(task.n, is_sure), ""
    compared, assumptions = look.compared(refuted, 0.0), look.assumptions(source.noun)
    if fresh is not None:
        refuted = fresh.refutable & (fresh.off * look.off > 0.0)
        compared, assumptions = look.compared(refuted, fresh.carried), ()
        worst = compared.worst
        unless = fresh.unless(worst, source.events, source.unit_text(worst))
    if evidence is not None:
        assumptions = (f"nothing else: {source.lengths} are not negative",)
    statistics = [look.statistics(shared=bets is not None, block=source.per_draw, fresh=fresh)]
    if bets is not None:
        statistics += bets.statistics(task.floor)
    needed = max(least_samples(look.rate), look.needed(patience)) / source.per_draw
    return Measurement(
        observed=source.claim + look.off,
        low=source.claim + compared.low,
        high=source.claim + compared.high,
        n_draws=samples.draws,
        n_intervals=task.n + (bets.n_bets if bets else 0),
        detectable=float(np.max(look.detectable(task.options.miss))),
        needed=math.ceil(needed),
        method=KURTOSIS if evidence is None else FORMS,
        assumptions=assumptions,
        may_refute=refuted,
        evidence=evidence,
        unless=unless,
        note=_note(task, look, compared, unconfirmed, patience),
        statistics=tuple(statistics),
    )


def _note(task: Task, look: Look, compared: Comparison, unconfirmed: str, patience: float) -> str:
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
    if look.short.any() or look.n < FEW:
        n = counted(look.n, "sample")
        return f"A mean is off; {n} {be(look.n)} too few to refute it."
    rarest = min(1.0, math.log(2.0 * task.n / task.options.false_alarm) / look.n)
    return (
        f"A {source.noun} is off its claim and never varied: an event rarer than {rarest:.2g} a "
        f"sample could make it right; {source.remedy}."
    )
