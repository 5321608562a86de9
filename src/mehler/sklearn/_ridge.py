"""Ridge regression on random features."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from mehler import learn
from mehler.sklearn import _inputs
from mehler.sklearn._ridge_base import LAMBDAS, FeatureRidge


class RandomFeatureRidge(MultiOutputMixin, RegressorMixin, FeatureRidge):
    r"""Ridge regression on random features: `mehler.learn.ridge` as a regressor.

    .. math:: \min_{w, b} \frac1N \sum_{i=1}^N \big(w^\top\phi(x_i) + b - y_i\big)^2
              + \lambda\,|w|^2

    Features are made block by block and never held whole, so that memory grows with their number
    and not with the rows; lambda is chosen by the exact leave-one-out error, by rows held out or
    by folds. `partial_fit` takes rows in chunks, of which none is kept.

    Parameters
    ----------
    features : sampler of this module, default=None
        What the features are. Default ``MaxoutSampler()``. Its parameters are searched over as
        ``features__n_components`` and so on.
    lambdas : float or sequence of float, default=(1e-8, 1e-7, ..., 1.0)
        Candidates, each above 0. The `alpha` of `sklearn.linear_model.Ridge` is N lambda. If there
        is only one, nothing is left out and the fit is cheaper.
    cv : int, splitter, iterable or None, default=None
        What lambda is chosen by: None leaves each row out once, exactly, from the one fit;
        otherwise scikit-learn's splits: a number of folds, ``ShuffleSplit(1, test_size=0.2)`` for
        rows held out, or pairs of indices. The rows of all splits are fitted again at the end.
        `partial_fit` takes a number of folds, None being 5.
    fit_intercept : bool, default=True
        Whether there is a b, which is not penalised.
    random_state : int, RandomState, Generator or None, default=None
        An integer is the seed of features whose own `random_state` is None.

    Attributes
    ----------
    features_ : sampler
        The fitted features, with ``features_.map_``.
    coef_ : array, shape (n_components,) or (n_targets, n_components)
        w.
    intercept_ : float, or array of shape (n_targets,)
        b.
    lambda_ : float
        The lambda that was chosen.
    errors_ : tuple of float or None
        For each of `lambdas` the mean squared error on rows held out: mean over rows for None,
        over splits for `cv`.
    n_features_in_ : int
        Width of the rows.
    feature_names_in_ : array of str
        Names of the columns, if `X` had any.

    Notes
    -----
    Where `features` look at targets, leaving a row out does not take it from their choice, and
    `errors_` are too small.

    After `partial_fit` the estimator has the sums of the rows so far, m^2 numbers of float64 for
    each fold and one set if there is one lambda, in its pickles too; `fit` keeps none.
    Coefficients are solved for when they, or a prediction, are first asked for after new rows.

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

    def __init__(
        self,
        *,
        features: Any = None,
        lambdas: Any = LAMBDAS,
        cv: Any = None,
        fit_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self.features = features
        self.lambdas = lambdas
        self.cv = cv
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> RandomFeatureRidge:
        """Draw the features, and solve.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            Rows, at least 2.
        y : array-like, shape (n_samples,) or (n_samples, n_targets)
            Targets.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If `X` or `y` is not as above, or a parameter is out of range.
        """
        x, targets = _inputs.rows_and_labels(self, X, y, multi_output=True, y_numeric=True)
        wide = np.asarray(targets, dtype=np.float64)
        self._solve(x, _columns(wide), wide, "mse")
        return self

    def partial_fit(self, X: Any, y: Any) -> RandomFeatureRidge:
        """Take a chunk of rows, of which sums are kept; features are drawn for the first chunk.

        The function is that of `fit` on all rows so far, in any order and any chunks, within the
        rounding of sums (:class:`mehler.learn.RidgeSums`). Among several lambdas it is chosen by
        squared errors on folds, to which rows are dealt by turns: row i of all to fold i modulo
        `cv`, as by ``fit`` with ``cv=PredefinedSplit(np.arange(n) % 5)``.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            Rows, at least 1. Features that look at rows or targets see those of the first chunk.
        y : array-like, shape (n_samples,) or (n_samples, n_targets)
            Targets, of one shape in all chunks.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If `X` or `y` is not as above or does not fit the chunks before, or a parameter is out
            of range. At a prediction, if there are several lambdas but one row so far.

        Warns
        -----
        UserWarning
            If the estimator was fitted by `fit`, which keeps no sums: it begins again.
        """
        checks = {"multi_output": True, "y_numeric": True, "reset": self._begins()}
        x, targets = _inputs.rows_and_labels(self, X, y, least=1, **checks)
        wide = np.asarray(targets, dtype=np.float64)
        self._take(x, _columns(wide), wide)
        return self

    def predict(self, X: Any) -> Any:
        """Return the values of rows.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array, shape (n_samples,) or (n_samples, n_targets)
            Values, as `y` was given.

        Raises
        ------
        sklearn.exceptions.NotFittedError, TypeError, ValueError
            If nothing was fitted, or `X` is not such a matrix, or lives elsewhere than what was
            fitted.
        """
        values = self._values(X, "predict")
        return values if self.coef_.ndim == 2 else values[:, 0]

    def _keep(self, fit: learn.RidgeFit, *, flat: bool) -> None:
        super()._keep(fit, flat=flat)
        if flat:
            self.coef_, self.intercept_ = self.coef_[0, :], self.intercept_[0]


def _columns(targets: Any) -> Any:
    return targets if targets.ndim == 2 else targets[:, None]
