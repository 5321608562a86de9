"""What the uniform bound is told of centred maxout units."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from scipy import integrate, special

from mehler import exact
from mehler._validate import require_integer
from mehler.exact import require_pool

# A moment by quadrature is right to 1e-10 of itself; the second one is made larger by this part,
# which pays for the rounding of the first too.
_ROUNDING = 1e-8


def centred_maxout_slope(n_inputs: int, *, pool_size: int) -> dict[str, Any]:
    r"""Return what :func:`uniform` is told of centred maxout units on unit vectors.

    .. math:: G = N(N + h_1), \quad N = \max_{j\le q}|w_j|, \quad v = 8, \quad c = 2\sqrt2

    for units max_j <w_j, x> - h_1(q); the moments of N, the largest of q lengths of d normals, by
    quadrature. Increments have v = 4 max_p 2 E N_1^(2p)/(p! 4^(p-2)) and c = 8, N_1 the same for d
    = 1: there the dimension of the space does not enter.

    Parameters
    ----------
    n_inputs : int
        Columns d of the rows, which have norm 1.
    pool_size : int
        q.

    Returns
    -------
    dict
        `slope`, `sub_gamma` and `increments`, arguments of :func:`uniform`.

    See Also
    --------
    uniform : The bound; plain maxout units have `pool_size` there.
    mehler.MaxoutFeatures : The map, with ``centred=True``.

    References
    ----------
    :doc:`/theorems/features-uniform`.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> known = kernel_error.centred_maxout_slope(2, pool_size=4)
    >>> bound = kernel_error.uniform(10_000, dimension=3, diameter=2, delta=0.01, **known)
    >>> {term.name: round(term.value, 3) for term in bound.terms if term.value > 0.001}
    {'variance': 0.248, 'tail': 0.011, 'increments': 0.022, 'range': 0.002}
    """
    d, q = require_integer("n_inputs", n_inputs), require_pool(pool_size)
    h1 = float(exact.max_moment(1, q))
    first, second, third, fourth = (_largest(d, q, p) for p in (1, 2, 3, 4))
    square = fourth + 2 * h1 * third + h1**2 * second
    return {
        "slope": (second + h1 * first, square * (1 + _ROUNDING)),
        "sub_gamma": (8.0, 2 * math.sqrt(2)),
        "increments": (4 * _bernstein(q) * (1 + _ROUNDING), 8.0),
    }


def _largest(d: int, q: int, p: int) -> float:
    """Compute E N^p, N the largest of q lengths of d standard normals."""

    def above(t: float) -> float:
        # P(N > t), without cancellation where it is small.
        beyond = float(special.gammaincc(d / 2, t * t / 2))
        chance = -math.expm1(q * math.log1p(-beyond)) if beyond < 1 else 1.0
        return float(p * t ** (p - 1)) * chance

    middle, spread = math.sqrt(d), 12 + math.sqrt(2 * math.log(q)) + 2 * math.sqrt(p)
    pieces = np.linspace(max(0.0, middle - spread), middle + spread, 17)
    # Below the pieces N is larger with probability 1, to 1e-30.
    parts = [float(pieces[0]) ** p]
    for low, high in itertools.pairwise(pieces):
        parts.append(integrate.quad(above, low, high, epsrel=1e-11, epsabs=0.0)[0])
    return math.fsum(parts)


def _bernstein(q: int) -> float:
    """Compute max over p of 2 E N^(2p)/(p! 4^(p-2)), N the largest of q absolute normals.

    E N^(2p) <= q E g^(2p) <= q p! 2^p, so that from p on it is at most 32 q/2^p.
    """
    best, p = 0.0, 2
    while 32 * q / 2**p > best:
        best = max(best, 2 * _largest(1, q, 2 * p) / (math.factorial(p) * 4.0 ** (p - 2)))
        p += 1
    return best
