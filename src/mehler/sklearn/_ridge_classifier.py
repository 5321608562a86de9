"""Ridge classification on random features."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from mehler import _arrays, learn
from mehler._validate import require_choice
from mehler.learn import SCORINGS, Scoring
from mehler.sklearn import _inputs
from mehler.sklearn._ridge import LAMBDAS, FeatureRidge

if TYPE_CHECKING:
    from mehler.sklearn._typed import ClassifierMixin
else:
    from sklearn.base import ClassifierMixin


@dataclass(kw_only=True, eq=False, repr=False)
class RandomFeatureRidgeClassifier(ClassifierMixin, FeatureRidge):
    r"""Ridge classification on random features: `mehler.learn.ridge` on codes of +1 and -1.

    One-versus-rest: one function per class, with targets +1 on its rows and -1 on all others, as
    in the papers; the largest value wins. Two classes need one function only. `partial_fit` takes
    rows in chunks and keeps none.

    Parameters
    ----------
    features, lambdas, cv, fit_intercept
        As for `RandomFeatureRidge`; `cv` splits by class.
    scoring : {'error_rate', 'mse'}, default='error_rate'
        Validation error that lambda minimises: the misclassification rate, or the squared error
        of the codes. After `partial_fit` always the latter, since sums do not give the former.
    class_weight : dict, 'balanced' or None, default=None
        Weights of the classes, which multiply those of the rows; 'balanced' is
        ``n_samples / (n_classes * np.bincount(y))``, and needs all rows at once.

    Attributes
    ----------
    classes_ : array, shape (n_classes,)
        The sorted labels; on the device of `X` if they are numbers.
    coef_ : array, shape (n_classes, n_components), or (1, n_components) for two classes
        Weights.
    intercept_ : array, shape (n_classes,), or (1,) for two classes
        Intercepts.
    features_, lambda_, errors_
        As for `RandomFeatureRidge`.

    See Also
    --------
    RandomFeatureRidge : The same for regression.
    mehler.learn.ridge : The function behind it.

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

    features: Any = None
    lambdas: Any = LAMBDAS
    cv: Any = None
    scoring: Scoring = "error_rate"
    fit_intercept: bool = True
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    random_state: Any = None

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        x, targets = _inputs.rows_and_labels(self, X, y)
        check_classification_targets(targets)
        labels = column_or_1d(targets, warn=True)
        codes, classes = _codes(labels)
        self._solve(x, codes, labels, self.scoring, self._weights(sample_weight, labels, x))
        self.classes_ = _placed(classes, x)

    def partial_fit(
        self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None
    ) -> RandomFeatureRidgeClassifier:
        """Add a chunk of rows to the sums; the first chunk draws the features.

        A class may first occur late, or never.

        Parameters
        ----------
        y : array-like, shape (n_samples,)
            Labels among `classes`.
        classes : array-like, shape (n_classes,), optional
            All labels, at least 2; required for the first chunk, and the same if given later.
        X, sample_weight
            As for :meth:`RandomFeatureRidge.partial_fit`, with its errors and its warning.

        Returns
        -------
        self

        Raises
        ------
        TypeError, ValueError
            If `y` or `classes` is not as above.
        """
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight={self.class_weight!r} needs all rows at once: give partial_fit a "
                "dict, or sample_weight"
            )
        first = self._begins()
        before = _arrays.to_host(self.classes_) if hasattr(self, "classes_") else None
        known = _classes(classes, before, fixed=not first)
        x, targets = _inputs.rows_and_labels(self, X, y, least=1, reset=first)
        # A few rows do not determine the kind of labels; membership in the classes does.
        labels = column_or_1d(targets, warn=True)
        codes, _ = learn.one_vs_all(labels, known)
        require_choice("scoring", self.scoring, SCORINGS)
        codes = codes[:, 1:] if len(known) == 2 else codes
        self._take(x, codes, labels, self._weights(sample_weight, labels, x))
        self.classes_ = _placed(known, x)
        return self

    def decision_function(self, X: _arrays.Array) -> Any:
        """Return the value of each class, or of the second one for two classes.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array, shape (n_samples, n_classes), or (n_samples,)
            Values: about +1 on rows of the class, -1 on others.

        Raises
        ------
        sklearn.exceptions.NotFittedError, TypeError, ValueError
            As for `predict`.
        """
        values = self._values(X, "decision_function")
        return values if values.shape[1] > 1 else values[:, 0]

    def predict(self, X: Any) -> Any:
        """Predict the labels of rows, the classes of largest value.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array, shape (n_samples,)
            Labels; on the device of `X` if they are numbers.

        Raises
        ------
        sklearn.exceptions.NotFittedError, TypeError, ValueError
            If the estimator is not fitted, or `X` is not such a matrix, or on another device than
            the fitted map.
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

    def predict_proba(self, X: _arrays.Array) -> Any:
        """Estimate the probabilities of the classes.

        The square loss is least in the mean at 2 P - 1, so that (1 + value)/2 estimates P; of
        several classes the nearest probabilities are returned. They are as good as the values
        are: `sklearn.calibration.CalibratedClassifierCV` corrects them on other rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array, shape (n_samples, n_classes)
            Rows that sum to 1; the largest is that of :meth:`predict`.

        Raises
        ------
        sklearn.exceptions.NotFittedError, TypeError, ValueError
            As for `predict`.
        """
        estimate = (1.0 + self._values(X, "predict_proba")) / 2.0
        xp = _arrays.array_namespace(estimate)
        if estimate.shape[1] == 1:
            second = _arrays.clip(xp, estimate, 0.0, 1.0)
            return xp.concat((1.0 - second, second), axis=1)
        # The nearest point of the simplex: subtract t and clip, so that the sum is 1.
        falling = xp.sort(estimate, axis=1, descending=True)
        total: Any = -xp.ones_like(falling[:, :1])
        t = total
        for k in range(falling.shape[1]):
            total = total + falling[:, k : k + 1]
            t = xp.where(falling[:, k : k + 1] > total / (k + 1), total / (k + 1), t)
        return xp.where(estimate > t, estimate - t, xp.zeros_like(estimate))

    def _weights(self, sample_weight: Any, labels: Any, x: Any) -> Any:
        """Return weights of rows times those of their classes, or None."""
        weights = _inputs.weights_of(sample_weight, x)
        if self.class_weight is None:
            return weights
        own = _class_weights(self.class_weight, labels)
        return own if weights is None else own * weights

    def _drawn_for(
        self, x: _arrays.Array, targets: Any, weights: NDArray[np.float64] | None = None
    ) -> Any:
        # Pass integers, which features that use targets interpret as classes, not as values.
        return super()._drawn_for(x, np.unique(targets, return_inverse=True)[1], weights)

    def __sklearn_array_api_convert__(self, converter: Callable[[Any], Any]) -> FeatureRidge:
        """Move to the target of `converter`; string labels stay on the host."""
        moved: Any = super().__sklearn_array_api_convert__(converter)
        if not hasattr(self, "classes_"):
            return moved
        words = isinstance(self.classes_, np.ndarray) and self.classes_.dtype.kind not in "biuf"
        if not words:
            moved.classes_ = converter(self.classes_)
        return moved


def _class_weights(weights: Any, labels: Any) -> Any:
    """Return the weight of each row's class; a class that a dict does not name has weight 1."""
    if isinstance(weights, Mapping):
        if not all(isinstance(weight, Real) and float(weight) >= 0 for weight in weights.values()):
            raise ValueError(f"class_weight={weights!r} must be at least 0 for each class")
        return np.array([float(weights.get(label, 1.0)) for label in labels.tolist()])
    if weights != "balanced":
        raise ValueError(f"class_weight={weights!r} must be a dict, 'balanced' or None")
    return compute_sample_weight("balanced", labels)


