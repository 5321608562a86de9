"""How well an order around a closed curve agrees with the true angles."""

from __future__ import annotations

from typing import Any

import numpy as np


def circular_rank_correlation(a: Any, b: Any) -> float:
    r"""Rank correlation of two sets of angles, whatever their origins and senses.

    .. math:: r = \max(R_-^2, R_+^2), \qquad
              R_\mp = \Big|\frac1n \sum_{j} e^{2\pi i (r_j \mp s_j)/n}\Big|

    with the ranks r and s of the angles: 1 if one order is the other, turned or reversed; about
    1/n for unrelated ones.

    Parameters
    ----------
    a, b : array, shape (n,)
        Angles, in any units; only their order counts.

    Returns
    -------
    float

    References
    ----------
    N. I. Fisher (1993), Statistical Analysis of Circular Data, section 6.3.2.
    """
    n = len(a)
    first, second = (np.argsort(np.argsort(np.asarray(v))) for v in (a, b))
    means = [abs(np.exp(2j * np.pi * (first + sign * second) / n).mean()) ** 2 for sign in (-1, 1)]
    return float(max(means))


def around(coordinates: Any) -> Any:
    """Angles of points of the plane around their centre.

    Parameters
    ----------
    coordinates : array, shape (n, 2)

    Returns
    -------
    array, shape (n,)
    """
    centred = coordinates - coordinates.mean(axis=0)
    return np.arctan2(centred[:, 1], centred[:, 0])
