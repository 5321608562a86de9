"""Every term's formula is its value; bounds fall where they say it; arrays are their entries.

The arguments are random; symbols are evaluated by another route than the bound's own. A bound
without a row in `tests/bounds/formulas` fails.
"""

from __future__ import annotations

import numpy as np
import pytest

from mehler.bounds._function import REGISTRY
from tests.bounds.formulas import Arguments, rows
from tests.bounds.latex import evaluate

ROWS = rows()
DRAWS = 8
# Sums and powers in another order, a quadrature of 1e-12, and what of it cancels in a variance.
ROUNDING = 1e-9


def settings(name: str) -> list[Arguments]:
    """Return random arguments of a bound, some for each of its branches."""
    row = ROWS[name]
    rng = np.random.default_rng(len(name))
    return [{**row.draw(rng), **branch} for branch in row.branches for _ in range(DRAWS)]


NAMES = list(REGISTRY)


def test_every_bound_has_a_row():
    assert set(NAMES) == set(ROWS)


@pytest.mark.parametrize("name", NAMES)
def test_formulas_are_the_values(name):
    row = ROWS[name]
    unread = set(row.unread)
    for arguments in settings(name):
        symbols = {**row.symbols(arguments)}
        for term in REGISTRY[name](**arguments).terms:
            if term.name in row.unread:
                unread.discard(term.name)
                continue
            value = evaluate(term.formula, symbols)
            assert value == pytest.approx(term.value, rel=ROUNDING, nan_ok=True), (
                f"{term.name} at {arguments}: {term.formula}"
            )
    assert not unread, f"no such terms: {unread}"


@pytest.mark.parametrize("name", [name for name in NAMES if REGISTRY[name].falls_in])
def test_bounds_fall_where_they_say_it(name):
    """What :func:`mehler.bounds.solve` bisects does not increase, at neighbours and farther."""
    function = REGISTRY[name]
    for arguments in settings(name):
        for falling in function.falls_in:
            if arguments.get(falling) is None:
                continue
            step = arguments.get("block", 1) if falling == "n_features" else 1
            start, order = arguments[falling] // step, arguments.get("group_order")
            few = [1, 2, 3, 4, 6, 10, 30]
            sizes = step * np.unique([*few, *(start + n for n in (*few, 0, 100, 10**4))])
            if falling == "n_elements" and order is not None:
                sizes = np.unique(np.minimum(sizes, order))
            values = np.array([function(**{**arguments, falling: int(m)}).value for m in sizes])
            falls = values[1:] <= values[:-1] * (1 + 1e-12)
            assert np.all(falls), f"{falling} at {arguments}: {values}"


@pytest.mark.parametrize("name", NAMES)
def test_arrays_are_their_entries(name):
    function = REGISTRY[name]
    drawn = settings(name)
    for pair in zip(drawn[::2], drawn[1::2], strict=True):
        spread = [
            key
            for key, value in pair[0].items()
            if function.evaluate.spreads(key) and value is not None
        ]
        together = {**pair[0], **{key: [item[key] for item in pair] for key in spread}}
        stacked = function(**together)
        for index, item in enumerate(pair):
            entry = function(**{**pair[0], **{key: item[key] for key in spread}})
            for part in ("total", "probability", "trivial", "vacuous"):
                value = getattr(stacked, part)
                assert np.array_equal(
                    value[index] if np.ndim(value) else value, getattr(entry, part), equal_nan=True
                )
