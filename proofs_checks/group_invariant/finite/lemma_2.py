"""Lemma 2 of Mroueh, Voinea, Poggio (2015): mean and mean square of the larger of two normals.

Clark's formulas, for the lost ones of the paper, are compared with an integral by conditioning.
"""

import itertools
import math
from typing import Any

from scipy.special import ndtr

from mehler.statements import Context, Evidence, check

from ..._comparisons import compute


def clark(m1: float, m2: float, s1: float, s2: float, r: float) -> tuple[float, float]:
    """Compute E max(X, Y) and E max^2 (Clark): means m, deviations s and correlation r."""
    a = math.sqrt(s1**2 + s2**2 - 2 * r * s1 * s2)
    alpha = (m1 - m2) / a
    density = math.exp(-0.5 * alpha**2) / math.sqrt(2 * math.pi)
    mean = m1 * ndtr(alpha) + m2 * ndtr(-alpha) + a * density
    square = (
        (m1**2 + s1**2) * ndtr(alpha) + (m2**2 + s2**2) * ndtr(-alpha) + (m1 + m2) * a * density
    )
    return float(mean), float(square)


def by_conditioning(m1: float, m2: float, s1: float, s2: float, r: float) -> tuple[float, float]:
    """Compute them by conditioning on X: max(X, Y) is then a normal cut at X."""
    from scipy.integrate import quad

    width = s2 * math.sqrt(1 - r * r)

    def conditional(g: float, power: int) -> float:
        x = m1 + s1 * g
        centre = m2 + s2 * r * g
        z = (x - centre) / width
        tail, density = ndtr(-z), math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
        above = centre * tail + width * density
        if power == 2:
            above = (centre**2 + width**2) * tail + (centre + x) * width * density
        weight = math.exp(-0.5 * g * g) / math.sqrt(2 * math.pi)
        return weight * (x**power * ndtr(z) + above)

    first, second = (
        quad(conditional, -12, 12, args=(k,), epsabs=1e-13, epsrel=1e-13, limit=200)[0]
        for k in (1, 2)
    )
    return float(first), float(second)


@check("group-invariant.lemma-2", form="restored", name="mean and mean square")
def moments(context: Context, *, formula: Any = clark) -> Evidence:
    """Compare both formulas with an integral over X, the first of the normals."""
    settings: list[tuple[float, ...]] = [(0.3, -0.2, 1.0, 0.5, 0.6), (0.0, 0.0, 1.0, 1.0, -0.4)]
    if not context.quick:
        settings += [
            (m, 0.0, s, 1.0, r)
            for m, s, r in itertools.product((-1.0, 0.5), (0.3, 2.0), (-0.9, 0.0, 0.95))
        ]
    worst = max(
        abs(a - b)
        for setting in settings
        for a, b in zip(formula(*setting), by_conditioning(*setting), strict=True)
    )
    claim = f"both moments of the larger normal, at {len(settings)} settings: largest difference"
    return compute(claim, worst, 1e-9, exact=0.0, method="quadrature with its error bound")
