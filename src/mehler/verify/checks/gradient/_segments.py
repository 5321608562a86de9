"""The claimed gradient averaged along short segments.

The difference of <phi(x), phi(y)> between the ends of a segment is the integral of its derivative,
and so is that of the kernel. Compared with the integral of the claimed gradient, a central
difference has no truncation error, however long the step. Two quadrature rules give the integral
and its error; rounding is the only other one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays import Array, from_host, is_array, place_of, to_host
from mehler.verify.sampling._pairs import EvaluatedRows

Gradient = Callable[[Any, Any], Array]

# Gauss-Legendre nodes: the second rule gives the integral, the first its error.
_RULES = (6, 10)


class Segments:
    """The ends x -+ h u of segments around every row, rounded as the map sees them.

    `directions` are unit vectors, shape (r, d); h = `step`, or 0 for derivatives at the rows.
    """

    def __init__(self, rows: EvaluatedRows, directions: Any, step: float) -> None:
        host = rows.host if rows.host.dtype.kind == "f" else rows.host.astype(np.float64)
        self.directions, self.step = directions, step
        moves = step * directions[:, None, :]
        # Round the ends as the map's rows are; the claim is between the rounded ends.
        ends = [(host[None] + sign * moves).astype(host.dtype) for sign in (-1.0, 1.0)]
        self.low, self.high = (np.asarray(end, dtype=np.float64) for end in ends)
        both = np.concatenate([end.reshape(-1, host.shape[1]) for end in ends])
        self.rows = EvaluatedRows(
            from_host(both, place_of(rows.given)), both, np.ones(both.shape[0])
        )

    def claims(self, gradient: Gradient, rows: Any, others: Any) -> tuple[Any, float]:
        """Return <u, gradient> averaged over the segments, (r, n, k), and its quadrature error."""
        if not self.step:
            value = evaluated(gradient, rows, others)
            return np.einsum("rd,nkd->rnk", self.directions, value), 0.0
        coarse, fine = (self._mean(gradient, others, nodes) for nodes in _RULES)
        return fine, float(np.max(np.abs(fine - coarse)))

    def _mean(self, gradient: Gradient, others: Any, nodes: int) -> Any:
        where, weights = np.polynomial.legendre.leggauss(nodes)
        along = (self.high - self.low) / (2.0 * self.step)
        total = np.zeros((*self.low.shape[:2], others.shape[0]))
        for t, w in zip(where, weights):
            points = 0.5 * ((1.0 - t) * self.low + (1.0 + t) * self.high)
            flat = evaluated(gradient, points.reshape(-1, points.shape[2]), others)
            value = flat.reshape(*points.shape[:2], *flat.shape[1:])
            total += 0.5 * w * np.einsum("rnd,rnkd->rnk", along, value)
        return total


def evaluated(gradient: Gradient, x: Any, y: Any) -> Any:
    """Return gradient(X, Y) in float64, checked for shape and finiteness."""
    given = gradient(x, y)
    value = np.asarray(to_host(given) if is_array(given) else given)
    expected = (x.shape[0], y.shape[0], x.shape[1])
    if value.shape != expected:
        raise ValueError(
            f"gradient(X, Y) has shape {value.shape} but must have shape {expected}: (n, k, d), "
            "the derivatives of k(x, y) in the coordinates of x"
        )
    if value.dtype.kind not in "biuf":
        raise TypeError(f"gradient(X, Y) has dtype {value.dtype}: claims must be real numbers")
    if not np.isfinite(value).all():
        raise ValueError("gradient(X, Y) is not finite: nothing is claimed there")
    return value.astype(np.float64)
