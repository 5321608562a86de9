"""The style of the site's pictures: colours and marks of the report, on white."""

from __future__ import annotations

from typing import Any

# The report's colours on a light page, --series-0 to --series-5 of its style sheet.
COLOURS = ("#1f5fa8", "#b8461b", "#23272e", "#2d7d4f", "#8a3f8f", "#7a6200")
BLUE, ORANGE, BLACK, GREEN = COLOURS[:4]
GREY = "#6b7280"


def style(name: str, size: float = 10) -> dict[str, Any]:
    """Settings of matplotlib for the picture of that name."""
    return {
        "svg.hashsalt": name,  # else element ids, and so the bytes, differ from run to run
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.7,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#e4e2dc",
        "grid.linewidth": 0.6,
        "figure.facecolor": "white",  # readable on dark pages too
        "font.size": size,
        "legend.frameon": False,
        "text.parse_math": False,
    }
