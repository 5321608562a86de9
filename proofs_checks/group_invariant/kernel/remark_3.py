"""Remark 3: the kernel of features over a subset of a group, and the window of longer rows.

In Mroueh, Voinea and Poggio (2015) a random vector t, a *template*, gives a row x the distribution
function of <t, g x> over elements g, in a window [-s, s]. Over a subset with inverses their mean
inner product is by the paper s - kappa times the mean of |g x - h z|, kappa = E|t_1|/2; by ours,
for any list of maps, that of |g^-1 x - h^-1 z|. Drawn features are compared with both.
"""

from typing import Any

import numpy as np

from mehler import GroupInvariantFeatures
from mehler.statements import Context, Evidence, check

from ..._comparisons import compute
from .._shared import BLOCKS, DITHER, EPSILON, LAW, PAPER, SPHERE, Draw, measure, unit_rows

# The identity, a cycle, its inverse and a transposition of three blocks: with each element its
# inverse, as the remark assumes, but no group.
SUBSET = BLOCKS.subset([[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2]])
# Without the cycle's inverse: outside of the remark, inside of what is proved here.
LIST = BLOCKS.subset([[0, 1, 2], [1, 2, 0], [1, 0, 2]])
_LOCAL: dict[str, Any] = {**DITHER, **PAPER, "group": SUBSET}
_OPTIONS: dict[str, Any] = {**DITHER, "group": LIST, "window": 1.0}
# Means of a dozen distances of at most 2.
_ROUNDING = 1e-13


def mean_over_pairs(a: Any, b: Any) -> Any:
    """Return the mean of |a_i - b_j| over both lists: (r, n, d), (r, k, d) to (n, k)."""
    gaps = a[:, None, :, None] - b[None, :, None]
    return np.linalg.norm(gaps, axis=4).mean(axis=(0, 1))


def of_elements(x: Any, y: Any, *, among: Any = SUBSET) -> Any:
    """Return the mean of |g x - g' z| over a subset."""
    return mean_over_pairs(among.apply(x), among.apply(y))


def of_inverses(x: Any, y: Any, *, among: Any = SUBSET) -> Any:
    """Return the mean of |g^-1 x - g'^-1 z| over a subset."""
    return mean_over_pairs(among.transpose(x), among.transpose(y))


def as_restored(x: Any, y: Any) -> Any:
    """Return s - kappa times the mean of |g x - g' z| over the subset."""
    return 1 + EPSILON - LAW.slope * of_elements(x, y)


def as_proved(x: Any, y: Any) -> Any:
    """Return s - kappa times the mean of |g^-1 x - g'^-1 z| over the list."""
    return 1.0 - SPHERE.slope * of_inverses(x, y, among=LIST)


def rows() -> Any:
    """Return a row and one of its orbit that the two means over the list distinguish."""
    x = np.array([[0.5, 0.5, 0.0, -0.5, -0.5, 0.0]])
    return np.vstack([x, BLOCKS.apply(x, np.array([[2, 1, 0]]))[0]])


@check("group-invariant.remark-3", form="restored", name="a subset with inverses")
def local(
    context: Context, *, kernel: Any = as_restored, draw: Draw = GroupInvariantFeatures.draw
) -> Evidence:
    """Compare the mean over the subset with features of all its elements."""
    claim = (
        r"$K = s - \kappa\int_{\mathcal G}\int_{\mathcal G}\|gx - g'z\|$ over the identity, a "
        "cycle, its inverse and a transposition"
    )
    return measure(context, "a subset with inverses", claim, _LOCAL, kernel, rows(), draw=draw)


@check("group-invariant.remark-3", form="restored", name="elements for inverses")
def inverses(context: Context, *, among: Any = SUBSET) -> Evidence:
    """Compare means over elements and over inverses, for random rows."""
    x = unit_rows(context, 6 if context.quick else 200, 6)
    gap = of_elements(x, x, among=among) - of_inverses(x, x, among=among)
    claim = (
        r"on a subset with inverses the mean of $\|gx - g'z\|$ is that of $\|g^{-1}x - "
        rf"g'^{{-1}}z\|$, which is that of features: largest difference of {gap.size} pairs"
    )
    return compute(claim, float(np.abs(gap).max()), _ROUNDING, exact=0.0)


@check("group-invariant.remark-3", form="restored", name="rows of length 2 and 0.7")
def longer_rows(
    context: Context, *, window: float = 2 * (1 + EPSILON), draw: Draw = GroupInvariantFeatures.draw
) -> Evidence:
    """Compare s - kappa D, D the orbits' mean distance, with features of rows of length up to 2."""

    def kernel(a: Any, b: Any) -> Any:
        return window - LAW.slope * mean_over_pairs(BLOCKS.apply(a), BLOCKS.apply(b))

    claim = r"$K_s = s - \kappa D$ for $\|x\| \le R = 2$ and $s = R(1+\epsilon) = 2.6$"
    return measure(
        context,
        "longer rows",
        claim,
        {**PAPER, **DITHER, "window": 2 * (1 + EPSILON)},
        kernel,
        unit_rows(context, 2, 6) * np.array([[2.0], [0.7]]),
        draw=draw,
    )


@check("group-invariant.remark-3", form="proved", name="three permutations, inverses")
def any_list(
    context: Context, *, kernel: Any = as_proved, draw: Draw = GroupInvariantFeatures.draw
) -> Evidence:
    """Compare the double mean over inverses with features of a list without them."""
    claim = r"$K = s - \kappa\frac{1}{r^2}\sum\|g_i^{-1}x - g_{i'}^{-1}z\|$"
    return measure(
        context,
        "three permutations, inverses",
        claim,
        _OPTIONS,
        kernel,
        rows(),
        draw=draw,
        n_templates=5000,
    )


@check("group-invariant.remark-3", form="proved", name="a list without inverses")
def without_inverses(context: Context, *, among: Any = LIST) -> Evidence:
    """Show that the remark's assumption is needed: a list without inverses."""
    x, z = rows()[:1], rows()[1:]
    means = (mean(x, z, among=among)[0, 0] for mean in (of_elements, of_inverses))
    claim = (
        "for the identity, a cycle and a transposition, which the remark leaves out, means "
        "over elements and over inverses give kernels that differ by at least 0.05"
    )
    return compute(claim, SPHERE.slope * abs(float(np.subtract(*means))), _ROUNDING, lower=0.05)
