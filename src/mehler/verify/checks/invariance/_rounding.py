"""Which differences of features are rounding of the rows: of sums, or at a jump within reach."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler._arrays import from_host, place_of
from mehler.verify.sampling._output import read
from mehler.verify.sampling._pairs import EvaluatedRows
from mehler.verify.sampling._sources import BLOCK

# Relative rounding of features allowed, in eps: the action changes the order of sums.
ROUNDING = 2.0**10
# Relative changes of every entry of a row, in eps, that stand for rounding on the way to a jump,
# and how many changed rows are looked at.
_CHANGE, _COPIES = 2.0**6, 32
_FLOAT64 = float(np.finfo(np.float64).eps)


def beyond_rounding(
    phi: Any, rows: EvaluatedRows, other: EvaluatedRows, found: tuple[Any, float]
) -> tuple[Any, Any]:
    """Return where phi(x) and phi(g x) differ by more than rounding, and the gaps.

    `found` is phi(x) and its eps. A feature with jumps (a bin, a code, a sign) may differ by a
    jump where both rows are next to it. There rows that are changed by rounding and changed moved
    rows have the same range of values, up to the chance of 32 copies; ranges that only touch are
    those of two bins with a common edge. Rows are looked at by falling gap, until one differs.
    """
    values, eps = found
    z, there = values.astype(np.float64), read(phi, other)[0].astype(np.float64)
    gap = np.abs(z - there)
    exact = values.dtype.kind != "f"
    share = 0.0 if exact else min(ROUNDING * eps, math.sqrt(eps))
    allowed = share * np.abs(z).max(axis=1, keepdims=True)
    wrong = ~(gap <= allowed)
    at = np.flatnonzero(wrong.any(axis=1))
    at = at[np.argsort(-np.nan_to_num(gap[at].max(axis=1), nan=np.inf), kind="stable")]
    eps = max(0.0 if exact else eps, _eps(rows.host)) or _FLOAT64
    # Integers stay what they are: the least change of one is no rounding.
    change = min(_CHANGE * eps, math.sqrt(eps)) if _eps(rows.host) else 0.0
    step = max(1, BLOCK // (_COPIES * z.shape[1]))
    for start in range(0, at.size, step):
        some = at[start : start + step]
        low, high = _reached(phi, rows, some, change)
        other_low, other_high = _reached(phi, other, some, change)
        common = np.minimum(high, other_high) - np.maximum(low, other_low)
        narrow = np.minimum(high - low, other_high - other_low)
        wrong[some] &= ~(common + allowed[some] >= 0.5 * narrow)
        if wrong[some].any():
            wrong[at[start + step :]] = False
            break
    return wrong, gap


def _reached(phi: Any, rows: EvaluatedRows, at: Any, change: float) -> tuple[Any, Any]:
    """Return the least and the largest feature of the rows at `at`, changed by rounding."""
    x = rows.host[at].astype(np.float64)
    noise = np.random.default_rng(0).uniform(-1.0, 1.0, (_COPIES, *x.shape))
    noise[0] = 0.0
    changed = x * (1.0 + change * noise)
    host = changed.reshape(-1, x.shape[1]).astype(rows.host.dtype)
    made = EvaluatedRows(from_host(host, place_of(rows.given)), host, np.ones(host.shape[0]))
    values = read(phi, made)[0].astype(np.float64).reshape(_COPIES, at.size, -1)
    return values.min(axis=0), values.max(axis=0)


def _eps(z: Any) -> float:
    return float(np.finfo(z.dtype).eps) if z.dtype.kind == "f" else 0.0
