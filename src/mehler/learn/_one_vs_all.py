"""One-vs-all codes of classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array


def one_vs_all(labels: Array, classes: Any = None, *, like: Any = None) -> tuple[Array, Any]:
    """Encode labels one-vs-all: +1 in the column of the class, -1 elsewhere.

    Parameters
    ----------
    labels : array, shape (n,)
        Integers of any library (a Dask array stays lazy, but is read once, chunk by chunk, if
        `classes` is not given), or anything sortable in NumPy, such as strings.
    classes : array-like, shape (k,), optional
        The classes in the order of the columns; default those found, sorted.
    like : array or array namespace, optional
        Where the codes of NumPy labels are to be: the rows, for instance. Only NumPy has strings.

    Returns
    -------
    codes : array, shape (n, k)
        -1 and +1 in the default float of their library, beside `labels` or where `like` is.
    classes : numpy.ndarray, shape (k,)
        ``classes[argmax]`` turns the largest column back into a label.

    Raises
    ------
    TypeError, ValueError
        If `labels` is not a vector, is empty, or has values outside `classes`; if `like` is given
        for labels of another library than NumPy.

    See Also
    --------
    ridge : Least squares on these codes.

    References
    ----------
    Codes of GURLS, with which the papers learn: Tacchetti, Mallapragada, Santoro, Rosasco (2013).

    Examples
    --------
    >>> import numpy as np
    >>> codes, classes = one_vs_all(np.array([7, 3, 7]))
    >>> codes.tolist(), classes.tolist()
    ([[-1.0, 1.0], [1.0, -1.0], [-1.0, 1.0]], [3, 7])
    >>> classes[codes.argmax(axis=1)].tolist()
    [7, 3, 7]
    """
    xp = _arrays.array_namespace(labels, names=("labels",))
    if labels.ndim != 1:
        raise ValueError(f"labels have shape {tuple(labels.shape)}; give one a row, shape (rows,)")
    home = None if like is None else _arrays.resolve_place(like)
    if home is not None and not isinstance(labels, np.ndarray):
        raise TypeError(
            f"like={like!r} places NumPy labels, and labels are of {_arrays.namespace_name(xp)}: "
            "leave it out"
        )
    if labels.shape[0] == 0:
        raise ValueError("labels are empty: give one a row")
    if _arrays.is_lazy(labels) and not _arrays.is_chunked(labels) and classes is None:
        raise TypeError("labels are traced by jax.jit, so their classes are unknown: give classes")
    found: Any = None
    if classes is None or not _arrays.is_lazy(labels):
        chunked = _arrays.is_chunked(labels)
        seen = _arrays.sum_over_chunks(_Seen, labels) if chunked else _Seen(labels)
        found = seen.values
        if found.dtype.kind == "f" and not np.all(np.isfinite(found)):
            raise ValueError("labels hold NaN or infinity; drop such rows first")
    chosen = found if classes is None else np.asarray(classes)
    if chosen.ndim != 1 or len(np.unique(chosen)) != len(chosen):
        raise ValueError("classes must be a vector without repeats")
    if found is not None:
        # np.isin would equate 1 and "1".
        known = set(chosen.tolist())
        for label in found.tolist():
            if label not in known:
                raise ValueError(f"labels hold {label!r}, which is not among the classes")
    columns = _arrays.from_host(chosen, _arrays.place_of(labels))
    hit = labels[:, None] == columns[None, :]
    if home is not None:
        hit, xp = home.xp.asarray(hit, device=home.device), home.xp
    place = _arrays.place_of(hit)
    return 2.0 * xp.astype(hit, _arrays.resolve_dtype(None, xp, place.device)) - 1.0, chosen


class _Seen:
    """The distinct labels of some rows; ``+`` is the union."""

    def __init__(self, labels: Array) -> None:
        self.values = np.unique(_arrays.to_host(labels))

    def __add__(self, other: _Seen) -> _Seen:
        return _Seen(np.concatenate([self.values, other.values]))
