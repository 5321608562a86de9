"""Intervals of all pairs without declared variance or range: see the notes of `check_kernel`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._plural import be, counted
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import FORMS, KURTOSIS
from mehler.verify.intervals._nonnegative import Excess, Found
from mehler.verify.nonparametric._kurtosis_test import (
    LEAST,
    LEAST_LOOKS,
    PATIENCE,
    STEP,
    TAIL_PATIENCE,
    Inspection,
    least_samples,
)
from mehler.verify.nonparametric._unseen import Suspicion
from mehler.verify.pairwise._measurement import Measurement, MeasurementSpec
from mehler.verify.sampling._pairs import Pairs
from mehler.verify.sampling._sources import (
    Columns,
    Estimates,
    Repeats,
    Source,
    both,
    estimate_and_lengths,
    power_sums,
)

# The forms that are bet on, by their sign.
_FORMS = "|u {} v|^2, u = phi(x)/sqrt(k(x,x)), v = phi(y)/sqrt(k(y,y))"

# Features that are averaged before a bet on them, and most elements of all averages of a draw.
_TOGETHER, _MOST_AVERAGES = 4, 1 << 21


def block_size(source: Source, pairs: Pairs) -> int:
    """Return how many independent features make one bet; 0 for whole draws.

    A stake on a whole draw is limited by its claim, not by how little it varies.
    """
    if not isinstance(source, Columns):
        return 0
    return max(_TOGETHER, math.ceil(2 * pairs.n * source.per_draw / _MOST_AVERAGES))


def products_of(
    phi: Callable[..., Any], source: Source, pairs: Pairs, block: int
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


class SquaredLengths:
    """Bets on |u + v|^2 and |u - v|^2 at pairs of vectors u, v; of one with itself the second is 0.

    `pairs` has the numbers of u and v, shape (2, n); `whole` and `cross` are the claims of
    |u|^2 + |v|^2 and <u, v>; `rounding` is how far rounding may move a product, in units of the
    claim; `forms` names a form by its sign.
    """

    def __init__(
        self,
        pairs: NDArray[np.int64],
        whole: Array | float,
        cross: Array,
        rounding: float,
        forms: str,
    ) -> None:
        self._pairs, self._forms = pairs, forms
        self._claim = np.maximum(np.concatenate([whole + 2.0 * cross, whole - 2.0 * cross]), 0.0)
        # For equal rows the difference is 0 up to rounding.
        self._bets = Excess(self._claim + 4.0 * rounding)
        self._sound = True

    def add(self, cross: Array, left: Array, right: Array) -> None:
        """Bet on samples of <u, v> at the pairs, and of |u|^2 and |v|^2."""
        both_sides = left[:, self._pairs[0]] + right[:, self._pairs[1]]
        forms = np.concatenate([both_sides + 2.0 * cross, both_sides - 2.0 * cross], axis=1)
        slack = 4.0 * (self._bets.claims - self._claim) + 1e-9 * np.abs(np.tile(both_sides, 2))
        # A map's own gram need not be an inner product; then these bets are invalid.
        self._sound = self._sound and not (forms < -slack).any()
        self._bets.add(np.maximum(forms, 0.0))

    def found(self, level: float, floor: float) -> Found | None:
        """Return the direction of most wealth if it reached exp(level) and is off by `floor`.

        The deviation of a form is twice that of a kernel entry.
        """
        if not self._sound or not self._bets.n:
            return None
        wealth = self._bets.log_wealth
        off = 0.5 * (self._bets.mean - self._claim)
        reached = (wealth >= level) & (off >= floor)
        if not reached.any():
            return None
        best = int(np.argmax(np.where(reached, wealth, -np.inf)))
        n = self._pairs.shape[1]
        return Found(
            pair=best % n,
            form=self._forms.format("+" if best < n else "-"),
            observed=float(self._bets.mean[best]),
            claim=float(self._claim[best]),
            low=float(self._bets.lower_ends(level)[best]),
        )

    def statistics(self, floor: float, **plan: int) -> tuple[Statistics, ...]:
        """Return the direction of most wealth among those off by `floor`, if bets are valid."""
        if not self._sound or not self._bets.n:
            return ()
        off = 0.5 * (self._bets.mean - self._claim) >= floor
        best = int(np.argmax(np.where(off, self._bets.log_wealth, -np.inf)))
        n = self._pairs.shape[1]
        tests = {
            "pair": self._pairs[:, [best % n]],
            "sign": [1 if best < n else -1],
            "claim": self._claim[[best]],
            **self._bets.statistics([best]),
        }
        return (
            Statistics("squared lengths", {"count": self.n_bets, "shared": True, **plan}, tests),
        )

    @property
    def n_bets(self) -> int:
        """Number of directions that share the error rate."""
        return 2 * self._pairs.shape[1]


def nonparametric_intervals(plan: MeasurementSpec) -> Measurement:
    """Draw until a claim is refuted, all intervals are narrow enough, or more would not help."""
    pairs, sums = plan.pairs, _Sums(plan)
    forms = SquaredLengths(
        np.stack([pairs.first, pairs.second]), pairs.squares, pairs.claim, plan.rounding, _FORMS
    )
    # Half of the rate each.
    enough = math.log(2.0 * forms.n_bets / plan.false_alarm)
    rate = 0.5 * plan.false_alarm / plan.pairs.n
    per_draw, affordable = plan.source.per_draw, plan.affordable(2**52)
    start = least_samples(rate)
    target, most = min(affordable, -(-start // per_draw)), math.inf
    number, found = 1, None

    def draw_until(target: int) -> None:
        """Draw until a size is reached, a bet is won, or time is over."""
        nonlocal found
        with plan.results(sums.of_draw, sums.draws, target) as results:
            for result in results:
                products = sums.add(*result)
                if not sums.finite:
                    return
                forms.add(*products)
                # Inspections of bets are free: take them often at first, then every sixteenth part.
                if sums.draws % max(1, sums.draws // 16) == 0:
                    found = forms.found(enough, plan.floor)
                if found is not None or plan.clock.over:
                    return

    while True:
        draw_until(target)
        look = sums.look(rate, number)
        if found is not None or look.decided or sums.draws >= affordable or plan.clock.over:
            break
        if number == 1:
            most = max(LEAST, PATIENCE * start, PATIENCE * look.wanted(~look.short))
            most = max(most, min(PATIENCE * look.wanted(), TAIL_PATIENCE * start))
        if sums.n >= most or (number >= LEAST_LOOKS and look.beyond(TAIL_PATIENCE * start)):
            break
        number += 1
        target = min(affordable, math.ceil(STEP * sums.draws))

    unless, unconfirmed = "", ""
    if found is None and sums.finite and look.refuted.any() and not look.fixed:
        first = Suspicion(
            sums.draws, per_draw, sums.power_sums, look.refuted, rate, plan.resolution
        )
        sizes = look.wanted() / per_draw
        draw_until(min(affordable, first.until(sizes, plan.clock.seconds)))
        look = sums.look(rate, number + 1)
        if found is None and sums.finite:
            unseen = first.confirm(look, plan.rounding)
            if look.refuted.any():
                unless = unseen.text(look.compared.worst, *_events(plan, look.compared.worst))
            else:
                unconfirmed = (
                    f"{first.unconfirmed(sums.draws)}; declare variance= or bounds=, or allow as "
                    "many draws again."
                )
    assumptions, note = _words(look, sums, plan, look.tails(TAIL_PATIENCE * start))
    if unless:
        assumptions = (f"not that {unless}",)
    return Measurement(
        observed=plan.pairs.claim + look.off,
        low=plan.pairs.claim + look.off - look.half,
        high=plan.pairs.claim + look.off + look.half,
        n_draws=sums.draws,
        n_intervals=forms.n_bets + plan.pairs.n,
        detectable=float(np.max(look.half + look.missed(plan.miss))),
        # The samples seen cannot tell how many more a heavy tail needs; `start` is the least.
        needed=math.ceil(max(start, look.needed(TAIL_PATIENCE * start)) / per_draw)
        * plan.source.n_features,
        method=KURTOSIS if found is None else FORMS,
        assumptions=assumptions
        if found is None
        else ("nothing else: squared lengths are not negative",),
        may_refute=look.may_refute,
        found=found,
        note=f"Unless {unless}, the claim is wrong." if unless else unconfirmed or note,
        statistics=(
            look.statistics(shared=True, block=per_draw),
            *forms.statistics(plan.floor, block=sums.block),
        ),
    )


def _events(plan: MeasurementSpec, worst: int) -> tuple[str, str]:
    """Return the name of a sample, and the unit of a pair."""
    events = {"independent features": "features", "independent units": "units"}
    unit = float(plan.pairs.unit[worst])
    return events.get(plan.source.name, "draws"), f"sqrt(k(x,x) k(y,y)) = {unit:.3g} there"


def _words(
    look: Inspection, sums: _Sums, plan: MeasurementSpec, tails: NDArray[np.bool_]
) -> tuple[tuple[str, ...], str]:
    """Return the assumptions, and the reason why a deviation is not refuted."""
    open_, note = look.outside & ~look.may_refute, ""
    if (tails & (look.outside | (look.width > plan.resolution))).any():
        opening = "A mean is off, but few" if (open_ & tails).any() else "A mean is open: few"
        note = (
            f"{opening} large samples decide it, and nothing bounds what was not seen; "
            "declare variance= or bounds=, or draw larger maps."
        )
    elif open_.any() and (look.n < LEAST or look.short.any()):
        note = f"A mean is off; {counted(look.n, 'sample')} {be(look.n)} too few to refute it."
    elif open_.any():
        rarest = min(1.0, math.log(2.0 * plan.pairs.n / plan.false_alarm) / look.n)
        note = (
            f"A pair is off its claim and never varied: an event rarer than {rarest:.2g} a sample "
            "could make it right; declare variance= or bounds=."
        )
    return look.assumptions(sums.is_fixed, "pair"), note


class _Sums:
    """Power sums of deviations from the claim, accumulated draw by draw for every pair."""

    def __init__(self, plan: MeasurementSpec) -> None:
        self._plan = plan
        self._sums = np.zeros((4, plan.pairs.n))
        self._repeats = Repeats()
        self.draws = self.n = 0
        self.block = block_size(plan.source, plan.pairs)

    def of_draw(self, phi: Callable[..., Any]) -> tuple[Any, tuple[Any, Any, Any]]:
        """Return a draw's power sums about the claim, and its products and squared lengths."""
        source, pairs = self._plan.source, self._plan.pairs
        products = products_of(phi, source, pairs, self.block)
        if isinstance(source, Estimates):
            return power_sums(products[0] - pairs.claim), products
        return source.sums(phi, pairs.claim), products

    def add(self, sums: Array, values: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        """Add the next draw; return its products and squared lengths."""
        self._repeats.add(values[0])
        self._sums += sums
        self.draws += 1
        self.n += self._plan.source.per_draw
        return values

    @property
    def power_sums(self) -> Any:
        """A copy of the power sums of deviations, shape (4, pairs)."""
        return self._sums.copy()

    def look(self, rate: float, number: int) -> Inspection:
        plan = self._plan
        fixed = self.is_fixed and plan.source.per_draw == 1
        return Inspection(self.n, self._sums, rate, number, plan.resolution, plan.rounding, fixed)

    @property
    def finite(self) -> bool:
        return bool(np.isfinite(self._sums).all())

    @property
    def is_fixed(self) -> bool:
        """Whether all draws agree."""
        return self._repeats.is_fixed
