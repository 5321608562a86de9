"""Finite sets of known doubling dimension: trees of orthogonal simplices."""

from __future__ import annotations

import itertools
import math

import numpy as np
from hypothesis import strategies as st

from mehler.strategies import normalised


def doubling_sets(*, n_inputs, max_size=64):
    r"""Generate pairs of points and their doubling dimension log2 b, b from 1 to 4.

    The leaves of the b-ary tree of depth L, leaf (a_1, ..., a_L) at (e_{a_1}/4, ..., e_{a_L}/4^L)
    up to length, with coordinates permuted and signs flipped. Every closed ball B(x, r) around a
    point is covered by b balls B(y, r/2) around points of the set, and some needs b.

    Let s_l = 4^-l up to the common factor that normalises. Leaves that part at level l are at
    least sqrt(2) s_l apart and at most sqrt(2) s_l (1 + 1/16 + ...)^(1/2) < 1.04 sqrt(2) s_l.
    Upper bound: if l is the highest level at which a member of the ball parts from x, then
    r >= sqrt(2) s_l, and the ball lies in b subtrees of diameter below 1.04 sqrt(2) s_l / 4 <
    r / 2. Lower bound: r = sqrt(2) s_L around a leaf holds it and its b - 1 siblings, and balls
    of radius r/2 hold one leaf.
    """
    shapes = [
        (b, depth)
        for b in range(1, 5)
        for depth in range(1, 4)
        if b * depth <= n_inputs and b**depth <= max_size and (b > 1 or depth == 1)
    ]
    return st.tuples(
        st.sampled_from(shapes),
        st.permutations(range(n_inputs)),
        st.lists(st.sampled_from((1.0, -1.0)), min_size=n_inputs, max_size=n_inputs),
    ).map(
        lambda drawn: (
            tree(*drawn[0], n_inputs)[:, drawn[1]] * np.array(drawn[2]),
            math.log2(drawn[0][0]),
        )
    )


def tree(branching, depth, n_inputs):
    points = np.zeros((branching**depth, n_inputs))
    for row, address in zip(points, itertools.product(range(branching), repeat=depth), strict=True):
        for level, branch in enumerate(address):
            row[level * branching + branch] = 4.0**-level
    return normalised(points)
