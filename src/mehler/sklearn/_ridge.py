"""Ridge regression and classification on random features; the penalty lambda is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mehler import _arrays, learn
from mehler._arrays import Array
from mehler._validate import require_choice, require_flag, require_integer, require_reals
from mehler.learn import SCORINGS, Scoring, require_lambdas
from mehler.sklearn import _inputs
from mehler.sklearn._base import Estimator, fit_part
from mehler.sklearn._samplers import MaxoutSampler

if TYPE_CHECKING:
    from mehler.sklearn._typed import ClassifierMixin, MultiOutputMixin, RegressorMixin
else:
    from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin

LAMBDAS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)  # to the size of features


class FeatureRidge(Estimator):
    """Common base: linear functions of the features that a sampler, a transformer, draws."""

    features: Any
    lambdas: Any
    cv: Any
    fit_intercept: bool
    random_state: Any
    coef_: Any
    intercept_: Any
    _scoring: Scoring = "mse"
    # Methods: rows, targets or labels in NumPy, and weights or None; targets as numbers, (n, t).
    _data: Any
    _codes: Any
    # Set coef_ from (t, n_components); turn values of the t linear functions into predictions.
    _set_coefficients: Any
    _prediction: Any

    def fit(self, X: object, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Draw the features and solve for the coefficients.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_samples, n_features)
            Rows, at least 2.
        y : array-like, shape (n_samples,) or (n_samples, n_targets)
            Targets; of a classifier the labels, of at least 2 classes, in one column.
        sample_weight : array-like, shape (n_samples,), or number, optional
            Weights of the rows, at least 0: a row of weight 2 counts as that row twice, also in
            ``gamma='scale'``. Leave-one-out errors leave out one copy, or all of a weight below 1.

        Returns
        -------
        self
        """
        require_flag("fit_intercept", self.fit_intercept)
        require_choice("scoring", self._scoring, SCORINGS)
        x, targets, weights = self._data(X, y, sample_weight)
        lambdas = require_lambdas(self.lambdas)
        folds = None
        if len(lambdas) > 1 and self.cv is not None:
            folds = _folds_of(self.cv, targets, classifier=is_classifier(self))
        n = x.shape[0] if weights is None else np.count_nonzero(weights)
        default = MaxoutSampler(n_components=int(min(max(n // 2, 100), 1000)))
        seed = _inputs.seed_of(self.random_state)
        part = fit_part(self.features, default, seed, x, "features", weights)
        row_weights = None if weights is None else _beside(weights, x)
        rows = learn.Features(part.map_, x, _beside(self._codes(targets), x), row_weights)
        fit = learn.fit(rows, folds, lambdas, self._scoring, self.fit_intercept)
        self.features_, self.lambda_ = part, fit.lam
        self.errors_ = None if fit.errors is None else tuple(float(error) for error in fit.errors)
        xp = _arrays.array_namespace(fit.weights)
        self._set_coefficients(xp.matrix_transpose(fit.weights), fit.intercept, targets, x)
        return self

    def predict(self, X: object) -> Any:
        """Predict the targets of rows; of a classifier the labels, the classes of largest value.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array, shape (n_samples,) or (n_samples, n_targets)
            Shaped like `y`. Labels are on the device of `X` if they are numbers.
        """
        return self._prediction(self._values(X, "predict"))

    def _values(self, X: object, method: str) -> Array:
        check_is_fitted(self)
        phi = self.features_.map_
        x = _inputs.rows_for(self, phi, X, method)
        coef = self.coef_ if self.coef_.ndim == 2 else self.coef_[None, :]
        xp = _arrays.array_namespace(coef)
        weights, intercept = xp.matrix_transpose(coef), xp.reshape(self.intercept_, (-1,))
        fit = learn.RidgeFit(phi=phi, weights=weights, intercept=intercept, lam=self.lambda_)
        blocks = [fit.predict(rows) for rows in learn.dense_blocks(x)]
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def _beside(values: NDArray[np.float64], x: Array) -> Array:
    """Move host numbers to the device of the rows; sparse rows are on the host."""
    if issparse(x):
        return np.asarray(values, dtype=np.float64)
    place = _arrays.place_of(x)
    return _arrays.from_host(values, place, _arrays.widest_float(place.xp, place.device))


def _folds_of(cv: Any, y: np.ndarray, *, classifier: bool) -> list[NDArray[np.int64]]:
    """Return the rows that each split of scikit-learn's `cv` holds out."""
    if isinstance(cv, bool) or getattr(cv, "ndim", None) == 0:
        cv = require_integer("cv", cv, least=2)
    rows = np.arange(len(y))
    # Splitters use the number of rows and the targets only, and may return masks.
    parts = check_cv(cv, y, classifier=classifier).split(np.zeros((len(y), 1)), y)
    splits = [(rows[train], rows[test]) for train, test in parts]
    if not splits:
        raise ValueError(f"cv={cv!r} gives no splits; was it an iterator that is used up?")
    tests = np.concatenate([test for _, test in splits])
    if len(np.unique(tests)) < len(tests) or not all(
        len(train) and len(test) and np.array_equal(np.sort(train), np.setdiff1d(rows, test))
        for train, test in splits
    ):
        raise ValueError(
            f"cv={cv!r} must hold out some rows in each split, no row twice, and fit all others; "
            "for other splits choose lambda by GridSearchCV"
        )
    return [test for _, test in splits]


@dataclass(kw_only=True, eq=False, repr=False)
class RandomFeatureRidge(MultiOutputMixin, RegressorMixin, FeatureRidge):
    r"""Ridge regression on random features: `mehler.learn.ridge` as a regressor.

    .. math:: \min_{w, b} \frac1N \sum_{i=1}^N \big(w^\top\phi(x_i) + b - y_i\big)^2
              + \lambda\,|w|^2

    Features are computed block by block and never stored in full.

    Parameters
    ----------
    features : sampler of this module, default=None
        The feature map. Default `MaxoutSampler` with half as many features as rows, 100 at least
        and 1,000 at most.
    lambdas : float or sequence of float, default=(1e-8, 1e-7, ..., 1.0)
        Candidates for lambda, each above 0. The `alpha` of `sklearn.linear_model.Ridge` is
        N lambda. A single candidate needs no validation and is cheaper to fit.
    cv : int, splitter, iterable or None, default=None
        Validation scheme for lambda. None is the exact leave-one-out error, from a single fit;
        otherwise scikit-learn's splits that hold out no row twice: a number of folds,
        ``ShuffleSplit(1, test_size=0.2)`` for a hold-out, or pairs of indices.
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
        over splits for `cv`; None for a single candidate.

    See Also
    --------
    mehler.learn.RidgeSums : Rows that come in chunks.

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

    def _data(self, X: object, y: ArrayLike | None, weights: ArrayLike | None) -> Any:
        x, y = _inputs.rows_and_labels(self, X, y, multi_output=True, y_numeric=True)
        return x, require_reals("y", y), _inputs.weights_of(weights, x)

    def _codes(self, y: np.ndarray) -> Any:
        return y if y.ndim == 2 else y[:, None]

    def _set_coefficients(self, coef: Array, intercept: Array, y: np.ndarray, x: Array) -> None:
        flat = y.ndim == 1
        self.coef_ = coef[0, :] if flat else coef
        self.intercept_ = intercept[0] if flat else intercept

    def _prediction(self, values: Array) -> Any:
        return values if self.coef_.ndim == 2 else values[:, 0]


@dataclass(kw_only=True, eq=False, repr=False)
class RandomFeatureRidgeClassifier(ClassifierMixin, FeatureRidge):
    r"""Ridge classification on random features: `mehler.learn.ridge` on codes of +1 and -1.

    One-versus-rest: one function per class, with targets +1 on its rows and -1 on all others; the
    largest value wins. Two classes need one function only.

    Parameters
    ----------
    features, lambdas, cv, fit_intercept
        As for `RandomFeatureRidge`; `cv` splits by class.
    scoring : {'error_rate', 'mse'}, default='error_rate'
        Validation error that lambda minimises, of classes or of the codes.
    class_weight : dict, 'balanced' or None, default=None
        Weights of the classes, which multiply those of the rows; 'balanced' gives all classes
        the same sum of weights.

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

    References
    ----------
    Tacchetti, Mallapragada, Santoro, Rosasco (2013), GURLS.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from mehler.sklearn import RandomFeatureRidgeClassifier
    >>> x, y = load_digits(return_X_y=True)
    >>> model = RandomFeatureRidgeClassifier(random_state=0).fit(x[:900] / 16, y[:900])
    >>> bool(model.score(x[900:] / 16, y[900:]) > 0.9)
    True
    """

    features: Any = None
    lambdas: Any = LAMBDAS
    cv: Any = None
    scoring: Scoring = "error_rate"
    fit_intercept: bool = True
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    random_state: Any = None

    @property
    def _scoring(self) -> Scoring:  # type: ignore[override]  # a parameter here
        return self.scoring

    def _data(self, X: object, y: ArrayLike | None, weights: ArrayLike | None) -> Any:
        x, y = _inputs.rows_and_labels(self, X, y)
        check_classification_targets(y)
        labels = column_or_1d(y, warn=True)
        if len(np.unique(labels)) < 2:
            raise ValueError(
                f"y holds only one class, {labels.tolist()[0]!r}: a classifier needs rows of at "
                "least 2"
            )
        row_weights = _inputs.weights_of(weights, x)
        return x, labels, _by_class(self.class_weight, labels, row_weights)

    def _codes(self, y: np.ndarray) -> Any:
        codes, _ = learn.one_vs_all(y)
        return codes[:, 1:] if codes.shape[1] == 2 else codes

    def _set_coefficients(self, coef: Array, intercept: Array, y: np.ndarray, x: Array) -> None:
        self.coef_, self.intercept_, self.classes_ = coef, intercept, np.unique(y)
        if y.dtype.kind in "biuf" and not issparse(x):
            self.classes_ = _arrays.from_host(self.classes_, _arrays.place_of(x))

    def decision_function(self, X: Array) -> Any:
        """Return the value of each class, or of the second one for two classes.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_samples, n_features)
            Rows.

        Returns
        -------
        array, shape (n_samples, n_classes), or (n_samples,)
            Values: about +1 on rows of the class, -1 on others.
        """
        values = self._values(X, "decision_function")
        return values if values.shape[1] > 1 else values[:, 0]

    def _prediction(self, values: Array) -> Any:
        xp = _arrays.array_namespace(values)
        if values.shape[1] > 1:
            best = xp.argmax(values, axis=1)
        else:
            best = xp.astype(values[:, 0] > 0.0, xp.int64)
        if _arrays.place_of(self.classes_).on_host:
            return self.classes_[_arrays.to_host(best)]
        return xp.take(self.classes_, best, axis=0)


def _by_class(class_weight: Any, labels: np.ndarray, weights: Any) -> Any:
    """Return weights of rows times those of their classes, or None."""
    if class_weight is None:
        return weights
    rows = np.ones(len(labels)) if weights is None else weights
    if isinstance(class_weight, Mapping):
        if not all(isinstance(w, Real) and float(w) >= 0 for w in class_weight.values()):
            raise ValueError(f"class_weight={class_weight!r} must be at least 0 for each class")
        # A class that is not named has weight 1.
        return rows * [float(class_weight.get(label, 1.0)) for label in labels.tolist()]
    if class_weight != "balanced":
        raise ValueError(f"class_weight={class_weight!r} must be a dict, 'balanced' or None")
    _, index = np.unique(labels, return_inverse=True)
    totals = np.bincount(index, rows)
    shares = rows / np.where(totals > 0, totals, 1.0)[index]
    return shares * (rows.sum() / np.count_nonzero(totals))
