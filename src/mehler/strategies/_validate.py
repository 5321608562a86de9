"""Validate the options of a strategy when it is made, naming the option."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from hypothesis.strategies import SearchStrategy

from mehler._validate import require_integer, require_iterable, require_real

_Member = TypeVar("_Member")

# Most numbers in one example; Hypothesis gives up on several thousand.
_LARGEST = 4096


def require_count(name: str, value: object, *, least: int, most: int | None = None) -> int:
    """Return `value` as an int in [least, most]."""
    _refuse_strategy(name, value)
    return require_integer(name, value, least=least, most=most)


def require_range(
    min_size: object, max_size: object, *, floor: int, ceiling: int | None = None
) -> tuple[int, int]:
    """Return the ends of a range of integers, in order."""
    low = require_count("min_size", min_size, least=floor, most=ceiling)
    high = require_count("max_size", max_size, least=floor, most=ceiling)
    if high < low:
        raise ValueError(f"min_size={low} exceeds max_size={high}: exchange them")
    return low, high


def require_size(n_rows: int, n_inputs: int) -> None:
    """Refuse arrays too large for Hypothesis to draw."""
    if n_rows * n_inputs > _LARGEST:
        raise ValueError(
            f"max_size={n_rows} rows of n_inputs={n_inputs} are {n_rows * n_inputs} numbers: an "
            f"example holds at most {_LARGEST}; make one of them smaller"
        )


def require_correlation(name: str, value: object) -> float:
    """Return `value` as a float in [-1, 1]."""
    _refuse_strategy(name, value)
    number = require_real(name, value)
    if not -1.0 <= number <= 1.0:
        raise ValueError(f"{name}={value!r} must be a correlation in [-1, 1]")
    return number


def require_members(
    name: str, value: Iterable[Any] | None, members: Sequence[_Member]
) -> list[_Member]:
    """Return those of `members` that are requested, in their order; None means all."""
    _refuse_strategy(name, value)
    if value is None:
        return list(members)
    if isinstance(value, str):
        raise TypeError(f"{name}={value!r} must be a list of names, for instance [{value!r}]")
    wanted = list(require_iterable(name, value))
    matches = [[each for each in members if _is(one, each)] for one in wanted]
    if not wanted or not all(matches):
        raise ValueError(f"{name}={wanted!r} must name some of {list(members)}")
    return [each for each in members if [each] in matches]


def _is(value: Any, members: Any) -> bool:
    """Compare, although comparison with an array is an array, which has no truth."""
    try:
        return bool(value == members)
    except (TypeError, ValueError):
        return False


def _refuse_strategy(name: str, value: Any) -> None:
    if isinstance(value, SearchStrategy):
        raise TypeError(
            f"{name} is a strategy: pass a value; where it should vary, draw it first, with "
            "hypothesis.strategies.composite or .flatmap"
        )
