"""The table of plans: which bound, in which quantity, solved for which argument."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mehler import bounds
from mehler.bounds import group_invariant, kernel_error, kitchen_sinks, maxout, ridge, spectral
from mehler.planning._plan import Row

# What is planned for, by name: numbers given, and those computed from rows. None is unknown.
Facts = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A line of the table.

    Parameters
    ----------
    quantity, name, note : str
        Texts of the row; facts stand in them as in ``"{n_rows} rows"``.
    bound : callable
        A function of `mehler.bounds`. The facts that its required arguments name are passed.
    solved : str
        The argument that is solved for.
    takes : dict
        Further arguments, from their name to that of a fact.
    options : dict
        Further arguments with their values.
    events : int
        How many events of probability delta each the bound excludes; a row's delta is divided.
    target : str
        The fact that the bound must not exceed.
    reaches : callable
        What the target of the bound is for that fact.
    """

    quantity: str
    name: str
    bound: Any
    solved: str = "n_features"
    takes: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    events: int = 1
    target: str = "eps"
    reaches: Callable[[float], float] = float
    note: str = ""

    def arguments(self, facts: Facts) -> dict[str, Any] | None:
        """Return the arguments of the bound but the one solved for; None if a fact is unknown."""
        required = self.bound.evaluate.required
        names = {name: name for name in required if name not in (self.solved, *self.options)}
        values: dict[str, Any] = {
            argument: facts.get(fact) for argument, fact in {**names, **self.takes}.items()
        }
        if any(value is None for value in values.values()):
            return None
        if "delta" in values:
            values["delta"] = values["delta"] / self.events
        return {**values, **self.options}


_POOL = {"pool_size": "pool_size"}
_LOSS = {"loss_bound": "loss_bound"}
_MAXOUT = {**_LOSS, "delta": "delta"}
_SINKS = {"feature_scale": "feature_scale"}
_CENTRED = "Theorem 2, centred units"
_FREE = "Theorem 2, dimension-free"
_DOUBLING = "Theorem 2, doubling dimension"
_DIVIDED = "Rahimi and Recht, units divided by their longest weight"
_ONE = "error of the kernel, one pair of rows"
_PAIRS = "largest error of the kernel, all pairs of {rows}"
_PART = "excess risk, the part that more features reduce"
_EXCESS = "excess risk over the best function of the class, {n_samples} samples"
_SPECTRAL = "spectral error of the Gram matrix of {n_rows} rows, relative to K + N lambda"
_DISTANCE = "mean square distance to functions of norm {norm:g}, {n_rows} rows"
_ELEMENTS = "error of the invariant kernel by sampled elements, all pairs of {n_rows} rows"
_ROUTES = {
    "chernoff": "exact law of two units",
    "sub-gamma": "sub-gamma constants",
    "chebyshev": "Chebyshev, exact variance",
}

