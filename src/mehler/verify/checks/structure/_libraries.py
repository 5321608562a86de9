"""The same map on every array library that is installed, compared with NumPy's features."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.stats import binom

from mehler._arrays import from_host, has_float64, installed_namespaces, place_of, resolve_place
from mehler._plural import counted
from mehler.verify.checks.structure._same import _PIECES, _ULPS
from mehler.verify.checks.structure._subject import Finding, Subject
from mehler.verify.sampling._pairs import EvaluatedRows
from mehler.verify.sampling._sources import call

_SEEDS, _DTYPES = 3, ("float32", "float64")


def check_libraries(subject: Subject) -> list[Finding]:
    r"""Draw maps for rows of each library, in float32 and float64, by ``redraw``.

    .. math:: |\phi_{\text{there}}(x)_l - \phi_{\text{NumPy}}(x)_l|
              \le 64 \sqrt{d}\,\epsilon \max_l |\phi(x)_l|

    with eps of the rows, except at the few entries within rounding of a jump of the feature (a
    sign, an argmax of q values), with probability at most 8 max(16, q) sqrt(d) eps each: by the
    binomial tail one or two in float64. A library that refuses the rows is a finding.
    """
    there = {name: xp for name, xp in installed_namespaces().items() if name != "numpy"}
    rate = subject.rate / max(1, len(there) * len(_DTYPES) * _SEEDS)
    for k in range(_SEEDS):
        seed = subject.seeds(0).seed(k)
        for dtype in _DTYPES:
            values = subject.rows.astype(dtype)
            reference = _features(subject, seed, values, values)
            for name, xp in there.items():
                place = resolve_place(xp)
                if dtype == "float64" and not has_float64(place.xp, place.device):
                    continue
                given = from_host(values, place)
                if place_of(given).xp is not place.xp:
                    given = place.xp.asarray(given)  # Dask takes NumPy's arrays as constants
                try:
                    cause = _difference(
                        _features(subject, seed, values, given), reference, values, rate
                    )
                except Exception as error:  # whatever a third party raises there
                    cause = f"{type(error).__name__}: {error}"
                if cause:
                    where = {"place": name, "dtype": dtype, "seed": seed}
                    cause = f"features on {name} are not NumPy's: {cause}"
                    return [Finding(cause=cause, check="libraries", where=where)]
    subject.notes.remark(f"features equal NumPy's to rounding on {', '.join(there) or 'nothing'}")
    return []


def _features(subject: Subject, seed: int, values: Any, given: Any) -> Any:
    assert subject.redraw is not None
    subject.n_draws += 1
    phi = subject.redraw(seed, given, None)
    return np.array(call(phi, EvaluatedRows(given, values, np.ones(values.shape[0]))))


def _difference(z: Any, reference: Any, values: Any, rate: float) -> str:
    """Return how features differ by more than rounding and chance allow, or nothing."""
    if z.shape != reference.shape:
        return f"shape {z.shape}, not {reference.shape}"
    rounding = math.sqrt(values.shape[1]) * float(np.finfo(values.dtype).eps)
    wide = reference.astype(np.float64)
    if reference.dtype.kind == "f":
        size = np.abs(wide).max(axis=1, keepdims=True)
        wrong = ~(np.abs(z.astype(np.float64) - wide) <= _ULPS * rounding * size)
        pieces = _PIECES
    else:
        wrong, pieces = z != reference, max(_PIECES, float(wide.max()) + 1.0)
    allowed = int(binom.isf(rate, wrong.size, min(0.5, 8.0 * pieces * rounding)))
    if int(wrong.sum()) <= allowed:
        return ""
    return f"{int(wrong.sum())} of {counted(wrong.size, 'feature')} differ by more than rounding"
