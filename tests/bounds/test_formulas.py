"""What every bound keeps: its formulas, where it falls, its inverse, its arrays, what it refuses.

The arguments are random; symbols are evaluated by another route than the bound's own. A bound
without a row in `tests/bounds/formulas` fails.
"""

import inspect
import math

import numpy as np
import pytest

from mehler.bounds import Assumption, Bound, Term, lower, solve
from mehler.bounds._bound import REGISTRY
from tests.bounds.formulas import Arguments, rows
from tests.bounds.latex import evaluate

ROWS = rows()
DRAWS = 8
# Sums and powers in another order, a quadrature of 1e-12, and what of it cancels in a variance.
ROUNDING = 1e-9


def arguments_of(name: str) -> list[Arguments]:
    """Return random arguments of a bound, as many for each of its branches."""
    row = ROWS[name]
    rng = np.random.default_rng(len(name))
    return [{**row.draw(rng), **branch} for branch in row.branches for _ in range(DRAWS)]


@pytest.fixture
def settings(request: pytest.FixtureRequest, name: str) -> list[Arguments]:
    """Return the half of them by default, and all with ``-m``."""
    n = DRAWS if request.config.option.markexpr else DRAWS // 2
    return [arguments for i, arguments in enumerate(arguments_of(name)) if i % DRAWS < n]


NAMES = list(REGISTRY)


def spreading(function) -> list[str]:
    """Return the arguments that broadcast."""
    parameters = inspect.signature(function).parameters.items()
    return [key for key, p in parameters if p.annotation.startswith(("Counts", "Reals"))]


def test_every_bound_has_a_row():
    assert set(NAMES) == set(ROWS), "add its row to the module of its namespace in formulas/"


