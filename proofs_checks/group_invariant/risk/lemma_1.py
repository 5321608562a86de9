"""Lemma 1: is F_p, functions with weights of at most C times a density, dense in a kernel's space?

In Mroueh, Voinea and Poggio (2015) features psi(x, t, tau) are distribution functions of <t, g x>
over a group's elements g, for random *templates* t of density p, at tau in a window [-s, s]; F_p
has the functions int int w psi dt dtau with |w| <= C p, and K_s is the mean inner product of
features. For C = 1 a lower bound keeps 4 K_s(., x) away from F_p; that K_s(., x) itself, and for
large C each sum of these, is in F_p is proved here, and compared with drawn features.
"""

import math
from typing import Any

from mehler import GroupInvariantFeatures
from mehler.statements import Context, Evidence, check

from ..._comparisons import compute
from .._shared import DITHER, PAPER, Draw, declared, measure, unit_rows

_OPTIONS: dict[str, Any] = {**PAPER, **DITHER}
_KERNEL = declared(_OPTIONS, 6)
_LAMBDA = 4.0


@check("group-invariant.lemma-1", form="restored", name="a kernel section, C = 1")
def fixed_scale(context: Context, *, union: bool = False) -> Evidence:
    """Bound the distance of a kernel section from the class with C = 1 from below."""
    x = unit_rows(context, 1, 6)
    square = float(_KERNEL(x, x)[0, 0])
    # |f(x)| <= s C on the class, s the window; |g(x)| <= |g| sqrt(K(x, x)) in the space of K.
    most = PAPER["window"] * (_LAMBDA if union else 1.0)
    claim = rf"$\mathcal F_p$ with $C = 1$ comes as near as one likes to ${_LAMBDA:g}K_s(\cdot, x)$"
    claim = f"{claim}: a lower bound of the distance"
    return compute(
        claim,
        max(0.0, (_LAMBDA * square - most) / math.sqrt(square)),
        1e-9,
        exact=0.0,
        method="closed form, with its rounding",
    )


@check("group-invariant.lemma-1", form="proved", name="kernel sections")
def sections(
    context: Context, *, kernel: Any = _KERNEL, draw: Draw = GroupInvariantFeatures.draw
) -> Evidence:
    """Compare K_s(., x) with drawn functions of the weights w = p psi(x, t, tau)."""
    claim = (
        r"weights $w/p = \psi(x, t, \tau) \le 1$ give $K_s(\cdot, x)$: it lies in "
        r"$\mathcal F_p$ with $C = 1$, and $\sum\alpha_iK_s(\cdot, x_i)$ with "
        r"$C = \sum|\alpha_i|$"
    )
    return measure(context, "sections", claim, _OPTIONS, kernel, draw=draw)
