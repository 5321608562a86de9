"""Watch a stream at growing sizes until it is decided or more samples would not help.

Of samples that are symmetric about their mean no moments are assumed. For D symmetric about 0 and
every lambda, E exp(lambda D - lambda^2 D^2/2) <= 1, since cosh(x) <= exp(x^2/2). So

    exp(+-lambda sum D_i - (lambda^2/2) sum D_i^2)

are nonnegative supermartingales, and so is their mean over fixed lambdas (de la Pena 1999): at
any time it has ever reached 2/alpha with probability at most alpha/2 on either side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from mehler._plural import be, counted
from mehler.verify._arguments import CheckOptions
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import FLOOR, KURTOSIS, Verdict
from mehler.verify.intervals._self_normalised import effective_samples, half_widths
from mehler.verify.nonparametric._kurtosis_test import (
    FEW,
    LEAST,
    LEAST_LOOKS,
    PATIENCE,
    STEP,
    TAIL_PATIENCE,
    Inspection,
    Means,
    least_samples,
)
from mehler.verify.nonparametric._unseen import Suspicion, Unseen
from mehler.verify.pairwise._measurement import Clock


class SymmetricInspection(Means):
    """The intervals of all centres of symmetry after n samples each, valid at all times together.

    `rate` is the error rate of one mean; `short`, where few large samples decide, and the error
    rate holds all the same.
    """

    def __init__(
        self, n: int, sums: NDArray[np.float64], rate: float, resolution: float, rounding: float
    ) -> None:
        super().__init__(n, sums, resolution)
        self._rounding = rounding
        self.short = effective_samples(self.squares, self.fourths) < FEW
        self.compare(self.missed(rate))

    def statistics(self, *, shared: bool) -> Statistics:
        """Return what decided; nothing shares the error rate."""
        return self._statistics("symmetric", {"rounding": self._rounding, "shared": shared})

    def missed(self, rate: float) -> Any:
        """Return half widths at an error rate."""
        # t = 0, without allowance: the bets are paid by the samples' own sum of squares.
        cost = math.log(2.0 / rate)
        return half_widths(self.n, self.squares, cost, 0.0, self.resolution) + self._rounding


class Stream(Protocol):
    """Deviations from a claim, in units of the resolution, draw by draw.

    `n_means` means share the error rate; a draw costs `n_features` and gives `per_draw` samples per
    mean; `rounding` bounds what rounding may move a sample by.
    """

    n_means: int
    per_draw: int
    n_features: int
    rounding: float

    def sums(self, k: int) -> Any:
        """Return the sums of the first four powers of draw k's samples, shape (4, n_means)."""

    @property
    def is_fixed(self) -> bool:
        """Whether all draws so far were one fixed map, so that chance plays no part."""


# Least draws before giving up on heavy tails; where a draw has many samples, draws are cheap.
_LEAST_DRAWS = 1_000

# First inspection of symmetric samples; fewer cannot refute at an error rate of 1e-9.
_FIRST = 64


@dataclass(frozen=True)
class Watched:
    """The last inspection, the draws it took, and the draws that would decide.

    `unseen` is what rare events would have to carry, where fresh draws were to confirm the `first`.
    """

    look: Inspection | SymmetricInspection
    n_draws: int
    n_intervals: int
    needed: int
    out_of_time: bool
    finite: bool
    unseen: Unseen | None = None
    first: Suspicion | None = None


