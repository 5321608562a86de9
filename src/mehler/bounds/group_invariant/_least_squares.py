"""Least squares for an invariant linear function: the exact mean risk with Gaussian rows."""

from __future__ import annotations

import math

from mehler._validate import require_choice, require_integer, require_not_negative
from mehler.bounds._bound import Assumption, Bound, Term, require_count, square_of
from mehler.bounds._elementwise import elementwise
from mehler.bounds.group_invariant._assumptions import ORTHOGONAL
from mehler.bounds.group_invariant._ridge import AVERAGES, STATEMENT, Average


@elementwise
def least_squares_risk(
    n_samples: int,
    *,
    n_inputs: int,
    n_fixed: int,
    noise: float,
    norm: float,
    average: Average = "none",
) -> Bound:
    r"""Compute the mean excess risk of least squares for an invariant linear function.

    .. math:: E\,|\hat w - w|^2 = |w|^2s + \sigma^2v

    for :math:`y_i = \langle w, x_i\rangle + \epsilon_i` with N independent standard normal rows in
    dimension d, uncorrelated noise of mean 0 and variance :math:`\sigma^2`, w fixed by a group of
    orthogonal maps, and the solution :math:`\hat w` of least length. An equality, at a fresh row.

    ======== =================================================== ======================
    average  s, for N < d (none, after) or N < k (before)        v
    ======== =================================================== ======================
    none     :math:`1 - N/d`                                     :math:`V(N, d)`
    after    :math:`(1 - N/d)(1 - (d-k)N/((d-1)(d+2)))`          :math:`V(N, d)\,k/d`
    before   :math:`1 - N/k`                                     :math:`V(N, k)`
    ======== =================================================== ======================

    s is 0 for more rows. V(N, d) is N/(d - N - 1) for N < d - 1, d/(N - d - 1) for N > d + 1, and
    infinite between.

    Parameters
    ----------
    n_samples : int or array
        N.
    n_inputs : int or array
        d.
    n_fixed : int
        k, the dimension of the vectors that all elements leave alone: for a finite group the mean
        of the traces of its elements.
    noise : float
        sigma.
    norm : float
        The length of w.
    average : {"none", "after", "before"}
        The solution; its average over the group; or least squares on the k invariant coordinates.

    Returns
    -------
    Bound
        Terms "signal" and "noise". It bounds a mean: its probability is 1.

    See Also
    --------
    ridge_risk : Any invariant kernel, at the rows' orbits.

    Notes
    -----
    With more rows than d + 1 the same risk takes (d/k)(N - 1) + 1 rows without the group that it
    takes N with the invariant coordinates.

    References
    ----------
    Proof: :doc:`/theorems/group-invariant-ridge-gain`. B. Elesedy, S. Zaidi (2021), Provably strict
    generalisation benefit for equivariant models, has the difference of "none" and "after".

    Examples
    --------
    Cyclic shifts of 20 coordinates leave the constant vectors alone:

    >>> from mehler.bounds import group_invariant
    >>> for average in ("none", "after", "before"):
    ...     bound = group_invariant.least_squares_risk([10, 50], n_inputs=20, n_fixed=1, noise=0.5,
    ...                                                norm=1.0, average=average)
    ...     print(average, bound.value.round(4))
    none [0.7778 0.1724]
    after [0.2866 0.0086]
    before [0.0312 0.0052]
    """
    samples, inputs = require_count(n_samples=n_samples, n_inputs=n_inputs)
    fixed = require_integer("n_fixed", n_fixed, most=inputs)
    varied = square_of("noise", require_not_negative("noise", noise))
    size = square_of("norm", require_not_negative("norm", norm))
    require_choice("average", average, AVERAGES)
    if average == "before":
        missed, spent = max(0.0, 1 - samples / fixed), _spent(samples, fixed)
    else:
        missed, spent = max(0.0, 1 - samples / inputs), _spent(samples, inputs)
    if average == "after":
        if fixed < inputs:
            missed *= 1 - (inputs - fixed) * samples / ((inputs - 1) * (inputs + 2))
        spent *= fixed / inputs
    return Bound(
        statement=STATEMENT,
        form="proved",
        quantity="mean excess risk of least squares",
        terms=(
            Term("signal", size * missed, "|w|^2s"),
            Term("noise", varied * spent if noise else 0.0, r"\sigma^2v"),
        ),
        probability=1.0,
        assumptions=(
            ORTHOGONAL,
            Assumption("the rows are independent and standard normal"),
            Assumption("the target is linear, and its weights are fixed by the group"),
        ),
    )


def _spent(samples: int, inputs: int) -> float:
    """Return E tr of the pseudoinverse of a Wishart matrix of N rows in dimension d."""
    if samples < inputs - 1:
        return samples / (inputs - samples - 1)
    return inputs / (samples - inputs - 1) if samples > inputs + 1 else math.inf
