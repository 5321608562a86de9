"""Average kernels and distances over orbits: an orbit holds g x for all g of a group."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_flag, require_function
from mehler.features.groups._group import Group, as_group

Floats: TypeAlias = NDArray[np.float64]
Pairwise = Callable[[Any, Any, Any], Any]

_TRIPLES = 1 << 16  # (norm, norm, product) per piece: a few arrays of them stay in cache
_MOST_PAIRS = 10**8  # pairs of elements of a list: more would take too long


def over_pairs(group: Group, x: Floats, z: Floats, of: Pairwise) -> tuple[Any, Any]:
    """Average of(|a|, |b|, <a, b>), a = g' x, b = h' z: over all g and h, and over g = h.

    A prime is the transpose. Returns two arrays (n, k), for rows of `x` and of `z`.
    """
    independent, equal = np.empty((2, len(x), len(z)))
    for rows, columns, values, same in _blocks(group, x, z, of):
        independent[rows, columns] = values.mean(axis=tuple(range(2, values.ndim)))
        equal[rows, columns] = same.mean(axis=tuple(range(2, same.ndim)))
    return independent, equal


def each_pair(group: Group, x: Floats, z: Floats, of: Pairwise) -> Any:
    """Compute the values, (n, k, N) by g^-1 h on a group, identity first; else (n, k, N, N)."""
    n = group.order
    out = np.empty((len(x), len(z), *((n,) if _one_average(group) else (n, n))))
    for rows, columns, values, _ in _blocks(group, x, z, of):
        out[rows, columns] = values
    return out


def _one_average(group: Group) -> bool:
    """Whether the mean over g^-1 h is that over all pairs."""
    return group.closed and group.orthogonal


def _blocks(
    group: Group, x: Floats, z: Floats, of: Pairwise
) -> Iterator[tuple[slice, slice, Any, Any]]:
    """Yield slices of `x` and `z`, with the values at all pairs of elements and at equal ones."""
    walk = _on_group if _one_average(group) else _on_list
    for rows, columns, geometry, same in walk(group, x, z):
        yield rows, columns, of(*_consistent(*geometry)), of(*_consistent(*same))


def _on_group(group: Group, x: Floats, z: Floats) -> Iterator[Any]:
    """Yield tiles of norms and products of x and all g z, which stand for all pairs g, h."""
    images = group.apply(z)  # (N, k, d)
    lengths = [np.sqrt((rows * rows).sum(axis=1)) for rows in (x, z)]
    for rows, columns in _tiles(len(x), len(z), group.order):
        left, right = lengths[0][rows, None], lengths[1][None, columns]
        inner = np.moveaxis(x[rows] @ np.swapaxes(images[:, columns], 1, 2), 0, 2)
        plain = x[rows] @ z[columns].T
        yield rows, columns, (left[..., None], right[..., None], inner), (left, right, plain)


def _on_list(group: Group, x: Floats, z: Floats) -> Iterator[Any]:
    """Yield tiles of norms and products of all g' x and h' z."""
    pairs = group.order**2
    if pairs > _MOST_PAIRS:
        raise ValueError(
            f"{group!r} is not a group, so its kernel is a mean over {group.order}^2 pairs of "
            "elements: take fewer of them, group.drawn(1000, seed=0)"
        )
    a, b = (np.moveaxis(group.transpose(rows), 0, 1) for rows in (x, z))  # (n, N, d)
    lengths = [np.sqrt((rows * rows).sum(axis=2)) for rows in (a, b)]
    for rows, columns in _tiles(len(x), len(z), pairs):
        left = lengths[0][rows, None, :, None]
        right = lengths[1][None, columns, None, :]
        inner = np.einsum("nid,kjd->nkij", a[rows], b[columns], optimize=True)
        same = (left[..., 0], right[..., 0, :], np.einsum("nkii->nki", inner))
        yield rows, columns, (left, right, inner), same


def _tiles(n: int, k: int, depth: int) -> Iterator[tuple[slice, slice]]:
    wide = max(1, min(k, _TRIPLES // depth))
    tall = max(1, _TRIPLES // (depth * wide))
    for rows in _arrays.slices(n, tall):
        for columns in _arrays.slices(k, wide):
            yield rows, columns


def _consistent(left: Floats, right: Floats, inner: Floats) -> tuple[Any, Any, Any]:
    """Treat vectors equal up to rounding as equal: |a - b| = 0, not 1e-8."""
    longest = left * right
    close = np.abs(left - right) <= 1e-15 * (left + right)
    return left, right, np.where(close & (longest - inner <= 1e-14 * longest), longest, inner)


def haar_kernel(
    kernel: Callable[[Any, Any], Any],
    group: Group,
    X: Array,
    Y: Array | None = None,
    *,
    moves_along: bool = True,
) -> Array:
    r"""Average a kernel over the group in both arguments: Haar integration.

    .. math:: K(x, z) = \frac1{N^2}\sum_{g, h} k_0(gx, hz)

    Parameters
    ----------
    kernel : callable
        (X, Y) -> (n, k), the kernel k_0; takes and returns float64 NumPy arrays.
    group : Group
        The group, or list of linear maps.
    X, Y : array, shape (n, d), (k, d)
        Rows of any library; ``None`` stands for `X`.
    moves_along : bool
        Assume k_0(gx, gz) = k_0(x, z), true of functions of distances and inner products; one
        average over a group of orthogonal maps then suffices. Ignored for other lists.

    Returns
    -------
    array, shape (n, k)
        In the namespace and float dtype of `X`.

    References
    ----------
    Haasdonk, Vossen, Burkhardt (2005); equation (1) of Mroueh, Voinea, Poggio (2015).

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.features import groups
    >>> linear = lambda X, Y: X @ Y.T
    >>> haar_kernel(linear, groups.CyclicShifts(2), np.array([[1.0, 3.0]]))  # (sum of x)^2 / 2
    array([[8.]])
    """
    require_function("kernel", kernel)
    require_flag("moves_along", moves_along)
    group = as_group(group)

    def average(x: Floats, z: Floats) -> Any:
        images = group.apply(z)
        sides = [x] if _one_average(group) and moves_along else list(group.apply(x))
        total = sum(np.asarray(kernel(a, b)) for a in sides for b in images)
        return total / (len(sides) * len(images))

    return on_host(group, X, Y, average)


def mean_distance(group: Group, X: Array, Y: Array | None = None) -> Array:
    r"""Compute the mean distance of two orbits.

    .. math:: D(x, z) = \frac1{N^2}\sum_{g, h}\|g^\top x - h^\top z\|

    On a group of orthogonal maps this is the mean of abs(x - g z) over g. It is no distance:
    D(x, x) > 0 unless every element leaves x alone. Arguments and result are as for
    :func:`haar_kernel`; squared distances carry 1e-16 of rounding.

    References
    ----------
    Proportional to d_G of Mroueh, Voinea, Poggio (2015), Theorem 1.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.features import groups
    >>> mean_distance(groups.SignFlips(1), np.array([[3.0]]))  # 0 or 6
    array([[3.]])
    """
    return _of_distances(group, X, Y, lambda distances, x, z: distances(x, z))


def energy_distance(group: Group, X: Array, Y: Array | None = None) -> Array:
    r"""Compute the energy distance of two orbits, 0 exactly if they coincide.

    .. math:: \mathcal E(x, z) = 2 D(x, z) - D(x, x) - D(z, z)

    Squared, as Székely defined it; the features' squared distance is kappa times it, in the limit
    of many bins and templates and with the whole group. For the rest see :func:`mean_distance`.

    References
    ----------
    G. Székely and M. Rizzo (2013), Energy statistics. E4 in
    :doc:`/theorems/group-invariant-expectation`.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.features import groups
    >>> x = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [3.0, 2.0, 1.0]])
    >>> energy_distance(groups.CyclicShifts(3), x).round(3)[0].tolist()
    [0.0, 0.0, 0.505]
    """

    def energy(distances: Callable[[Floats, Floats], Any], x: Floats, z: Floats) -> Any:
        of_x, of_z = (np.array([distances(r, r)[0, 0] for r in rows[:, None]]) for rows in (x, z))
        return np.maximum(2.0 * distances(x, z) - of_x[:, None] - of_z, 0.0)

    return _of_distances(group, X, Y, energy)


def distance(left: Floats, right: Floats, inner: Floats) -> Any:
    """Compute |a - b| from norms and inner product."""
    return np.sqrt(np.maximum(left * left + right * right - 2.0 * inner, 0.0))


def _of_distances(group: Group, X: Array, Y: Array | None, of: Pairwise) -> Array:
    """Return of(mean distances of orbits, x, z), of degree 1, for rows of any size."""
    group = as_group(group)

    def multiple(x: Floats, z: Floats) -> Any:
        # Of largest entry 1, so that squares cannot overflow.
        largest = max(float(np.abs(rows).max()) for rows in (x, z)) or 1.0
        return largest * of(
            lambda a, b: over_pairs(group, a, b, distance)[0], x / largest, z / largest
        )

    return on_host(group, X, Y, multiple)


def on_host(group: Group, X: Array, Y: Floats | None, function: Callable[[Any, Any], Any]) -> Array:
    """Validate rows, compute in float64 on the host, and return to the place of `X`."""
    _arrays.require_matrices(X, Y, n_columns=group.n_inputs)
    return in_float64(X, Y, function)


def in_float64(x: Array, y: Array | None, function: Callable[[Any, Any], Any]) -> Array:
    """Compute on the host for checked rows, and return to the place of `x`."""
    _arrays.require_no_gradient(
        *(rows for rows in (x, y) if rows is not None), what="this function of orbits"
    )
    a, b = (np.asarray(_arrays.to_host(x if r is None else r), dtype=np.float64) for r in (x, y))
    return _arrays.from_host(function(a, b), _arrays.place_of(x), _arrays.real_dtype(x))
