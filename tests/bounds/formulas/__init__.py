"""Arguments and symbols of each bound, a module a namespace: what its formulas are evaluated at."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tests.bounds.latex import Value

Arguments = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One bound.

    Parameters
    ----------
    draw : callable
        From a random generator to arguments of the bound.
    symbols : callable
        From the arguments to the value of each symbol of its formulas, by another route than the
        bound's own: SciPy, mehler.exact, many digits.
    branches : tuple of dict
        Arguments that replace drawn ones: a dict for each formula that the bound may return.
    unread : dict
        From the name of a term whose formula is no closed expression to the reason.
    """

    draw: Callable[[np.random.Generator], Arguments]
    symbols: Callable[[Arguments], Mapping[str, Value]]
    branches: tuple[Arguments, ...] = ({},)
    unread: Mapping[str, str] = field(default_factory=dict)


def rows() -> dict[str, Row]:
    """Return the rows of all namespaces, by the name of the bound."""
    result: dict[str, Row] = {}
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        result |= importlib.import_module(f"{__name__}.{path.stem}").ROWS
    return result


def rows_of(
    draw: Callable[[np.random.Generator, str], Arguments],
    symbols: Callable[[Arguments], Mapping[str, Value]],
) -> Callable[..., Row]:
    """Return the function of names and branches that makes a row, whose arguments `draw` draws."""
    return lambda names, *branches: Row(lambda rng: draw(rng, names), symbols, branches or ({},))


def log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    """Draw a number whose logarithm is uniform."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def count(rng: np.random.Generator, high: float = 1e6, low: float = 1) -> int:
    """Draw a whole number, small ones as often as large ones."""
    return round(log_uniform(rng, low, high))
