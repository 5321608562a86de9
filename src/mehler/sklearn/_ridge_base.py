"""What ridge estimators have in common: features that are never held whole, a path of lambdas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from mehler import _arrays, learn
from mehler.learn._ridge_arguments import MEASURES, check_choice, check_lambdas
from mehler.sklearn import _inputs
from mehler.sklearn._base import fitted_part
from mehler.sklearn._maxout import MaxoutSampler
from mehler.sklearn._seeds import seed_of

# From hardly any to a penalty of the size of the features themselves.
LAMBDAS = (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)


class FeatureRidge(BaseEstimator):
    """A linear function of the features of a sampler, or several."""

    features: Any
    lambdas: Any
    fit_intercept: bool
    random_state: Any

    def _solve(
        self,
        x: _arrays.Array,
        codes: Any,
        targets: Any,
        measure: Literal["squares", "mistakes"],
    ) -> None:
        """Fit `codes`, (n, t) on the host, by features that may look at `targets`."""
        lambdas = check_lambdas(self.lambdas)
        check_choice("measure", measure, MEASURES)
        default, seed = MaxoutSampler(), seed_of(self.random_state)
        part = fitted_part(self.features, default, seed, x, targets, name="features")
        place = _arrays.place_of(x)
        wide = _arrays.widest_float(place.xp, place.device)
        y = _arrays.from_host(codes, place, wide)
        if len(lambdas) == 1:
            # Nothing to choose: no leverages, and one factorisation is enough.
            sums = learn.RidgeSums(part.map_).add(x, y)
            (fit,) = sums.solve(lambdas, intercept=self.fit_intercept)
        else:
            fit = learn.ridge(
                part.map_, x, y, lambdas=lambdas, measure=measure, intercept=self.fit_intercept
            )
        self.features_ = part
        self.lam_ = fit.lam
        self.errors_ = None if fit.errors is None else tuple(float(one) for one in fit.errors)
        self.coef_ = place.xp.matrix_transpose(fit.weights)
        self.intercept_ = fit.intercept

    def _values(self, X: Any, method: str) -> _arrays.Array:
        """Values of rows, (n, t)."""
        check_is_fitted(self)
        phi = self.features_.map_
        x = _inputs.rows_for(self, phi, X, method)
        xp = _arrays.array_namespace(x)
        coef = self.coef_ if self.coef_.ndim == 2 else self.coef_[None, :]
        fit = learn.RidgeFit(
            phi=phi,
            weights=xp.matrix_transpose(coef),
            intercept=xp.reshape(self.intercept_, (-1,)),
            lam=self.lam_,
            n_rows=0,
            lambdas=(self.lam_,),
            errors=None,
            _flat=False,
        )
        return fit.predict(x)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "coef_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.array_api_support = True
        return tags

    def __sklearn_array_api_convert__(self, converter: Callable[[Any], Any]) -> FeatureRidge:
        """Move to where `converter` takes arrays."""
        moved: FeatureRidge = clone(self)
        moved.__dict__.update(self.__dict__)
        if hasattr(self, "coef_"):
            moved.features_ = self.features_.__sklearn_array_api_convert__(converter)
            moved.coef_, moved.intercept_ = converter(self.coef_), converter(self.intercept_)
        return moved
