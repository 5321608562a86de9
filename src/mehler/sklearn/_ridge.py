"""Ridge regression on random features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mehler import learn
from mehler.sklearn import _inputs
from mehler.sklearn._ridge_base import LAMBDAS, FeatureRidge

if TYPE_CHECKING:
    from mehler.sklearn._typed import MultiOutputMixin, RegressorMixin
else:
    from sklearn.base import MultiOutputMixin, RegressorMixin


@dataclass(kw_only=True, eq=False, repr=False)
class RandomFeatureRidge(MultiOutputMixin, RegressorMixin, FeatureRidge):
    r"""Ridge regression on random features: `mehler.learn.ridge` as a regressor.

    .. math:: \min_{w, b} \frac1N \sum_{i=1}^N \big(w^\top\phi(x_i) + b - y_i\big)^2
              + \lambda\,|w|^2

    Features are computed block by block and never stored in full, so memory does not grow with the
    number of rows. Lambda minimises the exact leave-one-out error, a hold-out error or the error
    over folds. `partial_fit` takes rows in chunks and keeps none.

    Parameters
    ----------
    features : sampler of this module, default=None
        The feature map. Default ``MaxoutSampler()``. Its parameters are searched over as
        ``features__n_components`` and so on.
    lambdas : float or sequence of float, default=(1e-8, 1e-7, ..., 1.0)
        Candidates for lambda, each above 0. The `alpha` of `sklearn.linear_model.Ridge` is
        N lambda. A single candidate needs no validation and is cheaper to fit.
    cv : int, splitter, iterable or None, default=None
        Validation scheme for lambda. None is the exact leave-one-out error, from a single fit;
        otherwise scikit-learn's splits: a number of folds, ``ShuffleSplit(1, test_size=0.2)`` for
        a hold-out, or pairs of indices. All rows are fitted again at the end. `partial_fit` takes
        a number of folds, 5 by default.
    fit_intercept : bool, default=True
        Whether to fit an intercept b, which is not penalised.
    random_state : int, RandomState, Generator or None, default=None
        Source of the seed of features whose own `random_state` is None.

    Attributes
    ----------
    features_ : sampler
        The fitted features, with ``features_.map_``.
    coef_ : array, shape (n_components,) or (n_targets, n_components)
        Weights w.
    intercept_ : float, or array of shape (n_targets,)
        Intercept b.
    lambda_ : float
        The selected lambda.
    errors_ : tuple of float or None
        The mean squared validation error for each of `lambdas`: mean over rows for leave-one-out,
        over splits for `cv`.

    See Also
    --------
    RandomFeatureRidgeClassifier : The same for classification.
    mehler.learn.ridge : The function behind it.

    Notes
    -----
    If features are selected using y, leave-one-out errors are optimistic: selection saw the
    held-out row.

    After `partial_fit` the estimator, and its pickles, contain the sums of all rows so far: m^2
    numbers of float64 per fold, or one set for a single lambda. `fit` keeps none. Coefficients are
    computed when they, or predictions, are first requested after new rows.

    References
    ----------
    Rifkin, Lippert (2007), Notes on regularized least squares.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.sklearn import FourierSampler, RandomFeatureRidge
    >>> x = np.random.default_rng(0).standard_normal((300, 2))
    >>> model = RandomFeatureRidge(features=FourierSampler(gamma=0.5), random_state=0)
    >>> bool(model.fit(x[:200], np.sin(x[:200, 0])).score(x[200:], np.sin(x[200:, 0])) > 0.95)
    True
    """

    features: Any = None
    lambdas: Any = LAMBDAS
    cv: Any = None
    fit_intercept: bool = True
    random_state: Any = None

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        x, targets = _inputs.rows_and_labels(self, X, y, multi_output=True, y_numeric=True)
        wide = np.asarray(targets, dtype=np.float64)
        self._solve(x, _columns(wide), wide, "mse", _inputs.weights_of(sample_weight, x))

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> RandomFeatureRidge:
        """Add a chunk of rows to the sums; the first chunk draws the features.

        The result is that of `fit` on all rows so far, in any order and any chunks, up to the
        rounding of sums (:class:`mehler.learn.RidgeSums`). Among several candidates lambda
        minimises the squared error over folds: row i belongs to fold i modulo `cv`, as for ``fit``
        with ``cv=PredefinedSplit(np.arange(n) % 5)``.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_samples, n_features)
            Rows, at least 1. Features that depend on rows or targets use those of the first chunk.
        y : array-like, shape (n_samples,) or (n_samples, n_targets)
            Targets, of one shape in all chunks.
        sample_weight : array-like, shape (n_samples,), or number, optional
            Weights of the rows, as for `fit`.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If `X` or `y` is not as above or inconsistent with earlier chunks, or a parameter is
            out of range. On prediction, if there are several lambdas but only one row so far.

        Warns
        -----
        UserWarning
            If the estimator was fitted by `fit`, which keeps no sums: it starts afresh.
        """
        checks = {"multi_output": True, "y_numeric": True, "reset": self._begins()}
        x, targets = _inputs.rows_and_labels(self, X, y, least=1, **checks)
        wide = np.asarray(targets, dtype=np.float64)
        self._take(x, _columns(wide), wide, _inputs.weights_of(sample_weight, x))
        return self

    def predict(self, X: Any) -> Any:
        """Predict the targets of rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array, shape (n_samples,) or (n_samples, n_targets)
            Predictions, shaped like `y`.

        Raises
        ------
        sklearn.exceptions.NotFittedError, TypeError, ValueError
            If the estimator is not fitted, or `X` is not such a matrix, or on another device than
            the fitted map.
        """
        values = self._values(X, "predict")
        return values if self.coef_.ndim == 2 else values[:, 0]

    def _keep(self, fit: learn.RidgeFit, *, flat: bool) -> None:
        super()._keep(fit, flat=flat)
        if flat:
            self.coef_, self.intercept_ = self.coef_[0, :], self.intercept_[0]


def _columns(targets: Any) -> Any:
    return targets if targets.ndim == 2 else targets[:, None]
