"""Lemma 1: is the class of functions with bounded weights dense?"""

from __future__ import annotations

import math
from typing import Any

from mehler import GroupInvariantFeatures
from mehler.statements import RESTORED_REFUTED, Check, Context, Evidence, Statement

from ..._dedent import prose
from .._measured_kernel import BLOCKS, declared, held, unit_rows
from .._setting import PAPER, SETTING

_OPTIONS: dict[str, Any] = {**PAPER, "group": BLOCKS, "rule": "dither", "n_bins": 10}
_LAMBDA = 4.0


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


def sections(context: Context, *, kernel: Any = None, draw: Any = None) -> Evidence:
    """Hold kernel sections against functions with the weights lambda psi(x, t, tau)."""
    verdict = held(
        context,
        f"{STATEMENT.id}: sections",
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


STATEMENT = Statement(
    id="group-invariant.lemma-1",
    source="Mroueh, Voinea, Poggio (2015), Lemma 1",
    place="Section 4, Lemma 1; our copy, lines 95 to 99, without the class",
    copy="lost",
    hypotheses=prose(
        SETTING
        + r"""
        The definition of the class is lost. With one fixed bound $C$ on the weights, as Theorem 3
        needs it, the lemma says what is checked here; without a bound, as the slides on Rahimi and
        Recht define theirs, it is true.
        """
    ),
    title="Lemma 1: density of the infinite class",
    expected=RESTORED_REFUTED,
    ground=prose(r"""
        $4K_s(\cdot, x)$ for a unit row $x$, Gaussian templates with rejection and $s = 1.3$: its
        distance from every function of the class with $C = 1$ is bounded from below in closed form.
        """),
    printed=(
        r"\mathcal F_p = \left\{\int\int_{-s}^s w(t,\tau)\psi(\cdot,t,\tau)\,d\tau\,dt : "
        r"\sup\frac{|w|}{p} \le C\right\} \;\text{is dense in}\; \mathcal H_{K_s}"
    ),
    printed_text=prose("""
        Functions with weights of at most $C$ times the density of templates come near every
        function of the kernel's space.
        """),
    proved=(
        r"\bigcup_{C>0}\mathcal F_p(C) \;\text{is dense in}\; \mathcal H_{K_s}; \qquad "
        r"\mathrm{dist}\left(\lambda K_s(\cdot,x), \mathcal F_p(C)\right) \ge "
        r"\frac{\lambda K_s(x,x) - sC}{\sqrt{K_s(x,x)}}"
    ),
    proved_text=prose("""
        The union over all $C$ is dense; for one $C$ kernel sections with a large factor stay away.
        """),
    flaw=prose(r"""
        With $C$ fixed the class is bounded: $|f(x)| \le C\,E\int\psi\,d\tau = sC$. So $\lambda
        K_s(\cdot, x)$ with $\lambda K_s(x,x) > sC$ is at a positive distance.
        """),
    proof=prose(r"""
        $\mathcal H_{K_s}$ is the image of $L^2(p\,dt\,d\tau)$ under $u \mapsto \int\int u\psi\,p$,
        a contraction onto it; bounded $u = w/p$ are dense there. Finite sums
        $\sum\alpha_iK_s(\cdot, x_i)$ have $u = \sum\alpha_i\psi(x_i, \cdot)$, bounded by
        $\sum|\alpha_i|$. Distance: $|g(x)| \le \|g\|\sqrt{K_s(x,x)}$ for the difference $g$.
        """),
    note=prose("""
        The risk on the space of orbits equals that on the whole space for $f$ in the class, with
        the measure pushed forward to orbits, not restricted (which may be null). Theorem 3 compares
        with the class for one $C$ and does not need density.
        """),
    checks=(
        Check(form="restored", name="a kernel section, C = 1", run=fixed_scale),
        Check(form="proved", name="kernel sections", run=sections),
    ),
)
