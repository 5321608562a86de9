"""Select features from a pool, and measure the error of a learner on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import FourierFeatures, learn
from mehler.features import SelectedFeatures, leverage
from mehler.reproduce.leverage._floor import gaussian
from mehler.reproduce.leverage._world import Split

RIDGES = tuple(10.0 ** np.arange(-8.0, 1.0))
# Size of the pool relative to the number of features kept.
POOL = 10


class _Bottom:
    """Keep the features of smallest leverage score, as a control on the value of the scores."""

    def __init__(self, pool: FourierFeatures, n_features: int, lam: float) -> None:
        self.pool, self.n_features, self.lam = pool, n_features, lam

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64]) -> SelectedFeatures:
        """Select by rows; targets are ignored."""
        values = self.pool(X) * float(self.pool.n_features) ** 0.5
        scores = leverage.ridge_leverage_scores(values, self.lam).scores
        columns = np.sort(np.argsort(scores, kind="stable")[: self.n_features])
        gain = (self.pool.n_features / self.n_features) ** 0.5
        return SelectedFeatures(
            X.shape[1],
            self.n_features,
            pool=self.pool,
            columns=columns.tolist(),
            gains=[gain] * self.n_features,
            unbiased=False,
            seed=self.pool.seed,
            like=X,
            dtype=self.pool.dtype,
        )


_Choose = Callable[[Any, int, float, int], Any]
METHODS: dict[str, _Choose] = {
    "plain": lambda pool, m, lam, seed: leverage.PlainSampling(pool, m),
    "leverage": lambda pool, m, lam, seed: leverage.LeverageSampling(pool, m, lam=lam, seed=seed),
    "top leverage": lambda pool, m, lam, seed: leverage.TopLeverage(pool, m, lam=lam),
    "bottom leverage": lambda pool, m, lam, seed: _Bottom(pool, m, lam),
    "top variance": lambda pool, m, lam, seed: leverage.TopVariance(pool, m),
    "EERF": lambda pool, m, lam, seed: leverage.EERF(pool, m),
    "LKRF": lambda pool, m, lam, seed: leverage.LKRF(pool, m, rho=1.0),
}


def on_features(split: Split, phi: Any) -> tuple[float, float]:
    """Return validation and test error of ridge regression, lambda by the former."""
    z, z_choose, z_test = (phi(part[0]) for part in (split.fit, split.choose, split.test))
    fits = learn.RidgeSums(lambda rows: rows).add(z, split.fit[1]).solve(RIDGES)
    errors = [split.error(fit.predict(z_choose), split.choose) for fit in fits]
    best = int(np.argmin(errors))
    return errors[best], split.error(fits[best].predict(z_test), split.test)


def drawn(split: Split, n: int, gamma: float, seed: int) -> Any:
    """Draw n cosines with offset."""
    d = split.fit[0].shape[1]
    return FourierFeatures.draw(d, n, gamma=gamma, form="offset", seed=seed, dtype="float64")


def on_pool(
    split: Split, method: str, m: int, gamma: float, lam: float, seed: int
) -> tuple[float, float]:
    """Return validation and test error with m features selected from a pool by one of `METHODS`.

    Plain sampling draws no more than it keeps; `lam` is the ridge of the scores.
    """
    size = m if method == "plain" else POOL * m
    pool = drawn(split, size, gamma, seed)
    return on_features(split, METHODS[method](pool, m, lam, seed).fit(*split.fit))


def exact(split: Split, gamma: float) -> tuple[float, float]:
    """Return validation and test error of exact kernel ridge regression, the floor."""
    x, y = split.fit
    values, vectors = np.linalg.eigh(gaussian(x, x, gamma))
    coordinates = vectors.T @ (y - y.mean())
    others = [gaussian(part[0], x, gamma) @ vectors for part in (split.choose, split.test)]
    errors: list[tuple[float, float]] = []
    for ridge in RIDGES:
        alpha = coordinates / (np.clip(values, 0, None) + len(y) * ridge)
        parts = zip(others, (split.choose, split.test))
        validation, test = (split.error(k @ alpha + y.mean(), part) for k, part in parts)
        errors.append((validation, test))
    return chosen(errors)


def chosen(pairs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the first pair of least validation error, so that test errors decide not even ties."""
    return min(pairs, key=lambda errors: errors[0])
