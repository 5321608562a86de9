"""mehler.json: the looks of a run, for machines; written whole or not at all."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


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
    from mehler import __version__

    text = json.dumps({"mehler": __version__, **content}, indent=2, allow_nan=False) + "\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".mehler-", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(temporary, 0o644)  # temporary files are private, artefacts are not
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
