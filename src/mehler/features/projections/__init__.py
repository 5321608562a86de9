"""Projections: how the weights of a map are drawn, and how rows are multiplied by them.

Each vector of every projection is exactly N(0, I_d), so that the expected kernel of a map does
not depend on the projection; projections differ in cost and in the variance of sums over units.
Proofs are on the page :doc:`/theorems/projections`.

**The same weights.** A seed gives the same weights on every array library. Those of 'gaussian' are
the generator's, and so the same bits on every processor. 'orthogonal' and 'hadamard' come from QR
factorisations: the same bits with one build of LAPACK on one kind of processor; elsewhere float64
weights differ by the rounding of that algorithm, about eps d times the condition number of a
Gaussian matrix, which is below 1e-11 of a vector's length in the tests, and float32 weights by the
last digit of a few. So do images of templates under matrices, and frequencies of the Laplacian
kernel, whose tangents are NumPy's, by the last digit of one in 200. 'sobol' is that of SciPy's
version.
"""

from __future__ import annotations

from mehler.features._recipes import require_kept
from mehler.features.projections._base import Gaussian, Orthogonal, Projection, SharedPool

# Shared with other packages, and no public names.
from mehler.features.projections._base import ProjectionName as ProjectionName
from mehler.features.projections._base import products as products
from mehler.features.projections._hadamard import Hadamard
from mehler.features.projections._sobol import Sobol

__all__ = [
    "Gaussian",
    "Hadamard",
    "Orthogonal",
    "Projection",
    "SharedPool",
    "Sobol",
    "named",
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
    if not isinstance(name, str) or name not in _NAMED:
        require_kept("projection", name)
        listed = ", ".join(map(repr, NAMES))
        raise ValueError(f"projections={name!r} is not one of {listed}: the name of a projection")
    return _NAMED[name]()
