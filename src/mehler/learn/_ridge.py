"""Ridge regression on features that are never stored, and codes of classes for it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_choice, require_flag
from mehler.learn._features import (
    SCORINGS,
    SOLVERS,
    Features,
    Scoring,
    Solver,
    host_reals,
    require_lambdas,
    require_map,
    require_pair,
    require_weights,
)
from mehler.learn._path import Path, RidgeFit, best, held_out, left_out, solve_dual
from mehler.learn._sums import RidgeSums, solved

Choice: TypeAlias = Literal["leave-one-out", "hold-out", "folds"]


def ridge(
    phi: Callable[[Array], Array],
    X: Array,
    Y: Array,
    *,
    lambdas: Any,
    choose: Choice | None = None,
    holdout: tuple[Array, Array] | None = None,
    folds: Any = None,
    scoring: Scoring = "mse",
    intercept: bool = True,
    weights: Array | None = None,
    solver: Solver = "auto",
) -> RidgeFit:
    r"""Fit ridge regression on the features of a map, with a choice of lambda.

    .. math:: \min_{W, b} \frac1N \sum_{i=1}^N \big|W^\top\phi(x_i) + b - y_i\big|^2
              + \lambda\,|W|^2

    Note the 1/N: this is the lambda of GURLS and of the papers; scikit-learn's ``alpha`` is
    :math:`N\lambda`. The intercept b is not penalised. Features are computed block by block,
    accumulated (:class:`RidgeSums`), and never stored.

    Parameters
    ----------
    phi : callable
        A map of mehler, or any function from rows (n, d) to features (n, m).
    X : array, shape (n, d)
        Rows that `phi` takes. NumPy, PyTorch, JAX, Dask (row chunks are summed in a tree), CuPy or
        another array API library.
    Y : array, shape (n,) or (n, t)
        Real targets beside `X`; for classes the codes of :func:`one_vs_all`.
    lambdas : float or sequence of float, length k
        Regularisation, each above 0. The penalty is N lambda with N the number of rows fitted.
    choose : {"leave-one-out", "hold-out", "folds"}, optional
        Errors by which one of several lambdas is chosen, by default "leave-one-out". One lambda
        has nothing to choose: errors, which need a decomposition, are computed if this asks.
    holdout : (array, array), optional
        Rows and targets for "hold-out".
    folds : array-like of int, shape (n,), optional
        Fold of each row, for "folds"; rows with -1 are never held out, so that 0 and -1 are a
        single hold-out. The error of a lambda is the mean over folds. scikit-learn's splitters,
        such as ``GroupKFold``, make folds.
    scoring : {"mse", "error_rate"}, optional
        Criterion: the mean squared error over rows and targets, or the misclassification rate
        (argmax, or sign for one column). Ties go to the largest lambda.
    intercept : bool, optional
        Fit b; else it is 0.
    weights : array, shape (n,), optional
        Weights of the rows, at least 0: a row of weight 2 counts as that row twice, in its own
        error too; N is their sum. A row of weight less than 1 is left out whole.
    solver : {"auto", "eigen", "direct"}, optional
        One eigendecomposition of the Gram for all lambdas, or one factorisation per lambda
        (Cholesky, in place on NumPy). "auto" decomposes for "leave-one-out", which needs it, and
        for several lambdas up to 2048 features. With fewer rows than features both "auto" and
        "eigen" decompose the matrix of the rows' inner products instead (not for Dask).

    Returns
    -------
    RidgeFit
        The chosen function; `errors` has the error of each lambda, if any was computed.

    See Also
    --------
    RidgeSums : Streams, distributed data, and errors of each part.

    Notes
    -----
    Leave-one-out errors are exact. For the function fitted to the other rows with the same penalty
    :math:`N\lambda|W|^2` the error on row i is

    .. math:: \frac{y_i - f(x_i)}{1 - h_i}, \qquad
              h_i = \frac1N + (z_i - \bar z)^\top (G + N\lambda)^{-1} (z_i - \bar z),

    in a second pass over the rows, for all lambdas at once, by a product in the dtype of the
    features, as predictions are. Digits are lost if 1 - h is small: with fewer rows than features
    and lambda N near rounding.

    If `phi` was chosen by these rows or targets, all these errors are too small.

    Cost: m^2 N operations for the Gram and about 9 m^3 to decompose it (m^3/3 for one Cholesky),
    another 2 m^2 N for leave-one-out. Memory: two m x m matrices of float64, whatever k is, and a
    few blocks; only `X` grows with N. With N < m: about 9 N^3 + 2 N^2 m operations and a few N x m
    matrices. Folds take a Gram each, k + 3 matrices in all, and a solution each; rows are
    transformed twice, whatever their number. See :class:`RidgeSums` for the accuracy of float32.

    References
    ----------
    Rifkin, Lippert (2007), Notes on regularized least squares; Tacchetti, Mallapragada, Santoro,
    Rosasco (2013), GURLS.

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
    path_of = require_lambdas(lambdas)
    require_choice("choose", choose, (*get_args(Choice), None))
    require_choice("scoring", scoring, SCORINGS)
    require_choice("solver", solver, SOLVERS)
    if (folds is not None) != (choose == "folds"):
        raise ValueError("folds= and choose='folds' go together: give the fold of each row")
    if holdout is not None and choose != "hold-out":
        raise ValueError(f"holdout= is given, but choose={choose!r}: say choose='hold-out'")
    if choose is None and len(path_of) > 1:
        choose = "leave-one-out"
    targets, flat = require_pair(X, Y), Y.ndim == 1
    weights = require_weights(X, weights)
    chunked = _arrays.is_chunked(X)
    held: Held = None
    if choose == "folds":
        if chunked:
            raise TypeError(
                "choose='folds' takes rows in memory, and X is a Dask array: add the rows of each "
                "fold to a RidgeSums of its own, and call RidgeSums.cross_validate"
            )
        held = _held_rows(folds, X.shape[0])
    elif choose == "hold-out":
        held = _held_out(holdout, Y)
    elif choose == "leave-one-out":
        _require_leaving(solver, X)
        solver, held = "eigen", True
    if not chunked:
        features = Features(phi, X, weights)
        return fit(features, targets, held, path_of, flat, scoring, intercept, solver)
    path = RidgeSums(phi).add(X, Y, weights).solved(path_of, intercept, solver, overwrite=True)
    own = (X, targets) if weights is None else (X, targets, weights)
    return _chosen(path, held, scoring, lambda: _errors(path, scoring, left_out, *own))


