"""Certificates: the evidence for a verdict, which `mehler/recheck.py` can recheck."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from mehler._version import __version__

SCHEMA = "mehler-certificate/4"
# Endpoints are stored farther out, so that they are excluded in spite of rounding: by a fraction
# of the width, and of what it is less than the resolution.
_OUTWARD, _SPARE = 1e-6, 1e-1


@dataclass(frozen=True)
class Statistics:
    """Statistics of a check by one method; `mehler/recheck.py` lists the fields of each.

    `plan` has what was fixed before the data and n, `tests` a value or a column for each mean.
    """

    method: str
    plan: Mapping[str, Any]
    tests: Mapping[str, Any]

    def to_dict(self, resolution: float) -> dict[str, Any]:
        """Return JSON-able values, numbers in hexadecimal, endpoints outwards."""
        values = dict(self.tests)
        if "low" in values:
            low, high = np.asarray(values["low"]), np.asarray(values["high"])
            room = _OUTWARD * (high - low) + _SPARE * np.maximum(0.0, resolution - (high - low))
            room = np.where(np.isfinite(room), room, 0.0)
            values |= {"low": low - room, "high": high + room}
        count = max(np.shape(value)[-1] for value in values.values())
        tests = [
            {x: exactly(np.asarray(v)[..., k]) for x, v in values.items()} for k in range(count)
        ]
        return {"method": self.method, "plan": exactly(self.plan), "tests": tests}


def certificate(verdict: Any) -> dict[str, Any]:
    """Return the certificate of a verdict; see `Verdict.certificate`."""
    versions = {"mehler": __version__, "numpy": np.__version__, "python": platform.python_version()}
    names = [each.name for each in fields(verdict) if each.repr]
    content = {
        "schema": SCHEMA,
        **{name: exactly(getattr(verdict, name)) for name in names},
        "statistics": [each.to_dict(verdict.resolution) for each in verdict.statistics],
        "versions": versions,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return {**content, "digest": "sha256:" + hashlib.sha256(text.encode()).hexdigest()}


def certificates_text(named: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Return the JSON of a file of several certificates, each with the name of its map."""
    names, listed = [name for name, _ in named], [each for _, each in named]
    content = {"schema": "mehler-certificates/1", "of": names, "certificates": listed}
    return json.dumps(content, indent=0, allow_nan=False) + "\n"


def exactly(value: object) -> Any:
    """Return JSON-able values with floats in hexadecimal; NaN and infinities by name."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, Mapping):
        return {str(key): exactly(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [exactly(item) for item in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)
