"""The cells that a page can show while the others are still to be measured."""

from __future__ import annotations

from typing import Any

from mehler.reproduce._experiment import Cell, Experiment, Measured
from mehler.reproduce._store import Store


def finished(
    experiment: Experiment, wanted: list[Cell], store: Store
) -> list[tuple[Cell, Measured]]:
    """Cells that are kept, in draws that are whole; of each setting at least two draws.

    A draw that is there for some settings only would make their differences look like those of
    the settings; a single draw has no spread.

    Parameters
    ----------
    experiment : Experiment
    wanted : list of Cell
    store : Store

    Returns
    -------
    list of (Cell, dict)

    Raises
    ------
    ValueError
        If the experiment has no page of a part, or no two draws are whole.
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