# True to leave each row out; rows, targets and perhaps weights held out; or the rows of folds.
Held: TypeAlias = Literal[True] | tuple[Array, ...] | list[NDArray[np.int64]] | None


def fit(
    features: Features,
    y: Array,
    held: Held,
    lambdas: tuple[float, ...],
    flat: bool,
    scoring: Scoring,
    intercept: bool,
    solver: Solver = "auto",
) -> RidgeFit:
    """Fit rows in memory, SciPy's sparse ones too, by checked arguments."""
    if not features.total():
        raise ValueError("weights are 0 on all rows")
    if isinstance(held, list):
        return _by_folds(features, y, flat, held, lambdas, scoring, intercept, solver)
    solver = "eigen" if held is True else solver
    if solver != "direct" and features.x.shape[0] < features.n_features:
        path = solve_dual(features, y, flat, lambdas, intercept, solver)
    else:
        sums = RidgeSums(features.phi).add_features(features, y, flat)
        path = sums.solved(lambdas, intercept, solver, overwrite=True)
    return _chosen(path, held, scoring, lambda: left_out(path, scoring, features, y))


def _chosen(path: Path, held: Held, scoring: Scoring, leave_out: Callable[[], Any]) -> RidgeFit:
    """Return the function of least error on rows held out, or on its own rows left out."""
    if held is None:
        return path.fit(0)
    if not isinstance(held, tuple):
        errors = leave_out() / path.n_rows
    else:
        total = held[0].shape[0] if len(held) == 2 else float(np.sum(_arrays.to_host(held[2])))
        if not total:
            raise ValueError("weights are 0 on all rows that are held out")
        errors = _errors(path, scoring, held_out, *held) / total
    return path.fit(best(path.lambdas, errors), errors)


def _errors(
    path: Path,
    scoring: Scoring,
    function: Callable[..., Any],
    x: Array,
    y: Array,
    weights: Array = None,
) -> Any:
    """Sum errors over rows whose features are still to be computed, of Dask chunk by chunk."""
    if not _arrays.is_chunked(x):
        return function(path, scoring, Features(path.phi, x, weights), y)
    of_chunk = functools.partial(_errors, path, scoring, function)
    others = (y,) if weights is None else (y, weights)
    return np.asarray(_arrays.sum_over_chunks(of_chunk, x, *others))


