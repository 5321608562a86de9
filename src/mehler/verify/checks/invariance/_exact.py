"""Exact invariance, phi(g x) = phi(x) in every draw and feature, up to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._words import counted
from mehler.verify._arguments import CheckOptions
from mehler.verify._verdict import Verdict
from mehler.verify._zero_failures import trials_for, zero_failures_verdict
from mehler.verify.sampling._choose_source import units_of
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows
from mehler.verify.sampling._sources import call

# Relative rounding allowed, in eps: the action changes the summation order of group averages.
_ROUNDING = 2.0**10


def exact_invariance(
    asked: CheckOptions,
    draws: Draws,
    rows: EvaluatedRows,
    moved: list[EvaluatedRows],
    max_draws: int | None,
) -> Verdict:
    wanted, done, trials, happened = trials_for(asked), 0, 0, 0
    where: dict[str, Any] = {}
    reason, m, kind = "", 0, "draws"
    largest = 0.0
    while trials < wanted and not happened and (max_draws is None or done < max_draws):
        phi = draws[done]
        z = call(phi, rows).astype(np.float64)
        eps = _eps(call(phi, rows))
        m = z.shape[1]
        for element, other in enumerate(moved):
            gap = np.abs(z - call(phi, other).astype(np.float64))
            scale = np.abs(z).max(axis=1, keepdims=True)
            wrong = ~(gap <= _ROUNDING * eps * scale)
            if wrong.any():
                row = int(np.argmax(np.nan_to_num(gap.max(axis=1), nan=np.inf)))
                largest = float(gap[row].max())
                happened = 1
                where = {"row": row, "element": element, "seed": draws.seed(done)}
                reason = (
                    f"A feature moves by {largest:.3g}, where features reach {scale.max():.3g}."
                )
                break
        done += 1
        units = units_of(phi, m)
        kind = "units" if units else "draws"
        trials += units or 1
    return zero_failures_verdict(
        asked,
        happened,
        trials,
        claim=f"phi(g x) = phi(x) for {len(moved)} group elements at "
        f"{counted(rows.host.shape[0], 'row')}",
        method=f"binomial (share of {kind} that differ)",
        n_features=done * m,
        n_draws=done,
        assumptions=(
            "draws from different seeds are independent",
            f"rounding moves no feature by more than {_ROUNDING:g} eps of its row's largest",
        ),
        where=where,
        seeds={"seed": draws.root},
        reason=reason,
    )


def _eps(z: Any) -> float:
    return float(np.finfo(z.dtype).eps) if z.dtype.kind == "f" else 0.0
