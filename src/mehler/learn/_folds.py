"""Assign rows to folds, as one small integer a row."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from mehler import _arrays, _random
from mehler._validate import require_integer

# Folds of more rows than this would not fit beside them.
_MOST_ROWS = 10**9


def folds(n_rows: int, n_folds: int, *, seed: int, labels: Any = None, groups: Any = None) -> Any:
    """Assign a fold number to each row.

    ``folds == 2`` are the rows that fold 2 holds out, and
    ``sklearn.model_selection.PredefinedSplit(folds)`` is the same split for scikit-learn.

    Parameters
    ----------
    n_rows : int
        Number of rows n.
    n_folds : int
        Number of folds k, at least 2 and at most n.
    seed : int
        Seed of the permutation. Equal seeds give equal folds everywhere.
    labels : array-like, shape (n,), optional
        Classes, to stratify folds. Anything that can be sorted.
    groups : array-like, shape (n,), optional
        Rows of one group (a speaker, a patient) stay in one fold. At least k groups; the largest
        is assigned first, each to the fold that is smallest then. Not together with `labels`.

    Returns
    -------
    numpy.ndarray of int, shape (n,)
        Numbers 0 to k - 1. Without groups folds differ by at most one row, and with labels by at
        most one row of each class too.

    See Also
    --------
    cross_validate : Errors on each fold.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import learn
    >>> dealt = learn.folds(6, 3, seed=0, labels=["a", "a", "a", "b", "b", "b"])
    >>> sorted(dealt[:3].tolist()), sorted(dealt[3:].tolist())
    ([0, 1, 2], [0, 1, 2])
    """
    n = require_integer("n_rows", n_rows, least=2, most=_MOST_ROWS)
    k = require_integer("n_folds", n_folds, least=2, most=n)
    rng = _random.generator(_random.require_seed(seed), _random.FOLDS, 0)
    if labels is not None and groups is not None:
        raise ValueError("labels and groups cannot both be kept to: give one of them")
    if groups is not None:
        return _by_groups(_numbered(groups, "groups", n), k, rng)
    order = rng.permutation(n)
    if labels is not None:
        classes = _numbered(labels, "labels", n)
        order = order[np.argsort(classes[order], kind="stable")]
    dealt = np.empty(n, dtype=np.int64)
    dealt[order] = np.arange(n) % k
    return dealt


def _numbered(values: Any, name: str, n: int) -> Any:
    """Encode values of rows as small integers."""
    host = _on_host(values, name)
    if host.dtype.kind not in "biufUSO":
        raise TypeError(f"{name} have dtype {host.dtype}; give numbers or texts")
    if host.shape != (n,):
        raise ValueError(f"{name} have shape {host.shape}; give one a row, shape ({n},)")
    if host.dtype.kind == "f" and not np.all(np.isfinite(host)):
        raise ValueError(f"{name} hold NaN or infinity; drop such rows first")
    try:
        return np.unique(host, return_inverse=True)[1]
    except TypeError:  # objects of several kinds
        raise TypeError(f"{name} cannot be sorted: give numbers or texts, of one kind") from None


def _on_host(values: Any, name: str) -> Any:
    try:
        return np.asarray(_arrays.to_host(values) if _arrays.is_array(values) else values)
    except (TypeError, ValueError):  # of several lengths
        raise TypeError(f"{name} must be an array of one value a row") from None


def _by_groups(groups: Any, k: int, rng: np.random.Generator) -> Any:
    sizes = np.bincount(groups)
    if len(sizes) < k:
        raise ValueError(f"groups has {len(sizes)} of them, too few for {k} folds")
    order = rng.permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    smallest = [(0, fold) for fold in range(k)]
    of_group = np.empty(len(sizes), dtype=np.int64)
    for group in order:
        size, fold = heapq.heappop(smallest)
        of_group[group] = fold
        heapq.heappush(smallest, (size + int(sizes[group]), fold))
    return of_group[groups]


def require_folds(folds: Any, n: int) -> tuple[Any, int]:
    """Validate fold numbers, from 0 on without gaps; -1 marks rows that are always fitted."""
    host = _on_host(folds, "folds")
    if host.dtype.kind not in "iu":
        raise TypeError(
            f"folds have dtype {host.dtype}; give the fold's number for each row, as "
            "learn.folds(n_rows, n_folds, seed=0) does"
        )
    if host.shape != (n,):
        raise ValueError(f"folds have shape {host.shape} but X has {n} rows: give one a row")
    host = host.astype(np.int64)
    if host.min() < -1:
        raise ValueError(
            f"folds hold {host.min()}; numbers are 0 and above, or -1 for rows that "
            "are never held out"
        )
    held = host >= 0
    numbers, inverse = np.unique(host[held], return_inverse=True)
    if len(numbers) == 0 or (len(numbers) == 1 and held.all()):
        raise ValueError("folds must hold out some rows, and leave some to fit")
    found = np.full(n, len(numbers), dtype=np.int64)
    found[held] = inverse
    return found, len(numbers)