def _placed(classes: Any, x: _arrays.Array) -> Any:
    """Return numeric classes on the device of the rows; strings stay on the host."""
    numbers = classes.dtype.kind in "biuf" and not _inputs.is_sparse(x)
    return _arrays.from_host(classes, _arrays.place_of(x)) if numbers else classes


def _classes(classes: Any, before: Any, *, fixed: bool) -> Any:
    """Return all labels, sorted."""
    if classes is None:
        if before is None:
            raise ValueError("classes must be given with the first chunk: all labels there will be")
        return before
    distinct = np.unique(
        np.asarray(_arrays.to_host(classes) if _arrays.is_array(classes) else classes)
    )
    if fixed and not np.array_equal(distinct, before):
        raise ValueError(f"classes={classes!r} are not those of the first chunk, {before.tolist()}")
    if len(distinct) < 2:
        raise ValueError(f"classes={classes!r} are fewer than 2")
    return distinct


def _codes(labels: Any) -> tuple[Any, Any]:
    """Return codes of labels on the host, one column for two classes, and the classes."""
    codes, classes = learn.one_vs_all(labels)
    if len(classes) < 2:
        raise ValueError(
            f"y holds only one class, {classes.tolist()[0]!r}: a classifier needs rows of at "
            "least 2"
        )
    return (codes[:, 1:] if len(classes) == 2 else codes), classes
