"""Ridge regression on features that are never stored, and codes of classes for it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_choice, require_flag
from mehler.learn._features import (
    SCORINGS,
    Features,
    Phi,
    Scoring,
    host_reals,
    require_lambdas,
    require_map,
    require_pair,
    require_weights,
)
from mehler.learn._path import Path, RidgeFit, best, hold_out, leave_one_out, solve_rows
from mehler.learn._sums import RidgeSums, solve_parts


def ridge(
    phi: Phi,
    X: Array,
    Y: Array,
    *,
    lambdas: Any,
    folds: Any = None,
    scoring: Scoring = "mse",
    intercept: bool = True,
    weights: Array | None = None,
) -> RidgeFit:
    r"""Fit ridge regression on the features of a map, with a choice of lambda.

    .. math:: \min_{W, b} \frac1N \sum_{i=1}^N \big|W^\top\phi(x_i) + b - y_i\big|^2
              + \lambda\,|W|^2

    scikit-learn's ``alpha`` is :math:`N\lambda`. The intercept b is not penalised. Features are
    computed block by block, accumulated (:class:`RidgeSums`), and never stored.

    Parameters
    ----------
    phi : callable
        A map of mehler, or any function from rows (n, d) to features (n, m).
    X : array, shape (n, d)
        Rows that `phi` takes. NumPy, PyTorch, JAX, Dask (row chunks are summed in a tree), CuPy or
        another array API library.
    Y : array, shape (n,) or (n, t)
        Real targets on the device of `X`; for classes the codes of :func:`one_vs_all`.
    lambdas : float or sequence of float, length k
        Regularisation, each above 0. The penalty is N lambda with N the number of rows fitted. Of
        several the one of least error on rows left out is chosen; one alone has no errors.
    folds : array-like of int, shape (n,), optional
        Fold of each row, left out together; by default each row is left out by itself. Rows with
        -1 are never left out, so that 0 and -1 are a single hold-out. The error of a lambda is the
        mean over folds. scikit-learn's splitters, such as ``GroupKFold``, make folds.
    scoring : {"mse", "error_rate"}, optional
        Criterion: the mean squared error over rows and targets, or the misclassification rate
        (argmax, or sign for one column). Ties go to the largest lambda.
    intercept : bool, optional
        Fit b; else it is 0.
    weights : array, shape (n,), optional
        Weights of the rows, at least 0: a row of weight 2 counts as that row twice; N is their
        sum. Leave-one-out errors leave out one copy, or the whole row if its weight is below 1.

    Returns
    -------
    RidgeFit
        The chosen function; `errors` has the error of each lambda, if any was computed.

    See Also
    --------
    RidgeSums : Streams, distributed data, and errors of each part.

    Notes
    -----
    Leave-one-out errors are exact, of the function fitted to the other rows with the same penalty
    :math:`N\lambda|W|^2`, in a second pass over the rows; digits are lost with fewer rows than
    features and lambda N near rounding. If `phi` was chosen by these rows or targets, all errors
    are too small. Cost: m^2 N operations for the Gram, about 9 m^3 to decompose it and 2 m^2 N for
    leave-one-out; one lambda takes a Cholesky factorisation, m^3/3. Fewer rows than features are
    solved by their inner products (not for Dask): about 9 N^3 + 2 N^2 m. Memory, accuracy, folds
    and sources: :doc:`/learning`.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler import learn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((500, 2))
    >>> codes, classes = learn.one_vs_all(X[:, 0] * X[:, 1] > 0)
    >>> phi = mehler.MaxoutFeatures.draw(2, 100, 4, seed=0)
    >>> fit = learn.ridge(phi, X, codes, lambdas=[1e-6, 1e-4, 1e-2])
    >>> new = rng.standard_normal((200, 2))
    >>> predicted = classes[fit.predict(new).argmax(axis=1)]
    >>> bool(np.mean(predicted == (new[:, 0] * new[:, 1] > 0)) > 0.9)
    True
    """
    require_flag("intercept", intercept)
    require_map(phi)
    lambdas = require_lambdas(lambdas)
    require_choice("scoring", scoring, SCORINGS)
    targets, flat = require_pair(X, Y), Y.ndim == 1
    weights = require_weights(X, weights)
    several, chunked = len(lambdas) > 1, _arrays.stays_lazy(X)
    fold_rows = None
    if folds is not None:
        if chunked:
            raise TypeError(
                "folds take rows in memory, and X is a Dask array: add the rows of each fold to a "
                "RidgeSums of its own, whose sums add up"
            )
        fold_rows = _rows_of_folds(folds, X.shape[0])
    elif several and X.shape[0] < 2:
        raise ValueError("X has 1 row, which cannot be left out; give at least 2")
    if not chunked:
        features = Features(phi, X, targets, weights, flat=flat)
        return fit(features, fold_rows, lambdas, scoring, intercept)
    sums = RidgeSums(phi).add(X, Y, weights)
    path = sums.path(lambdas, intercept, overwrite=True, decompose=several)
    if not several:
        return path.fit(0)
    columns = (targets,) if weights is None else (targets, weights)

    def of_chunk(x: Array, y: Array, w: Array = None) -> NDArray[np.float64]:
        return leave_one_out(path, scoring, Features(path.phi, x, y, w))

    return _best_fit(path, np.asarray(_arrays.sum_over_chunks(of_chunk, X, *columns)))


def fit(
    features: Features,
    folds: list[NDArray[np.int64]] | None,
    lambdas: tuple[float, ...],
    scoring: Scoring,
    intercept: bool,
) -> RidgeFit:
    """Fit rows in memory, SciPy's sparse ones too; `folds` are the rows of each fold, or None."""
    if not features.total():
        raise ValueError("weights are 0 on all rows")
    if folds is not None:
        return _by_folds(features, folds, lambdas, scoring, intercept)
    several = len(lambdas) > 1
    if features.x.shape[0] < features.n_features:
        path = solve_rows(features, lambdas, intercept)
    else:
        sums = RidgeSums(features.phi).add_features(features)
        path = sums.path(lambdas, intercept, overwrite=True, decompose=several)
    return _best_fit(path, leave_one_out(path, scoring, features)) if several else path.fit(0)


