"""Tell a kernel that jumps at some number of columns from a bandwidth that depends on it.

A map that divides rows by sqrt(d), as attention does, has the claimed kernel at one d only. That
is no defect: the claim is about that d.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mehler.verify.checks.structure.claim._trial import Trial

# Factors on the rows that are tried.
_FACTORS = 2.0 ** np.arange(-3.0, 3.01, 0.125)


def jumps(
    trials: Mapping[int, Trial], wrong: Sequence[int], right: Sequence[int], base: int
) -> bool:
    """Whether a common factor at the wrong sizes fits better than a power of the number of columns.

    `trials` are keyed by the number of columns; the claim was made at `base`.
    """
    widths = np.array([*wrong, *right])
    logs = np.log([factor_of(trials[d]) for d in widths])
    is_wrong = np.arange(widths.size) < len(wrong)
    columns = np.log(widths / base)
    slope = (logs @ columns) / max(1e-12, float(columns @ columns))
    step = np.where(is_wrong, logs[is_wrong].mean(), 0.0)
    return bool(((logs - step) ** 2).sum() < ((logs - slope * columns) ** 2).sum())


def factor_of(trial: Trial) -> float:
    """Return the factor on the rows at which the claim best fits the mean forms."""
    claims, mean = trial.claims, trial.bets.mean
    kernel: Any = trial.subject.kernel

    def misfit(factor: float) -> float:
        rows = factor * claims.rows
        forms = claims.forms(np.asarray(kernel(rows, rows), dtype=np.float64))
        return float((((forms - mean) / claims.means) ** 2).sum())

    return float(min(_FACTORS, key=misfit))
