"""Mean and mean square of one pair's product of binned indicators, over random templates."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._validate import require_instance, require_reals
from mehler.exact.orbits._bins import Bins
from mehler.exact.orbits._templates import TemplateLaw

# Least number of cells of the upper sum for the square of dithered products.
_CELLS = 64


def angles(left: Any, right: Any, inner: Any) -> tuple[Any, Any]:
    """Return the angles, seen from a and from b, at which <t, a> = <t, b>.

    pi/2 less the angle between a and a - b, in [-pi/2, pi/2]; 0 where a = b.
    """
    longest = left * right
    inner = np.clip(inner, -longest, longest)
    area = np.sqrt((longest - inner) * (longest + inner))
    return np.arctan2(left * left - inner, area), np.arctan2(right * right - inner, area)


def expected_product(law: TemplateLaw, bins: Bins, left: Any, right: Any, inner: Any) -> Any:
    r"""Compute the mean of the binned product of two indicators over random templates, exactly.

    .. math:: E \sum_k w_k 1[\langle t, a\rangle \le \tau_k]\,1[\langle t, b\rangle \le \tau_k]
              = E\,B(\max(\langle t, a\rangle, \langle t, b\rangle))

    Parameters
    ----------
    law : TemplateLaw
        Distribution of the templates t.
    bins : Bins
        Thresholds and their weights.
    left, right, inner : array, one shape
        Norms of a and of b, and their inner product.

    Returns
    -------
    array of float64, of that shape
        The mean.

    See Also
    --------
    expected_square : Mean of its square.
    Bins : Thresholds and weights.

    Notes
    -----
    Absolute error about 1e-13 times the window. A wedge integral for each threshold and vector:
    d/2 steps, or one call of Owen's function, or both. Where the window cuts nothing off, dithered
    bins cost a square root.

    References
    ----------
    Theory in :doc:`/theorems/group-invariant-expectation`.

    Examples
    --------
    >>> import numpy as np
    >>> law, one = TemplateLaw("sphere", 3), np.ones(1)
    >>> expected_product(law, Bins(5, 1.0, "dither"), one, one, 0 * one)  # s - sqrt(2)/4
    array([0.64644661])
    """
    left, right, inner = _checked(law, bins, left, right, inner)
    if bins.rule == "dither":
        value = _unbinned(law, bins.window, left, right, inner)
    else:
        theta = angles(left, right, inner)
        value = np.zeros_like(left)
        for tau, up, down in _mirrored(bins.thresholds, bins.weights):
            value += _joint(law, tau, up, down, (left, right), theta)
    return law.mass * value


def expected_square(law: TemplateLaw, bins: Bins, left: Any, right: Any, inner: Any) -> Any:
    r"""Compute the mean square of the product that :func:`expected_product` averages.

    .. math:: E\,B(\max(\langle t, a\rangle, \langle t, b\rangle))^2

    Parameters
    ----------
    law, bins, left, right, inner
        As for :func:`expected_product`.

    Returns
    -------
    array of float64, of that shape
        Exact, except for dithered bins: there an upper bound, by an upper Riemann sum of the
        increasing joint distribution function and h^2/4 for the offset.

    See Also
    --------
    expected_product : The mean.

    Examples
    --------
    One vector at all: B counts the thresholds above a coordinate of a random unit vector.

    >>> import numpy as np
    >>> one = np.ones(1)
    >>> expected_square(TemplateLaw("sphere", 3), Bins(1, 1.0, "paper"), one, one, one)
    array([2.5])
    """
    left, right, inner = _checked(law, bins, left, right, inner)
    theta = angles(left, right, inner)
    value = np.zeros_like(left)
    if bins.rule == "dither":
        # (s - M)^2 = integral of 2 (s - tau) 1[M <= tau]; each cell at its upper end.
        cells = max(1, -(-_CELLS // (2 * bins.n_bins))) * bins.n_bins
        ends = bins.window * np.arange(-cells, cells + 1) / cells
        gaps = (bins.window - ends) ** 2
        nodes, coefficients = ends[1:], gaps[:-1] - gaps[1:]
        value += 0.25 * bins.step**2
    else:
        nodes, weights = bins.thresholds, bins.weights
        later = np.append(np.cumsum(weights[::-1])[::-1], 0.0)[1:]
        coefficients = weights * (weights + 2.0 * later)
    for tau, up, down in _mirrored(nodes, coefficients):
        value += _joint(law, tau, up, down, (left, right), theta)
    return law.mass * value


def _checked(law: TemplateLaw, bins: Bins, left: Any, right: Any, inner: Any) -> Any:
    require_instance("law", law, TemplateLaw)
    require_instance("bins", bins, Bins)
    return np.broadcast_arrays(
        require_reals("left", left), require_reals("right", right), require_reals("inner", inner)
    )


def _unbinned(law: TemplateLaw, window: float, left: Any, right: Any, inner: Any) -> Any:
    """Compute s - E clip(max(<t, a>, <t, b>)), for templates that are not rejected."""
    if law.reach * max(left.max(initial=0.0), right.max(initial=0.0)) <= window:
        square = np.maximum(left * left + right * right - 2.0 * inner, 0.0)
        return window - 0.5 * law.mean_absolute * np.sqrt(square)
    value = np.full_like(left, window)
    for length, theta in zip((left, right), angles(left, right, inner)):
        safe = np.where(length > 0.0, length, 1.0)
        cut = 2.0 * length * law.wedge_below(window / safe, theta)
        value -= np.where(length > 0.0, cut, 0.0)
    return value


def _mirrored(nodes: Any, coefficients: Any) -> list[tuple[float, float, float]]:
    """Group thresholds by absolute value: (tau >= 0, coefficient of tau, coefficient of -tau)."""
    pairs: dict[float, list[float]] = {}
    for node, coefficient in zip(nodes.tolist(), coefficients.tolist()):
        entry = pairs.setdefault(abs(node), [0.0, 0.0])
        entry[1 if node < 0.0 else 0] += coefficient
    return [(tau, up, down) for tau, (up, down) in pairs.items()]


def _joint(law: TemplateLaw, tau: float, up: float, down: float, lengths: Any, theta: Any) -> Any:
    """Compute up P(both projections <= tau) + down P(both <= -tau), tau >= 0.

    At tau = 0 the first has ties.
    """
    tails: Any = 0.0
    wedges: Any = 0.0
    for length, angle in zip(lengths, theta):
        there = length > 0.0
        h = np.where(there, tau / np.where(there, length, 1.0), 0.0)
        wedges = wedges + np.where(there, law.wedge(h, angle), 0.0)
        if up != down:  # else the tails cancel
            tails = tails + np.where(there, 0.5 * law.tail(h), 0.0)
    return up * (1.0 - tails - wedges) + down * (tails - wedges)
