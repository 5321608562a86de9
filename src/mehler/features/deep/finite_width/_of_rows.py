"""The expansion for rows of a map."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.features.deep._layers import Elementwise, Layer, Maxout
from mehler.features.deep.finite_width._degree_one import of_degree_one
from mehler.features.deep.finite_width._expansion import FiniteWidth, Local, State, expand
from mehler.features.deep.finite_width._moments import maxout_moments, sided_moments
from mehler.features.deep.finite_width._series import of_series

# Pairs per block: 30 MB of what one layer with tangents keeps of them. Series compute the
# coefficients of all columns anew for each block, so theirs are larger: 270 MB.
_PAIRS, _PAIRS_OF_SERIES = 1 << 14, 1 << 17


def of_rows(
    limit: Any, widths: tuple[int, ...], X: Any, Y: Any, n_inputs: int, *, tangent: bool
) -> FiniteWidth:
    """Expand the Gram of rows of a map with the limit of a DeepKernel."""
    x = _host_rows(X, "X", n_inputs)
    y = x if Y is None else _host_rows(Y, "Y", n_inputs)
    w, b = limit.weight_variance, limit.bias_variance
    for name, rows in (("X", x), ("Y", y)):
        if b == 0.0 and not np.all(np.any(rows, axis=1)):
            raise ValueError(
                f"{name} has a row of zeros, which has no correlation without biases: leave it out"
            )
    most = _PAIRS_OF_SERIES if limit.layer.second is None else _PAIRS
    found = FiniteWidth(*(np.empty((len(x), len(y))) for _ in range(2)))
    with np.errstate(all="ignore"):
        squares, right = ((w * np.sum(one**2, axis=1) / n_inputs + b) for one in (x, y))
        for rows in _arrays.slices(len(x), max(1, most // max(1, len(y)))):
            c = w * (x[rows] @ y.T) / n_inputs + b
            p = np.broadcast_to(squares[rows, None], c.shape)
            r = np.broadcast_to(right[None], c.shape)
            layer = _layer_of(limit.layer, w, b, tangent=tangent, first=rows.start)
            part = expand(layer, widths, State(p, c, r, (c, p, r) if tangent else None))
            found.bias[rows], found.variance[rows] = part.bias, part.variance
    if not (np.all(np.isfinite(found.bias)) and np.all(np.isfinite(found.variance))):
        raise ValueError(
            "X or Y has rows whose fourth powers are no floats after some layer: scale the rows"
        )
    return found


def _layer_of(
    layer: Layer, weight: float, bias: float, *, tangent: bool, first: int
) -> Callable[[State], Local]:
    """Return the expansion of one layer at rows from `first` on; ValueError without one."""
    if isinstance(layer, Maxout):
        moments = functools.partial(maxout_moments, q=layer.q)
        return functools.partial(of_degree_one, moments, weight, bias)
    assert isinstance(layer, Elementwise)
    activation = layer.activation
    if layer.second is not None:
        sides = activation.sides()
        moments = functools.partial(sided_moments, right=sides.right, left=sides.left)
        return functools.partial(of_degree_one, moments, weight, bias)
    if tangent:
        raise ValueError(
            f"{activation.title} has no expansion of tangent features in 1/width here: it is known "
            "for maxout and units of degree 1, such as relu"
        )
    return functools.partial(of_series, activation, weight, bias, first=first)


def _host_rows(rows: Any, name: str, n_inputs: int) -> Any:
    """Return checked rows as float64 on the host."""
    _arrays.require_matrix(rows, name=name)
    if rows.shape[1] != n_inputs:
        raise ValueError(f"{name} has {rows.shape[1]} columns; the map takes {n_inputs}")
    return np.asarray(_arrays.to_host(rows), dtype=np.float64)
