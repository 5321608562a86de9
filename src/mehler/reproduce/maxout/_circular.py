"""Agreement of an order around a closed curve with the true angles."""

from __future__ import annotations

from typing import Any

import numpy as np


def circular_rank_correlation(a: Any, b: Any) -> float:
    r"""Return the rank correlation of two sets of angles, whatever their origins and orientations.

    .. math:: r = \max(R_-^2, R_+^2), \qquad
              R_\mp = \Big|\frac1n \sum_{j} e^{2\pi i (r_j \mp s_j)/n}\Big|

    with the ranks r and s of the angles, ties sharing their mean rank: 1 if one order is the other,
    rotated or reversed; about 1.5/n on average for unrelated ones, 0 if all are equal. See N. I.
    Fisher (1993), Statistical Analysis of Circular Data, section 6.3.2.
    """
    from scipy.stats import rankdata

    n = len(a)
    first, second = (rankdata(np.asarray(v)) for v in (a, b))
    means = [abs(np.exp(2j * np.pi * (first + sign * second) / n).mean()) ** 2 for sign in (-1, 1)]
    return float(max(means))


def around(coordinates: Any) -> Any:
    """Return the angles of points of the plane around their centre."""
    centred = coordinates - coordinates.mean(axis=0)
    return np.arctan2(centred[:, 1], centred[:, 0])


def windings(coordinates: Any, angle: Any) -> int:
    r"""Return how often points wind around their centre while an angle turns once, in either sense.

    .. math:: \arg\max_{k = 1, \dots, 6} \Big|\frac1n \sum_j e^{i(\theta_j \mp k\alpha_j)}\Big|

    with :math:`\theta_j` the angles of the points around their centre, :math:`\alpha_j` = `angle`
    in degrees.
    """
    seen, turned = around(coordinates), np.deg2rad(angle)
    sizes = [
        max(abs(np.exp(1j * (seen + sign * k * turned)).mean()) for sign in (-1, 1))
        for k in range(1, 7)
    ]
    return 1 + int(np.argmax(sizes))
