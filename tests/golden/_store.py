"""Read golden values, and compare others with them."""

import fnmatch
import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent


@functools.cache
def read(name: str, folder: Path = FOLDER) -> Any:
    """Return what ``NAME.json`` holds; floats come back to the last bit."""
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def rows_of_differences() -> list[dict[str, Any]]:
    """Return the rows of ``differences.json``."""
    return read("differences")


def row_of(key: str) -> dict[str, Any] | None:
    """Return the row of ``differences.json`` that lists `key`, or None."""
    rows = [row for row in rows_of_differences() if fnmatch.fnmatchcase(key, row["key"])]
    assert len(rows) < 2, f"{key} is listed by {[row['key'] for row in rows]}"
    return rows[0] if rows else None


def require_equal(key: str, value: Any, golden: Any, tolerance: Any = 0.0) -> None:
    """Fail if `value` is not the golden one, or is although ``differences.json`` lists it."""
    row = row_of(key)
    if row is None:
        assert close(value, golden, tolerance), report(key, value, golden)
        return
    assert not close(value, golden, tolerance), f"{key} does not differ: {row['reason']!r} is stale"
    if "now" in row:
        assert close(value, row["now"], tolerance), report(key, value, row["now"])


def close(value: Any, golden: Any, tolerance: Any = 0.0) -> bool:
    """Whether numbers agree within `tolerance`, and everything else is equal.

    Infinity and NaN agree with themselves alone.
    """
    if isinstance(golden, dict):
        same = isinstance(value, dict) and value.keys() == golden.keys()
        return same and all(close(value[key], golden[key], tolerance) for key in golden)
    if isinstance(golden, str | bool) or golden is None:
        return value == golden and type(value) is type(golden)
    theirs = _numbers(golden)
    if theirs is None:
        if not isinstance(golden, list):
            return value == golden
        same = isinstance(value, list) and len(value) == len(golden)
        return same and all(close(v, g, tolerance) for v, g in zip(value, golden, strict=True))
    ours = _numbers(value)
    if ours is None or ours.shape != theirs.shape:
        return False
    equal = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    with np.errstate(invalid="ignore"):
        return bool(np.all(equal | (np.abs(ours - theirs) <= tolerance)))


def _numbers(value: Any) -> np.ndarray | None:
    """Return an array of floats, or None for a list that holds others or is ragged."""
    try:
        array = np.asarray(value)
    except ValueError:
        return None
    return array.astype(float) if array.dtype.kind in "biuf" else None


def report(key: str, value: Any, golden: Any) -> str:
    """Return the message for a value that is not the golden one."""
    return (
        f"{key} is {_short(value)}, and was {_short(golden)}. Golden values are no evidence of "
        "truth: repair the change, or list it in tests/golden/differences.json with its reason"
    )


def _short(value: Any, width: int = 400) -> str:
    text = json.dumps(plain(value))
    return text if len(text) <= width else f"{text[:width]} ..."


def plain(value: Any) -> Any:
    """Return JSON-able values; floats are written so that they are read back to the last bit.

    float32 is written in its own shortest digits, which are read back as the same float32.
    """
    if isinstance(value, np.ndarray | np.generic):
        if value.dtype == np.float32:
            return _shortest(value.tolist() if value.ndim == 0 else value)
        return plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    return value


def _shortest(values: Any) -> Any:
    if np.ndim(values) == 0:
        return float(str(np.float32(values)))
    return [_shortest(part) for part in values]
