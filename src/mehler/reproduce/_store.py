"""Store finished cells in small files, from which a killed run resumes, or shows a part."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mehler._files import require_folder, write_whole
from mehler._version import __version__
from mehler.reproduce._experiment import Cell, Experiment, Measured

_SETTINGS = "run.json"


class Store:
    """A folder of finished cells, with the `settings` on which they depend.

    Each cell names the version of mehler that measured it; those of another version are not there.
    Raises ValueError for cells of other or unknown settings, for a folder that cannot be made, and,
    unless `new`, for a folder without cells.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], *, new: bool = True) -> None:
        self.folder = folder
        known = _read(folder / _SETTINGS)
        if known is not None:
            changed = [
                f"{name}: {known.get(name)!r} there, {value!r} now"
                for name, value in settings.items()
                if known.get(name) != value
            ]
            if changed:
                said = ", ".join(changed)
                raise ValueError(
                    f"{folder} holds cells of another run ({said}); take another --out"
                )
            return
        if not new:
            raise ValueError(f"{folder} holds no cells; start the run first")
        if any(path.name != _SETTINGS for path in folder.glob("*.json")):
            raise ValueError(
                f"{folder} holds cells, but {_SETTINGS} does not say of which run; take "
                "another --out, or remove the folder"
            )
        require_folder(folder, "out")
        write_whole(folder / _SETTINGS, json.dumps(dict(settings), indent=1) + "\n")

    def get(self, cell: Cell) -> Measured | None:
        """Return the measurements of a cell, or None if there are none of this version."""
        record = _read(self._path(cell))
        if record is None or record.get("options") != dict(cell.options):
            return None
        measured = record.get("measured")
        whole = isinstance(measured, dict) and "seconds" in measured
        return measured if whole and record.get("mehler") == __version__ else None

    def put(self, cell: Cell, measured: Measured) -> None:
        """Write the measurements of a cell, atomically."""
        record = {"options": dict(cell.options), "mehler": __version__, "measured": measured}
        write_whole(self._path(cell), json.dumps(record, indent=1) + "\n")

    def count(self, cells: Iterable[Cell]) -> int:
        """Return how many of the cells are finished."""
        return sum(self.get(cell) is not None for cell in cells)

    def _path(self, cell: Cell) -> Path:
        return self.folder / f"{cell.key}.json"


def _read(path: Path) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


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
