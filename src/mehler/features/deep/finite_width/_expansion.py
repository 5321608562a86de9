r"""The expansion itself, for any map F from the Grams of one layer to those of the next.

The Grams of a pair after each layer, (p, c, r) for both squares and the product, and T of the
tangent features if there are any, are a Markov chain: given those of one layer, units are
independent, with mean F and a covariance C/n. The expansion of F to second order carries mean and
covariance through the layers:

.. math:: m' = \nabla F\,m + \tfrac12 \nabla^2F : V, \qquad V' = \nabla F\,V\,\nabla F^\top + C/n
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

# Places of the Grams in vectors: squares at x, the product, squares at z, the tangent product.
P, C, R, T = range(4)


@dataclass(frozen=True, eq=False)
class FiniteWidth:
    """What is added to the limit at finite width, to first order in 1/width.

    Parameters
    ----------
    bias : numpy.ndarray, shape (n, k)
        Of the Gram's mean.
    variance : numpy.ndarray, shape (n, k)
        Of the Gram's entries, over draws.

    See Also
    --------
    DeepFeatures.finite_width : Returns this.
    """

    bias: Any
    variance: Any


@dataclass(frozen=True, eq=False)
class State:
    """Limits of the Grams of one layer; of the tangent features too, and their squares."""

    p: Any
    c: Any
    r: Any
    tangent: tuple[Any, Any, Any] | None = None

    @property
    def size(self) -> int:
        """How many Grams there are."""
        return 3 if self.tangent is None else 4


@dataclass(frozen=True, eq=False)
class Local:
    """One layer at its limit: the next state, and F to second order.

    `hessians` holds those components of F that are not linear; `units` is the covariance C.
    """

    after: State
    jacobian: Any
    hessians: dict[int, Any]
    units: Any


def expand(layer: Callable[[State], Local], widths: tuple[int, ...], state: State) -> FiniteWidth:
    """Go through the layers from the state of the first projections, which does not vary."""
    size = state.size
    mean, spread = np.zeros((*state.c.shape, size)), np.zeros((*state.c.shape, size, size))
    for width in widths:
        at = layer(state)
        mean = np.einsum("...ij,...j->...i", at.jacobian, mean)
        for row, hessian in at.hessians.items():
            mean[..., row] += 0.5 * np.sum(hessian * spread, axis=(-2, -1))
        passed = at.jacobian @ spread @ np.swapaxes(at.jacobian, -1, -2)
        spread = passed + at.units / width
        state = at.after
    which = C if state.tangent is None else T
    return FiniteWidth(mean[..., which], spread[..., which, which])


def symmetric(like: Any, size: int, entries: dict[tuple[int, int], Any]) -> Any:
    """Return symmetric matrices with these entries, for the pairs of `like`."""
    out = np.zeros((*like.shape, size, size))
    for (i, j), value in entries.items():
        out[..., i, j] = out[..., j, i] = value
    return out
