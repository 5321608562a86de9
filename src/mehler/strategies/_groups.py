"""Strategies for finite groups acting on coordinates, as matrices and as functions of rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler.strategies._validate import require_count, require_members

Kind: TypeAlias = Literal["trivial", "cyclic", "sign-flips", "permutations"]
_KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Group:
    """A finite group of orthogonal matrices.

    Attributes
    ----------
    kind : str
        One of the kinds of `groups`.
    n_inputs : int
        Number of coordinates d.
    moved : int
        Number of leading coordinates that the group acts on; the others stay.
    matrices : array, shape (order, n_inputs, n_inputs)
        The elements, the identity first.
    """

    kind: str
    n_inputs: int
    moved: int
    matrices: Any

    def __repr__(self) -> str:
        """Return kind, size and order, without the matrices."""
        return (
            f"Group({self.kind!r}, n_inputs={self.n_inputs}, moved={self.moved}, "
            f"order={self.order})"
        )

    @property
    def order(self) -> int:
        """Number of elements."""
        return int(self.matrices.shape[0])

    @property
    def actions(self) -> tuple[Callable[[Any], Any], ...]:
        """The elements as functions of rows, X -> X M^T; the identity first."""
        return tuple(partial(_act, matrix) for matrix in self.matrices)


def groups(
    *, n_inputs: int, kinds: Iterable[Kind] | None = None, max_elements: int = 24
) -> SearchStrategy[Group]:
    """Generate finite groups of permutations and sign flips; shrinks to the trivial one.

    Parameters
    ----------
    n_inputs : int
        Number of coordinates d.
    kinds : list of str, optional
        Some of 'trivial'; 'cyclic', the shifts of the first k coordinates, of order k;
        'sign-flips', all flips of the first k, of order 2^k; 'permutations', all of the first k,
        of order k!. Default all.
    max_elements : int
        Largest order.

    Returns
    -------
    SearchStrategy of Group
        Groups of at most `max_elements` elements.

    Examples
    --------
    >>> from hypothesis import find
    >>> group = find(groups(n_inputs=3, kinds=["cyclic"]), lambda group: group.order == 3)
    >>> group, group.actions[1](np.array([[1.0, 2.0, 3.0]]))
    (Group('cyclic', n_inputs=3, moved=3, order=3), array([[3., 1., 2.]]))
    """
    d = require_count("n_inputs", n_inputs, least=1, most=10**4)
    high = require_count("max_elements", max_elements, least=1)
    names = require_members("kinds", kinds, _KINDS)
    fitting = [
        (kind, moved) for kind in names for moved in _moved(kind, d) if _order(kind, moved) <= high
    ]
    if not fitting:
        raise ValueError(
            f"no group of kinds={names} on n_inputs={d} coordinates has at most "
            f"max_elements={high} elements: allow more"
        )
    return st.sampled_from(fitting).map(lambda shape: _group(shape[0], shape[1], d))


def _moved(kind: str, n_inputs: int) -> range:
    """Return the numbers of coordinates that a group of that kind may move."""
    least = {"trivial": 0, "cyclic": 2, "sign-flips": 1, "permutations": 2}[kind]
    return range(least, 1 if kind == "trivial" else n_inputs + 1)


def _order(kind: str, moved: int) -> int:
    return {
        "trivial": 1,
        "cyclic": moved,
        "sign-flips": 2**moved,
        "permutations": math.factorial(moved),
    }[kind]


def _group(kind: str, moved: int, n_inputs: int) -> Group:
    if kind == "sign-flips":
        signs = itertools.product((1.0, -1.0), repeat=moved)
        blocks = [np.diag(s) for s in signs]
    elif kind == "cyclic":
        blocks = [np.roll(np.eye(moved), shift, axis=0) for shift in range(moved)]
    else:
        blocks = [np.eye(moved)[list(p)] for p in itertools.permutations(range(moved))]
    matrices = np.tile(np.eye(n_inputs), (len(blocks), 1, 1))
    matrices[:, :moved, :moved] = np.array(blocks)
    matrices.flags.writeable = False
    return Group(kind, n_inputs, moved, matrices)


def _act(matrix: NDArray[np.float64], X: Array) -> Any:
    return X @ matrix.T
