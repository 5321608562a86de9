"""Where files went, as the user would name them."""

from __future__ import annotations

from pathlib import Path


def shown(path: Path, here: Path) -> Path:
    """Return `path` below the working directory of the start without that directory."""
    return path.relative_to(here) if path.is_relative_to(here) else path
