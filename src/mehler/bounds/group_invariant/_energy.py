"""An upper bound of the energy distance of two orbits, in their distance."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import _arrays
from mehler._validate import require_not_negative, require_reals
from mehler.bounds._bound import Bound, Term
from mehler.bounds.group_invariant._assumptions import ORTHOGONAL


def energy_distance(distance: float, *, moves: Any = None) -> Bound:
    r"""Bound the energy distance of two orbits by their least distance.

    .. math:: \mathcal E(x, z) = 2D(x, z) - D(x, x) - D(z, z) \le
              2E_g\Big(\sqrt{m_g^2 + \delta^2} - m_g\Big) \le 2\delta

    with :math:`D(x, z) = E_g|x - gz|`, x and z points of the orbits at their least distance delta,
    and :math:`m_g` how far g moves the point half way between them. For templates of a rotation
    invariant law :math:`\kappa\mathcal E` is the mean squared distance of features.

    Parameters
    ----------
    distance : float
        delta, the least distance of a point of one orbit from one of the other.
    moves : array, shape (n,), optional
        m_g for all elements of a finite group, or an even sample of them; by default 0.

    Returns
    -------
    Bound
        The single term "elements".

    See Also
    --------
    mehler.bounds.lower.energy_distance : The lower bound.
    mehler.features.groups.energy_distance : The exact value, on your rows.

    References
    ----------
    Proof: :doc:`/theorems/group-invariant-energy-quotient`.

    Examples
    --------
    Two orbits of 5 cyclic shifts of 5 coordinates:

    >>> import numpy as np
    >>> from mehler.bounds import group_invariant
    >>> from mehler.features import groups
    >>> shifts, (x, z) = groups.CyclicShifts(5), np.random.default_rng(0).standard_normal((2, 5))
    >>> images = shifts.apply(z[None])[:, 0]
    >>> far = np.linalg.norm(x - images, axis=1)
    >>> half = (x + images[far.argmin()]) / 2
    >>> moves = np.linalg.norm(half - shifts.apply(half[None])[:, 0], axis=1)
    >>> bound = group_invariant.energy_distance(far.min(), moves=moves)
    >>> exact = groups.energy_distance(shifts, x[None], z[None])[0, 0]
    >>> round(float(exact), 3), round(bound.value, 3), round(2 * float(far.min()), 3)
    (0.855, 1.849, 3.664)
    """
    distance = require_not_negative("distance", distance)
    given = np.zeros(1) if moves is None else moves
    away = require_reals("moves", _arrays.to_host(given) if _arrays.is_array(given) else given)
    if away.ndim != 1 or away.size == 0 or away.min() < 0:
        raise ValueError("moves must be lengths, one for each element: at least 0, shape (n,)")
    # The difference of the root and m, without cancellation.
    gaps = distance / (np.hypot(away, distance) + away) * distance if distance else 0 * away
    return Bound(
        statement="group-invariant.energy-quotient",
        form="proved",
        quantity="energy distance of two orbits",
        terms=(Term("elements", 2 * float(np.mean(gaps)), r"2E_g(\sqrt{m_g^2 + \delta^2} - m_g)"),),
        probability=1.0,
        assumptions=(ORTHOGONAL,),
    )
