"""How far a list of n turns is from the mean over all rotations of the plane."""

from __future__ import annotations

import math

from mehler._validate import require_not_negative
from mehler.bounds._bound import Bound, Term, require_count
from mehler.bounds._elementwise import elementwise
from mehler.bounds.group_invariant._assumptions import TEMPLATES
from mehler.exact.orbits import TemplateLaw


@elementwise
def rotations(
    n_turns: int,
    *,
    n_inputs: int,
    frequency: int,
    moves: float,
    slips: float = 0.0,
    templates: str = "sphere",
    epsilon: float = 0.3,
) -> Bound:
    r"""Bound how far n turns are from SO(2) in the kernel of endless templates.

    .. math:: \big|E\langle\Phi(x), \Phi(z)\rangle - K_s(x, z)\big| \le
              \kappa L\min\Big\{\frac\pi{2n}, \frac{\pi A}{n^2}\Big\} + 2\kappa\epsilon

    without bins and for any window. :math:`K_s` has the mean over all rotations :math:`R_\theta`,
    an orthogonal representation of SO(2) with frequencies up to A; the features have n maps that
    are meant for the angles :math:`2\pi j/n`. kappa = E|t_1|/2.

    Parameters
    ----------
    n_turns : int
        n.
    n_inputs : int or array
        d.
    frequency : int
        A, as :class:`mehler.features.groups.SteerableRotations` has it.
    moves : float
        L, the largest length of :math:`Jx`, in the unit of the rows per radian: see
        :meth:`mehler.features.groups.SteerableRotations.generator`. Of a pair the smaller one.
    slips : float, optional
        epsilon, the largest mean distance, over the n angles, of a row that is moved by the
        transpose of the map from the rotated image that it stands for. 0 for the group itself and
        rows as they are.
    templates, epsilon
        As in :func:`theorem_2`.

    Returns
    -------
    Bound
        Terms "turns" and "interpolation"; it is certain.

    See Also
    --------
    theorem_2 : What templates, bins and sampled elements add.
    mehler.features.groups.SteerableRotations : The group of n turns.

    References
    ----------
    Proof: :doc:`/theorems/group-invariant-rotations`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> for n in (4, 16, 64):
    ...     bound = group_invariant.rotations(n, n_inputs=64, frequency=8, moves=1.7)
    ...     print(f"{bound.value:.1e}")
    3.3e-02
    8.4e-03
    5.2e-04
    """
    n, n_inputs, frequency = require_count(n_turns=n_turns, n_inputs=n_inputs, frequency=frequency)
    moves, slips = require_not_negative("moves", moves), require_not_negative("slips", slips)
    slope = TemplateLaw(templates, n_inputs, epsilon).slope
    mean = moves * min(math.pi / (2 * n), math.pi * frequency / n**2)
    return Bound(
        statement="group-invariant.rotations",
        form="proved",
        quantity="error of the kernel of all rotations by n turns",
        terms=(
            Term("turns", slope * mean, r"\kappa L\min\{\pi/2n, \pi A/n^2\}"),
            Term("interpolation", 2 * slope * slips, r"2\kappa\epsilon"),
        ),
        probability=1.0,
        assumptions=(TEMPLATES,),
    )
