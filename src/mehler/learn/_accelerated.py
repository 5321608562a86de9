r"""Accelerated projected gradient with restarts, for the logistic family.

The mean of smooth convex losses over the box (FISTA; O'Donoghue and Candes 2015 for the restart).
The slope of the loss at a point is a feasible theta, so each gradient is a dual point as well.
Each iteration costs one product with K and one with its transpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from mehler._arrays import Array
from mehler.learn._candidates import Best, Candidate
from mehler.learn._rows import Rows
from mehler.learn._signed_rows import SignedRows

_CHECK = 10  # iterations between two looks, each of which waits for the device
_CURVATURE = 0.25  # the second derivative of the logistic loss is at most this


def iterate(data: SignedRows, rows: Rows, beta: Array, limit: int) -> Iterator[Candidate]:
    """Candidates, from `beta` on, every few iterations until `limit`."""
    xp = data.xp
    best = Best()
    margins = data.margins(beta)
    theta = rows.maximiser(xp, margins)
    pull = data.transposed(theta)

    def look(beta: Array, margins: Array, theta: Array, pull: Array) -> None:
        upper = float(xp.mean(rows.values(xp, margins)))
        lower = float(xp.mean(rows.dual(xp, theta))) - float(xp.sum(xp.abs(pull))) / data.n
        best.offer(beta, theta, upper, lower)

    look(beta, margins, theta, pull)
    yield best.candidate(0)
    norm = data.norm()
    if norm == 0.0:
        return
    ahead, ahead_margins = beta, margins
    one = xp.ones_like(xp.sum(beta))
    pace = one
    for iteration in range(1, limit + 1):
        theta = rows.maximiser(xp, ahead_margins)
        pull = data.transposed(theta)
        new = xp.clip(ahead + pull / (_CURVATURE * norm**2), -1.0, 1.0)
        new_margins = data.margins(new)
        # Moving uphill: forget the momentum. An array, not a branch, so that nothing waits.
        uphill = xp.sum(pull * (new - beta)) < 0.0
        pace = xp.where(uphill, one, pace)
        quicker = 0.5 * (1.0 + xp.sqrt(1.0 + 4.0 * pace * pace))
        momentum = (pace - 1.0) / quicker
        ahead = new + momentum * (new - beta)
        ahead_margins = new_margins + momentum * (new_margins - margins)
        moved, stretched = new - beta, new_margins - margins
        beta, margins, pace = new, new_margins, quicker
        if iteration % _CHECK == 0 or iteration == limit:
            look(beta, margins, theta, pull)
            yield best.candidate(iteration)
            size = float(xp.sum(moved * moved))
            if size > 0.0:
                stretch = float(xp.sum(stretched * stretched)) / size
                norm = max(norm, 1.02 * stretch**0.5)
