"""The style of the site's pictures, which `matplotlibrc` beside this file states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

_HOUSE = mpl.rc_params_from_file(
    Path(__file__).with_name("matplotlibrc"), use_default_template=False
)
COLOURS = tuple(_HOUSE["axes.prop_cycle"].by_key()["color"])
BLUE, ORANGE, BLACK, GREEN = COLOURS[:4]
GREY = "#6b7280"


def style(name: str, size: float = 10) -> dict[str, Any]:
    """Settings of matplotlib for the picture of that name."""
    # Without the salt element ids, and so the bytes, differ from run to run.
    return {**_HOUSE, "svg.hashsalt": name, "font.size": size}
