"""Watch a stream at growing sizes until it is decided or more samples would not help."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler.verify._zero_failures import CheckOptions
from mehler.verify.pairwise._measurement import Clock
from mehler.verify.undeclared._kurtosis_test import LEAST, Inspection, least_samples
from mehler.verify.undeclared._stream import Stream
from mehler.verify.undeclared._symmetric import SymmetricInspection

# Ratio of successive inspection sizes.
_STEP = 1.25

# Largest inspection relative to the size that the first one asks for; if tails are too heavy to be
# decided at _TAIL_PATIENCE times the first, stop after a few inspections.
_PATIENCE, _TAIL_PATIENCE = 4.0, 16.0
_LEAST_LOOKS = 4

# Least draws before giving up on heavy tails; where a draw has many samples, draws are cheap.
_LEAST_DRAWS = 1_000

# First inspection of symmetric samples; fewer cannot refute at an error rate of 1e-9.
_FIRST = 64


@dataclass(frozen=True)
class Watched:
    """The last inspection, the draws it took, and the draws that would decide."""

    look: Inspection | SymmetricInspection
    n_draws: int
    n_looks: int
    needed: int
    out_of_time: bool
    finite: bool


def watch(
    stream: Stream,
    asked: CheckOptions,
    clock: Clock,
    *,
    most_draws: int | None = None,
    symmetric: bool = False,
) -> Watched:
    """Watch the stream under a bounded kurtosis, or under symmetry alone if `symmetric`."""
    rate = asked.false_alarm / stream.n_means
    least = max(LEAST, least_samples(rate))
    start = _FIRST if symmetric else least
    patience = max(_TAIL_PATIENCE * least, _LEAST_DRAWS * stream.per_draw)
    target, most = -(-start // stream.per_draw), math.inf
    total, draws, number = np.zeros((4, stream.n_means)), 0, 1
    while True:
        if most_draws is not None:
            target = min(target, most_draws)
        while draws < target and np.isfinite(total).all() and not (draws and clock.over):
            total += stream.sums(draws)
            draws += 1
        n = draws * stream.per_draw
        look = _look(stream, asked, n, total, rate, number, symmetric)
        if look.decided or clock.over or draws == most_draws:
            break
        if math.isinf(most) and np.isfinite(look.half).all():
            most = _PATIENCE * max(least, look.wanted(~look.short))
            most = max(most, min(_PATIENCE * look.wanted(), patience))
        # The first inspections find a defect at the other means.
        hopeless = isinstance(look, Inspection) and look.beyond(patience)
        if n >= most or (number >= _LEAST_LOOKS and hopeless):
            break
        number += 1
        target = math.ceil(_STEP * draws)
    return Watched(
        look=look,
        n_draws=draws,
        n_looks=stream.n_means * (1 if symmetric else number),
        needed=math.ceil(look.wanted() / stream.per_draw),
        out_of_time=clock.over,
        finite=bool(np.isfinite(total).all()),
    )


def _look(
    stream: Stream,
    asked: CheckOptions,
    n: int,
    sums: Any,
    rate: float,
    number: int,
    symmetric: bool,
) -> Inspection | SymmetricInspection:
    resolution, rounding = asked.resolution, stream.rounding
    if symmetric:
        return SymmetricInspection(n, sums, rate, resolution, rounding)
    fixed = stream.is_fixed and stream.per_draw == 1
    return Inspection(n, sums, rate, number, resolution, rounding, fixed)
