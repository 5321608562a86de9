"""Store finished cells in small files, from which a killed run resumes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mehler._files import require_folder, write_whole
from mehler._version import __version__
from mehler.reproduce._experiment import Cell, Measured

_SETTINGS = "run.json"


class Store:
    """A folder of finished cells, with the `settings` on which they depend.

    Each cell names the version of mehler that measured it; those of another version are not there.
    Raises ValueError for cells of other or unknown settings, and for a folder that cannot be made.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any]) -> None:
        self.folder = folder
        kept = _read(folder / _SETTINGS)
        if kept is not None:
            changed = ", ".join(
                f"{name}: {kept.get(name)!r} there, {value!r} now"
                for name, value in settings.items()
                if kept.get(name) != value
            )
            if changed:
                raise ValueError(
                    f"{folder} holds cells of another run ({changed}); take another --out"
                )
            return
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
