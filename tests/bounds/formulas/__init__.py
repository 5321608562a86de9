"""Arguments and symbols of each bound, a module a namespace: what its formulas are evaluated at."""

import importlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
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
    formulas : tuple of dict
        Of each branch, from ``formulas.json``: LaTeX of each term, as its docstring and page have
        it; several where it has cases.
    """

    draw: Callable[[np.random.Generator], Arguments]
    symbols: Callable[[Arguments], Mapping[str, Value]]
    branches: tuple[Arguments, ...] = ({},)
    unread: Mapping[str, str] = field(default_factory=dict)
    formulas: tuple[dict[str, Any], ...] = ()


def rows() -> dict[str, Row]:
    """Return the rows of all namespaces, by the name of the bound."""
    here, result = Path(__file__).parent, {}
    formulas = json.loads((here / "formulas.json").read_text())
    for path in sorted(here.glob("[a-z]*.py")):
        for name, row in importlib.import_module(f"{__name__}.{path.stem}").ROWS.items():
            texts = tuple(formulas.get(name, [{}] * len(row.branches)))
            result[name] = replace(row, formulas=texts)
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
