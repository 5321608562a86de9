"""Plan rows on the elements of a group that group-invariant features sample."""

from __future__ import annotations

from typing import Any

from mehler.bounds import group_invariant
from mehler.bounds._inverse import MOST_FEATURES, least_features
from mehler.planning._data import Known
from mehler.planning._plan import Row


def element_rows(known: Known, *, group_order: int, eps: float, delta: float) -> list[Row]:
    """Return the numbers of distinct and of independent elements, for rows of norm 1."""
    n = known.n_samples
    quantity = f"error of the invariant kernel by sampled elements, all pairs of {n} rows"
    sizes: dict[str, Any] = {"n_inputs": known.n_inputs, "n_points": n, "delta": delta}
    rows = []
    for name, order in (
        # All of a finite group are enough: then nothing is sampled.
        (f"distinct elements of a group of {group_order}", group_order),
        ("independent elements", None),
    ):
        told = {**sizes, "group_order": order}

        def value(r: int, told: dict[str, Any] = told) -> float:
            return float(group_invariant.elements(r, **told).value)

        elements = least_features(value, eps, most=order or MOST_FEATURES)
        bound = group_invariant.elements(elements, **told)
        rows.append(
            Row(
                quantity=quantity,
                name=name,
                kind="proved",
                features=elements,
                statement=bound.statement,
                probability=1 - delta,
                assumptions=tuple(one.text for one in bound.assumptions),
                note="elements, the same for all templates",
            )
        )
    return rows