ONE_PAIR = [
    Entry(
        quantity=_ONE,
        name=name,
        bound=kernel_error.one_pair,
        takes=_POOL,
        options={"method": route},
    )
    for route, name in _ROUTES.items()
]
ALL_PAIRS = [replace(entry, quantity=_PAIRS, bound=kernel_error.all_pairs) for entry in ONE_PAIR]
UNIFORM = [
    Entry(
        quantity=_PAIRS,
        name=f"doubling dimension, {way}",
        bound=kernel_error.uniform,
        takes={**_POOL, **inputs},
        options={"method": way},
    )
    for way, inputs in {"chaining": {}, "net": {"n_inputs": "n_inputs"}}.items()
]
RISK = [
    Entry(quantity=_PART, name=_FREE, bound=maxout.approximation_risk, takes=_MAXOUT),
    Entry(
        quantity=_PART,
        name=_CENTRED,
        bound=maxout.approximation_risk,
        takes=_MAXOUT,
        options={"centred": True},
    ),
    Entry(
        quantity=_PART,
        name=_DOUBLING,
        bound=maxout.approximation_risk_by_dimension,
        takes=_LOSS,
        events=2,
    ),
    Entry(quantity=_PART, name=_DIVIDED, bound=kitchen_sinks.approximation_risk, takes=_SINKS),
    Entry(quantity=_EXCESS, name=_FREE, bound=maxout.excess_risk, takes=_MAXOUT, events=3),
    Entry(
        quantity=_EXCESS,
        name=_CENTRED,
        bound=maxout.excess_risk,
        takes=_MAXOUT,
        options={"centred": True},
        events=3,
    ),
    Entry(
        quantity=_EXCESS,
        name=_DOUBLING,
        bound=maxout.excess_risk_by_dimension,
        takes=_LOSS,
        events=4,
    ),
    Entry(
        quantity=_EXCESS,
        name=_DIVIDED,
        bound=kitchen_sinks.excess_risk,
        takes=_SINKS,
        events=2,
    ),
]
SPECTRUM = [
    Entry(
        quantity=_SPECTRAL,
        name="Lipschitz units, largest singular value of the rows",
        bound=spectral.gram_error,
        takes={"ridge": "shift", "eigenvalues": "eigenvalues", "lipschitz": "stretch"},
    ),
    Entry(
        quantity=_SPECTRAL,
        name="Chebyshev, exact variance",
        bound=spectral.gram_error,
        takes={"ridge": "shift", "eigenvalues": "eigenvalues", "variance": "variances"},
    ),
    Entry(
        quantity=_DISTANCE,
        name="nearest function, worst of the ball",
        bound=spectral.approximation,
        takes={"eigenvalues": "eigenvalues", "lipschitz": "stretch"},
        note="weights free, one draw for all; in the mean over features",
    ),
    Entry(
        quantity=_DISTANCE,
        name="Lemma 3, one function of the class",
        bound=maxout.approximation,
        reaches=math.sqrt,
        note="weights of at most C/m; in the mean over features",
    ),
]
ELEMENTS = [
    Entry(
        quantity=_ELEMENTS,
        name=name,
        bound=group_invariant.kernel_change_elements,
        solved="n_elements",
        takes={"n_rows": "n_rows", "delta": "delta", **takes},
        note="elements, the same for all templates",
    )
    for name, takes in {
        "distinct elements of a group of {group_order}": {"group_order": "group_order"},
        "independent elements": {},
    }.items()
]
# What a map tells of its features on the rows is added to the options.
RIDGE = Entry(
    quantity="{quantity}",
    name="ridge regression on random features",
    bound=ridge.excess_risk,
    takes={"eigenvalues": "eigenvalues"},
    target="enough",
    note="in the mean over noise and features",
)


def rows_of(entries: Iterable[Entry], facts: Facts) -> list[Row]:
    """Return the rows of those entries whose facts are known."""
    pairs = ((entry, entry.arguments(facts)) for entry in entries)
    return [_row(entry, arguments, facts) for entry, arguments in pairs if arguments is not None]


def _row(entry: Entry, arguments: dict[str, Any], facts: Facts) -> Row:
    target = entry.reaches(facts[entry.target])
    features: int | None
    try:
        features = bounds.solve(entry.bound, at_most=target, for_=entry.solved, **arguments)
        note = entry.note
    except ValueError as error:
        # Facts were validated before, so that the remaining error is a target out of reach.
        features, note = None, str(error).replace("at_most=", "eps=")
    at = entry.bound(**arguments, **{entry.solved: features or 1})
    return Row(
        quantity=entry.quantity.format_map(facts),
        name=entry.name.format_map(facts),
        kind="proved",
        features=features,
        statement=at.statement,
        probability=1 - entry.events * arguments["delta"] if "delta" in arguments else 1.0,
        vacuous=features is None or bool(at.vacuous) or target >= at.trivial,
        assumptions=tuple(assumption.text for assumption in at.assumptions),
        note=note.format_map(facts) if features is not None else note,
    )


def normal_row(quantity: str, facts: Facts, n_pairs: int, **known: Any) -> Row:
    """Return the number by the central limit theorem, with a union over pairs."""
    return Row(
        quantity=quantity,
        name="central limit, exact variance" + (", union over pairs" if n_pairs > 1 else ""),
        kind="asymptotic",
        features=bounds.solve(
            kernel_error.normal_quantile,
            at_most=facts["eps"],
            n_features=None,
            delta=facts["delta"],
            n_pairs=n_pairs,
            **known,
        ),
        statement="maxout.kernel-error",
        probability=1 - facts["delta"],
        assumptions=("units are independent", "there are enough of them"),
        note="a limit, no promise at any number of features",
    )
