"""mehler.json: the looks of a run, for machines; written whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mehler._version import __version__


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write `content` as JSON, with the version that wrote it; parents are made.

    Parameters
    ----------
    path : pathlib.Path
    content : mapping
        What `json.dumps` takes.

    Raises
    ------
    OSError
        If the file cannot be written; what was there before stays.
    """
    from mehler._files import write_whole

    text = json.dumps({"mehler": __version__, **content}, indent=2, allow_nan=False) + "\n"
    write_whole(path, text)
