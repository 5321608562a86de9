"""Sampler, the base class of transformers: `fit` draws a feature map for the width of the rows."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from mehler._arrays import Array
from mehler._validate import require_integer, require_names
from mehler.features import FeatureMap, from_recipe
from mehler.learn import dense_blocks
from mehler.sklearn import _inputs

if TYPE_CHECKING:
    from mehler.sklearn._typed import (
        BaseEstimator,
        ClassNamePrefixFeaturesOutMixin,
        TransformerMixin,
    )
else:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin


# Weights of rows, for parameters that depend on the values of rows, such as gamma='scale'.
Weights: TypeAlias = NDArray[np.float64] | None


class Estimator(BaseEstimator):
    """Base class: a dataclass of parameters, whose rows are arrays of any library, or sparse."""

    def __new__(cls, *args: Any, **options: Any) -> Self:
        """Raise TypeError that lists the parameters if a keyword is none of them."""
        parameters = inspect.signature(cls.__init__).parameters
        if all(parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters.values()):
            require_names(cls.__name__, options, [*parameters][1:])
        return super().__new__(cls)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.array_api_support = True
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return not {"map_", "features_"}.isdisjoint(vars(self))

    def __dask_tokenize__(self) -> Any:
        """Distinguish fitted estimators: of a dataclass Dask reads the fields alone."""
        return type(self), self.__getstate__()


class Sampler(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """A transformer whose ``fit`` draws a map, and whose ``transform`` applies it.

    Subclasses name the class of the map as ``_map``.
    """

    n_components: int
    random_state: Any

    _map: ClassVar[type[FeatureMap]]
    # Floating dtypes that transform preserves.
    _dtypes: ClassVar[tuple[str, ...]] = ("float64", "float32")

    def _draw(self, x: Array, n_components: int, seed: int, weights: Weights) -> FeatureMap:
        """Draw the map for validated rows, on their device; their weights are a NumPy array."""
        like = np.empty((0, x.shape[1]), dtype=x.dtype) if issparse(x) else x
        options = {"n_features": n_components, **self._options(x, weights)}
        return self._map.draw(x.shape[1], **options, seed=seed, like=like)

    def _options(self, x: Array, weights: Weights) -> dict[str, Any]:
        """Return further arguments of the map's `draw`, by default parameters of the same names."""
        options = self.get_params(deep=False)
        # Maps call these n_features and seed.
        del options["n_components"], options["random_state"]
        return options

    def fit(self, X: object, y: ArrayLike | None = None) -> Self:
        """Draw the map's weights.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_samples, n_features)
            Rows. Only their width, dtype, library and device matter, unless a parameter depends on
            their values.
        y : array-like, optional
            Ignored.

        Returns
        -------
        self
        """
        return self._fit(X, None)

    def _fit(self, X: object, weights: Weights) -> Self:
        x = _inputs.rows(self, X, reset=True)
        n_components = require_integer("n_components", self.n_components)
        self.map_ = self._draw(x, n_components, _inputs.seed_of(self.random_state), weights)
        return self

    def transform(self, X: object) -> Any:
        """Return the features of rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix, shape (n_samples, n_features)
            Rows; sparse ones are made dense block by block.

        Returns
        -------
        array, shape (n_samples, n_components)
            float32 for float32 rows. A data frame after ``set_output``; under array API dispatch
            an array in the library and on the device of `X`.
        """
        check_is_fitted(self)
        x = _inputs.rows_for(self, self.map_, X, "transform")
        blocks = [self.map_(rows, check_finite=_check_finite()) for rows in dense_blocks(x)]
        return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)

    def expected_kernel(self, X: object, Y: Array | None = None) -> Any:
        """Return the exact kernel that inner products of features estimate, `FeatureMap.kernel`.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            Rows.
        Y : array-like, shape (n_samples_Y, n_features), optional
            Second rows; default `X`.

        Returns
        -------
        array, shape (n_samples, n_samples_Y)
            Expectation of ``transform(X) @ transform(Y).T`` over ``random_state``.
        """
        check_is_fitted(self)
        phi, name = self.map_, "expected_kernel"
        pair = [x if x is None else _inputs.rows_for(self, phi, x, name) for x in (X, Y)]
        return phi.kernel(*map(_inputs.dense, pair), check_finite=_check_finite())

    @property
    def _n_features_out(self) -> int:
        return int(self.map_.n_features)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = list(self._dtypes)
        return tags

    def __getstate__(self) -> dict[str, Any]:
        """Store the map as its recipe, plain data, and an empty array of its library and device."""
        state = super().__getstate__()
        try:
            return {**state, "map_": state["map_"].recipe(), "_like": self.map_.place.empty()}
        except (KeyError, ValueError):  # not fitted, or a function of the user's is named instead
            return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_like" in state:
            state = dict(state)
            state["map_"] = from_recipe(state["map_"], like=state.pop("_like"))
        super().__setstate__(state)


def _check_finite() -> bool:
    """Whether maps check rows for NaN: scikit-learn's setting ``assume_finite``."""
    return not get_config()["assume_finite"]


def fit_part(
    sampler: Any, default: Sampler, seed: int, x: Array, name: str, weights: Weights
) -> Sampler:
    """Return a fitted clone of another estimator's parameter `name`, a sampler, or of `default`."""
    if sampler is not None and not isinstance(sampler, Sampler):
        raise TypeError(
            f"{name} must be a sampler of mehler.sklearn, for instance FourierSampler(), not "
            f"{sampler!r}"
        )
    part = clone(sampler or default)
    if part.random_state is None:
        part.random_state = seed
    return part._fit(x, weights)
