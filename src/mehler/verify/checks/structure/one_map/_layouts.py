"""Check that memory layout and precision of the rows do not change the features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays import has_float64, place_of
from mehler.verify.checks.structure._finding import Finding, reason_of
from mehler.verify.checks.structure._same import rows_apart
from mehler.verify.checks.structure._subject import Subject

_CHECK = "layouts"


def check_layouts(subject: Subject) -> list[Finding]:
    """Call one map on rows in Fortran order, strided, read-only and in single precision."""
    phi = subject.map(subject.first)
    plain = subject.call(phi, subject.rows)
    found = []
    if isinstance(subject.given, np.ndarray):
        for what, make in _LAYOUTS.items():
            z = _attempt(subject, phi, subject.rows, make(subject.rows), what)
            if z is not None and rows_apart(z, plain, subject.rows.shape[1]).size:
                found.append(Finding(cause=f"wrong for {what}: other features", check=_CHECK))
                break
    return found + _precision(subject, phi)


def _precision(subject: Subject, phi: Any) -> list[Finding]:
    """Compare single with double precision at numbers representable in both."""
    place = place_of(subject.given)
    if subject.rows.dtype.kind != "f" or not has_float64(place.xp, place.device):
        return []
    single = subject.rows.astype(np.float32)
    double = single.astype(np.float64)
    # The effect on the features of rounding the rows.
    eps = np.finfo(np.float32).eps
    noise = np.random.default_rng(subject.seed).standard_normal(double.shape)
    exact, moved, found = (
        _attempt(subject, phi, rows, subject.place(rows), f"{rows.dtype} rows")
        for rows in (double, double * (1.0 + eps * noise), single)
    )
    if exact is None or moved is None or found is None:
        return []
    if not np.isfinite(found.astype(np.float64)).all():
        subject.notes.remark("features of float32 rows overflow")
        return []
    slack: Any = 0.0
    if exact.dtype.kind == "f":
        gap = np.abs(moved.astype(np.float64) - exact.astype(np.float64))
        slack = 16.0 * np.quantile(gap, 0.9, axis=1, keepdims=True)
    off = rows_apart(found, exact, double.shape[1], slack)
    if not off.size:
        return []
    cause = "wrong for float32 rows: they have other features than in float64"
    return [Finding(cause=cause, check=_CHECK, where={"row": int(off[0])})]


def _attempt(subject: Subject, phi: Any, rows: Any, given: Any, what: str) -> Any:
    try:
        return subject.call(phi, rows, given=given)
    except Exception as error:  # a map may refuse: noted, no defect
        subject.notes.skip(what, reason_of(error))
        return None


def _read_only(rows: Any) -> Any:
    locked = rows.copy()
    locked.flags.writeable = False
    return locked


_LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows in Fortran order": np.asfortranarray,
    "strided rows": lambda rows: np.repeat(np.repeat(rows, 2, axis=1), 2, axis=0)[::2, ::2],
    "read-only rows": _read_only,
}
