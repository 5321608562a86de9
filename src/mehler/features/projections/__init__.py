"""Projections: how the weights of a map are drawn, and how rows are multiplied by them.

Each vector of every projection is exactly N(0, I_d), so that the expected kernel of a map does
not depend on the projection; projections differ in cost and in the variance of sums over units.
Proofs are on the page :doc:`/theorems/projections`.

**The same weights.** A seed gives the same weights on every array library. Those of 'gaussian' are
the generator's: the same bits on every processor. 'orthogonal' and 'hadamard' come from LAPACK's QR
factorisations: elsewhere float64 weights differ by their rounding, about eps d times the condition
number of a Gaussian matrix, below 1e-11 of a vector's length in the tests, and float32 weights by
the last digit of a few. So do images of templates under matrices, and one in 200 frequencies of the
Laplacian kernel, whose tangents are NumPy's. 'sobol' is that of SciPy's version.
"""

from __future__ import annotations

from mehler._validate import require_choice
from mehler.features._recipes import require_kept
from mehler.features.projections._base import Gaussian, Projection, Sobol
from mehler.features.projections._base import ProjectionName as ProjectionName

# Shared with other packages, and no public names.
from mehler.features.projections._base import SharedPool as SharedPool
from mehler.features.projections._orthogonal import Hadamard, Orthogonal

__all__ = [
    "Gaussian",
    "Hadamard",
    "Orthogonal",
    "Projection",
    "Sobol",
]

_NAMED = {each.name: each for each in (Gaussian, Orthogonal, Hadamard, Sobol)}
NAMES = tuple(_NAMED)


def named(name: ProjectionName) -> Projection:
    """Return a new projection of that name, as in ``projections=`` of a map.

    Examples
    --------
    >>> named("orthogonal").independent
    False
    """
    require_kept("projection", name)
    return _NAMED[require_choice("projections", name, NAMES)]()
