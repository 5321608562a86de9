"""Ridge regression on features that are never stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_choice, require_flag
from mehler.learn._arguments import SCORINGS, SOLVERS, require_lambdas, require_map, require_pair
from mehler.learn._ridge._cross_validate import cross_validate
from mehler.learn._ridge._dual import is_wide, solve_dual
from mehler.learn._ridge._fit import RidgeFit
from mehler.learn._ridge._path import HeldOut, LeftOut, best
from mehler.learn._ridge._sums import RidgeSums


def ridge(
    phi: Callable[[Array], Array],
    X: Array,
    Y: Array,
    *,
    lambdas: Any,
    choose: Literal["leave-one-out", "hold-out", "folds"] = "leave-one-out",
    holdout: tuple[Array, Array] | None = None,
    folds: Any = None,
    scoring: Literal["mse", "error_rate"] = "mse",
    intercept: bool = True,
    solver: Literal["auto", "eigen", "direct"] = "auto",
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
        Regularisation, each above 0.
    choose : {"leave-one-out", "hold-out", "folds"}, optional
        Errors by which one of several lambdas is chosen.
    holdout : (array, array), optional
        Rows and targets for "hold-out".
    folds : array-like of int, shape (n,), optional
        Fold of each row, for "folds"; see :func:`folds`. :func:`cross_validate` does the same and
        returns the errors of each fold too.
    scoring : {"mse", "error_rate"}, optional
        Criterion: the mean squared error over rows and targets, or the misclassification rate
        (argmax, or sign for one column). Ties go to the largest lambda.
    intercept : bool, optional
        Fit b; else it is 0.
    solver : {"auto", "eigen", "direct"}, optional
        One eigendecomposition of the Gram for all lambdas, or one factorisation per lambda
        (Cholesky, in place on NumPy). "auto" decomposes for "leave-one-out", which needs it, and
        for several lambdas up to 2048 features. With fewer rows than features both "auto" and
        "eigen" decompose the matrix of the rows' inner products instead (not for Dask).

    Returns
    -------
    RidgeFit
        The chosen function; `errors` has the error of each lambda.

    See Also
    --------
    RidgeSums : Streams and distributed data.
    cross_validate : Errors of each fold.

    Notes
    -----
    Leave-one-out errors are exact. For the function fitted to the other rows with the same penalty
    :math:`N\lambda|W|^2` the error on row i is

    .. math:: \frac{y_i - f(x_i)}{1 - h_i}, \qquad
              h_i = \frac1N + (z_i - \bar z)^\top (G + N\lambda)^{-1} (z_i - \bar z),

    in a second pass over the rows, for all lambdas at once. Digits are lost if 1 - h is small:
    with fewer rows than features and lambda N near rounding.

    Cost: m^2 N operations for the Gram and about 9 m^3 to decompose it (m^3/3 for one Cholesky),
    another 2 m^2 N for leave-one-out. Memory: two m x m matrices of float64, whatever k is, and a
    few blocks; only `X` grows with N. With N < m: about 9 N^3 + 2 N^2 m operations and a few N x m
    matrices. See :class:`RidgeSums` for the accuracy of float32.

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
    >>> found = classes[fit.predict(new).argmax(axis=1)]
    >>> bool(np.mean(found == (new[:, 0] * new[:, 1] > 0)) > 0.9)
    True
    """
    require_flag("intercept", intercept)
    require_map(phi)
    path_of = require_lambdas(lambdas)
    require_choice("choose", choose, ("leave-one-out", "hold-out", "folds"))
    require_choice("scoring", scoring, SCORINGS)
    require_choice("solver", solver, SOLVERS)
    if (folds is not None) != (choose == "folds"):
        raise ValueError(
            "folds= and choose='folds' go together: give the fold of each row, as "
            "learn.folds(n_rows, n_folds, seed=0) does"
        )
    if choose == "folds":
        _refuse_holdout(holdout, choose)
        found = cross_validate(
            phi, X, Y, folds, lambdas=path_of, scoring=scoring, intercept=intercept, solver=solver
        )
        return found.fit
    targets = require_pair(X, Y)
    leaves = choose == "leave-one-out"
    if leaves:
        _require_leaving(holdout, solver, X)
        solver = "eigen"
        rows, off = X, targets
    else:
        rows, off = _held_out(holdout, Y)
    if solver != "direct" and is_wide(phi, X):
        path = solve_dual(phi, X, Y, path_of, intercept)
    else:
        path = RidgeSums(phi).add(X, Y)._path(path_of, intercept, solver, overwrite=True)
    summed = LeftOut(phi, path, scoring) if leaves else HeldOut(phi, path, scoring)
    errors = _over(summed, rows, off) / rows.shape[0]
    return path.fit(best(path.lambdas, errors), errors)


def _over(function: Callable[[Array, Array], Any], x: Array, y: Array) -> Any:
    if _arrays.is_chunked(x):
        return np.asarray(_arrays.sum_over_chunks(function, x, y))
    return np.asarray(function(x, y))


def _require_leaving(holdout: Any, solver: str, x: Array) -> None:
    _refuse_holdout(holdout, "leave-one-out")
    if solver == "direct":
        raise ValueError(
            "solver='direct' has no leverages to leave rows out by; use choose='hold-out', or "
            "solver='eigen'"
        )
    if x.shape[0] < 2:
        raise ValueError("X has 1 row, which cannot be left out; give at least 2")


def _refuse_holdout(holdout: Any, choose: str) -> None:
    if holdout is not None:
        raise ValueError(f"holdout= is given, but choose={choose!r}: say choose='hold-out'")


def _held_out(holdout: Any, y: Array) -> tuple[Array, Array]:
    if not isinstance(holdout, tuple) or len(holdout) != 2:
        raise ValueError("choose='hold-out' needs holdout=(X, Y), the rows and targets held out")
    rows, given = holdout
    off = require_pair(rows, given, ("holdout[0]", "holdout[1]"))
    if given.ndim != y.ndim or tuple(given.shape[1:]) != tuple(y.shape[1:]):
        raise ValueError(
            f"holdout[1] has shape {tuple(given.shape)} but Y {tuple(y.shape)}; give as many "
            "targets"
        )
    return rows, off
