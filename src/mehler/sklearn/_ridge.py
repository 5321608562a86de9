"""Ridge regression and classification on random features: streams, and a path of lambdas."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mehler import _arrays, learn
from mehler._arrays import Array
from mehler._validate import require_choice, require_flag
from mehler.learn import SCORINGS, Scoring, require_lambdas
from mehler.sklearn import _inputs
from mehler.sklearn._base import Estimator, fitted_part
from mehler.sklearn._inputs import seed_of
from mehler.sklearn._samplers import MaxoutSampler
from mehler.sklearn._splits import Stream, as_folds, folds_of, splits_of

if TYPE_CHECKING:
    from mehler.sklearn._typed import (
        ClassifierMixin,
        MultiOutputMixin,
        RegressorMixin,
        available_if,
    )
else:
    from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
    from sklearn.utils.metaestimators import available_if

# From a negligible penalty to one of the size of the features.
LAMBDAS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
# Attributes computed by solving.
SOLVED = ("coef_", "intercept_", "lambda_", "errors_")


class FeatureRidge(Estimator):
    """One or several linear functions of the features of a sampler."""

    features: Any
    lambdas: Any
    cv: Any
    fit_intercept: bool
    random_state: Any

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
            the error that lambda minimises and in ``gamma='scale'``; a row of weight less than 1
            is left out whole for its own error. Features that look at rows otherwise
            (`LeverageSampler`) do not see them.

        Returns
        -------
        self
        """
        x, codes, targets, weights, classes = self._read(X, y, sample_weight)
        lambdas = self._lambdas()
        several = len(lambdas) > 1
        splits = None
        if several and self.cv is not None:
            splits = splits_of(self.cv, targets, classifier=is_classifier(self))
        part = self._drawn_for(x, weights)
        rows = (x, _placed(codes, x), *(() if weights is None else (_placed(weights, x),)))

        def solved(
            rows: Sequence[Array], held: learn.Held, lambdas: tuple[float, ...] = lambdas
        ) -> learn.RidgeFit:
            x, y, weights = (*rows, None)[:3]
            features = learn.Features(part.map_, x, weights)
            return learn.fit(features, y, held, lambdas, False, self._scoring, self.fit_intercept)

        folds = splits and as_folds(splits, x.shape[0])
        if splits and not folds:
            pairs = ([[learn.rows_at(a, i) for a in rows] for i in pair] for pair in splits)
            errors = np.mean([solved(train, tuple(test)).errors for train, test in pairs], axis=0)
            fit = solved(rows, None, (lambdas[learn.best(lambdas, errors)],))
            fit = replace(fit, errors=errors)
        else:
            fit = solved(rows, folds or several or None)
        self.__dict__.pop("_stream", None)
        self.features_ = part
        self._keep(fit, flat=targets.ndim == 1)
        if classes is not None:
            self.classes_ = _beside(classes, x)
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
        return self._predicted(self._values(X, "predict"))

    _scoring: Scoring = "mse"

    def _read(
        self, X: object, y: ArrayLike | None, sample_weight: ArrayLike | None
    ) -> tuple[Any, ...]:
        """Return rows, codes (n, t) on the host, targets, weights, and the classes or None."""
        raise NotImplementedError

    def _predicted(self, values: Array) -> Any:
        raise NotImplementedError

    def _lambdas(self) -> tuple[float, ...]:
        require_flag("fit_intercept", self.fit_intercept)
        require_choice("scoring", self._scoring, SCORINGS)
        return require_lambdas(self.lambdas)

    def _add(
        self,
        x: Array,
        codes: NDArray[np.float64],
        targets: Array,
        weights: NDArray[np.float64] | None,
    ) -> None:
        """Add a chunk of `codes`, (n, t) on the host, to the sums; solve later."""
        lambdas = self._lambdas()
        n_folds = folds_of(self.cv, lambdas)
        stream = self.__dict__.get("_stream")
        if stream is None:
            part = self._drawn_for(x, weights)
            parts = [learn.RidgeSums(part.map_) for _ in range(n_folds)]
            stream = Stream(parts, targets.ndim, lambdas, self.fit_intercept)
        else:
            part = self.features_
            _inputs.require_here(self, part.map_, x, "partial_fit")
            if len(stream.parts) != n_folds:
                raise ValueError(
                    f"rows so far were dealt to {len(stream.parts)} folds, but cv and lambdas ask "
                    f"for {n_folds} now; leave them, or begin again with a clone"
                )
            if targets.ndim != stream.n_axes:
                raise ValueError(
                    f"y has {targets.ndim} axes, but had {stream.n_axes} in the first chunk"
                )
        counts = () if weights is None else (_placed(weights, x),)
        stream.add(x, _placed(codes, x), *counts)
        stream.lambdas, stream.intercept = lambdas, self.fit_intercept
        self._stream, self.features_ = stream, part
        for name in SOLVED:
            self.__dict__.pop(name, None)

    def _begins(self) -> bool:
        """Whether the next chunk is the first."""
        if "_stream" in self.__dict__:
            return False
        if "features_" in self.__dict__:
            warnings.warn(
                "fit, or a move to another library, keeps no sums that rows could be added to: "
                "partial_fit begins with these rows; use a clone, or partial_fit from the first",
                stacklevel=3,
            )
        return True

    def __getattr__(self, name: str) -> Any:
        # Solve on first access after new rows, not at each chunk: a chunk costs m^2 operations
        # per row, solving m^3.
        if name in SOLVED and "_stream" in self.__dict__:
            stream = self._stream
            self._keep(stream.solve(), flat=stream.n_axes == 1)
            return self.__dict__[name]
        if name == "partial_fit":
            _takes_parts(self)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _drawn_for(self, x: Array, weights: NDArray[np.float64] | None) -> Any:
        n = x.shape[0] if weights is None else np.count_nonzero(weights)
        default = MaxoutSampler(n_components=int(min(max(n // 2, 100), 1000)))
        seed = seed_of(self.random_state)
        return fitted_part(self.features, default, seed, x, name="features", weights=weights)

    def _keep(self, fit: learn.RidgeFit, *, flat: bool) -> None:
        """Set the coefficients in scikit-learn's shapes."""
        self.lambda_ = fit.lam
        self.errors_ = None if fit.errors is None else tuple(float(error) for error in fit.errors)
        xp = _arrays.array_namespace(fit.weights)
        self.coef_ = xp.matrix_transpose(fit.weights)
        self.intercept_ = fit.intercept

    def _values(self, X: object, method: str) -> Array:
        """Return the values at rows, (n, t)."""
        check_is_fitted(self)
        phi = self.features_.map_
        x = _inputs.rows_for(self, phi, X, method)
        coef = self.coef_ if self.coef_.ndim == 2 else self.coef_[None, :]
        xp = _arrays.array_namespace(coef)
        weights, intercept = xp.matrix_transpose(coef), xp.reshape(self.intercept_, (-1,))
        fit = learn.RidgeFit(phi=phi, weights=weights, intercept=intercept, lam=self.lambda_)
        blocks = [fit.predict(rows) for rows in learn.dense_blocks(x)]
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)

    def __sklearn_is_fitted__(self) -> bool:
        # Not coefficients, since accessing them would solve.
        return hasattr(self, "features_")

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "_stream" in self.__dict__:
            self._stream.at(self.features_.map_)


def _placed(codes: NDArray[np.float64], x: Array) -> Array:
    if _inputs.is_sparse(x):
        return np.asarray(codes, dtype=np.float64)
    place = _arrays.place_of(x)
    return _arrays.from_host(codes, place, _arrays.widest_float(place.xp, place.device))


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
        The feature map, whose parameters are searched over as ``features__n_components`` and so
        on. Default `MaxoutSampler` with half as many features as rows, 100 at least and 1,000 at
        most.
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
        over splits for `cv`. If features were selected using y, leave-one-out errors are too
        small: selection saw the held-out row.

    Notes
    -----
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

    def _read(
        self, X: object, y: ArrayLike | None, sample_weight: ArrayLike | None, **checks: Any
    ) -> tuple[Any, ...]:
        kinds = {"multi_output": True, "y_numeric": True}
        x, targets = _inputs.rows_and_labels(self, X, y, **kinds, **checks)
        wide: Any = np.asarray(targets, dtype=np.float64)
        codes = wide if wide.ndim == 2 else wide[:, None]
        return x, codes, wide, _inputs.weights_of(sample_weight, x), None

    def partial_fit(
        self, X: object, y: Array, sample_weight: ArrayLike | None = None
    ) -> RandomFeatureRidge:
        """Add a chunk of rows to the sums; the first chunk draws the features.

        The result is that of `fit` on all rows so far, in any order and any chunks, up to the
        rounding of sums (:class:`mehler.learn.RidgeSums`). Among several candidates lambda
        minimises the squared error over folds: row i belongs to fold i modulo `cv`, as for ``fit``
        with ``cv=PredefinedSplit(np.arange(n) % 5)``. Prediction raises ValueError if there are
        several lambdas but only one row so far. After `fit`, which keeps no sums, it begins anew,
        with a warning.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_samples, n_features)
            Rows, at least 1. Features that depend on rows use those of the first chunk.
        y : array-like, shape (n_samples,) or (n_samples, n_targets)
            Targets, of one shape in all chunks.
        sample_weight : array-like, shape (n_samples,), or number, optional
            Weights of the rows, as for `fit`.

        Returns
        -------
        self
        """
        self._add(*self._read(X, y, sample_weight, least=1, reset=self._begins())[:4])
        return self

    def _predicted(self, values: Array) -> Any:
        return values if self.coef_.ndim == 2 else values[:, 0]

    def _keep(self, fit: learn.RidgeFit, *, flat: bool) -> None:
        super()._keep(fit, flat=flat)
        if flat:
            self.coef_, self.intercept_ = self.coef_[0, :], self.intercept_[0]


def _takes_parts(self: Any) -> bool:
    """Whether chunks of rows are enough, which they are not for class_weight='balanced'."""
    if isinstance(self.class_weight, str):
        raise AttributeError(
            f"class_weight={self.class_weight!r} needs all rows at once: give partial_fit a dict, "
            "or sample_weight"
        )
    return True


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
        Weights of the classes, which multiply those of the rows; 'balanced' gives all classes
        that have rows the same sum of weights, and needs all rows at once.

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

    def _read(
        self, X: object, y: ArrayLike | None, sample_weight: ArrayLike | None
    ) -> tuple[Any, ...]:
        x, targets = _inputs.rows_and_labels(self, X, y)
        check_classification_targets(targets)
        labels = column_or_1d(targets, warn=True)
        codes, classes = learn.one_vs_all(labels)
        if len(classes) < 2:
            raise ValueError(
                f"y holds only one class, {classes.tolist()[0]!r}: a classifier needs rows of at "
                "least 2"
            )
        return x, _columns(codes), labels, self._weights(sample_weight, labels, x), classes

    @available_if(_takes_parts)
    def partial_fit(
        self,
        X: object,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
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
        """
        first = self._begins()
        before = _arrays.to_host(self.classes_) if hasattr(self, "classes_") else None
        known = _all_classes(classes, before, fixed=not first)
        x, targets = _inputs.rows_and_labels(self, X, y, least=1, reset=first)
        # A few rows do not determine the kind of labels; membership in the classes does.
        labels = column_or_1d(targets, warn=True)
        codes, _ = learn.one_vs_all(labels, known)
        self._add(x, _columns(codes), labels, self._weights(sample_weight, labels, x))
        self.classes_ = _beside(known, x)
        return self

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

    def _predicted(self, values: Array) -> Any:
        xp = _arrays.array_namespace(values)
        if values.shape[1] > 1:
            best = xp.argmax(values, axis=1)
        else:
            best = xp.astype(values[:, 0] > 0.0, xp.int64)
        if isinstance(self.classes_, np.ndarray):
            return self.classes_[_arrays.to_host(best)]
        return xp.take(self.classes_, best, axis=0)

    def predict_proba(self, X: Array) -> Any:
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

    def _weights(self, sample_weight: ArrayLike | None, labels: np.ndarray, x: Array) -> Any:
        """Return weights of rows times those of their classes, or None."""
        weights = _inputs.weights_of(sample_weight, x)
        given = self.class_weight
        if given is None:
            return weights
        rows = np.ones(len(labels)) if weights is None else weights
        if isinstance(given, Mapping):
            if not all(isinstance(value, Real) and float(value) >= 0 for value in given.values()):
                raise ValueError(f"class_weight={given!r} must be at least 0 for each class")
            # A class that is not named has weight 1.
            return rows * [float(given.get(label, 1.0)) for label in labels.tolist()]
        if given != "balanced":
            raise ValueError(f"class_weight={given!r} must be a dict, 'balanced' or None")
        _, index = np.unique(labels, return_inverse=True)
        totals = np.bincount(index, rows)
        shares = rows / np.where(totals > 0, totals, 1.0)[index]
        return shares * (rows.sum() / np.count_nonzero(totals))


def _columns(codes: NDArray[np.float64]) -> Any:
    """Return codes of classes, one column for two of them."""
    return codes[:, 1:] if codes.shape[1] == 2 else codes


def _beside(classes: np.ndarray, x: Array) -> Any:
    """Return numeric classes on the device of the rows; strings stay on the host."""
    numbers = classes.dtype.kind in "biuf" and not _inputs.is_sparse(x)
    return _arrays.from_host(classes, _arrays.place_of(x)) if numbers else classes


def _all_classes(classes: ArrayLike | None, before: Any, *, fixed: bool) -> Any:
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
