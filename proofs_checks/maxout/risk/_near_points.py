"""Two inputs so near each other that the printed complexity of their set is as good as 0.

Their doubling dimension is 1, and at distance delta / ((q+1) sqrt(d)) the printed
d_M log(diam sqrt(d) / delta) + log(q+1) is 0, whatever the constants in front of it: Lemma 2 then
bounds |phi| by 0, Lemma 3 promises that m = 1 unit represents every function, and Theorem 2 asks
for no unit at all. The measure on the two points may sit on one of them.
"""

from __future__ import annotations

import math
from typing import Any

from scipy import special

# The proof of Lemma 2 is for q > 1; with q = 2 a unit is distributed like |g| in size.
POOL = 2
DELTA = 0.01
INPUTS = 400
# The constant of the inequality that the paper quotes for norms of Gaussian vectors.
NORM_CONSTANT = 0.5
# Above 0 by this much, so that the printed root is of a number.
_COMPLEXITY = 1e-12


def near_points() -> dict[str, Any]:
    """Return the printed formulas' arguments for the two points."""
    distance = math.exp(_COMPLEXITY) * DELTA / ((POOL + 1) * math.sqrt(INPUTS))
    return {"n_inputs": INPUTS, "dimension": 1, "diameter": distance}


def shortfall_probability(shortfall: float) -> float:
    """Compute P(E|g| - |g| > shortfall), the chance that a unit falls so short of the mean.

    With alpha/p = C sign(phi), f(x) = C E|phi|, and one unit reaches C |phi| at most. For q = 2
    P(|phi(x)| <= t) = Phi(t)^2 - Phi(-t)^2 = 2 Phi(t) - 1: |phi| is distributed like |g|.
    """
    least = math.sqrt(2 / math.pi) - shortfall
    return float(special.erf(least / math.sqrt(2))) if least > 0 else 0.0
