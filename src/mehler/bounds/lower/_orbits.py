"""A lower bound of the energy distance of two orbits, in their distance."""

from __future__ import annotations

import math

from mehler._validate import require_not_negative, require_positive, require_real
from mehler.bounds._bound import Assumption, Term
from mehler.bounds.group_invariant._assumptions import ORTHOGONAL
from mehler.bounds.lower._lower_bound import LowerBound


def energy_distance(distance: float, *, share: float, radius: float = 0.0) -> LowerBound:
    r"""Bound the energy distance of two orbits from below by their least distance.

    .. math:: \mathcal E(x, z) = 2D(x, z) - D(x, x) - D(z, z) \ge
              2\,\mathrm{erfc}\Big(\sqrt{\log\tfrac1p}\Big)\,\delta, \qquad
              D(x, z) = E_g|x - gz|,\quad \delta = \min_g|x - gz|

    for a finite group of orthogonal maps, with p the mean of 1/|Gx| and 1/|Gz|, at least one over
    the order. With a radius :math:`r < \delta`, for any compact group and :math:`s_0^2 =
    \log(1/p)/(\delta^2 - r^2)`, it is :math:`2(\delta\,\mathrm{erfc}(s_0\delta) -
    pr\,\mathrm{erfc}(s_0r))`.

    Parameters
    ----------
    distance : float
        delta, the least distance of a point of one orbit from one of the other.
    share : float
        p in (0, 1], the share of elements that move a row by at most `radius`, the mean of both
        rows; or less.
    radius : float
        r, below delta; by default 0, for the share of elements that leave a row alone.

    Returns
    -------
    LowerBound
        The single term "orbits".

    See Also
    --------
    mehler.bounds.group_invariant.energy_distance : The upper bound.
    mehler.features.groups.energy_distance : The exact value, on your rows.

    References
    ----------
    Proof: :doc:`/theorems/group-invariant-energy-quotient`.

    Examples
    --------
    Two orbits of 5 cyclic shifts of 5 coordinates:

    >>> import numpy as np
    >>> from mehler.bounds import lower
    >>> from mehler.features import groups
    >>> shifts, (x, z) = groups.CyclicShifts(5), np.random.default_rng(0).standard_normal((2, 5))
    >>> delta = np.linalg.norm(x - shifts.apply(z[None])[:, 0], axis=1).min()
    >>> exact = groups.energy_distance(shifts, x[None], z[None])[0, 0]
    >>> round(lower.energy_distance(delta, share=1 / 5).value, 3), round(float(exact), 3)
    (0.267, 0.855)
    """
    distance, share = require_positive("distance", distance), require_real("share", share)
    if not 0 < share <= 1:
        raise ValueError(f"share={share!r} must be above 0 and at most 1")
    radius = require_not_negative("radius", radius)
    if radius >= distance:
        raise ValueError(f"radius={radius!r} must be below distance={distance!r}")
    # (delta - r)(delta + r), as squares would under- and overflow.
    start = math.sqrt(-math.log(share) / ((1 - radius / distance) * (1 + radius / distance)))
    near = share * radius * math.erfc(start * radius / distance)
    value = 2 * (distance * math.erfc(start) - near)
    return LowerBound(
        statement="group-invariant.energy-quotient",
        form="proved",
        quantity="energy distance of two orbits",
        terms=(Term("orbits", value, r"2(\delta\,erfc(s_0\delta) - pr\,erfc(s_0r))"),),
        probability=1.0,
        assumptions=(
            ORTHOGONAL,
            Assumption("at least this share of elements moves a row by at most the radius"),
        ),
    )
