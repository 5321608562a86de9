"""A bound made of its formula: arguments by name, arrays, the inverse."""

from __future__ import annotations

import inspect
import math
import re
import sys

import numpy as np
import pytest

from mehler import bounds
from mehler._validate import require_positive
from mehler.bounds._function import REGISTRY, Formula, bound, derived


@bound(
    "paper.lemma-1",
    "error at {n_rows} rows",
    falls_in=("n_features",),
    assumes=("norms are at most {radius:g}",),
    domains={"slope": require_positive},
)
def error(
    n_features: int,
    *,
    n_rows: int,
    delta: float,
    radius: float = 1.0,
    slope: float | None = None,
    block: int = 1,
) -> Formula:
    """Return R sqrt(log(N/delta)/M), with M blocks."""
    value = radius * math.sqrt(math.log(n_rows / delta) / (n_features // block))
    return Formula({"deviation": (value, r"R\sqrt{\log(N/\delta)/M}")}, 1 - delta, trivial=radius)


def by_hand(m, n=10, delta=0.1, radius=1.0):
    return radius * math.sqrt(math.log(n / delta) / m)


def test_the_body_is_the_formula():
    made = error(50, n_rows=10, delta=0.1, radius=2)
    assert made.value == by_hand(50, radius=2.0)
    assert (made.probability, made.trivial, made.form) == (0.9, 2.0, "proved")
    assert made.quantity == "error at 10 rows"
    assert made.assumptions[0].text == "norms are at most 2"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_rows": 0}, "n_rows=0 must be at least 1"),
        ({"n_rows": 2.5}, "n_rows=2.5 must be an integer"),
        ({"delta": 1.0}, "delta=1.0 must be a probability"),
        ({"delta": None}, "delta=None must be a real number"),
        ({"radius": math.nan}, "radius=nan must be positive"),
        ({"slope": -1.0}, "slope=-1.0 must be positive"),
        ({"slop": 1.0}, "error: got an unexpected keyword argument 'slop'"),
        ({"delta": [0.1, 2.0]}, r"delta=2.0 .* \(at entry \[1\] of the arrays\)"),
        ({"delta": []}, "delta is empty"),
        ({"delta": ["a"]}, "delta has dtype"),
        ({"delta": [0.1, 0.2], "n_rows": [1, 2, 3]}, "shapes do not broadcast"),
    ],
)
def test_refusals_name_the_argument(change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        error(50, **{"n_rows": 10, "delta": 0.1, **change})


def test_a_missing_argument_is_named():
    with pytest.raises(TypeError, match="error: missing a required argument: 'delta'"):
        error(50, n_rows=10)


def test_narrow_integers_do_not_overflow():
    assert error(np.int8(100), n_rows=np.int8(100), delta=0.1).value == by_hand(100, 100)


def test_arrays_are_the_entries():
    m, delta = np.array([[10], [90]]), np.array([0.1, 0.01, 0.001])
    made = error(m, n_rows=10, delta=delta)
    assert made.value.shape == (2, 3)
    assert made.value[1, 2] == by_hand(90, delta=0.001)
    assert made.probability.tolist() == [[0.9, 0.99, 0.999]] * 2


def test_the_inverse_is_the_least():
    m = bounds.solve(error, at_most=0.3, n_features=None, n_rows=10, delta=0.1)
    assert m == math.ceil(math.log(100) / 0.3**2)
    assert by_hand(m) <= 0.3 < by_hand(m - 1)
    assert m == bounds.solve(error, at_most=0.3, for_="n_features", n_rows=10, delta=0.1)


def test_the_inverse_respects_blocks_and_arrays():
    m = bounds.solve(error, at_most=[0.3, 0.2], n_features=None, n_rows=10, delta=0.1, block=4)
    assert m.tolist() == [4 * math.ceil(math.log(100) / e**2) for e in (0.3, 0.2)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_features": 5}, "pass exactly one required argument as None"),
        ({"n_features": None, "n_rows": None}, "not n_features, n_rows"),
        ({"n_features": 5, "n_rows": None}, "does not fall in n_rows: it falls in n_features"),
        ({"n_features": 5, "for_": "slope"}, "does not fall in slope"),
        ({"n_features": None, "for_": "n_features"}, "give a value for n_features"),
        ({"n_features": None, "at_most": 0.0}, "at_most=0.0 must be positive"),
        ({"n_features": None, "at_most": 1e-12}, "at_most=1e-12 is out of reach: with n_features"),
        ({"n_features": None, "radius": -1.0}, "radius=-1.0"),
        ({"n_features": None, "at_most": []}, "at_most is empty"),
        ({"n_features": None, "at_most": ["a"]}, "at_most has dtype"),
        ({"n_features": None, "n_rows": []}, "n_rows is empty"),
        ({"n_features": None, "delta": [0.1, None]}, "delta has dtype"),
    ],
)
def test_the_inverse_refuses(arguments, message):
    options = {"at_most": 0.3, "n_rows": 10, "delta": 0.1, **arguments}
    with pytest.raises((TypeError, ValueError), match=message):
        bounds.solve(error, **options)


