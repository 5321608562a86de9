"""Which differences of features are rounding of the rows: of sums, or at a jump within reach."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._arrays import from_host, place_of
from mehler.verify.sampling._pairs import EvaluatedRows
from mehler.verify.sampling._sources import call

# Relative rounding of features allowed, in eps: the action changes the order of sums.
ROUNDING = 2.0**10
# Relative changes of every entry of a row, in eps, that stand for rounding on the way to a jump,
# and how many changed rows are looked at.
_CHANGE, _COPIES = 2.0**6, 32


def beyond_rounding(
    phi: Any, rows: EvaluatedRows, other: EvaluatedRows, found: Any
) -> tuple[Any, Any]:
    """Return where phi(x), `found`, and phi(g x) differ by more than rounding, and the gaps.

    A feature with jumps (a bin, a code, a sign) may differ by a jump where both rows are next to
    it. There the values of rows that are changed by rounding meet those of changed moved rows.
    """
    z, there = found.astype(np.float64), call(phi, other).astype(np.float64)
    gap = np.abs(z - there)
    allowed = ROUNDING * _eps(found) * np.abs(z).max(axis=1, keepdims=True)
    wrong = ~(gap <= allowed)
    at = np.flatnonzero(wrong.any(axis=1))
    if at.size:
        eps = max(_eps(found), _eps(rows.host)) or float(np.finfo(np.float64).eps)
        low, high = _reached(phi, rows, at, eps)
        other_low, other_high = _reached(phi, other, at, eps)
        meet = np.maximum(low, other_low) <= np.minimum(high, other_high) + allowed[at]
        wrong[at] &= ~meet
    return wrong, gap


def _reached(phi: Any, rows: EvaluatedRows, at: Any, eps: float) -> tuple[Any, Any]:
    """Return the least and the largest feature of the rows at `at`, changed by rounding."""
    x = rows.host[at].astype(np.float64)
    noise = np.random.default_rng(0).uniform(-1.0, 1.0, (_COPIES, *x.shape))
    noise[0] = 0.0
    changed = x * (1.0 + _CHANGE * eps * noise)
    host = changed.reshape(-1, x.shape[1]).astype(rows.host.dtype)
    made = EvaluatedRows(from_host(host, place_of(rows.given)), host, np.ones(host.shape[0]))
    values = call(phi, made).astype(np.float64).reshape(_COPIES, at.size, -1)
    return values.min(axis=0), values.max(axis=0)


def _eps(z: Any) -> float:
    return float(np.finfo(z.dtype).eps) if z.dtype.kind == "f" else 0.0
