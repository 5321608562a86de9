"""Rows at the ends of the floating point numbers: zero, denormal, huge, mixed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler._plural import counted
from mehler.verify.checks.structure._subject import Finding, Subject

# Fraction of draws that fail, which are missed with at most the error rate of the row.
_SELDOM = 0.1


def check_finite(subject: Subject) -> list[Finding]:
    """Call maps on extreme finite rows: features must be finite, and nothing raised.

    The largest rows have the fourth root of the largest number as their length (3e77 in float64,
    4e9 in float32), at which <phi(x), phi(x)> of any map of degree 2 is finite. Correct maps never
    fail, so a false alarm is impossible.
    """
    blocks = hostile_rows(subject.rows)
    draws = math.ceil(math.log(subject.rate) / math.log1p(-_SELDOM))
    seeds = subject.seeds(0)
    for k in range(draws):
        if subject.clock.over:
            subject.notes.skip(f"extreme rows in more than {counted(k, 'draw')}", "time")
            break
        seed = seeds.seed(k)
        phi = subject.map(seed)
        for label, rows in blocks.items():
            where = {"row": label, "seed": seed}
            try:
                z = subject.call(phi, rows)
            except (ArithmeticError, ValueError) as error:
                cause = f"raises {type(error).__name__} at a finite row ({label}): {error}"
                return [Finding(cause=cause, check="finite", where=where)]
            if not np.isfinite(z).all():
                cause = f"features of a finite row ({label}) are not finite"
                return [Finding(cause=cause, check="finite", where=where)]
    return []


@np.errstate(under="ignore")
def hostile_rows(rows: Any) -> dict[str, Any]:
    """Return named blocks of extreme rows, in the dtype of the given ones or in float64."""
    host = rows if rows.dtype.kind == "f" else rows.astype(np.float64)
    d, info = host.shape[1], np.finfo(host.dtype)
    top = float(info.max) ** 0.25
    norms = np.linalg.norm(host.astype(np.float64), axis=1, keepdims=True)
    unit = host / np.where(norms > 0.0, norms, 1.0)
    blocks = {
        "ordinary": host,
        "zero": np.zeros((1, d)),
        "negative zero": -np.zeros((1, d)),
        "zero among ordinary": np.vstack([host[:1], np.zeros((1, d))]),
        "denormal": np.full((1, d), float(info.smallest_subnormal)),
        "tiny": unit * float(info.tiny),
        "huge": unit * top,
        "huge and tiny": np.resize(np.array([top / math.sqrt(d), float(info.tiny)]), d)[None, :],
        "constant": np.ones((1, d)),
        "axis": np.eye(1, d),
    }
    return {label: np.asarray(block, dtype=host.dtype) for label, block in blocks.items()}
