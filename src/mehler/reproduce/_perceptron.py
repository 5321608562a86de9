"""Logistic machines for few rows: a linear one, and a perceptron fitted jointly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Perceptron:
    """f(x) = a^T tanh(W^T x + b) + c, for two classes.

    Parameters
    ----------
    inner : array, shape (d + 1, k)
        W, and b in the last row.
    outer : array, shape (k + 1,)
        a, and c at the end.
    """

    inner: Any
    outer: Any

    def __call__(self, X: Any) -> Any:
        """Compute f of rows: above 0 for the second class."""
        return _ends(np.tanh(_ends(X) @ self.inner)) @ self.outer


def perceptron(
    X: Any, y: Any, n_hidden: int, lam: float, *, seed: int, n_steps: int = 100
) -> Perceptron:
    """Minimise the logistic loss and lam times the squared weights over both layers.

    Parameters
    ----------
    X : array, shape (N, d)
        Standardised rows.
    y : array, shape (N,)
        -1 or 1.
    n_hidden : int
        Hidden nodes k.
    lam : float
        Penalty of all weights but the offsets.
    seed : int
        Seed of the start.
    n_steps : int
        Most steps of L-BFGS.

    Returns
    -------
    Perceptron
        The last step: the problem is not convex.
    """
    from scipy.optimize import minimize

    rng = np.random.default_rng(seed)
    d = X.shape[1]
    shape, split = (d + 1, n_hidden), (d + 1) * n_hidden
    rows = _ends(X)
    start = np.concatenate(
        [rng.standard_normal(split) / d**0.5, rng.standard_normal(n_hidden + 1) / n_hidden**0.5]
    )
    kept = np.ones(len(start))
    kept[split - n_hidden : split] = 0.0
    kept[-1] = 0.0

    def objective(weights: Any) -> tuple[float, Any]:
        inner, outer = weights[:split].reshape(shape), weights[split:]
        hidden = _ends(np.tanh(rows @ inner))
        margin = y * (hidden @ outer)
        slope = -y / (1.0 + np.exp(np.clip(margin, -500, 500))) / len(y)
        back = slope[:, None] * outer[:-1] * (1.0 - hidden[:, :-1] ** 2)
        gradient = np.concatenate([(rows.T @ back).ravel(), hidden.T @ slope])
        loss = np.logaddexp(0.0, -margin).mean() + lam * np.sum(kept * weights**2)
        return float(loss), gradient + 2 * lam * kept * weights

    found = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": n_steps}).x
    return Perceptron(found[:split].reshape(shape), found[split:])


def linear(X: Any, y: Any, lam: float) -> Any:
    """Return weights, and an offset at the end, of logistic regression with a ridge.

    Labels are -1 and 1; the offset is not penalised.
    """
    from scipy.optimize import minimize

    rows = _ends(X)

    def objective(weights: Any) -> tuple[float, Any]:
        margin = y * (rows @ weights)
        slope = -y / (1.0 + np.exp(np.clip(margin, -500, 500))) / len(y)
        gradient = rows.T @ slope
        gradient[:-1] += 2 * lam * weights[:-1]
        loss = np.logaddexp(0.0, -margin).mean() + lam * np.sum(weights[:-1] ** 2)
        return float(loss), gradient

    start = np.zeros(rows.shape[1])
    return minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x


def values(X: Any, weights: Any) -> Any:
    """Evaluate the linear machine."""
    return _ends(X) @ weights


def _ends(X: Any) -> Any:
    """Append a column of ones."""
    return np.concatenate([X, np.ones((len(X), 1))], axis=1)
