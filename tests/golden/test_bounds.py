"""Bounds and their inverses have the golden values, under the names that they have now.

The arguments stand beside the values, drawn at random once. A module ``names/NAMESPACE.py`` has the
functions of that time, with their arguments, as calls of those of today; where there is none,
``renamed.json`` says where a function is now: its module, its name, the names of its arguments.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

from mehler.bounds import Bound
from tests.golden._store import FOLDER, close, read, report, row_of

BOUNDS, RENAMED = read("bounds"), read("renamed")
TRANSLATED = {path.stem for path in (FOLDER / "names").glob("[a-z]*.py")}
FUNCTIONS = sorted({key.partition("/")[0] for key in BOUNDS})
# Logarithms and eigenvalues are rounded in another way by other processors.
ROUNDING = 1e-12
# An integral by the adaptive rule of SciPy, whose requested accuracy is 1.5e-8.
INTEGRALS = {"lower.risk": 1e-8}


def function_of(name: str) -> tuple[Any, dict[str, str]]:
    """Return the function that was called so, and its arguments by their names of that time."""
    namespace, _, own = name.partition(".")
    if namespace in TRANSLATED:
        return getattr(importlib.import_module(f"tests.golden.names.{namespace}"), own), {}
    row = {**RENAMED.get(namespace, {}), **RENAMED.get(name, {})}
    module = importlib.import_module(row.get("module", f"mehler.bounds.{namespace}"))
    return getattr(module, row.get("name", own)), row.get("arguments", {})


def is_gone(name: str) -> bool:
    """Whether a function has no successor."""
    try:
        function_of(name)
    except AttributeError:
        return True
    return False


def value(name: str, arguments: dict[str, Any]) -> Any:
    """Call a function as its golden row says, and return what is kept of a result."""
    function, names = function_of(name)
    with np.errstate(all="ignore"):
        return plain(function(**{names.get(k, k): given(k, v) for k, v in arguments.items()}))


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
        return [plain(one) for one in result]
    if hasattr(result, "__dict__"):
        return {k: plain(v) for k, v in vars(result).items() if not k.startswith("_")}
    return result


def near(result: Any, golden: Any, rounding: float = ROUNDING) -> bool:
    """Whether floats agree to rounding, and everything else is equal."""
    if isinstance(golden, dict):
        return result.keys() == golden.keys() and all(
            near(result[k], golden[k], rounding) for k in golden
        )
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
                assert is_gone(name), f"{key} is not gone: {row['reason']!r} is stale"
                continue
            require(key, golden["arguments"], golden if row is None else row["now"])


def require(key: str, arguments: dict[str, Any], golden: dict[str, Any]) -> None:
    """Fail unless the function of a row gives its result, or refuses its arguments."""
    name = key.partition("/")[0]
    if "raises" in golden:
        with pytest.raises((TypeError, ValueError)):
            value(name, arguments)
        return
    result = value(name, arguments)
    assert near(result, golden["result"], INTEGRALS.get(name, ROUNDING)), report(
        f"{key} {arguments}", result, golden["result"]
    )
