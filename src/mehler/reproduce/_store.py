"""Store finished cells in small files, so that a killed run can resume."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mehler._files import write_whole
from mehler.reproduce._experiment import Cell, Measured

_SETTINGS = "run.json"


class Store:
    """A folder of finished cells, with the `settings` on which they depend.

    Raises ValueError for cells of other or unknown settings, and, unless `new`, for a folder
    without cells.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], *, new: bool = True) -> None:
        self.folder = folder
        known = _read(folder / _SETTINGS)
        if known is not None and known != dict(settings):
            changed = [k for k in settings if known.get(k) != settings[k]]
            said = ", ".join(f"{k}: {known.get(k)!r} there, {settings[k]!r} now" for k in changed)
            raise ValueError(f"{folder} holds cells of another run ({said}); take another --out")
        if known is None and not new:
            raise ValueError(f"{folder} holds no cells; start the run first")
        folder.mkdir(parents=True, exist_ok=True)
        if known is None:
            if any(path.name != _SETTINGS for path in folder.glob("*.json")):
                raise ValueError(
                    f"{folder} holds cells, but {_SETTINGS} does not say of which run; take "
                    "another --out, or remove the folder"
                )
            write_whole(folder / _SETTINGS, json.dumps(dict(settings), indent=1) + "\n")

    def get(self, cell: Cell) -> Measured | None:
        """Return the measurements of a cell, or None if its file is missing or truncated."""
        found = _read(self._path(cell))
        if found is None or found.get("options") != dict(cell.options):
            return None
        measured = found.get("measured")
        return measured if isinstance(measured, dict) and "seconds" in measured else None

    def put(self, cell: Cell, measured: Measured) -> None:
        """Write the measurements of a cell, atomically."""
        record = {"options": dict(cell.options), "measured": measured}
        write_whole(self._path(cell), json.dumps(record, indent=1) + "\n")

    def _path(self, cell: Cell) -> Path:
        return self.folder / f"{cell.key}.json"


def _read(path: Path) -> dict[str, Any] | None:
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
