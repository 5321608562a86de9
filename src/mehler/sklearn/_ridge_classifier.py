"""Ridge classification on random features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from mehler import _arrays, learn
from mehler._validate import choice
from mehler.learn._arguments import SCORINGS
from mehler.sklearn import _inputs
from mehler.sklearn._ridge_base import LAMBDAS, FeatureRidge


class RandomFeatureRidgeClassifier(ClassifierMixin, FeatureRidge):
    r"""Ridge classification on random features: `mehler.learn.ridge` on codes of +1 and -1.

    One function a class, +1 on its rows and -1 on all others, as the papers do it; the largest
    value wins. For two classes one function is enough. `partial_fit` takes rows in chunks, of
    which none is kept.

    Parameters
    ----------
    features : sampler of this module, default=None
        What the features are. Default ``MaxoutSampler()``. Its parameters are searched over as
        ``features__n_components`` and so on.
    lambdas : float or sequence of float, default=(1e-8, 1e-7, ..., 1.0)
        Candidates, each above 0. The `alpha` of `sklearn.linear_model.RidgeClassifier` is
        N lambda. If there is only one, nothing is left out and the fit is cheaper.
    cv : int, splitter, iterable or None, default=None
        What lambda is chosen by: None leaves each row out once, exactly, from the one fit;
        otherwise scikit-learn's splits: a number of folds, ``ShuffleSplit(1, test_size=0.2)`` for
        rows held out, or pairs of indices. The rows of all splits are fitted again at the end.
        `partial_fit` takes a number of folds, None being 5.
    scoring : {'error_rate', 'mse'}, default='error_rate'
        What is least at the chosen lambda on rows held out: the share of mistakes, or the squared
        error of the codes. After `partial_fit` always the latter: mistakes need rows, not sums.
    fit_intercept : bool, default=True
        Whether functions have an intercept, which is not penalised.
    random_state : int, RandomState, Generator or None, default=None
        An integer is the seed of features whose own `random_state` is None.

    Attributes
    ----------
    classes_ : array, shape (n_classes,)
        The labels, sorted; where `X` was, if they are numbers.
    features_ : sampler
        The fitted features, with ``features_.map_``.
    coef_ : array, shape (n_classes, n_components), or (1, n_components) of two
        Weights.
    intercept_ : array, shape (n_classes,), or (1,) of two
        Intercepts.
    lambda_ : float
        The lambda that was chosen.
    errors_ : tuple of float or None
        For each of `lambdas` the error on rows held out: mean over rows for None, over splits for
        `cv`.
    n_features_in_ : int
        Width of the rows.
    feature_names_in_ : array of str
        Names of the columns, if `X` had any.

    Notes
    -----
    As `RandomFeatureRidge`.

    References
    ----------
    Tacchetti, Mallapragada, Santoro, Rosasco (2013), GURLS.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mehler.sklearn import RandomFeatureRidgeClassifier
    >>> x, y = load_digits(return_X_y=True)
    >>> model = RandomFeatureRidgeClassifier(random_state=0).fit(x[:900] / 16, y[:900])
    >>> bool(model.score(x[900:] / 16, y[900:]) > 0.85)
    True
    """

    def __init__(
        self,
        *,
        features: Any = None,
        lambdas: Any = LAMBDAS,
        cv: Any = None,
        scoring: str = "error_rate",
        fit_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self.features = features
        self.lambdas = lambdas
        self.cv = cv
        self.scoring = scoring
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> RandomFeatureRidgeClassifier:
        """Draw the features, and solve.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            Rows, at least 2.
        y : array-like, shape (n_samples,)
            Labels of at least 2 classes.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If `X` or `y` is not as above, or a parameter is out of range.
        """
        x, given = _inputs.rows_and_labels(self, X, y)
        check_classification_targets(given)
        labels = column_or_1d(given, warn=True)
        codes, classes = _codes(labels)
        scoring: Any = self.scoring
        self._solve(x, codes, labels, scoring)
        self.classes_ = _placed(classes, x)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> RandomFeatureRidgeClassifier:
        """Take a chunk of rows, of which sums are kept; features are drawn for the first chunk.

        See :meth:`RandomFeatureRidge.partial_fit`. A class may come late, or never.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            Rows, at least 1. Features that look at rows or targets see those of the first chunk.
        y : array-like, shape (n_samples,)
            Labels among `classes`.
        classes : array-like, shape (n_classes,), optional
            All labels there will be, at least 2; needed for the first chunk, and the same if given
            later.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If `X`, `y` or `classes` is not as above or does not fit the chunks before, or a
            parameter is out of range. At a prediction, if there are several lambdas but one row so
            far.

        Warns
        -----
        UserWarning
            If the estimator was fitted by `fit`, which keeps no sums: it begins again.
        """
        first = self._begins()
        before = _arrays.to_host(self.classes_) if hasattr(self, "classes_") else None
        known = _classes(classes, before, fixed=not first)
        x, given = _inputs.rows_and_labels(self, X, y, least=1, reset=first)
        # Few rows cannot tell what kind of labels these are; that they are among the classes can.
        labels = column_or_1d(given, warn=True)
        codes, _ = learn.one_vs_all(labels, known)
        scoring: Any = self.scoring
        choice("scoring", scoring, SCORINGS)
        self._take(x, codes[:, 1:] if len(known) == 2 else codes, labels)
        self.classes_ = _placed(known, x)
        return self

    def decision_function(self, X: Any) -> Any:
        """Return the value of each class, or of the second one if there are two.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array, shape (n_samples, n_classes), or (n_samples,)
            Values: about +1 on rows of the class, -1 on others.

        Raises
        ------
        sklearn.exceptions.NotFittedError, TypeError, ValueError
            As `predict`.
        """
        values = self._values(X, "decision_function")
        return values if values.shape[1] > 1 else values[:, 0]

    def predict(self, X: Any) -> Any:
        """Return the labels of rows: the class of the largest value.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array, shape (n_samples,)
            Labels; where `X` is, if they are numbers.

        Raises
        ------
        sklearn.exceptions.NotFittedError, TypeError, ValueError
            If nothing was fitted, or `X` is not such a matrix, or lives elsewhere than what was
            fitted.
        """
        values = self._values(X, "predict")
        xp = _arrays.array_namespace(values)
        if values.shape[1] > 1:
            best = xp.argmax(values, axis=1)
        else:
            best = xp.astype(values[:, 0] > 0.0, xp.int64)
        if isinstance(self.classes_, np.ndarray):
            return self.classes_[_arrays.to_host(best)]
        return xp.take(self.classes_, best, axis=0)

    def _drawn_for(self, x: _arrays.Array, targets: Any) -> Any:
        # As whole numbers, which features that look at targets take for classes, not for values.
        return super()._drawn_for(x, np.unique(targets, return_inverse=True)[1])

    def __sklearn_array_api_convert__(self, converter: Callable[[Any], Any]) -> FeatureRidge:
        """Move to where `converter` takes arrays; words as labels stay on the host."""
        moved = super().__sklearn_array_api_convert__(converter)
        if not hasattr(self, "classes_"):
            return moved
        words = isinstance(self.classes_, np.ndarray) and self.classes_.dtype.kind not in "biuf"
        if not words:
            moved.classes_ = converter(self.classes_)
        return moved


def _placed(classes: Any, x: _arrays.Array) -> Any:
    """Numbers go where the rows are, words stay on the host."""
    numbers = classes.dtype.kind in "biuf"
    return _arrays.from_host(classes, _arrays.place_of(x)) if numbers else classes


def _classes(given: Any, before: Any, *, fixed: bool) -> Any:
    """All labels, sorted."""
    if given is None:
        if before is None:
            raise ValueError("classes must be given with the first chunk: all labels there will be")
        return before
    found = np.unique(np.asarray(_arrays.to_host(given) if _arrays.is_array(given) else given))
    if fixed and not np.array_equal(found, before):
        raise ValueError(f"classes={given!r} are not those of the first chunk, {before.tolist()}")
    if len(found) < 2:
        raise ValueError(f"classes={given!r} are fewer than 2")
    return found


def _codes(labels: Any) -> tuple[Any, Any]:
    """Codes of labels on the host, one column for two classes, and the classes."""
    codes, classes = learn.one_vs_all(labels)
    if len(classes) < 2:
        raise ValueError(
            f"y holds only one class, {classes.tolist()[0]!r}: a classifier needs rows of at "
            "least 2"
        )
    return (codes[:, 1:] if len(classes) == 2 else codes), classes
