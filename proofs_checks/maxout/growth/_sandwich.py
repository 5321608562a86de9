"""The two bounds of the collision probability of finite pools, at levels where each term counts.

For equal rows, kappa = 1, the terms depend on m = q Phi(-a) alone when the pool is large: from
above 2 exp(-m) + m, at least 1.69; from below m - 2 m^2, at most an eighth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import exact
from mehler.bounds import lower, maxout
from mehler.statements import Context, Evidence, check

_POOLS = (2, 4, 64, 1024, 10**6)
_RHO = (-0.5, 0.0, 0.5, 0.9, 1.0)
# kappa is known to 1e-13: relative errors need larger ones.
_LEAST = 1e-3


@check("maxout.remark-1-codes", form="proved", name="bounds of finite pools")
def sandwich(
    context: Context,
    *,
    above: Callable[..., Any] = maxout.collision_probability,
    below: Callable[..., Any] = lower.collision_probability,
    collision: Callable[[float, int], Any] = exact.collision_probability,
) -> Evidence:
    """Hold the exact probability between its bounds, at levels of a list and at the best ones."""
    worst, where = -math.inf, (0, 0.0)
    for q in _POOLS:
        levels = np.linspace(0.0, 1.2 * math.sqrt(2 * math.log(q)) + 3, 100)
        for rho in _RHO:
            kappa = float(collision(rho, q))
            if kappa < _LEAST:
                continue
            for level in (None, *levels.tolist()):
                options = {"pool_size": q, "level": level}
                over = 1 - above(rho, **options).total / kappa
                under = below(rho, **options).total / kappa - 1
                worst, where = max((worst, where), (max(over, under), (q, rho)))
    q, rho = where
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"$\kappa_q$ less its upper bound, or its lower bound less $\kappa_q$, over $\kappa_q$ "
            rf"(largest at $q = {q}$, $\rho = {rho:g}$)"
        ),
        observed=worst,
        interval=(worst - 1e-9, worst + 1e-9),
        upper=0.0,
        method="bounds at many levels, evaluated",
    )
