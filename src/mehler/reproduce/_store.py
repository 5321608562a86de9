"""Cells that are done, one small file each, so that a run that was killed goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mehler._files import write_whole
from mehler.reproduce._experiment import Cell, Measured

_SETTINGS = "run.json"


class Store:
    """A folder of finished cells.

    Parameters
    ----------
    folder : Path
        Made if missing.
    settings : mapping
        What the cells depend on beside their own options. A folder of other settings is refused.
    new : bool
        Whether a folder without cells may be begun.

    Raises
    ------
    ValueError
        If there are no cells but should be; if the folder holds cells of other settings, or cells
        without a word of what they are.
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
        """Return what a cell measured, or None if it is not there or was cut short."""
        found = _read(self._path(cell))
        if found is None or found.get("options") != dict(cell.options):
            return None
        measured = found.get("measured")
        return measured if isinstance(measured, dict) and "seconds" in measured else None

    def put(self, cell: Cell, measured: Measured) -> None:
        """Keep what a cell measured: whole, or not at all."""
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
