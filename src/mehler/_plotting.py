"""Axes to draw on, by matplotlib, which is an extra."""

from __future__ import annotations

from typing import Any


def axes(ax: Any) -> Any:
    """Return `ax`, or the axes of a new figure."""
    if ax is not None:
        if not hasattr(ax, "errorbar"):
            raise TypeError(f"ax={ax!r} must be axes of matplotlib, or None for a new figure")
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(
            "plots need matplotlib, which is not installed: pip install 'mehler[plot]'"
        ) from None
    return pyplot.subplots(layout="constrained")[1]
