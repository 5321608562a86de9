"""Certificates: what a verdict rests on, for `mehler/recheck.py`, which decides it again."""

from __future__ import annotations

import hashlib
import json
import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler._version import __version__

SCHEMA = "mehler-certificate/3"
# Numbers that a certificate stores of samples, and of rows: about 100 kB each.
MOST_STORED = 4096
_FIELDS = (
    *("check", "claim", "status", "method", "assumptions", "false_alarm", "miss", "resolution"),
    *("detectable", "observed", "exact", "interval", "scale", "where", "n_features", "n_draws"),
    *("n_intervals", "seeds", "reason"),
)
# Endpoints are stored farther out, so that they are excluded in spite of rounding: by a fraction
# of the width, and of what it is less than the resolution.
_OUTWARD, _SPARE = 1e-6, 1e-1


@dataclass(frozen=True)
class Statistics:
    """What decided a check, by one method; `mehler/recheck.py` has the fields of each method.

    `plan` has what was fixed before the data, `tests` one value, or one column of an array, for
    each mean, ``n`` samples of each. ``sums`` among them are four power sums about the claim, added
    in blocks of ``block``; ``fresh_sums`` are those of the last ``fresh`` samples, which confirm.
    """

    method: str
    plan: Mapping[str, Any]
    tests: Mapping[str, Any]

    def to_dict(self, resolution: float) -> dict[str, Any]:
        """Return JSON-able values, numbers in hexadecimal, sums with radii, endpoints outwards."""
        values, plan = dict(self.tests), dict(self.plan)
        if "n" in values:
            (plan["n"],) = {int(n) for n in np.ravel(values.pop("n"))}
        block = int(np.ravel(values.pop("block", 1))[0])
        count = max(np.shape(value)[-1] for value in values.values() if np.ndim(value))
        tests = []
        for k in range(count):
            test = {x: np.asarray(v)[..., k] if np.ndim(v) else v for x, v in values.items()}
            tests.append(exactly(_rounded(test, plan.get("n", 1), block, resolution)))
        return {"method": self.method, "plan": exactly(plan), "tests": tests}


def _rounded(test: dict[str, Any], n: int, block: int, resolution: float) -> dict[str, Any]:
    """Add the radii of sums, and move endpoints outwards."""
    if "sums" in test:
        test["radii"] = radii_of(n, test["sums"], float(test["claim"]), block)
    if "fresh" in test:
        # Differences of two sums, and the rounding of that: below a sixtieth of a radius.
        radii = [_up(2.1 * each, 8) for each in test["radii"]]
        test["fresh"] = {"n": test["fresh"], "sums": test.pop("fresh_sums"), "radii": radii}
    if "low" in test:
        low, high = float(test["low"]), float(test["high"])
        if math.isfinite(high - low):
            room = _OUTWARD * (high - low) + _SPARE * max(0.0, resolution - (high - low))
            low, high = -_up(room - low, 32), _up(high + room, 32)
        test |= {"low": low, "high": high}
    return test


def stored(values: Array) -> Any:
    """Return samples or rows if they are few enough for a certificate, else None."""
    return values if values is not None and np.size(values) <= MOST_STORED else None


def samples_of(chosen: Mapping[int, Any], count: int) -> Any:
    """Return an array of `count` tests with the samples of those chosen, if they are few."""
    kept = np.full(count, None, dtype=object)
    if sum(np.size(x) for x in chosen.values()) <= MOST_STORED:
        for k, x in chosen.items():
            kept[k] = tuple(float(each) for each in x)
    return kept


def joined(groups: Sequence[Statistics], **more: Any) -> tuple[Statistics, ...]:
    """Return the statistics of one method at several means as one group."""
    if not groups or len({each.method for each in groups}) > 1:
        return ()
    tests = {
        name: np.concatenate([np.atleast_1d(each.tests[name]) for each in groups], axis=-1)
        for name in groups[0].tests
    }
    return (Statistics(groups[0].method, groups[0].plan, {**tests, **more}),)


def certificate(verdict: Any) -> dict[str, Any]:
    """Return the certificate of a verdict; see `Verdict.certificate`."""
    versions = {"mehler": __version__, "numpy": np.__version__, "python": platform.python_version()}
    content = {
        "schema": SCHEMA,
        **{name: exactly(getattr(verdict, name)) for name in _FIELDS},
        "statistics": [each.to_dict(verdict.resolution) for each in verdict.statistics],
        "versions": versions,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return {**content, "digest": "sha256:" + hashlib.sha256(text.encode()).hexdigest()}


def certificates_text(named: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
    """Return the JSON of a file of several certificates, each with a name of what it is of."""
    names, listed = [name for name, _ in named], [each for _, each in named]
    content = {"schema": "mehler-certificates/1", "of": names, "certificates": listed}
    return json.dumps(content, indent=0, allow_nan=False) + "\n"


def exactly(value: object) -> Any:
    """Return JSON-able values with floats in hexadecimal; NaN and infinities by name."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, Mapping):
        return {str(key): exactly(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [exactly(item) for item in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def radii_of(n: int, sums: Array, claim: float, block: int) -> list[float]:
    r"""Bound the rounding of power sums of samples about a claim c, u = 2^-53.

    .. math:: |\hat T_k - T_k| \le u \sum_i \big((b + 64) (|X_i - c| + 2 |c|)^k
              + (n/b + 64) |X_i - c|^k\big)

    The first term is that of sums within blocks of b samples, in any order and moved to the claim,
    the second that of the sum over blocks. Odd moments are bounded by Cauchy's inequality.
    """
    values = [float(each) for each in sums]
    if not all(math.isfinite(each) for each in (*values, claim)):
        return [math.inf] * 4
    second, fourth = max(values[1], 0.0), max(values[3], 0.0)
    sizes = [n, math.sqrt(n * second), second, math.sqrt(second * fourth), fourth]
    reach, radii = 2.0 * abs(claim), []
    for k in range(1, 5):
        moved = math.fsum(math.comb(k, j) * reach ** (k - j) * sizes[j] for j in range(k + 1))
        radii.append(_up(2.0**-53 * ((block + 64) * moved + (n / block + 64) * sizes[k]), 8))
    return radii


def _up(x: float, bits: int) -> float:
    """Return the next number of few bits that is not below x, which is short in hexadecimal."""
    if x == 0.0 or not math.isfinite(x):
        return x
    mantissa, exponent = math.frexp(x)
    return math.ldexp(math.ceil(math.ldexp(mantissa, bits)), exponent - bits)
