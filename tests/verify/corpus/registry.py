"""Every planted defect, the check whose business it is, and twins that must not be refuted.

A look is a check with its default settings, given only what a map declares. `correct` is the map
without the defect; `TWINS` are maps that look wrong and are right as far as their check goes, or
that only another check may refute.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mehler import verify

Draw = Callable[..., Any]
Look = Callable[[Draw, int], verify.Verdict]


@dataclass(frozen=True)
class Planted:
    """A defect: `check` refutes `broken` and holds for `correct`."""

    name: str
    check: str
    look: Look
    broken: Draw
    correct: Draw


@dataclass(frozen=True)
class Twin:
    """A map that `check` must not refute, and why."""

    name: str
    check: str
    look: Look
    draw: Draw
    why: str


def correct(cases: list[Planted]) -> list[Twin]:
    """Each correct map once for each look that it gets."""
    once = {(case.look, case.correct): case for case in reversed(cases)}
    return [
        Twin(case.name.partition(":")[0], case.check, case.look, case.correct, "without defects")
        for case in reversed(once.values())
    ]


@functools.cache
def drawer(cls: Any, **change: Any) -> Draw:
    """seed -> map, with the fields of `change` set."""
    return lambda seed: cls(seed, **change)


def moved_weights(change: Callable[..., tuple[Any, ...]]) -> Callable[[type], type]:
    """A defect of what a map of ours draws: ``change(map, *weights)`` in its place."""

    def defect(cls: type) -> type:
        class Broken(cls):
            def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
                return change(self, *super()._draw(dtype, units))

        return Broken

    return defect


def kernel(rows: Any, **declared: Any) -> Look:
    """check_kernel against the map's own declaration, which the defects do not touch."""

    def look(draw: Draw, seed: int) -> verify.Verdict:
        return verify.check_kernel(draw, draw(0).kernel, rows, seed=seed, **declared)

    return look
