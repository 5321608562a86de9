"""Strategies for clouds of unit vectors: spherical, sparse, toroidal, doubling."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mehler.strategies._validate import require_count, require_range, require_size
from mehler.strategies._vectors import integer_rows, normalised


class Cloud(NamedTuple):
    """Unit rows, shape (n, n_inputs), and the dimension of the set that contains them."""

    points: Any
    dimension: float


def clouds_on_sphere(
    *, n_inputs: int, min_size: int = 2, max_size: int = 16
) -> SearchStrategy[Any]:
    """Generate rows on the unit sphere, some repeated and some negated.

    Parameters
    ----------
    n_inputs : int
        Dimension d.
    min_size, max_size : int
        Fewest and most rows.

    Returns
    -------
    SearchStrategy of float64 arrays, shape (n, n_inputs)
        Shrinks to few rows on one axis.

    See Also
    --------
    unit_vectors : Rows without repetitions.
    sparse_clouds : Sparse rows.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(clouds_on_sphere(n_inputs=2), lambda X: (X[0] == -X[1]).all())
    array([[ 0.,  1.],
           [-0., -1.]])
    """
    d = require_count("n_inputs", n_inputs, least=1)
    low, high = require_range(min_size, max_size, floor=1)
    require_size(high, d)
    return st.integers(low, high).flatmap(lambda n: _with_duplicates(n, d))


def sparse_clouds(
    *, n_inputs: int, sparsity: int, min_size: int = 2, max_size: int = 16
) -> SearchStrategy[Any]:
    """Generate unit rows with at most `sparsity` nonzero coordinates.

    Parameters
    ----------
    n_inputs : int
        Dimension d.
    sparsity : int
        Largest number of nonzero coordinates s, from 1 to d.
    min_size, max_size : int
        Fewest and most rows.

    Returns
    -------
    SearchStrategy of float64 arrays, shape (n, n_inputs)
        Shrinks to few rows on the first axis.

    See Also
    --------
    clouds_on_sphere : Rows on the whole sphere.
    clouds_on_manifold : Rows on a manifold of low dimension.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(sparse_clouds(n_inputs=3, sparsity=1, min_size=1), lambda X: True)
    array([[1., 0., 0.]])
    """
    d = require_count("n_inputs", n_inputs, least=1)
    s = require_count("sparsity", sparsity, least=1, most=d)
    low, high = require_range(min_size, max_size, floor=1)
    require_size(high, d)
    return st.integers(low, high).flatmap(lambda n: _sparse(n, d, s))


def clouds_on_manifold(
    *, n_inputs: int, dimension: int, min_size: int = 2, max_size: int = 16
) -> SearchStrategy[Cloud]:
    r"""Generate rows on a flat torus in the sphere, a curved manifold of low dimension k.

    .. math:: x = k^{-1/2} (\cos t_1, \sin t_1, \dots, \cos t_k, \sin t_k, 0, \dots, 0),

    with coordinates permuted and signs flipped.

    Parameters
    ----------
    n_inputs : int
        Dimension d of the space, at least 2 k.
    dimension : int
        Dimension k of the torus, at least 1.
    min_size, max_size : int
        Fewest and most rows.

    Returns
    -------
    SearchStrategy of Cloud
        ``dimension`` is k; angles are whole degrees and shrink to 0.

    See Also
    --------
    doubling_sets : Finite sets of known doubling dimension.
    sparse_clouds : Unions of low-dimensional spheres.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(clouds_on_manifold(n_inputs=3, dimension=1, min_size=1), lambda cloud: True)
    Cloud(points=array([[1., 0., 0.]]), dimension=1)
    """
    d = require_count("n_inputs", n_inputs, least=2)
    k = require_count("dimension", dimension, least=1, most=d // 2)
    low, high = require_range(min_size, max_size, floor=1)
    require_size(high, d)
    return st.integers(low, high).flatmap(lambda n: _torus(n, d, k))


def doubling_sets(*, n_inputs: int, max_size: int = 64) -> SearchStrategy[Cloud]:
    r"""Generate finite sets of known doubling dimension, trees of orthogonal simplices.

    The set of leaves of the b-ary tree of depth L, leaf :math:`(a_1, \dots, a_L)` at

    .. math:: x \propto (4^{-1} e_{a_1}, \dots, 4^{-L} e_{a_L}, 0), \quad e_a \in R^b,

    with coordinates permuted and signs flipped. Every closed ball B(x, r) around a point is
    covered by b balls B(y, r/2) around points of the set, and some needs b: the doubling
    dimension is log2 b.

    Parameters
    ----------
    n_inputs : int
        Dimension d, at least b L.
    max_size : int
        Largest number of points b^L.

    Returns
    -------
    SearchStrategy of Cloud
        ``dimension`` is log2 b, b from 1 to 4; shrinks to a single point, of dimension 0.

    See Also
    --------
    clouds_on_manifold : Rows on a manifold of known dimension.

    Notes
    -----
    Let s_l = 4^-l up to the common factor that normalises. Leaves that part at level l are at
    least sqrt(2) s_l apart and at most sqrt(2) s_l (1 + 1/16 + ...)^(1/2) < 1.04 sqrt(2) s_l.
    Upper bound: if l is the highest level at which a member of the ball parts from x, then
    r >= sqrt(2) s_l, and the ball lies in b subtrees of diameter below 1.04 sqrt(2) s_l / 4 <
    r / 2. Lower bound: r = sqrt(2) s_L around a leaf holds it and its b - 1 siblings, and balls
    of radius r/2 hold one leaf.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(doubling_sets(n_inputs=2), lambda cloud: cloud.dimension > 0)
    Cloud(points=array([[1., 0.],
           [0., 1.]]), dimension=1.0)
    """
    d = require_count("n_inputs", n_inputs, least=1)
    high = require_count("max_size", max_size, least=1)
    require_size(high, d)
    shapes = [
        (b, depth)
        for b in range(1, 5)
        for depth in range(1, 4)
        if b * depth <= d and b**depth <= high and (b > 1 or depth == 1)
    ]
    trees = st.sampled_from(shapes).map(lambda shape: (_tree(*shape, d), math.log2(shape[0])))
    return st.tuples(trees, _isometries(d)).map(lambda both: Cloud(both[1](both[0][0]), both[0][1]))


@st.composite
def _with_duplicates(draw: st.DrawFn, n_rows: int, n_inputs: int) -> Any:
    rows = draw(integer_rows(n_rows, n_inputs))
    for i in range(1, n_rows):
        twin = draw(st.sampled_from((0.0, 0.0, 0.0, 1.0, -1.0)))
        if twin:
            rows[i] = twin * rows[i - 1]
    return normalised(rows)


@st.composite
def _sparse(draw: st.DrawFn, n_rows: int, n_inputs: int, sparsity: int) -> Any:
    points = np.zeros((n_rows, n_inputs))
    support = st.lists(st.integers(0, n_inputs - 1), min_size=1, max_size=sparsity, unique=True)
    for row in points:
        where = draw(support)
        row[where] = draw(integer_rows(1, len(where)))[0]
    return normalised(points)


@st.composite
def _torus(draw: st.DrawFn, n_rows: int, n_inputs: int, dimension: int) -> Cloud:
    degrees = [[draw(st.integers(0, 359)) for _ in range(dimension)] for _ in range(n_rows)]
    angles = np.radians(np.array(degrees, dtype=np.float64))
    points = np.zeros((n_rows, n_inputs))
    points[:, 0 : 2 * dimension : 2] = np.cos(angles)
    points[:, 1 : 2 * dimension : 2] = np.sin(angles)
    return Cloud(draw(_isometries(n_inputs))(normalised(points)), dimension)


def _tree(branching: int, depth: int, n_inputs: int) -> Any:
    points = np.zeros((branching**depth, n_inputs))
    for row, address in zip(points, itertools.product(range(branching), repeat=depth)):
        for level, branch in enumerate(address):
            row[level * branching + branch] = 4.0**-level
    return normalised(points)


@st.composite
def _isometries(draw: st.DrawFn, n_inputs: int) -> Any:
    """Generate permutations of coordinates with sign flips; shrinks to the identity."""
    order = draw(st.permutations(range(n_inputs)))
    signs = np.array(
        draw(st.lists(st.sampled_from((1.0, -1.0)), min_size=n_inputs, max_size=n_inputs))
    )
    # Add 0 to turn -0 into 0.
    return lambda points: points[:, order] * signs + 0.0
