"""Cross-validation of a path of lambdas, on features that are never stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from mehler._arrays import Array
from mehler._validate import require_choice, require_flag, require_iterable
from mehler.learn._arguments import SCORINGS, SOLVERS, require_lambdas, require_map, require_pair
from mehler.learn._folds import require_folds
from mehler.learn._ridge._fit import RidgeFit
from mehler.learn._ridge._fold_sums import (
    How,
    errors_over_rows,
    errors_over_sums,
    solved,
    without_each,
)
from mehler.learn._ridge._path import Path, best
from mehler.learn._ridge._sums import RidgeSums


@dataclass(frozen=True, kw_only=True, eq=False)
class CrossValidation:
    """Cross-validated errors, and the function with the least.

    Returned by :func:`mehler.learn.cross_validate` or :func:`mehler.learn.cross_validate_sums`.

    Parameters
    ----------
    lambdas : tuple of float, length l
        All lambdas.
    errors : numpy.ndarray, shape (k, l)
        Mean error on the rows of each fold, for each lambda, fitted to the other rows.
    sizes : numpy.ndarray, shape (k,)
        Number of rows of each fold.
    fit : RidgeFit
        Fit to all rows with the lambda of the least mean error; `fit.errors` is `mean`.

    See Also
    --------
    cross_validate : Compute it from rows.
    cross_validate_sums : Compute it from sums.
    """

    lambdas: tuple[float, ...]
    errors: Any = field(repr=False)
    sizes: Any
    fit: RidgeFit

    @property
    def mean(self) -> Any:
        """Mean over folds of the errors of each lambda, (l,), unweighted as in scikit-learn."""
        return self.errors.mean(axis=0)

    @property
    def standard_error(self) -> Any:
        """Standard deviation over folds, over the root of their number, (l,).

        A rough measure: the fits of two folds share rows. NaN of a single fold.
        """
        k, n_lambdas = self.errors.shape
        if k == 1:
            return np.full(n_lambdas, np.nan)
        return self.errors.std(axis=0, ddof=1) / k**0.5


def cross_validate(
    phi: Callable[[Array], Array],
    X: Array,
    Y: Array,
    folds: Any,
    *,
    lambdas: Any,
    scoring: Literal["mse", "error_rate"] = "mse",
    intercept: bool = True,
    solver: Literal["auto", "eigen", "direct"] = "auto",
) -> CrossValidation:
    """Cross-validate ridge regression for a path of lambdas.

    Each row is transformed twice, whatever the number of folds: once for the sums of its fold
    (:class:`RidgeSums`), since the sums of the other folds give the fit without it; and once for
    its error. Features are never stored.

    Parameters
    ----------
    phi : callable
        A map of mehler, or any function from rows (n, d) to features (n, m).
    X : array, shape (n, d)
        Rows that `phi` takes, of any library; a Dask array is read twice, chunk by chunk.
    Y : array, shape (n,) or (n, t)
        Real targets beside `X`; for classes the codes of :func:`one_vs_all`.
    folds : array-like of int, shape (n,)
        The fold of each row: from :func:`folds`, or your own numbers. Rows with -1 are never held
        out, so that 0 and -1 are a single hold-out.
    lambdas : float or sequence of float, length l
        Each above 0. The penalty is N lambda with N the number of rows fitted, here as in
        :func:`ridge`: scikit-learn's ``alpha`` of a fold is that product.
    scoring : {"mse", "error_rate"}, optional
        As in :func:`ridge`. Ties go to the largest lambda.
    intercept : bool, optional
        Fit an intercept, which is not penalised.
    solver : {"auto", "eigen", "direct"}, optional
        As in :func:`ridge`.

    Returns
    -------
    CrossValidation
        Errors of each fold, and the function fitted to all rows.

    See Also
    --------
    folds : Assign rows to folds.
    ridge : Fit with one lambda, or choose it.

    Notes
    -----
    If `phi` was selected using these rows or targets, the errors are optimistic: the selection saw
    the held-out rows.

    Cost: m^2 N operations for the sums, and for each fold one decomposition (9 m^3) or a Cholesky
    factorisation per lambda (m^3/3). Memory: k + 3 matrices of m x m float64; with Dask k per
    active chunk. With fewer rows than features, their inner products are decomposed for each fold
    instead, and rows are transformed k + 1 times (not for Dask).

    References
    ----------
    Tacchetti, Mallapragada, Santoro, Rosasco (2013), GURLS.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler import learn
    >>> X = np.random.default_rng(0).standard_normal((400, 2))
    >>> phi = mehler.FourierFeatures.draw(2, 100, gamma=0.5, seed=0)
    >>> dealt = learn.folds(400, 5, seed=0)
    >>> found = learn.cross_validate(phi, X, np.sin(X[:, 0]), dealt, lambdas=[1e-6, 1e-3, 1.0])
    >>> found.errors.shape, found.fit.lam
    ((5, 3), 1e-06)
    """
    require_flag("intercept", intercept)
    require_map(phi)
    path_of = require_lambdas(lambdas)
    require_choice("scoring", scoring, SCORINGS)
    require_choice("solver", solver, SOLVERS)
    targets = require_pair(X, Y)
    numbers, n_folds = require_folds(folds, X.shape[0])
    how = How(lambdas=path_of, intercept=intercept, solver=solver)
    paths, whole = without_each(phi, X, targets, Y.ndim == 1, numbers, n_folds, how)
    total = errors_over_rows(phi, paths, X, targets, numbers, scoring)
    return _result(total, np.bincount(numbers)[:n_folds], path_of, whole)


def cross_validate_sums(
    parts: Sequence[RidgeSums],
    *,
    lambdas: Any,
    intercept: bool = True,
    solver: Literal["auto", "eigen", "direct"] = "auto",
) -> CrossValidation:
    r"""Cross-validate ridge regression over parts of the data, from their sums alone.

    Rows are not needed: parts can be folds of a stream, machines, or hospitals that share sums but
    not rows. The squared error of a part under a function fitted to the others is

    .. math:: \sum_{i} |y_i - f(x_i)|^2 = s - 2\langle W, r\rangle + \langle W, G W\rangle
              + n\,|\bar y - f(\bar z)|^2

    with the part's own sums and :math:`s = \sum_i |y_i - \bar y|^2`.

    Parameters
    ----------
    parts : sequence of RidgeSums
        Sums of at least 2 parts, each with rows, of one map.
    lambdas : float or sequence of float, length l
        As in :func:`cross_validate`.
    intercept : bool, optional
        As in :func:`cross_validate`.
    solver : {"auto", "eigen", "direct"}, optional
        As in :func:`ridge`.

    Returns
    -------
    CrossValidation
        Errors of each part, and the function fitted to all of them. The parts are not changed.

    Raises
    ------
    TypeError, ValueError
        If `parts` are not such sums, do not fit each other, or an argument is out of range.

    See Also
    --------
    RidgeSums : Sums of one part.
    cross_validate : The same from rows.

    Notes
    -----
    Errors are means over rows and targets. Their rounding is relative to the targets' variance,
    not to the error: about 1e-13 of it for float64 features and 1e-6 for float32. The error rate
    needs rows: see :func:`cross_validate`.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler import learn
    >>> X = np.random.default_rng(0).standard_normal((400, 2))
    >>> phi = mehler.FourierFeatures.draw(2, 100, gamma=0.5, seed=0)
    >>> parts = [learn.RidgeSums(phi).add(x, np.sin(x[:, 0])) for x in np.array_split(X, 5)]
    >>> found = learn.cross_validate_sums(parts, lambdas=[1e-6, 1e-3, 1.0])
    >>> found.errors.shape, found.fit.lam
    ((5, 3), 1e-06)
    """
    require_flag("intercept", intercept)
    path_of = require_lambdas(lambdas)
    require_choice("solver", solver, SOLVERS)
    given = require_iterable("parts", parts)
    for i, part in enumerate(given):
        if not isinstance(part, RidgeSums):
            raise TypeError(f"parts[{i}] is {type(part).__name__}; give learn.RidgeSums")
        if not part.n_rows:
            raise ValueError(f"parts[{i}] has no rows; leave it out")
    if len(given) < 2:
        raise ValueError("parts must be at least 2, so that one can be held out")
    how = How(lambdas=path_of, intercept=intercept, solver=solver)
    total = np.stack(
        [errors_over_sums(solved(given, how, without=i), part) for i, part in enumerate(given)]
    )

    def whole(lam: float) -> Path:
        return solved(given, replace(how, lambdas=(lam,)))

    return _result(total, np.asarray([part.n_rows for part in given]), path_of, whole)


def _result(
    total: Any, sizes: Any, lambdas: tuple[float, ...], whole: Callable[[float], Path]
) -> CrossValidation:
    errors = total / sizes[:, None]
    mean = errors.mean(axis=0)
    fit = whole(lambdas[best(lambdas, mean)]).fit(0)
    return CrossValidation(
        lambdas=lambdas, errors=errors, sizes=sizes, fit=replace(fit, lambdas=lambdas, errors=mean)
    )
