"""Select the cells of a partial page."""

from __future__ import annotations

from typing import Any

from mehler.reproduce._experiment import Cell, Experiment, Measured
from mehler.reproduce._store import Store


def finished(
    experiment: Experiment, wanted: list[Cell], store: Store
) -> list[tuple[Cell, Measured]]:
    """Return the finished cells of complete draws, with their measurements.

    A draw finished for some settings only would bias their differences, and a single draw has no
    spread. Raises ValueError if the experiment has no partial page, or fewer than two draws are
    complete.
    """
    if not experiment.together:
        raise ValueError(f"{experiment.name} has no page of a part of its cells; run it whole")
    others = [name for name in experiment.together if name != "draw"]

    def shared(cell: Cell, names: Any) -> tuple[Any, ...]:
        return tuple(cell.options[name] for name in names)

    kept = {cell.key: store.get(cell) for cell in wanted}
    broken = {shared(cell, experiment.together) for cell in wanted if kept[cell.key] is None}
    whole = [cell for cell in wanted if shared(cell, experiment.together) not in broken]
    draws: dict[tuple[Any, ...], set[Any]] = {}
    for cell in whole:
        draws.setdefault(shared(cell, others), set()).add(cell.options["draw"])
    found = [
        (cell, measured)
        for cell in whole
        if (measured := kept[cell.key]) is not None and len(draws[shared(cell, others)]) > 1
    ]
    if not found:
        raise ValueError(
            f"too few of the {len(wanted)} cells are finished for a page, which takes two whole "
            f"draws: {store.folder} holds {sum(one is not None for one in kept.values())}"
        )
    return found
