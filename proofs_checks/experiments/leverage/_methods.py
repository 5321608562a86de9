"""Ways to select m features from a larger random pool, and errors of ridge regression on them.

Algorithms 1 and 2 of Shahrampour, Kolouri (2019) sample by leverage scores, or keep the largest.
A score, diag(A'A (A'A + lam)^-1) for the pool's features A of some rows over the root of their
number, says how much a feature adds to the others. The rest are controls and rivals.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mehler import learn
from mehler.features import leverage

from .._learners import gaussian
from .._results import Results, paired_interval
from .._rows import Split
from . import rivals

RIDGES = tuple(10.0 ** np.arange(-8.0, 1.0))
# Size of the pool relative to the number of features kept, and the ridge of the scores.
POOL, LAM = 10, 1e-3
Errors = tuple[float, float]  # on validation and on test rows


@dataclass(frozen=True, kw_only=True, eq=False)
class BottomLeverage(leverage.TopLeverage):
    """Keep the features of smallest leverage score, as a control on the value of the scores."""

    def _choose(self, phi: NDArray[np.float64]) -> leverage.Choice:
        values = phi * float(self.pool.n_features) ** 0.5
        return self._largest(-leverage.ridge_leverage_scores(values, self.lam).scores)


# A selector, of a pool, the number of features, the ridge of the scores, a seed and targets.
METHODS: dict[str, Callable[[Any, int, float, int, Any], leverage.Selector]] = {
    "plain": lambda pool, m, lam, seed, y: leverage.PlainSampling(pool, m),
    "leverage": lambda pool, m, lam, seed, y: leverage.LeverageSampling(
        pool, m, lam=lam, seed=seed
    ),
    "top leverage": lambda pool, m, lam, seed, y: leverage.TopLeverage(pool, m, lam=lam),
    "bottom leverage": lambda pool, m, lam, seed, y: BottomLeverage(pool, m, lam=lam),
    "top variance": lambda pool, m, lam, seed, y: rivals.TopVariance(pool, m),
    "EERF": lambda pool, m, lam, seed, y: rivals.EERF(pool, m, y=y),  # by correlation with y
    "LKRF": lambda pool, m, lam, seed, y: rivals.LKRF(pool, m, y=y, rho=1.0),  # weights fit y
}


def on_features(split: Split, phi: Any) -> Errors:
    """Return errors of ridge regression on features phi; held-out rows choose its penalty."""
    z, z_choose, z_test = (phi(part[0]) for part in (split.fit, split.choose, split.test))
    fits = learn.RidgeSums(lambda rows: rows).add(z, split.fit[1]).solve(RIDGES)
    errors = [split.error(fit.predict(z_choose), split.choose) for fit in fits]
    best = int(np.argmin(errors))
    return errors[best], split.error(fits[best].predict(z_test), split.test)


def best_of(pairs: Sequence[Errors]) -> Errors:
    """Return the first pair of least validation error: test errors do not even decide ties."""
    return min(pairs, key=lambda errors: errors[0])


def exact(split: Split, gamma: float) -> Errors:
    """Return errors of ridge regression by the exact kernel, which features approximate."""
    x, y = split.fit
    values, vectors = np.linalg.eigh(gaussian(x, x, gamma))
    coordinates = vectors.T @ (y - y.mean())
    parts = split.choose, split.test
    others = [gaussian(part[0], x, gamma) @ vectors for part in parts]
    errors: list[Errors] = []
    for ridge in RIDGES:
        alpha = coordinates / (np.clip(values, 0, None) + len(y) * ridge)
        choose, test = (split.error(k @ alpha + y.mean(), part) for k, part in zip(others, parts))
        errors.append((choose, test))
    return best_of(errors)


def log_ratio(errors: ArrayLike, plain: ArrayLike) -> NDArray[np.float64]:
    """Return logarithms of ratios of errors, at least half a mistake in ten thousand rows."""
    first, second = (np.log(np.maximum(values, 5e-5)) for values in (errors, plain))
    return np.asarray(first - second)


def overall(results: Results, names: Mapping[str, str], plain: str) -> list[dict[str, str]]:
    """Return a row for each method: the ratio to plain sampling over all settings.

    `names` has keys of measurements by label. With it is the 99 % interval over draws.
    """
    rows, by_draw = [], [results.where(draw=draw) for draw in sorted(results.options("draw"))]
    for label, name in names.items():
        logs = [np.mean(log_ratio(draw.values(name), draw.values(plain))) for draw in by_draw]
        low, high = np.exp(paired_interval(logs))
        ends = f"{low:.3g} to {high:.3g}"
        rows.append({"method": label, "ratio": f"{np.exp(np.mean(logs)):.3f}", "99 %": ends})
    return rows


def ratios(
    results: Results, option: str, columns: dict[str, str], plain: str
) -> list[dict[str, str]]:
    """Return ratios to `plain` by data set and value of an option; `columns` are keys by head."""
    from scipy.stats import wilcoxon

    rows = []
    for name, value in results.options("data", option):
        subset = results.where(**{"data": name, option: value})
        base = subset.values(plain)
        row = {"data": f"{name}, {option} = {value}", "plain sampling": f"{base.mean():.4f}"}
        for head, key in columns.items():
            logs = log_ratio(subset.values(key), base)
            different = np.any(logs != 0) and wilcoxon(logs).pvalue < 0.05
            row[head] = f"{np.exp(logs.mean()):.2f}{'*' if different else ''}"
        rows.append(row)
    return rows
