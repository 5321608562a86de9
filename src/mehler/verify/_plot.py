"""A picture of a verdict: the claim, the evidence, and what would have been missed."""

from __future__ import annotations

from typing import Any

from mehler import _plotting

_COLOURS = {"holds": "tab:green", "refuted": "tab:red", "inconclusive": "tab:orange"}


def plot_verdict(verdict: Any, ax: Any) -> Any:
    """Plot the interval at the worst place against the claim, with the resolution around it."""
    ax = _plotting.axes(ax)
    low, high = verdict.interval
    room = verdict.resolution * verdict.scale
    ax.axvspan(
        verdict.exact - room, verdict.exact + room, alpha=0.15, label="within the resolution"
    )
    ax.axvline(verdict.exact, color="black", linewidth=1.0, label="claimed")
    # The observed value need not be the middle of the interval, nor within it.
    ax.plot(
        [low, high],
        [0.0, 0.0],
        "|-",
        color=_COLOURS[verdict.status],
        markersize=12.0,
        label=f"interval at {verdict.false_alarm:.1g}",
    )
    ax.plot([verdict.observed], [0.0], "o", color=_COLOURS[verdict.status], label="observed")
    ax.set_yticks([])
    ax.set_title(f"{verdict.check}: {verdict.status}")
    ax.legend()
    return ax