def _by_folds(
    features: Features,
    y: Array,
    flat: bool,
    held: list[NDArray[np.int64]],
    lambdas: tuple[float, ...],
    scoring: Scoring,
    intercept: bool,
    solver: Solver,
) -> RidgeFit:
    """Fit without each fold: from the sums of the other folds, or from the rows of few."""
    rows = np.arange(features.x.shape[0])
    if solver != "direct" and len(rows) < features.n_features:

        def solve(path_of: tuple[float, ...], fold: NDArray[np.int64]) -> Path:
            rest = np.setdiff1d(rows, fold)
            path = solve_dual(features, y, flat, path_of, intercept, solver, rest)
            return replace(path, spectrum=None)

        paths = [solve(lambdas, fold) for fold in held]
    else:
        never = np.setdiff1d(rows, np.concatenate(held))
        parts = [
            RidgeSums(features.phi).add_features(features, y, flat, fold) for fold in (*held, never)
        ]

        def solve(path_of: tuple[float, ...], fold: NDArray[np.int64]) -> Path:
            return solved(parts, path_of, intercept, solver)

        paths = [solved(parts, lambdas, intercept, solver, without=k) for k in range(len(held))]
    totals = [features.total(fold) for fold in held]
    if not all(totals):
        raise ValueError("weights are 0 on all rows of a fold")
    errors = [
        held_out(path, scoring, features, y, fold) / total
        for path, fold, total in zip(paths, held, totals, strict=True)
    ]
    mean = np.mean(errors, axis=0)
    chosen = solve((lambdas[best(lambdas, mean)],), rows[:0])
    return replace(chosen.fit(0), lambdas=lambdas, errors=mean)


def _held_rows(folds: Any, n: int) -> list[NDArray[np.int64]]:
    """Return the rows of each fold; -1 marks rows that are always fitted."""
    numbers = host_reals("folds", folds)
    if numbers.shape != (n,) or np.any((numbers != np.round(numbers)) | (numbers < -1)):
        raise ValueError(
            f"folds must be {n} integers, the fold of each row of X, or -1 for rows that are never "
            f"held out, not an array of shape {numbers.shape}"
        )
    held = [np.flatnonzero(numbers == fold) for fold in np.unique(numbers[numbers >= 0])]
    if not held or len(held[0]) == n:
        raise ValueError("folds must hold out some rows, and leave some to fit")
    return held


def _require_leaving(solver: Solver, x: Array) -> None:
    if solver == "direct":
        raise ValueError(
            "solver='direct' has no leverages to leave rows out by; use choose='hold-out', or "
            "solver='eigen'"
        )
    if x.shape[0] < 2:
        raise ValueError("X has 1 row, which cannot be left out; give at least 2")


def _held_out(holdout: Any, y: Array) -> tuple[Array, Array]:
    if not isinstance(holdout, tuple) or len(holdout) != 2:
        raise ValueError("choose='hold-out' needs holdout=(X, Y), the rows and targets held out")
    rows, others = holdout
    targets = require_pair(rows, others, ("holdout[0]", "holdout[1]"))
    if others.ndim != y.ndim or tuple(others.shape[1:]) != tuple(y.shape[1:]):
        raise ValueError(
            f"holdout[1] has shape {tuple(others.shape)} but Y {tuple(y.shape)}; give as many "
            "targets"
        )
    return rows, targets


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
    present: Any = None
    if classes is None or not _arrays.is_lazy(labels):
        chunked = _arrays.is_chunked(labels)
        distinct = _arrays.sum_over_chunks(_Classes, labels) if chunked else _Classes(labels)
        present = distinct.values
        if present.dtype.kind == "f" and not np.all(np.isfinite(present)):
            raise ValueError("labels hold NaN or infinity; drop such rows first")
    chosen = present if classes is None else np.asarray(classes)
    if chosen.ndim != 1 or len(np.unique(chosen)) != len(chosen):
        raise ValueError("classes must be a vector without repeats")
    if present is not None:
        # np.isin would equate 1 and "1".
        allowed = set(chosen.tolist())
        for label in present.tolist():
            if label not in allowed:
                raise ValueError(f"labels hold {label!r}, which is not among the classes")
    columns = _arrays.from_host(chosen, _arrays.place_of(labels))
    hit = labels[:, None] == columns[None, :]
    if home is not None:
        hit, xp = home.xp.asarray(hit, device=home.device), home.xp
    place = _arrays.place_of(hit)
    return 2.0 * xp.astype(hit, _arrays.resolve_dtype(None, xp, place.device)) - 1.0, chosen


class _Classes:
    """The distinct labels of some rows; ``+`` is the union."""

    def __init__(self, labels: Array) -> None:
        self.values = np.unique(_arrays.to_host(labels))

    def __add__(self, other: _Classes) -> _Classes:
        return _Classes(np.concatenate([self.values, other.values]))
