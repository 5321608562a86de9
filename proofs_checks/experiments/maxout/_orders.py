"""Scores of pictures placed in a plane: do they keep the order of angles, or people together?

The pictures show a digit rotated by known angles, all round (`closed`) or not, or faces of people.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats


def circular_rank_correlation(a: NDArray[np.float64], b: NDArray[np.number]) -> float:
    r"""Return the rank correlation of two sets of angles, whatever their origins and orientations.

    .. math:: \max_\pm \Big|\frac1n \sum_{j} e^{2\pi i (r_j \pm s_j)/n}\Big|^2

    with the ranks r and s of the angles, ties sharing their mean rank: about 1.5/n on average for
    unrelated ones. N. I. Fisher (1993), Statistical Analysis of Circular Data, section 6.3.2.
    """
    n, (first, second) = len(a), (stats.rankdata(np.asarray(v)) for v in (a, b))
    means = [abs(np.exp(2j * np.pi * (first + sign * second) / n).mean()) ** 2 for sign in (-1, 1)]
    return float(max(means))


def around(points: NDArray[np.float64]) -> Any:
    """Return the angles of points of the plane, (n, 2), around their centre."""
    x, y = (points - points.mean(axis=0)).T
    return np.arctan2(y, x)


def windings(points: NDArray[np.float64], angle: Any) -> int:
    """Return how often points wind around their centre while an angle in degrees turns once.

    The best fit of 1 to 6, in either sense: the k of largest abs(mean exp(i (theta ± k alpha))).
    """
    theta, turns = around(points), np.deg2rad(angle) * np.arange(-6, 7)[:, None]
    sizes = abs(np.exp(1j * (theta - turns)).mean(axis=1))
    return 1 + int(np.argmax(np.maximum(sizes[5::-1], sizes[7:])))


def agreement(points: NDArray[np.float64], angle: NDArray[np.float64], closed: bool) -> float:
    """Return the rank correlation, in [0, 1], of the order of points with that of their angles.

    The order is that around the centre if `closed`, else along the first component (Spearman's).
    """
    if closed:
        return circular_rank_correlation(around(points), angle)
    if np.ptp(points[:, 0]) == 0:
        return 0.0  # a single point has no order
    return float(abs(stats.spearmanr(points[:, 0], angle).statistic))


def kept_together(points: NDArray[np.float64], people: NDArray[np.int64]) -> float:
    """Return the fraction of points whose nearest other point is of the same person."""
    apart = np.sum((points[:, None] - points[None]) ** 2, axis=2)
    np.fill_diagonal(apart, np.inf)
    return float(np.mean(people[apart.argmin(axis=1)] == people))
