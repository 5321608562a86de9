"""Strategies for pairs of unit vectors of prescribed correlation."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mehler.strategies._validate import require_correlation, require_count, require_members
from mehler.strategies._vectors import integer_rows

# Distances from the centre are 2^-k, down to where 1 - rho is a few roundings of rho.
_FINEST = 50


class Pair(NamedTuple):
    """Two unit vectors and their correlation."""

    x: Any
    y: Any
    rho: float


def pairs(*, n_inputs: int, rho: float) -> SearchStrategy[Pair]:
    """Generate pairs of unit vectors of a prescribed correlation; shrinks to axes.

    Parameters
    ----------
    n_inputs : int
        Dimension d; at least 2, unless ``abs(rho) == 1``.
    rho : float
        The correlation, in [-1, 1].

    Returns
    -------
    SearchStrategy of Pair
        ``x`` and ``y`` of shape (n_inputs,), float64, and ``rho``.

    Notes
    -----
    y = rho x + sqrt(1 - rho^2) u with u a unit vector orthogonal to x, so <x, y> = rho to within
    16 roundings; at rho = 1 and -1, y = x and -x exactly.

    Examples
    --------
    >>> from hypothesis import find
    >>> pair = find(pairs(n_inputs=2, rho=0.6), lambda pair: True)
    >>> bool(abs(pair.x @ pair.y - 0.6) < 1e-15)
    True
    """
    r = require_correlation("rho", rho)
    d = require_count("n_inputs", n_inputs, least=1 if abs(r) == 1.0 else 2)
    return _frames(d).map(lambda frame: _pair(frame, r))


def adversarial_pairs(
    *, n_inputs: int, near: Iterable[Literal[0, 1, -1]] | None = None
) -> SearchStrategy[Pair]:
    """Generate pairs of correlation at, or within 2^-k of, 0, 1 or -1, where maps often fail.

    Parameters
    ----------
    n_inputs : int
        Dimension d, at least 2.
    near : list of int, optional
        Some of 0, 1, -1; default all.

    Returns
    -------
    SearchStrategy of Pair
        Shrinks to the centre itself.

    Notes
    -----
    Accuracy as in `pairs`. Near 1 and -1 the distance of the rows, sqrt(2 (1 - rho)), is more
    accurate than their inner product.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(adversarial_pairs(n_inputs=2, near=[1]), lambda pair: pair.rho < 1).rho
    0.0
    """
    d = require_count("n_inputs", n_inputs, least=2)
    centres = require_members("near", near, (0, 1, -1))
    return st.tuples(_frames(d), _correlations(centres)).map(lambda pair: _pair(*pair))


@st.composite
def _correlations(draw: st.DrawFn, centres: list[int]) -> float:
    centre = draw(st.sampled_from(centres))
    # 0 is the centre itself; then distances from coarse to fine.
    k = draw(st.integers(0, _FINEST + 1))
    gap = 0.0 if k == 0 else math.ldexp(1.0, 1 - k)
    # Draw it at every centre, since an example of fewer draws counts as simpler.
    side = draw(st.sampled_from((1.0, -1.0)))
    return side * gap if centre == 0 else centre * (1.0 - gap)


@st.composite
def _frames(draw: st.DrawFn, n_inputs: int) -> tuple[Any, Any]:
    """Generate a unit vector x and a unit vector u orthogonal to it; u is 0 in one dimension."""
    x, v = draw(integer_rows(2, n_inputs))
    x = x / np.linalg.norm(x)
    if n_inputs == 1:
        return x, np.zeros(1)
    u = v - (v @ x) * x
    if np.linalg.norm(u) < 1e-9:  # v is parallel to x: integers leave a gap or nothing
        axis = np.zeros(n_inputs)
        axis[np.argmin(np.abs(x))] = 1.0
        u = axis - (axis @ x) * x
    # Orthogonalise twice, because of cancellation (Giraud and Langou, 2005).
    u = u / np.linalg.norm(u)
    u = u - (u @ x) * x
    return x, u / np.linalg.norm(u)


def _pair(frame: tuple[Any, Any], rho: float) -> Pair:
    x, u = frame
    if abs(rho) == 1.0:
        return Pair(x, rho * x, rho)
    return Pair(x, rho * x + math.sqrt((1.0 - rho) * (1.0 + rho)) * u, rho)
