"""The table of plans: which bound, in which quantity, solved for which argument."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mehler import bounds
from mehler.bounds import group_invariant, kernel_error, kitchen_sinks, maxout, ridge, spectral
from mehler.planning._plan import Row

# What is planned for, by the bounds' names of it: numbers given, and those computed from rows.
Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Entry:
    """A line of the table: a bound, whose required arguments are facts, and texts of its row.

    Facts stand in the texts as in ``"{n_rows} rows"``. `takes` names optional arguments that are
    facts too, `options` are further arguments, `events` counts the events of probability delta each
    that the bound excludes, by which a row's delta is divided, `solved` is the argument that is
    solved for, and `reaches` gives the target of the bound for that of the plan, eps.
    """

    quantity: str
    name: str
    bound: Any
    takes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    events: int = 1
    solved: str = "n_features"
    reaches: Callable[[float], float] = float
    note: str = ""

    def arguments(self, facts: Facts) -> dict[str, Any] | None:
        """Return the arguments of the bound but the one solved for; None if a fact is unknown."""
        parameters = inspect.signature(self.bound).parameters.items()
        names = {n for n, p in parameters if p.default is p.empty or n in self.takes}
        names -= {self.solved, *self.options}
        values: dict[str, Any] = {name: facts.get(name) for name in names}
        if any(value is None for value in values.values()):
            return None
        if "delta" in values:
            values["delta"] /= self.events
        return {**values, **self.options}


_ONE = "error of the kernel, one pair of rows"
_PAIRS = "largest error of the kernel, all pairs of {rows}"
_PART = "excess risk, the part that more features reduce"
_EXCESS = "excess risk over the best function of the class, {n_samples} samples"
_SPECTRAL = "spectral error of the Gram matrix of {n_rows} rows, relative to K + N lambda"
_DISTANCE = "mean square distance to functions of norm {norm:g}, {n_rows} rows"
_ELEMENTS = "error of the invariant kernel by sampled elements, all pairs of {n_rows} rows"
_FREE, _CENTRED = "Theorem 2, dimension-free", "Theorem 2, centred units"
_DOUBLING = "Theorem 2, doubling dimension"
_DIVIDED = "Rahimi and Recht, units divided by their longest weight"
_METHODS = {
    "chernoff": "exact law of two units",
    "sub-gamma": "sub-gamma constants",
    "chebyshev": "Chebyshev, exact variance",
}
_DELTA, _GRAM, _CENTRE = ("loss_bound", "delta"), ("ridge", "eigenvalues"), {"centred": True}
_COVERING = (*_DELTA, "n_inputs", "dimension", "diameter")

ONE_PAIR = [
    Entry(_ONE, name, kernel_error.one_pair, ("pool_size",), {"method": method})
    for method, name in _METHODS.items()
]
ALL_PAIRS = [replace(entry, quantity=_PAIRS, bound=kernel_error.all_pairs) for entry in ONE_PAIR]
UNIFORM = [
    Entry(_PAIRS, f"doubling dimension, {method}", kernel_error.uniform, takes, {"method": method})
    for method, takes in {"chaining": (), "net": ("n_inputs",)}.items()
]
RISK = [
    Entry(_PART, _FREE, maxout.approximation_risk, _DELTA),
    Entry(_PART, _CENTRED, maxout.approximation_risk, _DELTA, _CENTRE),
    Entry(_PART, _DOUBLING, maxout.approximation_risk, _COVERING, events=2),
    Entry(_PART, _DIVIDED, kitchen_sinks.approximation_risk, ("feature_scale",)),
    Entry(_EXCESS, _FREE, maxout.excess_risk, _DELTA, events=3),
    Entry(_EXCESS, _CENTRED, maxout.excess_risk, _DELTA, _CENTRE, events=3),
    Entry(_EXCESS, _DOUBLING, maxout.excess_risk, _COVERING, events=4),
    Entry(_EXCESS, _DIVIDED, kitchen_sinks.excess_risk, ("feature_scale",), events=2),
]
# `ridge` is that of the Gram matrix, `lipschitz` the largest singular value of the rows.
SPECTRUM = [
    Entry(
        _SPECTRAL,
        "Lipschitz units, largest singular value of the rows",
        spectral.gram_error,
        (*_GRAM, "lipschitz"),
    ),
    Entry(_SPECTRAL, _METHODS["chebyshev"], spectral.gram_error, (*_GRAM, "variance")),
    Entry(
        _DISTANCE,
        "nearest function, worst of the ball",
        spectral.approximation,
        ("eigenvalues", "lipschitz"),
        note="weights free, one draw for all; in the mean over features",
    ),
    Entry(
        _DISTANCE,
        "Lemma 3, one function of the class",
        maxout.approximation,
        reaches=math.sqrt,
        note="weights of at most C/m; in the mean over features",
    ),
]
ELEMENTS = [
    Entry(
        _ELEMENTS,
        name,
        group_invariant.kernel_change_elements,
        ("n_rows", "delta", *order),
        solved="n_elements",
        note="elements, the same for all templates",
    )
    for name, order in {
        "distinct elements of a group of {group_order}": ("group_order",),
        "independent elements": (),
    }.items()
]
# The size of a map's features on the rows is added to the options.
RIDGE = Entry(
    "{quantity}",
    "ridge regression on random features",
    ridge.excess_risk,
    ("eigenvalues",),
    note="in the mean over noise and features",
)


def rows_of(entries: Iterable[Entry], facts: Facts) -> list[Row]:
    """Return the rows of those entries whose facts are known."""
    rows = []
    for entry in entries:
        arguments = entry.arguments(facts)
        if arguments is None:
            continue
        target, solved = entry.reaches(facts["eps"]), entry.solved
        features, note = _least(entry.bound, entry.note, at_most=target, for_=solved, **arguments)
        at = entry.bound(**arguments, **{solved: features or 1})
        row = Row(
            quantity=entry.quantity.format_map(facts),
            name=entry.name.format_map(facts),
            kind="proved",
            features=features,
            statement=at.statement,
            probability=1 - entry.events * arguments.get("delta", 0.0),
            vacuous=features is None or bool(at.vacuous) or target >= at.trivial,
            assumptions=tuple(assumption.text for assumption in at.assumptions),
            note=note,
        )
        rows.append(row)
    return rows


def _least(bound: Any, note: str, **arguments: Any) -> tuple[int | None, str]:
    """Return the least number of features and its note, or None and why there is none."""
    try:
        return bounds.solve(bound, **arguments), note
    except ValueError as error:
        # Facts were validated before, so that the remaining error is a target out of reach.
        return None, str(error).replace("at_most", "eps")


def normal_row(quantity: str, facts: Facts, n_pairs: int, **product: Any) -> Row:
    """Return the number by the central limit theorem, with a union over pairs."""
    features, note = _least(
        kernel_error.normal_quantile,
        "a limit, no promise at any number of features",
        at_most=facts["eps"],
        n_features=None,
        delta=facts["delta"],
        n_pairs=n_pairs,
        **product,
    )
    return Row(
        quantity=quantity,
        name="central limit, exact variance" + (", union over pairs" if n_pairs > 1 else ""),
        kind="asymptotic",
        features=features,
        statement="maxout.kernel-error",
        probability=1 - facts["delta"],
        assumptions=("units are independent", "there are enough of them"),
        note=note,
    )