def watch(
    stream: Stream,
    options: CheckOptions,
    clock: Clock,
    *,
    most_draws: int | None = None,
    symmetric: bool = False,
) -> Watched:
    """Watch the stream under a bounded kurtosis, or under symmetry alone if `symmetric`."""
    rate = options.false_alarm / stream.n_means
    least = max(LEAST, least_samples(rate))
    start = _FIRST if symmetric else least
    patience = max(TAIL_PATIENCE * least, _LEAST_DRAWS * stream.per_draw)
    target, most = -(-start // stream.per_draw), math.inf
    total, draws, number = np.zeros((4, stream.n_means)), 0, 1

    def draw_until(target: int) -> None:
        nonlocal total, draws
        if most_draws is not None:
            target = min(target, most_draws)
        while draws < target and np.isfinite(total).all() and not (draws and clock.over):
            total = total + stream.sums(draws)
            draws += 1

    while True:
        draw_until(target)
        n = draws * stream.per_draw
        look: Inspection | SymmetricInspection
        if symmetric:
            look = SymmetricInspection(n, total, rate, options.resolution, stream.rounding)
        else:
            fixed = stream.is_fixed and stream.per_draw == 1
            look = Inspection(n, total, rate, number, options.resolution, stream.rounding, fixed)
        if look.decided or clock.over or draws == most_draws:
            break
        if math.isinf(most) and np.isfinite(look.half).all():
            most = PATIENCE * max(least, look.wanted(~look.short))
            most = max(most, min(PATIENCE * look.wanted(), patience))
        # The first inspections find a defect at the other means.
        hopeless = isinstance(look, Inspection) and look.beyond(patience)
        if n >= most or (number >= LEAST_LOOKS and hopeless):
            break
        number += 1
        target = math.ceil(STEP * draws)
    first, unseen = None, None
    if isinstance(look, Inspection) and look.refuted.any() and not look.fixed:
        first = Suspicion(draws, stream.per_draw, total, look.refuted, rate, options.resolution)
        draw_until(first.until(look.wanted() / stream.per_draw, clock.seconds))
        look = Inspection(
            draws * stream.per_draw, total, rate, number + 1, options.resolution, stream.rounding
        )
        unseen = first.confirm(look, stream.rounding)
    return Watched(
        look=look,
        n_draws=draws,
        n_intervals=stream.n_means * (1 if symmetric else number),
        needed=math.ceil(max(start, look.wanted()) / stream.per_draw),
        out_of_time=clock.over,
        finite=bool(np.isfinite(total).all()),
        unseen=unseen,
        first=first,
    )


SYMMETRY = "symmetric differences (self-normalised)"

# Unit of kernels, as `Verdict.scale` states it.
KERNEL_UNIT = "sqrt(k(x,x) k(y,y))"

# More draws than anybody makes.
_ENDLESS = 2**40


@dataclass(frozen=True)
class Words:
    """The texts of a check's verdict.

    `unit` is that of every mean, named `unit_name`; `remedy` is the advice where few large samples
    decide; `symmetry` is the basis of the symmetry assumption.
    """

    claim: str
    source: str
    independence: str
    unit: Any
    unit_name: str
    remedy: str
    symmetry: str = ""


def verdict_of(
    options: CheckOptions,
    stream: Stream,
    watched: Watched,
    words: Words,
    clock: Clock,
    place: Callable[[int], dict[str, Any]],
    seeds: Mapping[str, Any],
    *,
    spent: tuple[int, int] = (0, 0),
    remark: str = "",
) -> Verdict:
    """Return the verdict on a watched stream.

    `place` maps a mean to its ``where``, `spent` are features and draws of a pilot, `remark` is
    added to a refutation.
    """
    look = watched.look
    status, worst = look.compared.status, look.compared.worst
    reason, unless = "", ""
    n_features = watched.n_draws * stream.n_features + spent[0]
    if not watched.finite:
        status, worst = "refuted", int(np.argmin(np.isfinite(look.off)))
        reason = "Features are not finite."
    elif status == "refuted":
        reason = remark
        if watched.unseen is not None:
            events = "draws" if stream.per_draw == 1 else "samples"
            unless = watched.unseen.text(worst, events, f"one {words.unit_name}")
            reason = f"Unless {unless}, the claim is wrong. {remark}".strip()
    elif status == "holds" and look.compared.excess[worst] > 0.0:
        reason = f"The deviation is less than {FLOOR:.3g} of the resolution: it refutes nothing."
    elif status == "inconclusive":
        reason = _open_reason(options, watched, words, worst, clock, n_features)
    unit, where = float(words.unit[worst]), place(worst)
    if words.unit_name != KERNEL_UNIT:
        where["relative_to"] = unit
    off, half = float(look.off[worst]), float(look.half[worst])
    assumed: tuple[str, ...] = (words.symmetry,)
    if isinstance(look, Inspection):
        assumed = look.assumptions(stream.is_fixed)
    return options.verdict(
        status=status,
        claim=words.claim,
        observed=unit * off,
        interval=(unit * (off - half), unit * (off + half)),
        n_features=n_features,
        n_draws=watched.n_draws + spent[1],
        n_intervals=watched.n_intervals,
        detectable=float(np.max(look.half + look.missed(options.miss))),
        method=f"{KURTOSIS if isinstance(look, Inspection) else SYMMETRY}, {words.source}",
        assumptions=(
            words.independence,
            *((f"not that {unless}",) if unless else assumed),
            f"rounding moves no mean by more than {stream.rounding:.2g} {words.unit_name}",
        ),
        scale=unit if words.unit_name == KERNEL_UNIT else 1.0,
        where=where,
        seeds=seeds,
        reason=reason,
        statistics=(look.statistics(shared=False),),
    )


def _open_reason(
    options: CheckOptions, watched: Watched, words: Words, worst: int, clock: Clock, n_features: int
) -> str:
    """Explain why an outcome is open, and what would decide it."""
    look, parts = watched.look, []
    if look.outside.any() and isinstance(look, Inspection):
        if watched.first and not look.short[worst]:
            parts.append(f"{watched.first.unconfirmed(watched.n_draws)}.")
        elif look.short[worst]:
            parts.append(
                "A mean is off, but few large samples decide it, and nothing bounds what was not "
                f"seen: {words.remedy}."
            )
        elif look.n < LEAST:
            parts.append(f"A mean is off; fewer than {LEAST} samples refute nothing.")
        else:
            rarest = min(1.0, math.log(2.0 * look.off.size / options.false_alarm) / look.n)
            parts.append(
                f"A mean is off and its samples never varied: an event rarer than {rarest:.2g} a "
                "sample could make it right."
            )
    width = float(look.width[worst])
    if not width <= options.resolution:
        wide = (
            f"{width:.3g} wide in units of {words.unit_name}" if width < math.inf else "unbounded"
        )
        parts.append(f"The interval is {wide}, more than the resolution {options.resolution:.3g}.")
        if isinstance(look, Inspection) and look.short.any() and not look.outside.any():
            parts.append(f"Few large samples decide the mean: {words.remedy}.")
    if watched.out_of_time:
        parts.append(f"The time limit of {clock.limit:.3g} s was over.")
    drawn = f"{counted(watched.n_draws, 'draw')} {be(watched.n_draws, past=True)} made"
    parts.append(f"{drawn}, {counted(n_features, 'feature')}.")
    # The few samples of a check that was cut short do not tell how many more are needed.
    if not watched.out_of_time and watched.n_draws < watched.needed < _ENDLESS:
        parts.append(f"About {counted(watched.needed, 'draw')} would decide.")
    return " ".join(parts)
