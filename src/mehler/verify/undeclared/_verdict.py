"""The verdict on a stream: the mean it reports, and why it is open."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mehler._plural import be, counted
from mehler.verify._arguments import CheckOptions
from mehler.verify._verdict import FEW_EFFECTIVE, FLOOR, KURTOSIS, Status, Verdict
from mehler.verify.pairwise._measurement import Clock
from mehler.verify.undeclared._kurtosis_test import LEAST, Inspection
from mehler.verify.undeclared._watch import Stream, Watched

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
    asked: CheckOptions,
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
    refuted, worst = look.refuted, int(np.argmax(look.width))
    status: Status = "inconclusive"
    reason = ""
    n_features = watched.n_draws * stream.n_features + spent[0]
    if not watched.finite:
        status, worst = "refuted", int(np.argmin(np.isfinite(look.off)))
        reason = "Features are not finite."
    elif refuted.any():
        status, reason = "refuted", remark
        worst = int(np.argmax(np.where(refuted, np.abs(look.off) / look.half, -1.0)))
    elif look.decided:
        status = "holds"
        worst = int(np.argmax(np.abs(look.off) / np.maximum(look.half, 1e-300)))
        if abs(look.off[worst]) > look.half[worst]:
            reason = (
                f"The deviation is less than {FLOOR:.3g} of the resolution: it refutes nothing."
            )
    else:
        if look.outside.any():
            worst = int(np.argmax(np.where(look.outside, np.abs(look.off), -1.0)))
        reason = _open(asked, watched, words, worst, clock, n_features)
    unit, where = float(words.unit[worst]), place(worst)
    if words.unit_name != KERNEL_UNIT:
        where["relative_to"] = unit
    off, half = float(look.off[worst]), float(look.half[worst])
    decided = look.statistics(shared=False)
    ends = {"claim": 0.0, "low": look.off - look.half, "high": look.off + look.half}
    return asked.verdict(
        status=status,
        claim=words.claim,
        observed=unit * off,
        exact=0.0,
        interval=(unit * (off - half), unit * (off + half)),
        n_features=n_features,
        n_draws=watched.n_draws + spent[1],
        n_intervals=watched.n_intervals,
        detectable=float(np.max(look.half + look.missed(asked.miss))),
        method=f"{KURTOSIS if isinstance(look, Inspection) else SYMMETRY}, {words.source}",
        assumptions=(
            words.independence,
            *_assumptions(look, words, stream),
            f"rounding moves no mean by more than {stream.rounding:.2g} {words.unit_name}",
        ),
        scale=unit if words.unit_name == KERNEL_UNIT else 1.0,
        where=where,
        seeds=seeds,
        reason=reason,
        statistics=(replace(decided, tests={**ends, **decided.tests}),),
    )


def _assumptions(look: Any, words: Words, stream: Stream) -> tuple[str, ...]:
    if not isinstance(look, Inspection):
        return (words.symmetry,)
    if look.may_refute.all() and stream.is_fixed:
        return ("draws that agree in every bit are one fixed map",)
    said = [look.assumed()]
    if look.short.any():
        few = max(1, int(look.effective[look.short].min()))
        said.append(
            f"{FEW_EFFECTIVE} (as if {counted(few, 'sample')} at the worst of "
            f"{int(look.short.sum())}): their "
            "intervals are widened, hold only in the limit, and refute nothing"
        )
    return tuple(said)


def _open(
    asked: CheckOptions, watched: Watched, words: Words, worst: int, clock: Clock, n_features: int
) -> str:
    """Explain why an outcome is open, and what would decide it."""
    look, parts = watched.look, []
    if look.outside.any() and isinstance(look, Inspection):
        if look.short[worst]:
            parts.append(
                "A mean is off, but few large samples decide it, and nothing bounds what was not "
                f"seen: {words.remedy}."
            )
        elif look.n < LEAST:
            parts.append(f"A mean is off; fewer than {LEAST} samples refute nothing.")
        else:
            rarest = min(1.0, math.log(2.0 * look.off.size / asked.false_alarm) / look.n)
            parts.append(
                f"A mean is off and its samples never varied: an event rarer than {rarest:.2g} a "
                "sample could make it right."
            )
    width = float(look.width[worst])
    if not width <= asked.resolution:
        wide = (
            f"{width:.3g} wide in units of {words.unit_name}" if width < math.inf else "unbounded"
        )
        parts.append(f"The interval is {wide}, more than the resolution {asked.resolution:.3g}.")
        if isinstance(look, Inspection) and look.short.any() and not look.outside.any():
            parts.append(f"Few large samples decide the mean: {words.remedy}.")
    if watched.out_of_time:
        left = max(0, watched.needed - watched.n_draws) / watched.n_draws * clock.seconds
        parts.append(
            f"The time limit of {clock.limit:.3g} s was over; at this pace about {left:.3g} s more "
            "would decide."
        )
    made = f"{counted(watched.n_draws, 'draw')} {be(watched.n_draws, past=True)} made"
    parts.append(f"{made}, {counted(n_features, 'feature')}.")
    if watched.needed < _ENDLESS:
        parts.append(f"About {counted(watched.needed, 'draw')} would decide.")
    return " ".join(parts)
