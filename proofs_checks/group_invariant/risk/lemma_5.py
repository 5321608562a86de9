"""Lemma 5: near functions have near risks."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.statements import RESTORED_HOLDS, Check, Context, Evidence, Statement

from ..._dedent import prose
from .._setting import SETTING
from .lemma_4 import approximations, target


def logistic(values: Any) -> Any:
    """Compute log(1 + e^-v), Lipschitz with L = 1."""
    return np.logaddexp(0.0, -values)


def hinge(values: Any) -> Any:
    """Compute max(0, 1 - v), L = 1."""
    return np.maximum(0.0, 1.0 - values)


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
    worst = max(ratios)
    return Evidence.bound_comparison(
        form="restored",
        claim=(
            r"$|\mathcal E_V(\tilde f) - \mathcal E_V(f)| \le L\|\tilde f - f\|_{L^2}$: the ratio, "
            "largest of logistic and hinge losses of all approximations drawn"
        ),
        observed=worst,
        interval=(worst - 1e-12, worst + 1e-12),
        upper=1.0,
        method="computed, with its rounding",
    )


STATEMENT = Statement(
    id="group-invariant.lemma-5",
    source="Mroueh, Voinea, Poggio (2015), Lemma 5",
    place="Appendix B, Lemma 5; our copy, lines 201 to 206, without the formula",
    copy="lost",
    hypotheses=prose(
        SETTING
        + r"""
        A convex loss $V(yf(x))$ that is $L$-Lipschitz; labels -1 and 1; a function of the class and
        the one that Lemma 4 finds for it.
        """
    ),
    title="Lemma 5: near functions have near risks",
    expected=RESTORED_HOLDS,
    printed=(
        r"|\mathcal E_V(f) - \mathcal E_V(\tilde f)| \le L\,\|f - \tilde f\|_{L^2(\rho)}, \quad "
        r"\mathcal E_V(f) = E\,V(yf(x))"
    ),
    printed_text=prose("""
        Risks differ by at most $L$ times the distance of the functions, and that by Lemma 4. The
        proof names the two steps (line 206); the bound is $L$ times that of Lemma 4.
        """),
    ground=prose("""
        The approximations of group-invariant.lemma-4, at unit rows with arbitrary labels, under the
        logistic and the hinge loss.
        """),
    proof=prose(r"""
        $|E\,V(yf) - E\,V(y\tilde f)| \le L\,E|f - \tilde f| \le L\|f-\tilde f\|_{L^2}$ by the
        Lipschitz constant, then Jensen.
        """),
    checks=(Check(form="restored", name="risks of near functions", run=risks),),
)
