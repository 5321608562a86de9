"""Lemma 1: is the class of functions with bounded weights dense?"""

from __future__ import annotations

import math
from typing import Any

from mehler import GroupInvariantFeatures
from mehler.statements import Context, Evidence, check

from .._measured_kernel import BLOCKS, declared, held, unit_rows
from .._setting import PAPER

_OPTIONS: dict[str, Any] = {**PAPER, "group": BLOCKS, "rule": "dither", "n_bins": 10}
_LAMBDA = 4.0


@check("group-invariant.lemma-1", form="restored", name="a kernel section, C = 1")
def fixed_scale(context: Context, *, union: bool = False) -> Evidence:
    """Bound the distance of a kernel section from the class with C = 1 from below."""
    x = unit_rows(context, 1, 6)
    own = float(declared(_OPTIONS, 6)(x, x)[0, 0])
    # |f(x)| <= s C on the class, and |g(x)| <= |g| sqrt(K(x, x)) in the space of K.
    most = PAPER["window"] * (_LAMBDA if union else 1.0)
    found = max(0.0, (_LAMBDA * own - most) / math.sqrt(own))
    return Evidence.exact_comparison(
        form="restored",
        claim=(
            rf"$\mathcal F_p$ with $C = 1$ comes as near as one likes to ${_LAMBDA:g}K_s(\cdot, x)$"
            ": a lower bound of the distance"
        ),
        observed=found,
        exact=0.0,
        interval=(found - 1e-9, found + 1e-9),
        method="closed form, with its rounding",
    )


@check("group-invariant.lemma-1", form="proved", name="kernel sections")
def sections(context: Context, *, kernel: Any = None, draw: Any = None) -> Evidence:
    """Hold kernel sections against functions with the weights lambda psi(x, t, tau)."""
    verdict = held(
        context,
        f"{context.statement}: sections",
        _OPTIONS,
        kernel or declared(_OPTIONS, 6),
        unit_rows(context, 2, 6),
        draw=draw or GroupInvariantFeatures.draw,
    )
    return Evidence.from_verdict(
        verdict,
        form="proved",
        claim=(
            r"weights $w/p = \psi(x, t, \tau) \le 1$ give $K_s(\cdot, x)$: it lies in "
            r"$\mathcal F_p$ with $C = 1$, and $\sum\alpha_iK_s(\cdot, x_i)$ with "
            r"$C = \sum|\alpha_i|$"
        ),
    )
