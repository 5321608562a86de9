"""Learners: ridge, nearest rows, Nystroem, kernel ridge, a perceptron, greedy sums, AdaBoost."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mehler import _random, learn

_BLOCK = 256  # queries per block of distances: 256 by 60,000 of float64 are 117 MiB

Kernel = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]


def classes_by_ridge(
    phi: Callable[[Any], Any], rows: Any, labels: NDArray[Any], new: Any
) -> NDArray[Any]:
    """Return classes of `new` rows by ridge regression on phi(rows), lambda by leave-one-out."""
    codes, classes = learn.one_vs_all(labels)
    lambdas = tuple(10.0 ** np.arange(-8.0, 0.0))
    fit = learn.ridge(phi, rows, codes, lambdas=lambdas, scoring="error_rate")
    return np.asarray(classes[fit.predict(new).argmax(axis=1)])


def nearest_rows(
    Z: NDArray[np.floating], Q: NDArray[np.floating], n_neighbours: int = 1
) -> NDArray[np.int64]:
    """Return the numbers of the rows of `Z` nearest to each query, the nearest first.

    Of equal distances the first row comes first, on every processor. Squared distances are sums
    over m columns, whose rounding is within m 2^-52 of them: those within twice that of
    the least are equal to it. A product of matrices, as scikit-learn and faiss take, loses more.
    """
    from scipy.spatial.distance import cdist

    rows, queries = (np.asarray(part, dtype=np.float64) for part in (Z, Q))
    index = np.empty((len(queries), n_neighbours), dtype=np.int64)
    rounding = 2.0 * rows.shape[1] * 2.0**-52
    for start in range(0, len(queries), _BLOCK):
        block = slice(start, start + _BLOCK)
        distances = cdist(queries[block], rows, "sqeuclidean")
        for j in range(n_neighbours):
            least = distances.min(axis=1, keepdims=True)
            nearest = (distances <= (1.0 + rounding) * least).argmax(axis=1)  # the first of equals
            index[block, j] = nearest
            distances[np.arange(len(nearest)), nearest] = np.inf
    return index


def gaussian(x: NDArray[np.float64], z: NDArray[np.float64], gamma: float) -> Any:
    """Return the Gaussian kernel's matrix of two sets of rows, distances in float64."""
    apart = (x**2).sum(axis=1)[:, None] + (z**2).sum(axis=1)[None] - 2.0 * (x @ z.T)
    return np.exp(-gamma * np.clip(apart, 0.0, None))


