"""Numbers and intervals as verdicts print them."""

from __future__ import annotations

import math
from typing import Any


def short(value: Any) -> str:
    """Return a float to six digits, anything else as it is."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def interval_text(low: float, high: float) -> str:
    """Return an interval; one whose ends print alike says how wide it is."""
    text = f"[{short(low)}, {short(high)}]"
    if short(low) != short(high) or not math.isfinite(low):
        return text
    if low == high:
        return f"{text} of width 0 (no sample varied)"
    return f"{text}, {high - low:.2g} wide"
