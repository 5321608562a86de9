"""What is wrong with the prints of Lemmas 3 and 4, in numbers; and two inputs that show it.

The inputs are so near each other that the printed complexity of their set is as good as 0. Their
doubling dimension is 1, and at distance delta / ((q+1) sqrt(d)) the printed
d_M log(diam sqrt(d) / delta) + log(q+1) is 0, whatever the constants in front of it: Lemma 2 then
bounds |phi| by 0, Lemma 3 promises that m = 1 unit represents every function, and Theorem 2 asks
for no unit at all. The measure on the two points may sit on one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from scipy import special, stats

from mehler.bounds import Bound, printed
from mehler.statements import Context, Evidence, check

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


@check("maxout.lemma-3", form="printed", name="the event for all units")
def all_units(
    context: Context, *, share: Callable[[float, int], float] = lambda delta, m: delta
) -> Evidence:
    """Compute the chance that all units keep to the (1 - share) quantile of one."""
    delta, n_units = 0.01, 1000
    chance = (1 - share(delta, n_units)) ** n_units
    promised = 1 - delta - 2 * math.exp(-NORM_CONSTANT * 400 / 4)
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            r"$P(E) \ge 1 - \delta - 2e^{-cd/4}$ for the event $E$ on which all "
            f"{n_units} units are below the {1 - delta:.0%} quantile of one, $d = 400$"
        ),
        observed=chance,
        interval=(chance * (1 - 1e-9), chance * (1 + 1e-9)),
        lower=promised,
        method="independent units, computed",
    )


@check("maxout.lemma-3", form="printed", name="the mean given the event")
def conditioned_mean(
    context: Context, *, level: float = 2.0, unconditional: float = math.sqrt(2 / math.pi)
) -> Evidence:
    r"""Compute E[f_l | E] for one input, q = 2 and alpha/p = C sign: it is not f."""
    # |phi| is distributed like |g|. E[|g| ; |g| <= M] = 2 (phi(0) - phi(M)), over P(|g| <= M).
    inside = 1 - 2 * stats.norm.sf(level)
    value = 2 * (stats.norm.pdf(0) - stats.norm.pdf(level)) / inside
    return Evidence.exact_comparison(
        form="printed",
        claim=(
            rf"$E[f_\ell \mid E] = f$, in units of $C$: one input, $q = 2$, "
            rf"$\alpha/p = C\,\mathrm{{sign}}$, $M = {level:g}$"
        ),
        observed=value,
        exact=unconditional,
        interval=(value - 1e-12, value + 1e-12),
        method="truncated normal, computed",
    )


def printed_at_near_points(lipschitz: float | None = None, scale: float = 1.0) -> Bound:
    """Return the printed bound at two near points: Lemma 3, or 4 with a Lipschitz constant."""
    options: dict[str, Any] = {
        "n_features": 1,
        "pool_size": POOL,
        "scale": scale,
        "delta": DELTA,
        "c1": 100.0,
        "c": NORM_CONSTANT,
        **near_points(),
    }
    if lipschitz is None:
        return printed.maxout.lemma_3(**options)
    return printed.maxout.lemma_4(lipschitz=lipschitz, **options)


@check("maxout.lemma-3", form="printed", name="two near points")
def two_near_points(
    context: Context, *, probability: Callable[[float], float] = shortfall_probability
) -> Evidence:
    """Evaluate the print on two near points, where it promises that one unit is enough."""
    bound = printed_at_near_points()
    seen = probability(bound.value)
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            r"two inputs at distance $\delta/((q+1)\sqrt d)$, one unit, $C_1 = 100$: chance that "
            f"no function of the box is within the printed {bound.value:.2g} of $f$"
        ),
        observed=seen,
        interval=(seen - 1e-12, seen + 1e-12),
        upper=1 - bound.probability,
        method="distribution of the half-normal, computed",
    )


@check("maxout.lemma-4", form="printed", name="two near points")
def added_risk(
    context: Context, *, probability: Callable[[float], float] = shortfall_probability
) -> Evidence:
    """Evaluate the print on two near points, where it promises that one unit adds no risk."""
    scale, lipschitz = 0.5, 0.5
    bound = printed_at_near_points(lipschitz, scale)
    seen = probability(bound.value / (lipschitz * scale))
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            r"two inputs at distance $\delta/((q+1)\sqrt d)$, label 1, one unit, $C_1 = 100$: "
            f"chance that every function of the box adds more than the printed {bound.value:.2g}"
        ),
        observed=seen,
        interval=(seen - 1e-12, seen + 1e-12),
        upper=1 - bound.probability,
        method="distribution of the half-normal, computed",
    )
