"""Other values for an argument: the same value in another guise, and values of other kinds."""

import contextlib
import math
import sys
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Change:
    """Another value, and whether the answer must be the one of the value before."""

    label: str
    value: Any
    same: bool = False
    # Whether no argument of that kind can be right, so that an answer is an error in silence.
    wrong: bool = False
    # Whether it may be refused, but an answer must be the one of the value before.
    alike: bool = False


def changes(value: Any) -> list[Change]:
    """What an argument with this value may be changed to."""
    if isinstance(value, np.ndarray):
        return _of_array(value) + _ANYTHING
    if isinstance(value, bool | np.bool_):
        return [Change("word", "false", wrong=True), Change("number", 1), *_ANYTHING]
    if isinstance(value, int | np.integer):
        return _of_integer(int(value)) + _ANYTHING
    if isinstance(value, float | np.floating):
        return _of_real(float(value)) + _ANYTHING
    if isinstance(value, str):
        words = ("", "no such word", value.upper() + "x", value.encode(), "a\x00b", "<b>")
        return [Change(f"word {word!r}", word) for word in words] + _ANYTHING
    if isinstance(value, list | tuple) and value:
        return _of_sequence(value) + _ANYTHING
    return _ANYTHING


_ANYTHING = [
    Change("None", None),
    Change("object", object()),
    Change("class", dict),
    Change("dict", {}),
    Change("empty list", []),
    Change("complex", 1j),
    Change("bytes", b"\xff"),
    Change("lone surrogate", "\ud800"),
    Change("NaN", float("nan")),
    Change("text", "1_000"),
    Change("generator", range(0)),
    Change("function", len),
]


def _of_integer(value: int) -> list[Change]:
    same = [
        Change(t.__name__, t(value), same=True) for t in (np.int64, np.int32) if abs(value) < 2**31
    ]
    if 0 <= value < 128:
        same += [
            Change("int8", np.int8(value), same=True),
            Change("uint8", np.uint8(value), same=True),
        ]
    numbers = (0, -1, 1, 2, 2**31, 2**40, 2**63, 2**64, 10**30, -(2**63))
    return (
        same
        + [Change(f"integer {n}", n) for n in numbers]
        + [Change("half", value + 0.5), Change("array", np.arange(3)), Change("True", True)]
        + [Change("number as text", str(value), wrong=True), Change("infinity", float("inf"))]
    )


def _of_real(value: float) -> list[Change]:
    numbers = (0.0, -0.0, -1.0, 1.0, 2.0, 1e308, 1e-320, -1e308, float("inf"), -float("inf"))
    return [
        Change("float64", np.float64(value), same=True),
        Change("fraction", Fraction(value) if math.isfinite(value) else value, alike=True),
        Change("decimal", Decimal(value), alike=True),
        *(Change(f"real {n}", n) for n in numbers),
        Change("number as text", str(value), wrong=True),
        Change("array", np.asarray([value, value])),
        Change("array of no dimension", np.asarray(value), alike=True),
        Change("huge integer", 10**400),
    ]


def _of_array(value: np.ndarray) -> list[Change]:
    changes = [
        Change("big-endian", value.astype(value.dtype.newbyteorder(">")), same=True),
        Change("Fortran order", np.asfortranarray(value), same=True),
        Change("strided", np.repeat(value, 2, axis=0)[::2] if value.ndim else value, same=True),
        Change("reversed strides", value[::-1].copy()[::-1] if value.ndim else value, same=True),
        Change("read-only", _read_only(value), same=True),
        Change("subclass", value.view(_Subclass), same=True),
        Change("no rows", value[:0] if value.ndim else np.empty(0)),
        Change("one more dimension", value[None]),
        Change("one dimension less", value[0] if value.ndim else value),
        Change("objects", value.astype(object), alike=True),
        Change("complex array", value.astype(complex) if value.dtype.kind in "biuf" else value),
        Change("masked", np.ma.masked_array(value, mask=np.ones(value.shape, bool))),
        Change("texts", np.full(value.shape, "a"), wrong=value.dtype.kind in "f"),
        Change(
            "dates",
            np.full(value.shape, np.datetime64("2020-01-01")),
            wrong=value.dtype.kind in "f",
        ),
        Change("list", value.tolist(), alike=value.dtype.kind != "f" or value.dtype == np.float64),
        *_of_libraries(value),
    ]
    if value.ndim > 1:
        changes.append(Change("no columns", value[:, :0]))
        changes.append(Change("one more column", np.concatenate([value, value[:, :1]], axis=1)))
    if value.dtype.kind == "f" and value.size:
        changes += [
            Change(f"filled with {n}", np.full_like(value, n))
            for n in (0.0, -1.0, 1e300, 1e-300, 5e-324, -1e308)
        ]
        for n in (np.nan, np.inf):
            holed = value.copy()
            holed.flat[-1] = n
            changes.append(Change(f"one {n}", holed))
        changes += [
            Change("float16", value.astype(np.float16)),
            Change("float32", value.astype("f4")),
        ]
    return changes


def _of_sequence(value: Any) -> list[Change]:
    kind = type(value)
    values = [Change("other sequence", list(value) if kind is tuple else tuple(value))]
    try:
        for inner in changes(value[0]):
            values.append(Change(f"first: {inner.label}", kind([inner.value, *value[1:]])))
        values.append(Change("one less", kind(value[1:])))
        values.append(Change("twice", kind([*value, *value])))
    except TypeError:  # a named tuple, which takes its parts one by one
        pass
    return values


def _of_libraries(value: np.ndarray) -> list[Change]:
    """The same numbers in the arrays and frames of those libraries that are in use already."""
    makers = {
        "torch": lambda torch: torch.asarray(value.copy()),
        "dask.array": lambda da: da.from_array(value, chunks=2),
        "array_api_strict": lambda strict: strict.asarray(value),
        "pandas": lambda pandas: (pandas.DataFrame if value.ndim == 2 else pandas.Series)(value),
    }
    changes = []
    for name, make in makers.items():
        if name in sys.modules and 0 < value.ndim < 3 and value.dtype.kind in "biuf":
            with contextlib.suppress(TypeError, ValueError):  # float16, big-endian, none of theirs
                changes.append(Change(f"of {name}", make(sys.modules[name])))
    return changes


class _Subclass(np.ndarray):
    """As astropy's and pint's arrays are."""


def _read_only(value: np.ndarray) -> np.ndarray:
    changes = value.copy()
    changes.flags.writeable = False
    return changes
