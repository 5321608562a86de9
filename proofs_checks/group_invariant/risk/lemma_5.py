"""Lemma 5: close functions have close risks, by a factor L, the loss's Lipschitz constant.

Mroueh, Voinea and Poggio (2015) state it for the L2 distance. Differences of risks of a function f*
and drawn sums of features near it, as in Lemma 4, are compared with L times their distance.
"""

import numpy as np

from mehler.statements import Context, Evidence, check

from ..._comparisons import compute
from ...kitchen_sinks.risk_lemma import hinge, logistic  # L = 1
from .lemma_4 import approximations, target


@check("group-invariant.lemma-5", form="restored", name="risks of near functions")
def risks(context: Context, *, factor: float = 1.0) -> Evidence:
    """Compare differences of risks with L times the distance, over many approximations."""
    ratios = []
    for m in (3, 30) if context.quick else (3, 30, 300):
        values, rows = approximations(context, f"draw {m}", m, 300, templates="redraw")
        exact = target(rows, "redraw")
        labels = context.rng(f"labels {m}").choice([-1.0, 1.0], size=len(rows))
        distance = np.sqrt(((values - exact) ** 2).mean(axis=1))
        for loss in (logistic, hinge):
            gap = loss(values * labels).mean(axis=1) - loss(exact * labels).mean()
            ratios.append(float((factor * np.abs(gap) / distance).max()))
    claim = (
        r"$|\mathcal E_V(\tilde f) - \mathcal E_V(f)| \le L\|\tilde f - f\|_{L^2}$: the ratio, "
        "largest of logistic and hinge losses of all approximations drawn"
    )
    return compute(claim, max(ratios), 1e-12, upper=1.0)
