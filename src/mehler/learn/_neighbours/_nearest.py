"""Exact nearest neighbours by features or codes, block against block."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_integer
from mehler.learn._arguments import features_of, require_map, require_rows

# Rows per block of distances; 2048 x 2048 of float32 are 16 MiB.
_BLOCK = 2048


def nearest(
    phi: Callable[[Array], Array], X: Array, Q: Array, n_neighbours: int = 1
) -> tuple[Array, Array]:
    r"""Find the rows of X nearest to each query, by features or by codes.

    .. math:: \|\phi(x) - \phi(z)\|, \qquad\text{or for codes}\qquad
              1 - \frac1m\#\{\ell : c_\ell(x) = c_\ell(z)\}

    Parameters
    ----------
    phi : callable
        A map of mehler, or any function from rows (n, d) to features (n, m). If it has a method
        ``similarity``, like :class:`mehler.MaxoutCodes`, the distance is 1 - similarity.
    X : array, shape (n, d)
        Rows to search.
    Q : array, shape (k, d)
        Queries, where X is.
    n_neighbours : int, optional
        Number of rows to return, at most n.

    Returns
    -------
    index : int32 array, shape (k, n_neighbours)
        Row numbers in X, nearest first; ties in the order of the rows.
    distance : array, shape (k, n_neighbours)
        Their distances. Those below about :math:`10^{-3}` (float32) or :math:`10^{-8}` (float64)
        of the features' norm are noise, by cancellation.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or range, before any work; if `phi` gives NaN, integers
        without ``similarity``, or numbers whose squares overflow, when it does.

    See Also
    --------
    MaxoutIndex : Approximate search by hashing.
    mehler.MaxoutCodes.similarity : Similarity of codes.

    Notes
    -----
    Features of X are recomputed for every 2048 queries. One matrix product per pair of blocks;
    memory does not grow with n times k. Dask arrays are computed, and refused above 1 GiB.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler import learn
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    >>> phi = mehler.MaxoutFeatures.draw(2, 500, 8, seed=0, dtype="float64")
    >>> index, distance = learn.nearest(phi, X, np.array([[0.9, 0.1]]), n_neighbours=2)
    >>> index.tolist()
    [[0, 1]]
    """
    require_map(phi)
    require_rows(X)
    require_rows(Q, "Q")
    _arrays.array_namespace(X, Q, names=("X", "Q"))
    if X.shape[1] != Q.shape[1]:
        raise ValueError(f"Q has {Q.shape[1]} columns but X has {X.shape[1]}; give as many")
    n_neighbours = require_integer("n_neighbours", n_neighbours, most=X.shape[0])
    if _arrays.is_chunked(X):
        for name, rows in (("X", X), ("Q", Q)):
            _arrays.require_small(rows, name=name, reason="every query is compared with every row")
        X, Q = _arrays.to_host(X), _arrays.to_host(Q)
    xp = _arrays.place_of(X).xp
    codes = hasattr(phi, "similarity")
    distance, made = (_codes_apart, phi) if codes else (_features_apart, partial(_features, phi))
    parts = []
    for queries in _arrays.slices(Q.shape[0], _BLOCK):
        left = made(Q[queries, :])
        best: tuple[Array, Array] | None = None
        for rows in _arrays.slices(X.shape[0], _BLOCK):
            apart = distance(xp, phi, left, made(X[rows, :]))
            best = _merged(xp, best, apart, rows.start, n_neighbours)
        assert best is not None  # X has rows
        parts.append(best)
    index, apart = (xp.concat([part[i] for part in parts], axis=0) for i in (0, 1))
    return index, (apart if codes else xp.sqrt(apart))


def _features(phi: Callable[[Array], Array], rows: Array) -> Array:
    """Compute features, and raise unless their squared distances are finite."""
    z = features_of(phi, rows)
    xp = _arrays.array_namespace(z)
    largest = float(xp.max(xp.abs(z)))
    if largest > (float(xp.finfo(z.dtype).max) / (4 * z.shape[1])) ** 0.5:
        raise ValueError(
            f"phi(X) holds {largest:.3g}, whose squared distances overflow in "
            f"{_arrays.dtype_name(z.dtype)}; scale the rows down"
        )
    return z


def _features_apart(xp: Any, phi: Any, left: Array, right: Array) -> Array:
    """Compute squared distances of features."""
    squares = [xp.sum(part * part, axis=1) for part in (left, right)]
    products = xp.matmul(left, xp.matrix_transpose(right))
    apart = squares[0][:, None] + squares[1][None, :] - 2.0 * products
    return xp.where(apart > 0.0, apart, xp.zeros_like(apart))


def _codes_apart(xp: Any, phi: Any, left: Array, right: Array) -> Array:
    """Compute the fraction of digits that differ."""
    return 1.0 - phi.similarity(left, right)


def _merged(
    xp: Any, best: tuple[Array, Array] | None, apart: Array, start: int, k: int
) -> tuple[Array, Array]:
    """Return the k nearest among the best so far and a block of rows from `start` on."""
    n = apart.shape[1]
    # int32, without sums and argmin: a device may lack 64-bit integers.
    options = {"dtype": xp.int32, "device": _arrays.place_of(apart).device}
    index = xp.broadcast_to(xp.arange(start, start + n, **options)[None, :], apart.shape)
    if best is not None:
        # The best so far come first, so that they win ties.
        index = xp.concat((best[0], index), axis=1)
        apart = xp.concat((best[1], apart), axis=1)
    places = xp.broadcast_to(xp.arange(apart.shape[1], **options)[None, :], apart.shape)
    far, beyond = xp.full_like(apart, float("inf")), xp.full_like(places, apart.shape[1])
    indices, distances = [], []
    for _ in range(min(k, apart.shape[1])):
        least = xp.min(apart, axis=1, keepdims=True)
        at = places == xp.min(xp.where(apart == least, places, beyond), axis=1, keepdims=True)
        indices.append(xp.max(xp.where(at, index, xp.zeros_like(index)), axis=1))
        distances.append(least[:, 0])
        apart = xp.where(at, far, apart)
    return xp.stack(indices, axis=1), xp.stack(distances, axis=1)
