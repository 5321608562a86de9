"""Errors of ridge regression on features selected from a pool, and with the exact kernel.

On tens of thousands of rows the matrix of the exact kernel is held once, in float32, and every
ridge is solved by conjugate gradients at the same time, to a stated residual: nothing of the kernel
is approximated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import FourierFeatures, learn
from mehler.features import SelectedFeatures, leverage
from mehler.reproduce._rows import Split, cosines

RIDGES = tuple(10.0 ** np.arange(-8.0, 1.0))
# Size of the pool relative to the number of features kept.
POOL = 10
# Largest length of the residual over that of the targets: predictions at the rows that are fitted
# are nearer than this to the exact solution's, since K (K + mu)^-1 shortens every vector.
RESIDUAL = 1e-4
_BLOCK = 2048
_STEPS = 300
_STARTS = 4


class _Bottom:
    """Keep the features of smallest leverage score, as a control on the value of the scores."""

    def __init__(self, pool: FourierFeatures, n_features: int, lam: float) -> None:
        self.pool, self.n_features, self.lam = pool, n_features, lam

    def fit(self, X: NDArray[np.float64], y: NDArray[np.float64]) -> SelectedFeatures:
        """Select by rows; targets are ignored."""
        values = self.pool(X) * float(self.pool.n_features) ** 0.5
        scores = leverage.ridge_leverage_scores(values, self.lam).scores
        columns = np.sort(np.argsort(scores, kind="stable")[: self.n_features])
        return SelectedFeatures(
            X.shape[1],
            self.n_features,
            pool=self.pool,
            columns=columns.tolist(),
            gains=[(self.pool.n_features / self.n_features) ** 0.5] * self.n_features,
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


def on_pool(
    split: Split, method: str, m: int, gamma: float, lam: float, seed: int
) -> tuple[float, float]:
    """Return validation and test error with m features selected from a pool by one of `METHODS`.

    Plain sampling draws no more than it keeps; `lam` is the ridge of the scores.
    """
    size = m if method == "plain" else POOL * m
    pool = cosines(split.fit[0], size, gamma, seed)
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


def gaussian(x: NDArray[np.float64], z: NDArray[np.float64], gamma: float) -> Any:
    """Return the kernel matrix of two sets of rows, distances in float64."""
    apart = (x**2).sum(axis=1)[:, None] + (z**2).sum(axis=1)[None] - 2.0 * (x @ z.T)
    return np.exp(-gamma * np.clip(apart, 0.0, None))


def symmetric(x: NDArray[np.float64], gamma: float, dtype: Any) -> Any:
    """Return the kernel matrix of one set of rows, block by block of its lower half."""
    k = np.empty((len(x), len(x)), dtype=dtype)
    for rows in _blocks(len(x)):
        for columns in _blocks(rows.stop):
            part = gaussian(x[rows], x[columns], gamma)
            k[rows, columns] = part
            k[columns, rows] = part.T
    return k


def preconditioner(k: Any, n_columns: int, seed: int) -> tuple[Any, Any]:
    """Return the eigenvalues and vectors of Nystroem's matrix of some columns of `k`."""
    picked = np.random.default_rng(seed).choice(len(k), n_columns, replace=False)
    columns = k[:, picked].astype(np.float64)
    values, vectors = np.linalg.eigh(columns[picked])
    # Directions that the dtype does not resolve say nothing.
    positive = values > values[-1] * len(k) * np.finfo(k.dtype).eps
    half = columns @ (vectors[:, positive] / np.sqrt(values[positive]))
    squares, turns = np.linalg.eigh(half.T @ half)
    kept = squares > squares[-1] * np.finfo(np.float64).eps * len(k)
    return squares[kept], (half @ turns[:, kept]) / np.sqrt(squares[kept])


def solve(k: Any, target: Any, ridges: Sequence[float], n_columns: int, seed: int) -> Any:
    r"""Solve :math:`(K + \mu_r)a_r = y` for all ridges together; returns a, shape (n, ridges).

    Raises RuntimeError if a residual stays above `RESIDUAL` of the targets.
    """
    mu = np.asarray(ridges, dtype=np.float64)
    near = preconditioner(k, n_columns, seed)
    a = np.zeros((len(k), len(mu)))
    allowed = RESIDUAL * float(np.linalg.norm(target))
    # The residual that the steps carry along drifts from the true one by rounding: start anew.
    for _ in range(_STARTS):
        r = target[:, None] - _times(k, a) - mu * a
        if np.linalg.norm(r, axis=0).max() <= allowed:
            return a
        a += _descend(k, r, mu, near, 0.5 * allowed)
    left = np.linalg.norm(target[:, None] - _times(k, a) - mu * a, axis=0).max()
    if left <= allowed:
        return a
    raise RuntimeError(f"the residual is {left / allowed:.2g} times the one allowed; add columns")


def _descend(k: Any, r: Any, mu: Any, near: tuple[Any, Any], allowed: float) -> Any:
    """Return preconditioned conjugate gradients' solution for the columns of `r`."""
    values, vectors = near
    gain = (values[0] + mu) / (values[:, None] + mu) - 1.0

    def nearer(rows: NDArray[np.float64]) -> Any:
        return rows + vectors @ (gain * (vectors.T @ rows))

    a, r, z = np.zeros_like(r), r.copy(), nearer(r)
    p, size = z.copy(), (r * z).sum(axis=0)
    for _ in range(_STEPS):
        moving = np.linalg.norm(r, axis=0) > allowed
        if not moving.any():
            break
        kp = (k @ p.astype(k.dtype)).astype(np.float64) + mu * p
        # Columns that have arrived stay where they are.
        step = np.where(moving, size / np.where(moving, (p * kp).sum(axis=0), 1.0), 0.0)
        a += step * p
        r -= step * kp
        z = nearer(r)
        new = (r * z).sum(axis=0)
        p = z + np.where(moving, new / np.where(moving, size, 1.0), 0.0) * p
        size = new
    return a


def _times(k: Any, a: Any) -> Any:
    """Multiply in float64, whatever the matrix is held in."""
    return np.concatenate([k[rows].astype(np.float64) @ a for rows in _blocks(len(k))])


def predict(
    x: NDArray[np.float64], z: NDArray[np.float64], a: NDArray[np.float64], gamma: float
) -> Any:
    """Return the values at rows `z` of the functions with coefficients `a` at rows `x`."""
    return np.concatenate([gaussian(z[rows], x, gamma) @ a for rows in _blocks(len(z))])


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK))