@pytest.mark.parametrize("name", NAMES)
def test_formulas_are_the_values(name, settings):
    row, kept = ROWS[name], len(settings) // len(ROWS[name].branches)
    for i, arguments in enumerate(settings):
        # Where a formula has cases, one of them.
        formulas, symbols = row.formulas[i // kept], row.symbols(arguments)
        terms = {term.name: term.value for term in REGISTRY[name](**arguments).terms}
        assert formulas.keys() <= terms.keys() <= formulas.keys() | row.unread.keys()
        for term, text in formulas.items():
            cases = [text] if isinstance(text, str) else text
            values = [evaluate(formula, symbols) for formula in cases]
            expected = pytest.approx(terms[term], rel=ROUNDING, nan_ok=True)
            assert any(value == expected for value in values), f"{term} at {arguments}: {cases}"


@pytest.mark.parametrize("name", [name for name in NAMES if REGISTRY[name].falls_in])
def test_bounds_fall_where_they_say_it(name, settings):
    """What :func:`mehler.bounds.solve` bisects does not increase, at neighbours and farther."""
    function = REGISTRY[name]
    for arguments in settings:
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
def test_arrays_are_their_entries(name, settings):
    function = REGISTRY[name]
    for pair in zip(settings[::2], settings[1::2], strict=True):
        spread = [key for key in spreading(function) if pair[0].get(key) is not None]
        together = {**pair[0], **{key: [item[key] for item in pair] for key in spread}}
        stacked = function(**together)
        for index, item in enumerate(pair):
            entry = function(**{**pair[0], **{key: item[key] for key in spread}})
            for part in ("total", "probability", "trivial", "vacuous"):
                value = getattr(stacked, part)
                assert np.array_equal(
                    value[index] if np.ndim(value) else value, getattr(entry, part), equal_nan=True
                )


@pytest.mark.parametrize("name", [name for name in NAMES if REGISTRY[name].falls_in])
def test_the_inverse_is_the_least(name, settings):
    function = REGISTRY[name]
    for arguments in settings[:: DRAWS // 2]:
        for falling in function.falls_in:
            here = arguments.get(falling)
            drawn_here = function(**arguments)
            target = drawn_here.value
            if here is None or not 0 < target < math.inf:
                continue
            step = arguments.get("block", 1) if falling == "n_features" else 1
            others = {key: value for key, value in arguments.items() if key != falling}
            try:
                least = solve(function, at_most=target, for_=falling, **others)
            except ValueError:
                assert drawn_here.vacuous
                continue
            assert least <= here or drawn_here.vacuous
            assert least % step == 0
            result = function(**{**others, falling: least})
            assert result.value <= target
            assert not result.vacuous
            if least > step:
                before = function(**{**others, falling: least - step})
                assert before.value > target or before.vacuous


COUNTS = (
    *("n_features", "n_samples", "n_rows", "n_templates", "n_bins", "n_elements", "n_inputs"),
    *("n_scored", "n_fixed", "pool_size", "group_order", "block"),
)
SIZES = (
    *("scale", "lipschitz", "radius", "ridge", "window", "spread", "c", "c1", "c2", "c_prime"),
    *("feature_scale", "mean_square", "total_weight", "clip", "width"),
    *("degrees_of_freedom", "pool_degrees", "estimated", "largest_ratio", "feature_bound"),
    *("smallest", "spacing", "gamma", "own", "variance", "sup"),
)
WORDS = ("function", "side", "average", "templates", "rule", "design", "method")
NOT_BELOW_ZERO = (
    *("norm", "dimension", "diameter", "mean_norm", "noise", "level", "mean_sup", "loss_at_zero"),
    *("mean", "distance", "third", "eigenvalues"),
)
# What no argument of the name may be, in any bound.
REFUSED = {
    **dict.fromkeys(COUNTS, (0, 2.5, True, math.nan, "1", None)),
    **dict.fromkeys(SIZES, (0.0, -1.0, math.nan, "1", 1j)),
    **dict.fromkeys(NOT_BELOW_ZERO, (-1.0, math.nan, "1", 1j)),
    **dict.fromkeys(("delta", "collision", "mix"), (0.0, 1.0, -0.5, math.nan, "0.1")),
    **dict.fromkeys(("epsilon", "loss_bound"), (0.0, -1.0, math.nan, "1")),
    **dict.fromkeys(("share", "chance"), (0.0, 1.5, math.nan, "1")),
    **dict.fromkeys(("centred", "two_sided"), (1, "yes", None)),
    **dict.fromkeys(WORDS, ("no such word", 1)),
    "rho": (1.5, -1.01, math.nan, "0"),
}
# Where 0 is a size as good as others.
NOUGHT = {("ridge.excess_risk_clipped", "degrees_of_freedom")}


@pytest.mark.parametrize("name", NAMES)
def test_what_an_argument_cannot_be_is_refused_by_its_name(name, settings):
    function = REGISTRY[name]
    for arguments in settings[:: DRAWS // 2]:
        for argument, parameter in inspect.signature(function).parameters.items():
            for wrong in REFUSED.get(argument, ()):
                left_out = wrong is None and parameter.default is not parameter.empty
                if left_out or (wrong == 0 and (name, argument) in NOUGHT):
                    continue
                with pytest.raises((TypeError, ValueError), match=argument):
                    function(**{**arguments, argument: wrong})


def make(**changes):
    usual = {
        "statement": "a.b",
        "form": "proved",
        "quantity": "an error",
        "terms": [Term("mean", 0.25), Term("confidence", 0.5)],
        "probability": 0.9,
        "trivial": 1.0,
    }
    return Bound(**{**usual, **changes})


def test_terms_sum_to_the_value():
    bound = make()
    assert bound.value == 0.75
    assert bound["mean"] == 0.25
    with pytest.raises(KeyError, match="mean, confidence"):
        bound["bias"]


EMPTY = [
    {"probability": 0.0},
    {"terms": [Term("mean", math.nan)]},
    {"assumptions": [Assumption("unit rows", False, "largest norm 1.3")]},
]


@pytest.mark.parametrize(
    "change",
    [*EMPTY, {"trivial": 0.75}, {"probability": -2.5}, {"terms": [Term("mean", math.inf)]}],
)
def test_says_when_it_promises_nothing(change):
    assert not make().vacuous
    bound = make(**change)
    assert bound.vacuous
    assert "vacuous" in str(bound)


def test_an_assumption_that_cannot_be_checked_does_not_make_it_vacuous():
    assert not make(assumptions=[Assumption("rows are independent", None)]).vacuous


@pytest.mark.parametrize("change", [*EMPTY, {"terms": [Term("mean", 0.0)]}])
def test_a_lower_bound_says_when_it_claims_nothing(change):
    usual = {"statement": "a.b", "form": "proved", "quantity": "an error", "probability": 0.9}
    terms = [Term("mean", 0.25)]
    assert not lower.LowerBound(**usual, terms=terms).vacuous
    bound = lower.LowerBound(**{**usual, "terms": terms, **change})
    assert bound.vacuous
    assert "vacuous: it claims nothing" in str(bound)
