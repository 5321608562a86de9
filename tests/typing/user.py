"""Code of a user who checks types: every public package, called as documented."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import mehler
from mehler import (
    bounds,
    exact,
    features,
    kernels,
    learn,
    planning,
    report,
    statements,
    verify,
)
from mehler.features import FeatureMap, Spectrum, groups, leverage
from mehler.sklearn import FourierSampler, RandomFeatureRidge
from mehler.verify import Verdict, intervals

Matrix = npt.NDArray[np.float64]


def linear(X: Matrix, Y: Matrix) -> Matrix:
    return X @ Y.T


def maps() -> list[FeatureMap]:
    return [
        mehler.MaxoutFeatures.draw(3, 12, 4, seed=0),
        mehler.DecoupledMaxoutFeatures.draw(3, 12, 4, seed=0, directions="fresh"),
        mehler.MaxoutCodes.draw(3, 12, 4, seed=0),
        mehler.FourierFeatures.draw(3, 12, kernel="matern", nu=2.5, length_scale=1.0, seed=0),
        mehler.KitchenSinks.draw(3, 12, activation="relu", seed=0),
        mehler.GroupInvariantFeatures.draw(3, group=groups.CyclicShifts(3), n_templates=2, seed=0),
    ]


def features_of(X: Matrix) -> None:
    for phi in maps():
        sizes: tuple[int, int] = phi.n_inputs, phi.n_features
        assert phi(X).shape == (len(X), sizes[1])
        assert phi.kernel(X, X).shape == phi.gram(X).shape == phi.variance(X).shape
        recipe: dict[str, Any] = phi.recipe()
        again: FeatureMap = mehler.from_recipe(recipe).to(np)
        assert again.seed == phi.seed and again.dtype is None
    pool = mehler.FourierFeatures.draw(3, 40, seed=0)
    selector = leverage.LeverageSampling(pool, 8, lam=1e-2, seed=0).fit(X)
    assert isinstance(selector, features.SelectedFeatures) and not isinstance(pool, Spectrum)


def numbers(rho: Matrix) -> None:
    total: float = exact.sigma2(4) + exact.max_moment(1, 4)
    ball: exact.certified.Ball = exact.certified.sigma2(4, bits=80)
    values: Matrix = exact.maxout_kernel(rho, 4) + exact.collision_probability(rho, 4)
    values = values + exact.activation_kernel("relu", rho)
    assert total > 0.0 and ball.proved and values.shape == rho.shape
    bound: bounds.Bound = mehler.bounds.kernel_error.all_pairs(
        10**6, n_rows=10, delta=0.1, pool_size=4
    )
    terms: tuple[bounds.Term, ...] = bound.terms
    assert bound.value >= 0.0 and len(terms) > 0 and not bound.vacuous


def verdicts(X: Matrix) -> None:
    def draw(seed: int) -> FeatureMap:
        return mehler.FourierFeatures.draw(3, 12, seed=seed)

    rbf = kernels.make("rbf", gamma=1.0)
    ledger = verify.Ledger(1e-6)
    verdict: Verdict = mehler.verify.check_kernel(draw, rbf, X, resolution=0.2, ledger=ledger)
    status: str = verdict.status
    assert verdict.holds and status == "holds" and verdict.n_draws > 0
    again: Verdict = verify.assert_kernel(draw, rbf, X, resolution=0.2, max_features=10**6)
    assert again.holds and verify.check_structure(draw, X).holds
    assert callable(intervals.betting)
    fit = learn.ridge(draw(0), X, X[:, 0], lambdas=1e-2)
    assert fit.predict(X).shape == (len(X),)


def estimators(X: Matrix) -> None:
    sampler = FourierSampler(n_components=8, random_state=0).fit(X)
    assert sampler.transform(X).shape == (len(X), 8)
    assert RandomFeatureRidge(random_state=0).fit(X, X[:, 0]).predict(X).shape == (len(X),)
    rows = report.load_rows(X)
    assert rows.n_rows == len(X) and len(rows.columns) == X.shape[1]


def main(folder: Path) -> None:
    X = np.random.default_rng(0).standard_normal((4, 3))
    features_of(X)
    numbers(np.linspace(-1.0, 1.0, 5))
    verdicts(X)
    estimators(X)
    assert callable(planning.plan) and statements.__name__ and folder