def _best_fit(path: Path, totals: NDArray[np.float64]) -> RidgeFit:
    """Return the fit of the lambda with the least leave-one-out error, from sums of errors."""
    errors = totals / path.n_rows
    return path.fit(best(path.lambdas, errors), errors)


def _by_folds(
    features: Features,
    folds: list[NDArray[np.int64]],
    lambdas: tuple[float, ...],
    scoring: Scoring,
    intercept: bool,
) -> RidgeFit:
    """Fit without each fold, by sums of the other folds, or by rows if fewer than features."""
    rows = np.arange(features.x.shape[0])
    if len(rows) < features.n_features:

        def solve(lambdas: tuple[float, ...], fold: int | None) -> Path:
            rest = rows if fold is None else np.setdiff1d(rows, folds[fold])
            return replace(solve_rows(features, lambdas, intercept, rest), spectrum=None)

    else:
        rest = np.setdiff1d(rows, np.concatenate(folds))
        parts = [RidgeSums(features.phi).add_features(features, fold) for fold in (*folds, rest)]

        def solve(lambdas: tuple[float, ...], fold: int | None) -> Path:
            return solve_parts(parts, lambdas, intercept, without=fold)

    paths = [solve(lambdas, k) for k in range(len(folds))]
    totals = [features.total(fold) for fold in folds]
    if not all(totals):
        raise ValueError("weights are 0 on all rows of a fold")
    errors = [
        hold_out(path, scoring, features, fold) / total
        for path, fold, total in zip(paths, folds, totals, strict=True)
    ]
    mean = np.mean(errors, axis=0)
    path = solve((lambdas[best(lambdas, mean)],), None)
    return replace(path.fit(0), lambdas=lambdas, errors=mean)


def _rows_of_folds(folds: Array, n: int) -> list[NDArray[np.int64]]:
    """Return the rows of each fold; -1 marks rows that are always fitted."""
    numbers = host_reals("folds", folds)
    if numbers.shape != (n,) or np.any((numbers != np.round(numbers)) | (numbers < -1)):
        what = f"{n} integers, the fold of each row of X, or -1 for rows that are never held out"
        raise ValueError(f"folds must be {what}, not an array of shape {numbers.shape}")
    rows = [np.flatnonzero(numbers == fold) for fold in np.unique(numbers[numbers >= 0])]
    if not rows or len(rows[0]) == n:
        raise ValueError("folds must hold out some rows, and leave some to fit")
    return rows


def one_vs_all(labels: Array, classes: Any = None) -> tuple[Array, Any]:
    """Encode labels one-vs-all: +1 in the column of the class, -1 elsewhere, as GURLS does.

    Parameters
    ----------
    labels : array, shape (n,)
        Integers of any library (a Dask array stays lazy, but is read once if `classes` is not
        given), or anything sortable in NumPy, such as strings.
    classes : array-like, shape (k,), optional
        The classes in the order of the columns; default those found, sorted.

    Returns
    -------
    codes : array, shape (n, k)
        -1 and +1 in the default float of their library, on the device of `labels`.
    classes : numpy.ndarray, shape (k,)
        ``classes[argmax]`` turns the largest column back into a label.

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
        raise ValueError(f"labels have shape {tuple(labels.shape)}, not (rows,): give one per row")
    if labels.shape[0] == 0:
        raise ValueError("labels are empty: give one per row")
    chunked, lazy = _arrays.stays_lazy(labels), _arrays.is_lazy(labels)
    if lazy and classes is None and not chunked:
        raise TypeError("labels are traced by jax.jit, so their classes are unknown: give classes")
    present = np.asarray(classes)
    if chunked and classes is None:
        counts = _arrays.sum_over_chunks(_counts, labels)
        present = np.array(sorted(counts), dtype=labels.dtype)
    elif not lazy:
        present = np.unique(_arrays.to_host(labels))
    if present.dtype.kind == "f" and not np.all(np.isfinite(present)):
        raise ValueError("labels hold NaN or infinity; drop such rows first")
    classes = present if classes is None else np.asarray(classes)
    if classes.ndim != 1 or len(np.unique(classes)) != len(classes):
        raise ValueError("classes must be a vector without repeats")
    # np.isin would equate 1 and "1".
    names = set(classes.tolist())
    for label in present.tolist():
        if label not in names:
            raise ValueError(f"labels hold {label!r}, which is not among the classes")
    place = _arrays.place_of(labels)
    match = labels[:, None] == _arrays.from_host(classes, place)[None, :]
    return 2.0 * xp.astype(match, _arrays.resolve_dtype(None, xp, place.device)) - 1.0, classes


def _counts(labels: Array) -> Counter[Any]:
    return Counter(np.unique(_arrays.to_host(labels)).tolist())
