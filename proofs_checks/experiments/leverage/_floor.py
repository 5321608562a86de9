"""The error that ever more random features approach: that of exact kernel ridge regression.

On tens of thousands of rows the matrix K of the exact kernel is held once, in float32, and
(K + mu) a = y is solved for all ridges mu together, by conjugate gradients to a stated residual:
nothing of the kernel is approximated.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._learners import gaussian
from .._rows import Split

# Largest length of the residual over that of the targets: predictions at the rows that are fitted
# are nearer than this to the exact solution's, since K (K + mu)^-1 shortens every vector.
RESIDUAL = 1e-4
RIDGES = tuple(float(f"1e{k}") for k in range(-5, 0))
BLOCK, STEPS, STARTS = 2048, 300, 4


def floor(split: Split, gammas: Sequence[float], n_columns: int, seed: int) -> dict[str, float]:
    """Return test error ``exact`` at ``gamma`` and ``ridge`` of least validation error ``held``.

    A `Split` has rows to `fit`, to `choose` by and to `test`; `n_columns` of K precondition.
    """
    x, y = split.fit
    others = np.concatenate([split.choose[0], split.test[0]])
    ridges = [len(y) * ridge for ridge in RIDGES]
    candidates = []
    for gamma in gammas:
        k = symmetric(x, gamma, np.float32)
        a = solve(k, y - y.mean(), ridges, n_columns, seed)
        del k
        values = (predict(x, others, a, gamma) + y.mean()).T
        for ridge, row in zip(RIDGES, values):
            validation, test = np.split(row, [len(split.choose[1])])
            errors = {
                "held": split.error(validation, split.choose),
                "exact": split.error(test, split.test),
            }
            candidates.append({**errors, "gamma": gamma, "ridge": ridge})
    return min(candidates, key=lambda errors: errors["held"])


def blocks(n: int) -> Iterator[slice]:
    return (slice(start, min(start + BLOCK, n)) for start in range(0, n, BLOCK))


def symmetric(x: NDArray[np.float64], gamma: float, dtype: Any) -> Any:
    """Return the kernel matrix of one set of rows, block by block of its lower half."""
    k = np.empty((len(x), len(x)), dtype=dtype)
    for rows in blocks(len(x)):
        for columns in blocks(rows.stop):
            part = gaussian(x[rows], x[columns], gamma)
            k[rows, columns] = part
            k[columns, rows] = part.T
    return k


def predict(
    x: NDArray[np.float64], z: NDArray[np.float64], a: NDArray[np.float64], gamma: float
) -> Any:
    """Return the values at rows `z` of the functions with coefficients `a` at rows `x`."""
    return np.concatenate([gaussian(z[rows], x, gamma) @ a for rows in blocks(len(z))])


def preconditioner(k: Any, n_columns: int, seed: int) -> tuple[Any, Any]:
    """Return the eigenvalues and vectors of Nystroem's matrix of some columns of `k`."""
    picked = np.random.default_rng(seed).choice(len(k), n_columns, replace=False)
    columns = k[:, picked].astype(np.float64)
    values, vectors = np.linalg.eigh(columns[picked])
    # Directions that the dtype does not resolve say nothing.
    positive = values > values[-1] * len(k) * np.finfo(k.dtype).eps
    half = columns @ (vectors[:, positive] / np.sqrt(values[positive]))
    squares, turns = np.linalg.eigh(half.T @ half)
    large = squares > squares[-1] * np.finfo(np.float64).eps * len(k)
    return squares[large], (half @ turns[:, large]) / np.sqrt(squares[large])


def solve(k: Any, target: Any, ridges: Sequence[float], n_columns: int, seed: int) -> Any:
    r"""Solve :math:`(K + \mu_r)a_r = y` for all ridges together; returns a, shape (n, ridges).

    Raises RuntimeError if a residual stays above `RESIDUAL` of the targets.
    """
    mu = np.asarray(ridges, dtype=np.float64)
    nystroem = preconditioner(k, n_columns, seed)
    a = np.zeros((len(k), len(mu)))
    limit = RESIDUAL * float(np.linalg.norm(target))

    def residual() -> Any:
        products = [k[rows].astype(np.float64) @ a for rows in blocks(len(k))]
        return target[:, None] - np.concatenate(products) - mu * a

    # The residual that the steps carry along drifts from the true one by rounding: start anew.
    for _ in range(STARTS):
        r = residual()
        if np.linalg.norm(r, axis=0).max() <= limit:
            return a
        a += _descend(k, r, mu, nystroem, 0.5 * limit)
    rest = np.linalg.norm(residual(), axis=0).max()
    if rest <= limit:
        return a
    raise RuntimeError(f"the residual is {rest / limit:.2g} times the one allowed; add columns")


def _descend(k: Any, r: Any, mu: Any, nystroem: tuple[Any, Any], limit: float) -> Any:
    """Solve for the residuals `r`, a column per ridge, by preconditioned conjugate gradients."""
    values, vectors = nystroem
    gain = (values[0] + mu) / (values[:, None] + mu) - 1.0

    def precondition(rows: NDArray[np.float64]) -> Any:
        return rows + vectors @ (gain * (vectors.T @ rows))

    a, z = np.zeros_like(r), precondition(r)
    p, size = z.copy(), (r * z).sum(axis=0)
    for _ in range(STEPS):
        moving = np.linalg.norm(r, axis=0) > limit
        if not moving.any():
            break
        kp = (k @ p.astype(k.dtype)).astype(np.float64) + mu * p
        # Columns that have arrived stay where they are.
        step = np.where(moving, size / np.where(moving, (p * kp).sum(axis=0), 1.0), 0.0)
        a += step * p
        r = r - step * kp
        z = precondition(r)
        new = (r * z).sum(axis=0)
        p = z + np.where(moving, new / np.where(moving, size, 1.0), 0.0) * p
        size = new
    return a
