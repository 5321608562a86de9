"""Plan rows on the elements of a group that group-invariant features sample."""

from __future__ import annotations

from typing import Any

from mehler.bounds import group_invariant, solve
from mehler.planning._data import Known
from mehler.planning._plan import Row


def element_rows(known: Known, *, group_order: int, eps: float, delta: float) -> list[Row]:
    """Return the numbers of distinct and of independent elements, for rows of norm 1."""
    n = known.n_samples
    quantity = f"error of the invariant kernel by sampled elements, all pairs of {n} rows"
    sizes: dict[str, Any] = {"n_inputs": known.n_inputs, "n_rows": n, "delta": delta}
    rows = []
    for name, order in (
        # All of a finite group are enough: then nothing is sampled.
        (f"distinct elements of a group of {group_order}", group_order),
        ("independent elements", None),
    ):
        told = {**sizes, "group_order": order}
        change = group_invariant.kernel_change_elements
        elements = solve(change, at_most=eps, n_elements=None, **told)
        bound = change(elements, **told)
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
