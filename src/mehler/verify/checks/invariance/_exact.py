"""Exact invariance, phi(g x) = phi(x) in every draw and feature, up to rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._plural import counted
from mehler.verify._arguments import CheckOptions
from mehler.verify._verdict import Verdict
from mehler.verify._zero_failures import trials_for, zero_failures_verdict
from mehler.verify.checks.invariance._rounding import ROUNDING, beyond_rounding
from mehler.verify.sampling._choose_source import units_of
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._output import read
from mehler.verify.sampling._pairs import EvaluatedRows


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
    while trials < wanted and not happened and (max_draws is None or done < max_draws):
        phi = draws[done]
        found, eps = read(phi, rows)
        m = found.shape[1]
        for element, other in enumerate(moved):
            wrong, gap = beyond_rounding(phi, rows, other, (found, eps))
            if wrong.any():
                gap = np.where(wrong, np.nan_to_num(gap, nan=np.inf), 0.0)
                row = int(np.argmax(gap.max(axis=1)))
                happened = 1
                where = {"row": row, "element": element, "seed": draws.seed(done)}
                reason = (
                    f"A feature moves by {gap[row].max():.3g}, where features reach "
                    f"{np.abs(found).max():.3g}."
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
            f"rounding moves no feature by more than {ROUNDING:g} eps of its row's largest, but "
            "where a row next to it has another value",
        ),
        where=where,
        seeds={"seed": draws.root},
        reason=reason,
    )
