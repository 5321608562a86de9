"""A bound made of its formula: arguments by name, arrays, the inverse."""

import ast
import inspect
import math
import re
import sys

import array_api_strict as xp
import numpy as np
import pytest

from mehler import bounds
from mehler.bounds import Assumption, Bound, Term, kernel_error
from mehler.bounds._arguments import counts, positives, probabilities
from mehler.bounds._bound import REGISTRY, Counts, Reals, bound
from mehler.statements import discover


@bound("paper.lemma-1", "error", "n_features")
def error(
    n_features: Counts,
    *,
    n_rows: Counts,
    delta: Reals,
    radius: Reals = 1.0,
    enough: Counts = 1,
    most: Counts = 10**18,
    block: int = 1,
) -> Bound:
    """Return R sqrt(log(N/delta)/M), with M blocks."""
    m, n = counts(n_features=n_features, n_rows=n_rows)
    size, chance = positives(radius=radius), probabilities(delta=delta)
    value = size * np.sqrt(np.log(n / chance) / (m / block))
    return Bound(
        terms=(Term("deviation", value),),
        probability=1 - chance,
        assumptions=(
            Assumption("features are enough", m >= enough, f"{m}"),
            Assumption("features are few", m <= most, f"{m}"),
        ),
        trivial=size,
    )


def by_hand(m, n=10, delta=0.1, radius=1.0):
    return radius * math.sqrt(math.log(n / delta) / m)


def test_the_body_is_the_formula():
    value = error(50, n_rows=10, delta=0.1, radius=2)
    assert value.value == by_hand(50, radius=2.0)
    assert (value.probability, value.trivial, value.form) == (0.9, 2.0, "proved")
    assert (value.quantity, value.statement) == ("error", "paper.lemma-1")


def test_the_inverse_is_the_least():
    m = bounds.solve(error, at_most=0.3, n_features=None, n_rows=10, delta=0.1)
    assert m == math.ceil(math.log(100) / 0.3**2)
    assert by_hand(m) <= 0.3 < by_hand(m - 1)
    assert m == bounds.solve(error, at_most=0.3, for_="n_features", n_rows=10, delta=0.1)


def test_the_inverse_is_a_size_at_which_something_is_promised():
    setting = {"n_features": None, "n_rows": 10, "delta": 0.1}
    # The least size at which the error is below that of the trivial bound.
    assert bounds.solve(error, at_most=5.0, **setting) == 5
    assert bounds.solve(error, at_most=0.3, enough=700, **setting) == 700
    with pytest.raises(ValueError, match=r"is vacuous from n_features=41 on, .* are few"):
        bounds.solve(error, at_most=0.3, most=40, **setting)


def test_the_inverse_says_which_assumption_fails():
    """Sizes of another argument than the one that is solved for."""
    pool = {"ridge": 1e-3, "radius": 1.0, "lipschitz": 0.1, "degrees_of_freedom": 25.0}
    pool |= {"pool_degrees": 25.0, "estimated": 25.0, "delta": 0.05, "n_scored": 10**9}
    message = r"from n_samples=1 on, .* not true that pool_size is at least \d+ \(pool_size 20\)"
    pool |= {"n_samples": None, "n_features": 10, "pool_size": 20}
    with pytest.raises(ValueError, match=message):
        bounds.solve(bounds.leverage.excess_risk, at_most=0.1, **pool)
    box = {"n_features": None, "n_samples": 1000, "pool_size": 4, "scale": 1.0, "lipschitz": 1.0}
    with pytest.raises(ValueError, match="its probability is 0"):
        bounds.solve(bounds.maxout.excess_risk, at_most=5.0, delta=0.4, **box)


def test_only_bounds_of_the_package_are_inverted_and_registered():
    with pytest.raises(TypeError, match=r"must be a function of mehler\.bounds"):
        bounds.solve(math.sqrt, at_most=1.0)
    assert not any(function.statement == "paper.lemma-1" for function in REGISTRY.values())
    with pytest.raises(ValueError, match=r"statement='paper.lemma-1' has no bound"):
        bounds.by_statement("paper.lemma-1")
    with pytest.raises(ValueError, match=r"these have: group-invariant\.theorem-2, maxout\."):
        bounds.by_statement("Theorem 2")


def described(text):
    """Return the arguments of a list of them: each name before a type, or alone in its line."""
    lines = re.findall(r"^(\w[\w, ]*?)(?: : .*)?$", text, re.M)
    return {name for line in lines for name in line.split(", ")}


@pytest.mark.parametrize("name", REGISTRY)
def test_a_docstring_is_whole_in_the_source(name):
    """All arguments and the source; those that the namespace describes are listed with it."""
    function, package = REGISTRY[name], name.rpartition(".")[0]
    tree = ast.parse(inspect.getsource(inspect.unwrap(function)))
    text = inspect.getdoc(function)
    assert text == ast.get_docstring(tree.body[0])
    words = " ".join(text.split())
    section = re.search(r"^Parameters\n-+\n(.*?)\n\nExamples\n-+\n", text, re.S | re.M)
    arguments = described(section[1]) if section else set()
    shared = set(inspect.signature(function).parameters) - arguments
    assert bool(shared) == (f"arguments: :mod:`mehler.bounds.{package}`" in words)
    assert shared <= described(sys.modules[f"mehler.bounds.{package}"].__doc__)
    assert ":doc:`/theorems/" in text
    assert re.search(r"\bTerms?: ", words)


@pytest.mark.parametrize("name", sorted({name.rpartition(".")[0] for name in REGISTRY}))
def test_a_namespace_lists_what_is_public(name):
    module = sys.modules[f"mehler.bounds.{name}"]
    assert [word for word in dir(module) if not word.startswith("_")] == sorted(module.__all__)


@pytest.mark.parametrize("statement", [None, 3, np.array([True, False])])
def test_a_statement_is_found_by_its_id_alone(statement):
    with pytest.raises(TypeError, match=r"^statement must be a str"):
        bounds.by_statement(statement)


def test_arrays_of_any_library_are_taken_and_numbers_of_numpy_are_numbers():
    expected = kernel_error.one_pair([10, 20], delta=0.1, width=1.0).value
    result = kernel_error.one_pair(xp.asarray([10, 20]), delta=0.1, width=1.0).value
    assert np.array_equal(result, expected)
    assert isinstance(kernel_error.one_pair(np.int64(10), delta=0.1, width=1.0).value, float)


def test_terms_of_arrays_cannot_be_written_to():
    term = kernel_error.one_pair([10, 20], delta=0.1, width=1.0).terms[0]
    with pytest.raises(ValueError, match="read-only"):
        term.value[0] = 0.0


def test_every_bound_names_a_statement_whose_page_has_the_source():
    ids = {item.id for item in discover()}
    assert {function.statement for function in REGISTRY.values()} <= ids


def test_printing_many_entries_gives_their_range():
    bound = kernel_error.one_pair(np.arange(1, 101), delta=0.1, width=1.0)
    assert "(shape (100,))" in str(bound)
    assert len(str(bound)) < 300
