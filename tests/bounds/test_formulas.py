"""Every term's formula is its value, and every bound falls in what it says it falls in.

The arguments are random; symbols are evaluated by another route than the bound's own. A bound
without a row in `tests/bounds/formulas` fails.
"""

from __future__ import annotations

import numpy as np
import pytest

from mehler.bounds._function import REGISTRY
from tests.bounds.formulas import Arguments, rows
from tests.bounds.latex import evaluate

# Namespaces whose rows are not written yet.
WITHOUT = {
    "kernel_error",
    "group_invariant",
    "spectral",
}
ROWS = rows()
DRAWS = 8
# Sums and powers in another order, a quadrature of 1e-12, and what of it cancels in a variance.
ROUNDING = 1e-9


def namespace(name: str) -> str:
    """Return that of a bound, proved or published."""
    return name.removeprefix("printed.").partition(".")[0]


def settings(name: str) -> list[Arguments]:
    """Return random arguments of a bound, some for each of its branches."""
    row = ROWS[name]
    rng = np.random.default_rng(len(name))
    return [{**row.draw(rng), **branch} for branch in row.branches for _ in range(DRAWS)]


NAMES = [name for name in REGISTRY if namespace(name) not in WITHOUT]


def test_every_bound_has_a_row():
    assert set(NAMES) == set(ROWS)
    assert not WITHOUT & {namespace(name) for name in ROWS}


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
            least = arguments.get(falling)
            if least is None:
                continue
            step = arguments.get("block", 1) if falling == "n_features" else 1
            sizes = least + step * np.array([0, 1, 2, 3, 5, 8, 100, 10**4])
            values = np.array([function(**{**arguments, falling: int(m)}).value for m in sizes])
            falls = values[1:] <= values[:-1] * (1 + 1e-12)
            assert np.all(falls), f"{falling} at {arguments}: {values}"
