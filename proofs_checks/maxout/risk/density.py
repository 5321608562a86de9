"""Check whether functions of infinitely many maxout units are dense in their kernel's space.

The maxout paper (Mroueh, Rennie, Goel 2015), Section 3, says so of F_C, C being `scale`: functions
E a(W) phi(., W), |a| <= C, where phi(x, W) = max_j <w_j, x> is a unit with q normal weights w_j.
It is true of the union of F_C over all C. The kernel is K(x, z) = E phi(x, W) phi(z, W). Bounds of
a distance between K(., z) and F_C are computed. M is phi at a unit vector, sigma^2 = E M^2.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from scipy import special

from mehler import exact
from mehler.statements import Context, Evidence, Plot, Series, check

from ..._comparisons import compute
from ..._plots import plot

_rule = functools.cache(np.polynomial.legendre.leggauss)
_POOL = 4
_END = 40.0  # |M| exceeds it with a probability below the smallest float


def excess_moment(scale: float, q: int, power: int) -> float:
    """Compute E (|M| - C)_+^power for power 1 or 2, by quadrature of its tails; to 1e-12."""
    nodes, weights = _rule(600)
    t = scale + (nodes + 1) * (_END - scale) / 2
    # P(|M| > t) = 1 - Phi(t)^q + Phi(-t)^q, without cancelling.
    below = special.ndtr(-t)
    tail = -np.expm1(q * np.log1p(-below)) + below**q
    return float(weights @ (power * (t - scale) ** (power - 1) * tail) * (_END - scale) / 2)


def distance_ends(scale: float, q: int) -> tuple[float, float]:
    r"""Return bounds of the distance of K(., z), \|z\| = 1, from F_C in the kernel's space.

    The upper one clips the representer phi(z, .) of K(., z) at C. The lower one holds as a function
    of F_C is at most C E|M| at z, where K(., z) is sigma^2 and evaluation has norm sigma.
    """
    sigma2 = exact.sigma2(q)
    low = (sigma2 - scale * excess_moment(0.0, q, 1)) / math.sqrt(sigma2)
    return max(0.0, low), math.sqrt(excess_moment(scale, q, 2))


@check("maxout.density", form="printed", name="one class")
def one_class(context: Context, *, scale: float = 1.0) -> Evidence:
    """Compare the distance of a function of the kernel's space from one F_C with 0."""
    low, high = distance_ends(scale, _POOL)
    return Evidence.from_interval(
        claim=(
            rf"distance of $K(\cdot, z)$ from $\mathcal F$ in $\mathcal H_K$ is 0: $C = {scale:g}$,"
            f" $q = {_POOL}$"
        ),
        observed=(low + high) / 2,
        interval=(low, high),
        upper=0.0,
        method="bounds of the proof, evaluated",
    )


@check("maxout.density", form="proved", name="the union of classes")
def union(
    context: Context, *, ends: Callable[[float, int], tuple[float, float]] = distance_ends
) -> Evidence:
    """Check that the bound of the distance from F_C is tiny for a large C."""
    scale = 8.0
    _, high = ends(scale, _POOL)
    claim = (
        r"bound of the distance of $K(\cdot, z)$ from $\mathcal F_C$, which tends to 0: "
        f"$C = {scale:g}$, "
        f"$q = {_POOL}$, below $10^{{-8}}$"
    )
    # A root of a moment to 1e-12 of what it is made of.
    plots = (_plot(),)
    method = "bounds of the proof, evaluated"
    return compute(claim, high, 1e-9, relative=True, upper=1e-8, method=method, plots=plots)


def _plot() -> Plot:
    scale = np.linspace(0, 4, 41)
    ends = np.asarray([distance_ends(float(size), _POOL) for size in scale])
    return plot(
        "Distance of a kernel section from the class of C",
        "C",
        "distance in the kernel's space",
        Series(label="proved range", kind="band", x=scale, y_low=ends[:, 0], y_high=ends[:, 1]),
        caption="q = 4. No small class comes near; the distance tends to 0 as C grows.",
    )