def test_only_bounds_are_inverted():
    with pytest.raises(TypeError, match=r"must be a function of mehler\.bounds"):
        bounds.solve(math.sqrt, at_most=1.0)


def test_only_bounds_of_the_package_are_registered():
    assert not any(function.statement == "paper.lemma-1" for function in REGISTRY.values())
    with pytest.raises(ValueError, match=r"statement='paper.lemma-1' has no bound"):
        bounds.by_statement("paper.lemma-1")


def test_a_bound_falls_in_counts_alone():
    with pytest.raises(TypeError, match="falls in radius, which is no count"):
        bound("paper.lemma-2", "error", falls_in=("radius",))(error.evaluate.body)


def test_what_is_computed_once_is_computed_once():
    calls = []

    def once(arguments):
        calls.append(arguments["scale"])
        return {**arguments, "scale": 2 * arguments["scale"]}

    @bound("paper.lemma-3", "error", falls_in=("n_features",), prepare=once)
    def doubled(n_features: int, *, scale: float) -> Formula:
        return Formula({"all": (scale / n_features, "2C/m")})

    assert doubled([1, 2, 4], scale=3).value.tolist() == [6.0, 3.0, 1.5]
    assert bounds.solve(doubled, at_most=0.5, n_features=None, scale=3) == 12
    assert calls == [3.0, 3.0]


@pytest.mark.parametrize("name", REGISTRY)
def test_arguments_are_described_once(name):
    """An argument that no docstring describes stands in that of the namespace."""
    package = name.rpartition(".")[0]
    shared = re.search(
        rf"^(.*)\n    As :mod:`mehler.bounds.{package}` has them", REGISTRY[name].__doc__, re.M
    )
    texts = sys.modules[f"mehler.bounds.{package}"].__doc__
    described = set(re.findall(r"\w+", " ".join(re.findall(r"^(\w[\w, ]*) : ", texts, re.M))))
    assert shared is None or set(shared[1].split(", ")) <= described
    assert ":doc:`/theorems/" in REGISTRY[name].__doc__
    assert re.search(r"^Returns\n-+\n(Lower)?Bound\n    Terms?: ", REGISTRY[name].__doc__, re.M)


def test_a_derived_bound_has_the_arguments_of_its_base():
    @bound("paper.lemma-2", "twice the error")
    @derived(error.body)
    def twice(single: Formula, *, factor: float, n_rows: int) -> Formula:
        return single.times(factor * n_rows, "cN", trivial=math.inf)

    assert list(inspect.signature(twice).parameters) == [
        *("n_features", "factor", "n_rows", "delta", "radius", "slope", "block"),
    ]
    made = twice(50, factor=2.0, n_rows=10, delta=0.1)
    assert made.total == 20.0 * error(50, n_rows=10, delta=0.1).total
    assert made.terms[0].formula.startswith(r"cN\,R")


@pytest.mark.parametrize("statement", [None, 3, np.array([True, False])])
def test_a_statement_is_found_by_its_id_alone(statement):
    with pytest.raises(TypeError, match=r"^statement must be a str"):
        bounds.by_statement(statement)
