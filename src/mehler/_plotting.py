"""Axes to draw on, by matplotlib, which is an extra."""

from __future__ import annotations

from typing import Any

from mehler._text import install_command


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
            f"plots need matplotlib, which is not installed: {install_command('plot')}"
        ) from None
    return pyplot.subplots(layout="constrained")[1]
