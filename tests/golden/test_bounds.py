"""Bounds and their inverses have the golden values.

The arguments stand beside the values, drawn at random once, and the function of today: one that is
called, or that is solved for its size. What has none is gone, as ``differences.json`` says why.
"""

import importlib
from typing import Any

import numpy as np
import pytest

from mehler.bounds import Bound, solve
from tests.golden._store import close, read, report, row_of

BOUNDS = read("bounds")
FUNCTIONS = sorted({key.partition("/")[0] for key in BOUNDS})
# Logarithms and eigenvalues are rounded in another way by other processors.
ROUNDING = 1e-12
# An integral by the adaptive rule of SciPy, whose requested accuracy is 1.5e-8.
INTEGRALS = {"lower.risk": 1e-8}
# Fields of results that went: `Witness.proof` named the method, which stands beside it.
GONE = {"proof"}


def value(golden: dict[str, Any]) -> Any:
    """Call or solve a function as its golden row says, and return what is kept of a result."""
    module, _, name = golden.get("call", golden.get("solve")).partition(":")
    function = getattr(importlib.import_module(module), name)
    arguments = {k: given(k, v) for k, v in golden["arguments"].items()}
    with np.errstate(all="ignore"):
        return plain(function(**arguments) if "call" in golden else solve(function, **arguments))


def given(name: str, value: Any) -> Any:
    """Return an argument as it was: lists were arrays, and tuples of two numbers."""
    if name == "grams":
        return [np.array(gram) for gram in value]
    if name in ("sub_gamma", "thresholds", "increments"):
        return None if value is None else tuple(value)
    return np.array(value) if isinstance(value, list) else value


def plain(result: Any) -> Any:
    """Return numbers, strings, and lists and dicts of them."""
    if isinstance(result, Bound):
        terms = [[term.name, plain(term.value)] for term in result.terms]
        return {
            "value": plain(result.value),
            "probability": plain(result.probability),
            "terms": terms,
        }
    if isinstance(result, np.ndarray | np.generic):
        return result.tolist()
    if isinstance(result, list | tuple):
        return [plain(entry) for entry in result]
    if hasattr(result, "__dict__"):
        return {k: plain(v) for k, v in vars(result).items() if not k.startswith("_")}
    return result


def near(result: Any, golden: Any, rounding: float = ROUNDING) -> bool:
    """Whether floats agree to rounding, and everything else is equal."""
    if isinstance(golden, dict):
        names = golden.keys() - GONE
        return result.keys() == names and all(near(result[k], golden[k], rounding) for k in names)
    if isinstance(golden, list):
        return len(result) == len(golden) and all(
            near(ours, theirs, rounding) for ours, theirs in zip(result, golden, strict=True)
        )
    return close(result, golden, rounding * abs(golden) if isinstance(golden, float) else 0.0)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.sampled(15)
def test_values(name: str):
    for key, golden in BOUNDS.items():
        if key.partition("/")[0] == name:
            row = row_of(f"bounds/{key}")
            if row is not None and "now" not in row:
                assert not {"call", "solve"} & golden.keys(), f"{row['reason']!r} is stale"
                continue
            arguments = {k: v for k, v in golden.items() if k not in ("result", "raises")}
            require(key, golden if row is None else arguments | row["now"])


def require(key: str, golden: dict[str, Any]) -> None:
    """Fail unless the function of a row gives its result, or refuses its arguments."""
    if "raises" in golden:
        with pytest.raises((TypeError, ValueError)):
            value(golden)
        return
    result, rounding = value(golden), INTEGRALS.get(key.partition("/")[0], ROUNDING)
    assert near(result, golden["result"], rounding), report(key, result, golden["result"])
