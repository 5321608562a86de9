"""The Haar kernel K, a mean over a group: invariance, positivity, the form of solutions.

K(x, z) is the mean of a kernel at (g x, h z) over all elements g and h. Three properties that
Mroueh, Voinea and Poggio (2015) state are computed for cyclic shifts of five coordinates.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler.features import groups
from mehler.statements import Context, Evidence, check

from ..._comparisons import compute
from .._shared import unit_rows

Average = Callable[..., Any]

_GROUP = groups.CyclicShifts(5)
# Sums of 25 exponentials, and a solution with a ridge of 0.1: errors below 1e-13.
_ROUNDING = 1e-12


def gaussian(x: Any, z: Any) -> Any:
    return np.exp(-((x[:, None, :] - z[None, :, :]) ** 2).sum(axis=-1))


def haar(x: Any, z: Any) -> Any:
    """Average the Gaussian kernel over both rows' orbits: their copies by all group elements."""
    return groups.haar_kernel(gaussian, _GROUP, x, z, moves_along=False)


@check("group-invariant.haar-kernel", form="restored", name="invariant in each argument")
def invariant(context: Context, *, average: Average = haar) -> Evidence:
    """Move both arguments by all pairs of shifts, and compare the kernel with that before."""
    x, z = unit_rows(context, 4, 5, "x"), unit_rows(context, 3, 5, "z")
    before = average(x, z)
    gaps = [
        np.abs(average(np.roll(x, g, axis=1), np.roll(z, h, axis=1)) - before).max()
        for g in range(5)
        for h in range(5)
    ]
    claim = "$K(gx, hz) = K(x, z)$, largest difference over all shifts $g, h$ of five coordinates"
    return compute(claim, float(max(gaps)), _ROUNDING, exact=0.0)


@check("group-invariant.haar-kernel", form="restored", name="positive semidefinite")
def positive(context: Context, *, average: Average = haar) -> Evidence:
    """Compute the least eigenvalue on rows some of which are moved copies of others."""
    x = unit_rows(context, 8, 5, "x")
    rows = np.concatenate([x, np.roll(x, 1, axis=1)])
    least = float(np.linalg.eigvalsh(average(rows, rows))[0])
    claim = "least eigenvalue of $K$ on 16 rows, 8 of them moved copies: 0, and none below"
    return compute(claim, least, _ROUNDING, exact=0.0)


@check("group-invariant.haar-kernel", form="restored", name="the solution is invariant")
def solution(context: Context, *, average: Average = haar) -> Evidence:
    """Minimise a regularised risk over sums of sections K(., x_i) at rows and at moved rows."""
    x, labels = unit_rows(context, 6, 5, "x"), np.array([1.0, -1, 1, 1, -1, -1])
    # Sections at moved rows could only help; the representer theorem says that they do not.
    places = np.concatenate([x, np.roll(x, 2, axis=1)])
    gram, cross = average(places, places), average(x, places)
    wide = np.linalg.lstsq(cross.T @ cross + 0.1 * gram, cross.T @ labels, rcond=1e-12)[0]
    weights = np.linalg.solve(average(x, x) + 0.1 * np.eye(6), labels)
    new = np.roll(unit_rows(context, 4, 5, "new"), 1, axis=1)
    gap = np.abs(average(new, places) @ wide - average(np.roll(new, 3, axis=1), x) @ weights).max()
    claim = (
        r"the minimiser is $\sum_i\alpha_iK(\cdot, x_i)$ and invariant: largest difference from a "
        "minimiser over moved rows as well, at moved rows"
    )
    return compute(claim, float(gap), 1e-9, exact=0.0)
