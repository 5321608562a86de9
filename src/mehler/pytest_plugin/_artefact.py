"""Write mehler.json, the evaluations of a run, atomically."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mehler._version import __version__


def write(path: Path, content: Mapping[str, Any]) -> None:
    """Write `content` as JSON, with the version of mehler; parent folders are created.

    Parameters
    ----------
    path : pathlib.Path
        Target file.
    content : mapping
        JSON-able values.

    Raises
    ------
    OSError
        If the file cannot be written; the previous file then stays.
    """
    from mehler._files import write_whole

    text = json.dumps({"mehler": __version__, **content}, indent=2, allow_nan=False) + "\n"
    write_whole(path, text)
