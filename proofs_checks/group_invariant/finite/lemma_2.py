"""Lemma 2: mean and mean square of the larger of two normals (Clark)."""

from __future__ import annotations

import itertools
import math
from typing import Any

from scipy.special import ndtr

from mehler.statements import RESTORED_HOLDS, Check, Context, Evidence, Statement

from ..._dedent import prose


def clark(m1: float, m2: float, s1: float, s2: float, r: float) -> tuple[float, float]:
    """Compute E max and E max^2 by the restored formulas."""
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

    def given(g: float, power: int) -> float:
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
        quad(given, -12, 12, args=(k,), epsabs=1e-13, epsrel=1e-13, limit=200)[0] for k in (1, 2)
    )
    return float(first), float(second)


def moments(context: Context, *, formula: Any = clark) -> Evidence:
    """Hold the restored moments against an integral over the first of the two."""
    settings: list[tuple[float, ...]] = [(0.3, -0.2, 1.0, 0.5, 0.6), (0.0, 0.0, 1.0, 1.0, -0.4)]
    if not context.quick:
        settings += [
            (m, 0.0, s, 1.0, r)
            for m, s, r in itertools.product((-1.0, 0.5), (0.3, 2.0), (-0.9, 0.0, 0.95))
        ]
    worst = max(
        abs(a - b)
        for one in settings
        for a, b in zip(formula(*one), by_conditioning(*one), strict=True)
    )
    return Evidence.exact_comparison(
        form="restored",
        claim=f"both moments of the larger normal, at {len(settings)} settings: largest difference",
        observed=worst,
        exact=0.0,
        interval=(worst - 1e-9, worst + 1e-9),
        method="quadrature with its error bound",
    )


STATEMENT = Statement(
    id="group-invariant.lemma-2",
    source="Mroueh, Voinea, Poggio (2015), Lemma 2, after Clark (1961)",
    place=prose(
        "Appendix A, Lemma 2, equations (9) and (10); our copy, lines 134 to 140, without the "
        "formulas"
    ),
    copy="lost",
    hypotheses=prose("""
        Two normal variables of any means, with positive variances and correlation $r$; not both
        equal up to a constant, so that $a > 0$.
        """),
    title="Lemma 2: the larger of two normals",
    expected=RESTORED_HOLDS,
    ground=prose("""
        Clark's formulas, which the lemma cites, agree with an integral over the first variable at
        pairs of normals of several means, variances and correlations.
        """),
    printed=(
        r"E\max(X,Y) = \mu_1\Phi(\alpha) + \mu_2\Phi(-\alpha) + a\varphi(\alpha), \quad "
        r"E\max(X,Y)^2 = (\mu_1^2+\sigma_1^2)\Phi(\alpha) + (\mu_2^2+\sigma_2^2)\Phi(-\alpha) + "
        r"(\mu_1+\mu_2)a\varphi(\alpha), \quad a^2 = \sigma_1^2+\sigma_2^2-2r\sigma_1\sigma_2, \; "
        r"\alpha = \frac{\mu_1-\mu_2}{a}"
    ),
    printed_text="Mean and mean square of the larger of two normal variables of correlation $r$.",
    proof=prose(r"""
        $\max(X,Y) = Y + (X-Y)_+$, and $X - Y$ is normal of mean $\mu_1-\mu_2$ and variance $a^2$:
        $E(X-Y)_+ = (\mu_1-\mu_2)\Phi(\alpha) + a\varphi(\alpha)$. For the square condition on $X -
        Y$, of which $X + Y$ is a linear function plus independent noise.
        """),
    note=prose(r"""
        With both means 0: $E\max = \|gx - g'z\|/\sqrt{2\pi d}$ and $E\max^2 = (\|x\|^2 +
        \|z\|^2)/(2d)$ for projections on $N(0, I/d)$, whatever the lengths.
        """),
    checks=(Check(form="restored", name="mean and mean square", run=moments),),
)
