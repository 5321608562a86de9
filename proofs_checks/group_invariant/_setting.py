"""The paper's standing assumptions, and options of a map that satisfies them."""

from __future__ import annotations

from typing import Any

from mehler.exact.orbits import TemplateLaw

from .._dedent import prose

EPSILON = 0.3
# Section 2: Gaussian templates with rejection, and the window that holds all their projections.
PAPER: dict[str, Any] = {"templates": "redraw", "epsilon": EPSILON, "window": 1 + EPSILON}
LAW = TemplateLaw("redraw", 6, EPSILON)

SETTING = prose(r"""
    Section 2 (lines 8, 44 to 51): rows on the unit sphere; a compact group of orthogonal maps with
    its normalised Haar measure; templates $N(0, I/d)$, drawn again until $\|t\|^2 < 1 + \epsilon$
    with $0 < \epsilon < 1$; the window $s = 1 + \epsilon$, which no projection leaves.
    """)
