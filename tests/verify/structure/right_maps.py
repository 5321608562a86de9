"""Correct maps of any size that look suspicious: discrete, heavy-tailed, lazy, picky, dependent.

Each is (redraw, kernel): redraw(seed, X, n_features) draws for rows like X, None for as many
features as the map has by default.
"""

import functools
import math

import numpy as np

SQRT2 = math.sqrt(2.0)


def linear(x, y):
    return x @ y.T


def rbf(x, y, gamma=1.0):
    return np.exp(-gamma * ((x[:, None] - y[None]) ** 2).sum(axis=2))


def laplacian(x, y):
    return np.exp(-np.abs(x[:, None] - y[None]).sum(axis=2))


def same_side(x, y):
    norms = np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1))
    return 1.0 - np.arccos(np.clip(x @ y.T / norms, -1.0, 1.0)) / math.pi


def waves_of(default, weights, features, fixed=False):
    """From weights(rng, d, m) and features(X, weights); `fixed` is of no other size."""

    def redraw(seed, X, n_features=None):
        if fixed and n_features is not None:
            raise ValueError("the size is fixed")
        m = default if n_features is None else n_features
        w = weights(np.random.default_rng(seed), X.shape[1], m)
        return lambda Z: features(Z, w)

    return redraw


few = functools.partial(waves_of, fixed=True)


def normal(rng, d, m):
    return rng.standard_normal((d, m))


def signs(rng, d, m):
    return rng.choice([-1.0, 1.0], size=(d, m))


def sparse(rng, d, m):
    return math.sqrt(3.0) * rng.choice([-1.0, 0.0, 0.0, 0.0, 0.0, 1.0], size=(d, m))


def offset(rng, d, m):
    return SQRT2 * rng.standard_normal((d, m)), rng.uniform(0.0, 2.0 * math.pi, m)


def antithetic(rng, d, m):
    w = SQRT2 * rng.standard_normal((d, -(-m // 2)))
    both = np.stack([w, -w], axis=2).reshape(d, -1)[:, :m]
    return both, rng.uniform(0.0, 2.0 * math.pi, m)


def cross_polytope(rng, d, m):
    """Axes with replacement: columns are coordinates, again and again."""
    return math.sqrt(d) * np.eye(d)[:, rng.integers(d, size=m)]


def cauchy(rng, d, m):
    return rng.standard_cauchy((d, max(1, m // 2)))


def projected(X, w):
    return X @ w / math.sqrt(w.shape[1])


def quadratic(X, w):
    return np.prod(X @ w, axis=0) / math.sqrt(w.shape[2])


def positive(X, w):
    return np.exp(X @ w - 0.5 * (X**2).sum(axis=1, keepdims=True)) / math.sqrt(w.shape[1])


def pairs(X, w):
    return np.hstack([np.cos(X @ w), np.sin(X @ w)]) / math.sqrt(w.shape[1])


def waves(X, wb):
    w, b = wb
    return math.sqrt(2.0 / w.shape[1]) * np.cos(X @ w + b)


def with_bias(X, w):
    return np.hstack([np.ones((len(X), 1)), projected(X, w)])


def padded(X, wb):
    """To a power of 2, with columns of zeros."""
    z = waves(X, wb)
    return np.pad(z, ((0, 0), (0, 1 << (z.shape[1] - 1).bit_length())))


class Sides:
    """Codes, which are compared and not multiplied."""

    def __init__(self, seed, X, n_features=None):
        self.weights = normal(np.random.default_rng(seed), X.shape[1], n_features or 100)

    def __call__(self, X):
        return (X @ self.weights > 0.0).astype(np.int8)

    def gram(self, X, Y):
        a, b = self(X), self(Y)
        return (a[:, None] == b[None]).mean(axis=2)


def lazily(seed, X, n_features=None):
    """Weights at the first call, from its columns."""
    cache = []

    def phi(Z):
        if not cache:
            cache.append(offset(np.random.default_rng(seed), Z.shape[1], n_features or 300))
        return waves(Z, cache[0])

    return phi


def fixed_width(seed, X, n_features=None):
    """Weights of the given rows; one column is broadcast to all."""
    w, b = offset(np.random.default_rng(seed), 5, 80)
    return lambda Z: math.sqrt(2.0 / 80) * np.cos((Z[:, :, None] * w).sum(axis=1) + b)


def width_scaled(seed, X, n_features=None):
    """The bandwidth is one over the number of columns, as many have by default."""

    def phi(Z):
        w, b = offset(np.random.default_rng(seed), Z.shape[1], n_features or 200)
        return waves(Z, (w / math.sqrt(Z.shape[1]), b))

    return phi


def seeded_globally(seed, X, n_features=None):
    np.random.seed(seed)  # noqa: NPY002
    w = SQRT2 * np.random.standard_normal((X.shape[1], n_features or 100))  # noqa: NPY002
    b = np.random.uniform(0.0, 2.0 * math.pi, w.shape[1])  # noqa: NPY002
    return lambda Z: waves(Z, (w, b))


def short_seeds(seed, X, n_features=None):
    if seed >= 2**31:
        raise ValueError("seeds have 31 bits")
    return waves_of(100, offset, waves)(seed, X, n_features)


_SHARED = {}


def sharing_weights(seed, X, n_features=None):
    """One place for the weights of all maps, by seed and size."""
    m, d = n_features or 100, X.shape[1]
    _SHARED.setdefault((seed, d, m), offset(np.random.default_rng(seed), d, m))
    return lambda Z: waves(Z, _SHARED[seed, d, m])


RIGHT = {
    "three signs": (few(3, signs, projected), linear),
    "sparse": (waves_of(60, sparse, projected), linear),
    "one product of signs": (
        few(1, lambda rng, d, m: rng.choice([-1.0, 1.0], size=(2, d, m)), quadratic),
        lambda x, y: (x @ y.T) ** 2,
    ),
    "sides": (Sides, same_side),
    "two positive": (few(2, normal, positive), lambda x, y: np.exp(x @ y.T)),
    "pairs of Cauchy": (waves_of(100, cauchy, pairs), laplacian),
    "offset": (waves_of(100, offset, waves), rbf),
    "two waves": (few(2, offset, waves), rbf),
    "antithetic": (waves_of(100, antithetic, waves), rbf),
    "bias": (waves_of(100, normal, with_bias), lambda x, y: 1.0 + x @ y.T),
    "padded": (waves_of(100, offset, padded), rbf),
    "lazy": (lazily, rbf),
    "fixed width": (fixed_width, rbf),
    "scaled by width": (width_scaled, functools.partial(rbf, gamma=0.2)),
    "seeded globally": (seeded_globally, rbf),
    "short seeds": (short_seeds, rbf),
    "axes": (waves_of(100, cross_polytope, projected), linear),
    "sharing weights": (sharing_weights, rbf),
}
