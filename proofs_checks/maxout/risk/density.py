"""Section 3: is the class F of one C dense in the kernel's space? Its union over all C is."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy import special

from mehler import exact
from mehler.statements import Check, Context, Evidence, Plot, Series, Statement

from ..._dedent import prose

_POOL = 4
# Beyond this, |M| has no mass that a float could see.
_END = 40.0


def excess_moment(scale: float, q: int, power: int) -> float:
    """Compute E (|M| - C)_+^power for power 1 or 2, by quadrature of its tails; to 1e-12."""
    nodes, weights = _rule()
    t = scale + (nodes + 1) * (_END - scale) / 2
    # P(|M| > t) = 1 - Phi(t)^q + Phi(-t)^q, without cancelling.
    below = special.ndtr(-t)
    tail = -np.expm1(q * np.log1p(-below)) + below**q
    return float(weights @ (power * (t - scale) ** (power - 1) * tail) * (_END - scale) / 2)


@lru_cache(maxsize=1)
def _rule() -> tuple[np.ndarray, np.ndarray]:
    return np.polynomial.legendre.leggauss(600)


def distance_ends(scale: float, q: int) -> tuple[float, float]:
    r"""Bound the distance of K(., z), \|z\| = 1, from the class of C, in the kernel's space.

    From above by clipping the representer phi(z, .) of K(., z) at C; from below because a function
    of the class is at most C E|M| at z, where K(., z) is sigma^2 and evaluation has norm sigma.
    """
    sigma2 = exact.sigma2(q)
    low = (sigma2 - scale * excess_moment(0.0, q, 1)) / math.sqrt(sigma2)
    return max(0.0, low), math.sqrt(excess_moment(scale, q, 2))


def one_class(context: Context, *, scale: float = 1.0) -> Evidence:
    """Bound the distance of a function of the kernel's space from the class of one C."""
    low, high = distance_ends(scale, _POOL)
    return Evidence.bound_comparison(
        form="printed",
        claim=(
            rf"distance of $K(\cdot, z)$ from $\mathcal F$ in $\mathcal H_K$ is 0: $C = {scale:g}$,"
            f" $q = {_POOL}$"
        ),
        observed=(low + high) / 2,
        interval=(low, high),
        upper=0.0,
        method="bounds of the proof, evaluated",
    )


def union(
    context: Context, *, ends: Callable[[float, int], tuple[float, float]] = distance_ends
) -> Evidence:
    """Follow the distance from the classes as C grows."""
    scale = 8.0
    _, high = ends(scale, _POOL)
    return Evidence.bound_comparison(
        form="proved",
        claim=(
            r"bound of the distance of $K(\cdot, z)$ from $\mathcal F_C$, which tends to 0: "
            f"$C = {scale:g}$, "
            f"$q = {_POOL}$, below $10^{{-8}}$"
        ),
        observed=high,
        # A root of a moment to 1e-12 of what it is made of.
        interval=(high * (1 - 1e-9), high * (1 + 1e-9)),
        upper=1e-8,
        method="bounds of the proof, evaluated",
        plots=(_plot(),),
    )


def _plot() -> Plot:
    scale = np.linspace(0, 4, 41)
    ends = np.asarray([distance_ends(float(one), _POOL) for one in scale])
    return Plot(
        title="Distance of a kernel section from the class of C",
        x_label="C",
        y_label="distance in the kernel's space",
        series=(
            Series(label="proved range", kind="band", x=scale, y_low=ends[:, 0], y_high=ends[:, 1]),
        ),
        caption="q = 4. No small class comes near; the distance tends to 0 as C grows.",
    )


STATEMENT = Statement(
    id="maxout.density",
    source="Mroueh, Rennie, Goel (2015), Section 3, before Theorem 2",
    place="Section 3, before Theorem 2; our copy, lines 133 to 137",
    hypotheses=prose(r"""
        $C > 0$ is fixed in the definition of $\mathcal F$, and Theorem 2 needs it so. (The slides
        on Rahimi and Recht, whose analysis the paper follows, have no fixed $C$; there density is
        true.) Points of the unit sphere; $\mathcal H_K$ is the space of the expected product of two
        units.
        """),
    title="Density of the infinite class",
    expected="refuted, repaired",
    ground=prose("""
        The class of $C = 1$, $q = 4$ and the section of the kernel at a unit vector: a distance
        between two positive bounds, by the proof.
        """),
    printed=r"\overline{\mathcal F} = \mathcal H_K, \qquad C > 0 \text{ fixed}",
    printed_text=prose(r"""
        The class $\mathcal F$ of functions $\int\alpha(W)\phi(\cdot, W)\,dW$ with $|\alpha| \le Cp$
        is dense in the space of the kernel that the paper prints.
        """),
    proved=r"\overline{\textstyle\bigcup_{C > 0}\mathcal F_C} = \mathcal H_K",
    proved_text=prose(r"""
        The union over all $C$ is dense, in the norm of $\mathcal H_K$, and the kernel is the true
        one, $K(x, z) = E_W\phi(x, W)\phi(z, W)$ (maxout.theorem-1-kernel).
        """),
    flaw=prose(r"""
        For one $C$ the class is bounded: $|f(z)| \le C\,E|\phi(z, W)|$. So every $f$ of it is at
        least $(a\sigma^2 - C\,E|M|)/\sigma$ away from $a\,K(\cdot, z)$, which is positive for large
        $a$. And the space is that of the expected product, not of the printed kernel.
        """),
    proof=prose(r"""
        $T a = E_W[a(W)\phi(\cdot, W)]$ maps $L^2(p)$ onto $\mathcal H_K$, with $\|f\|_{\mathcal
        H_K} = \min\{\|a\| : Ta = f\}$. The union is the image of the bounded functions, which are
        dense in $L^2(p)$, under a map that is continuous and onto. For $K(\cdot, z) = T\phi(z,
        \cdot)$, clipping at $C$ is at a distance of at most $(E(|M| - C)_+^2)^{1/2}$.
        """),
    checks=(
        Check(form="printed", name="one class", run=one_class),
        Check(form="proved", name="the union of classes", run=union),
    ),
)