def nystroem(
    kernel: Kernel, X: NDArray[np.float64], n_columns: int, seed: int
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Return features K^(-1/2) k(S, x) of a kernel k, with random rows S of X and K = k(S, S).

    scikit-learn's `Nystroem` calls a kernel for each pair of rows. Eigenvalues of K within 1e-12
    of the largest are rounding, and their directions are left out.
    """
    rng = _random.generator(seed, _random.SELECTION, 0)
    rows = X[np.sort(rng.choice(len(X), n_columns, replace=False))]
    block = kernel(rows, rows)
    eigenvalues, vectors = np.linalg.eigh(0.5 * (block + block.T))
    positive = eigenvalues > 1e-12 * eigenvalues[-1]
    root = vectors[:, positive] / np.sqrt(eigenvalues[positive])
    return lambda Z: kernel(Z, rows) @ root


class KernelRidge(NamedTuple):
    """A function of rows (n, d), its lambda, and the leave-one-out errors at all lambdas."""

    predict: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    lam: float
    errors: NDArray[np.float64]


def kernel_ridge(
    kernel: Kernel,
    X: NDArray[np.float64],
    Y: NDArray[np.float64],
    lambdas: tuple[float, ...],
    *,
    by_class: bool = False,
    intercept: bool = True,
) -> KernelRidge:
    r"""Minimise the mean squared error of f plus lambda |f|^2, lambda by leave-one-out error.

    The errors of f at rows x_i with targets y_i, when fitted to the other N - 1 rows, are exact,

    .. math:: \frac{y_i - f(x_i)}{1 - h_i}, \quad
              1 - h_i = \sum_j v_{ij}^2 \frac{N\lambda}{N\lambda + s_j} - \frac1N

    by eigenvalues s_j and eigenvectors v_j of the kernel matrix, which an intercept centres;
    without one there is no 1/N (Rifkin, Lippert 2007). Targets `Y` are (N, t), and errors mean
    squares, or `by_class` the fraction of rows whose largest column is wrong.
    """
    K = kernel(X, X)
    K = 0.5 * (K + K.T)
    n = len(K)
    mean = Y.mean(axis=0) if intercept else np.zeros(Y.shape[1])
    columns = K.mean(axis=0)
    centred = K - columns - columns[:, None] + K.mean() if intercept else K
    eigenvalues, vectors = np.linalg.eigh(centred)
    eigenvalues = np.maximum(eigenvalues, 0.0)  # negative ones are rounding
    targets = vectors.T @ (Y - mean)
    errors, solutions = np.empty(len(lambdas)), []
    for i, lam in enumerate(lambdas):
        # Both from N lambda / (N lambda + s), in which no digits cancel.
        remainder = n * lam / (eigenvalues + n * lam)
        residuals = vectors @ (remainder[:, None] * targets)
        diagonal = (vectors**2) @ remainder - (1.0 / n if intercept else 0.0)
        left_out = residuals / diagonal[:, None]
        if by_class:
            errors[i] = np.mean((Y - left_out).argmax(axis=1) != Y.argmax(axis=1))
        else:
            errors[i] = np.mean(left_out**2)
        solutions.append(residuals / (n * lam))
    best = max(np.flatnonzero(errors == errors.min()), key=lambda i: lambdas[i])  # ties: largest
    c = solutions[best]
    offset = mean - (columns @ c if intercept else 0.0)
    return KernelRidge(lambda Z: kernel(Z, X) @ c + offset, float(lambdas[best]), errors)


def perceptron(
    X: NDArray[np.float64],
    y: NDArray[np.float64],
    n_hidden: int,
    lam: float,
    *,
    seed: int,
    n_steps: int = 100,
) -> Callable[[NDArray[np.float64]], Any]:
    """Return a function a^T tanh(W^T x + b) + c of rows x, whose sign is the class, -1 or 1.

    It minimises the logistic loss plus lam times the squares of W and a, by steps of L-BFGS from a
    random start. Rows are standardised, and `y` is -1 or 1.
    """
    from scipy.optimize import minimize

    rng = np.random.default_rng(seed)
    d = X.shape[1]
    shape, n_inner = (d + 1, n_hidden), (d + 1) * n_hidden
    rows = _with_ones(X)
    start = np.concatenate(
        [rng.standard_normal(n_inner) / d**0.5, rng.standard_normal(n_hidden + 1) / n_hidden**0.5]
    )
    penalised = np.ones(len(start))
    penalised[n_inner - n_hidden : n_inner] = 0.0
    penalised[-1] = 0.0

    def objective(weights: NDArray[np.float64]) -> tuple[float, Any]:
        inner, outer = weights[:n_inner].reshape(shape), weights[n_inner:]
        hidden = _with_ones(np.tanh(rows @ inner))
        margin = y * (hidden @ outer)
        slope = -y / (1.0 + np.exp(np.clip(margin, -500, 500))) / len(y)
        back = slope[:, None] * outer[:-1] * (1.0 - hidden[:, :-1] ** 2)
        gradient = np.concatenate([(rows.T @ back).ravel(), hidden.T @ slope])
        loss = np.logaddexp(0.0, -margin).mean() + lam * np.sum(penalised * weights**2)
        return float(loss), gradient + 2 * lam * penalised * weights

    best = minimize(objective, start, jac=True, method="L-BFGS-B", options={"maxiter": n_steps}).x
    inner, outer = best[:n_inner].reshape(shape), best[n_inner:]
    return lambda Z: _with_ones(np.tanh(_with_ones(Z) @ inner)) @ outer


def _with_ones(X: NDArray[np.float64]) -> Any:
    return np.concatenate([X, np.ones((len(X), 1))], axis=1)


def greedy_path(
    phi: NDArray[np.float64], y: NDArray[np.float64], sizes: tuple[int, ...]
) -> dict[int, Any]:
    """Fit y by a sum f of features phi (N, P); return its weights (P,) by number of greedy steps.

    A step replaces f by (1 - alpha) f + alpha g, with the column g, of either sign, and the alpha
    in [0, 1] of least squared error. Columns are scaled so that one can reach the targets.
    """
    lengths = np.sqrt(np.maximum((phi**2).mean(axis=0), 1e-300))
    # The total weight: ten times the targets' norm, so that sums of features can be reached.
    scale = 10.0 * np.sqrt(np.mean(y**2)) / lengths
    atoms = phi * scale
    squares, cross = (atoms**2).mean(axis=0), atoms.T @ y / len(y)
    f, weights, path = np.zeros(len(y)), np.zeros(phi.shape[1]), {}
    signs = np.array([[1.0], [-1.0]])
    for step in range(1, max(sizes) + 1):
        along, size, fit = atoms.T @ f / len(y), np.mean(f**2), np.mean(f * y)
        # |f + alpha (s g - f) - y|^2 is a parabola in alpha.
        distance = squares - 2 * signs * along + size
        gain = signs * (cross - along) - fit + size
        alpha = np.clip(gain / np.maximum(distance, 1e-300), 0.0, 1.0)
        change = alpha**2 * distance - 2 * alpha * gain
        best = np.unravel_index(np.argmin(change), change.shape)
        alpha_at, sign, column = alpha[best], signs[best[0], 0], best[1]
        f = (1 - alpha_at) * f + alpha_at * sign * atoms[:, column]
        weights *= 1 - alpha_at
        weights[column] += alpha_at * sign * scale[column]
        if step in sizes:
            path[step] = weights.copy()
    return path


def stumps(X: Any, thresholds: Any) -> Any:
    """Return votes (N, P): 1 where a column of X exceeds a threshold (P/d, d) of it, else -1."""
    columns = np.tile(np.arange(X.shape[1]), len(thresholds))
    return np.where(X[:, columns] > thresholds.ravel(), np.float32(1), np.float32(-1))


def boosted(votes: Any, y: NDArray[np.float64], sizes: tuple[int, ...]) -> dict[int, Any]:
    """Weigh votes (N, P) for labels y, -1 or 1, by AdaBoost: weights (P,) by number of rounds."""
    mass = np.full(len(y), 1.0 / len(y))
    weights, path = np.zeros(votes.shape[1]), {}
    for step in range(1, max(sizes) + 1):
        agreement = (mass * y).astype(np.float32) @ votes
        column = int(np.argmax(np.abs(agreement)))
        edge = float(np.clip(agreement[column], -1 + 1e-9, 1 - 1e-9))
        weight = 0.5 * np.log((1 + edge) / (1 - edge))
        mass = mass * np.exp(-weight * y * votes[:, column])
        mass /= mass.sum()
        weights[column] += weight
        if step in sizes:
            path[step] = weights.copy()
    return path
