"""Check the uniform error of single draws, for maps that are not unbiased."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from mehler.statements import Evidence
from mehler.verify._arguments import relative_resolution
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import make_pairs
from mehler.verify.sampling._sources import choose_source, estimate


def check_uniform_error(
    draw: Callable[[int], Any], kernel: Any, X: Any, resolution: float, seed: int, n_draws: int
) -> Evidence:
    """Check |<phi(x), phi(y)> - k(x, y)| at all pairs against the resolution, for `n_draws` draws.

    Deterministic: it is about these draws and rows, not about the mean. Observed is the largest
    deviation in units of sqrt(k(x,x) k(y,y)).
    """
    resolution = relative_resolution(resolution)
    pairs = make_pairs(kernel, X, None)
    draws = Draws(draw, seed)
    worst, at, rounding = 0.0, 0, 0.0
    for k in range(n_draws):
        source = choose_source(draws[k], pairs, False)
        gram = pairs.pick(estimate(draws[k], pairs, source.n_features)) / pairs.unit
        gap = np.abs(gram - pairs.claim)
        gap[~np.isfinite(gap)] = math.inf
        if gap.max() > worst:
            worst, at = float(gap.max()), int(np.argmax(gap))
        # As in check_kernel: rounding of an inner product grows like the root of its length.
        length = X.shape[1] + source.n_features
        rounding = max(rounding, 8.0 * math.sqrt(length) * source.eps)
    which = f"each of {n_draws} draws" if n_draws > 1 else "this one map"
    found = Evidence.from_interval(
        form="printed",
        check="closeness",
        claim=f"|<phi(x), phi(y)> - k(x, y)| <= {resolution:g} sqrt(k(x,x) k(y,y)) at {pairs.n} "
        f"pairs, for {which}; nothing is said of a mean over draws",
        observed=worst,
        interval=(max(0.0, worst - rounding), worst + rounding),
        upper=resolution,
        method="computed, with an allowance for rounding",
    )
    reason = ""
    if found.status == "inconclusive":
        reason = (
            f"Features are rounded: the deviation is known to {rounding:.2g} only. A coarser "
            "resolution, or features of a finer dtype, would decide."
        )
    elif worst <= rounding:
        reason = "Equal to rounding."
    return replace(found, where=pairs.place(at), resolution=resolution, reason=reason)
