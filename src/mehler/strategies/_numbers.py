"""Hypothesis strategies for seeds and pool sizes, settings of tests, and checks of arguments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mehler._validate import require_choice, require_integer, require_iterable

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
    """Return the endpoints of a range of integers, in order."""
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


def require_members(
    name: str, value: Iterable[Any] | None, members: Sequence[_Member]
) -> list[_Member]:
    """Return those of `members` that are requested, in their order; None means all."""
    _refuse_strategy(name, value)
    if value is None:
        return list(members)
    if isinstance(value, str):
        raise TypeError(f"{name}={value!r} must be a list of names, for instance [{value!r}]")
    names = [require_choice(name, member, members) for member in require_iterable(name, value)]
    if not names:
        raise ValueError(f"{name}=[] must name some of {list(members)}")
    return [member for member in members if member in names]


def _refuse_strategy(name: str, value: Any) -> None:
    if isinstance(value, SearchStrategy):
        raise TypeError(
            f"{name} is a strategy: pass a value; where it should vary, draw it first, with "
            "hypothesis.strategies.composite or .flatmap"
        )


def seeds() -> SearchStrategy[int]:
    """Generate seeds of 31 bits, which every library accepts; shrinks to 0.

    Returns
    -------
    SearchStrategy of int
        Seeds from 0 to 2^31 - 1.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(seeds(), lambda seed: True)
    0
    """
    # Of long integers Hypothesis prefers small ones, and examples of one seed share their draws.
    halves = st.tuples(st.integers(0, 2**16 - 1), st.integers(0, 2**15 - 1))
    return halves.map(lambda pair: pair[0] | pair[1] << 16)


def pool_sizes(*, min_size: int = 1, max_size: int = 16) -> SearchStrategy[int]:
    """Generate pool sizes q, small ones and powers of two among them; shrinks to `min_size`.

    Parameters
    ----------
    min_size, max_size : int
        Ends of the range, at least 1.

    Returns
    -------
    SearchStrategy of int
        Pool sizes: numbers of projections of which a maxout unit takes the largest.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(pool_sizes(), lambda q: q > 2)
    3
    """
    low, high = require_range(min_size, max_size, floor=1, ceiling=10**6)
    # Loops that halve a pool fail at odd sizes and at 2^k + 1.
    edges = sorted({q for k in range(20) for q in (2**k, 2**k + 1) if low <= q <= high})
    plain = st.integers(low, high)
    return plain | st.sampled_from(edges) if edges else plain


def example_settings(*, examples: int) -> settings:
    """Return settings for a test that checks random maps on many examples, as a decorator.

    ``max_examples`` is `examples`, the number to pass to ``ledger.allot`` as well. There is no
    deadline, since the time of a check depends on the machine and Hypothesis would call the test
    flaky. Failures print the line that replays them; shrinking stops at the simplest example,
    without the explain phase.

    Parameters
    ----------
    examples : int
        Number of examples, at least 1.

    Returns
    -------
    hypothesis.settings
        To be applied to the test function.

    Examples
    --------
    >>> example_settings(examples=20).max_examples
    20
    """
    return settings(
        max_examples=require_count("examples", examples, least=1),
        deadline=None,
        print_blob=True,
        phases=[phase for phase in Phase if phase is not Phase.explain],
    )
