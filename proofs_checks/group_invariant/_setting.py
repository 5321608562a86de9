"""The paper's standing assumptions, and options of a map that satisfies them."""

from __future__ import annotations

from typing import Any

from mehler.exact.orbits import TemplateLaw

EPSILON = 0.3
# Section 2: Gaussian templates with rejection, and the window that holds all their projections.
PAPER: dict[str, Any] = {"templates": "redraw", "epsilon": EPSILON, "window": 1 + EPSILON}
LAW = TemplateLaw("redraw", 6, EPSILON)
