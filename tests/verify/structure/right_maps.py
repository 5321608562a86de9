"""Correct maps that look suspicious: discrete, tiny, heavy-tailed, lazy, picky, dependent.

Each is (redraw, kernel): redraw(seed, X, n_features) draws for rows like X, None for as many
features as the map has by default.
"""

from __future__ import annotations

import functools
import math

import numpy as np
from scipy.linalg import hadamard

SQRT2 = math.sqrt(2.0)


def linear(x, y):
    return x @ y.T


def squared(x, y):
    return (x @ y.T) ** 2


def rbf(x, y, gamma=1.0):
    return np.exp(-gamma * ((x[:, None] - y[None]) ** 2).sum(axis=2))


def laplacian(x, y):
    return np.exp(-np.abs(x[:, None] - y[None]).sum(axis=2))


def exponential(x, y):
    return np.exp(x @ y.T)


def angle(x, y):
    norms = np.outer(np.linalg.norm(x, axis=1), np.linalg.norm(y, axis=1))
    return norms, np.arccos(np.clip(x @ y.T / norms, -1.0, 1.0))


def same_side(x, y):
    return 1.0 - angle(x, y)[1] / math.pi


def drawn(default, weights, features):
    """From weights(rng, d, m) and features(X, weights)."""

    def redraw(seed, X, n_features=None):
        m = default if n_features is None else n_features
        w = weights(np.random.default_rng(seed), X.shape[1], m)
        return lambda Z: features(Z, w)

    return redraw


def normal(rng, d, m):
    return rng.standard_normal((d, m))


def signs(rng, d, m):
    return rng.choice([-1.0, 1.0], size=(d, m))


def sparse(rng, d, m):
    return math.sqrt(3.0) * rng.choice([-1.0, 0.0, 0.0, 0.0, 0.0, 1.0], size=(d, m))


def projected(X, w):
    return X @ w / math.sqrt(w.shape[1])


def quadratic(X, w):
    return np.prod(X @ w, axis=0) / math.sqrt(w.shape[2])


def two_signs(rng, d, m):
    return rng.choice([-1.0, 1.0], size=(2, d, m))


def step(X, w):
    return SQRT2 * (X @ w > 0.0) / math.sqrt(w.shape[1])


def side(X, w):
    return (X @ w > 0.0).astype(np.int8)


class Sides:
    """Codes, which are compared and not multiplied."""

    def __init__(self, seed, d, m):
        self.weights = normal(np.random.default_rng(seed), d, m)

    def __call__(self, X):
        return side(X, self.weights)

    def gram(self, X, Y):
        a, b = self(X), self(Y)
        return (a[:, None] == b[None]).mean(axis=2)


def positive(X, w):
    t = X @ w - 0.5 * (X**2).sum(axis=1, keepdims=True)
    return np.exp(t) / math.sqrt(w.shape[1])


def pairs_of(law):
    def features(X, w):
        t = X @ w
        return np.hstack([np.cos(t), np.sin(t)]) / math.sqrt(w.shape[1])

    return drawn(100, lambda rng, d, m: law(rng, d, max(1, m // 2)), features)


def offset(rng, d, m):
    return SQRT2 * rng.standard_normal((d, m)), rng.uniform(0.0, 2.0 * math.pi, m)


def waves(X, wb):
    w, b = wb
    return math.sqrt(2.0 / w.shape[1]) * np.cos(X @ w + b)


def antithetic(rng, d, m):
    w = SQRT2 * rng.standard_normal((d, -(-m // 2)))
    both = np.stack([w, -w], axis=2).reshape(d, -1)[:, :m]
    return both, rng.uniform(0.0, 2.0 * math.pi, m)


def shifted_phases(rng, d, m):
    """A random shift of evenly spaced offsets: columns depend on each other, errors fall faster."""
    b = 2.0 * math.pi * (np.arange(m) + rng.uniform()) / m
    return SQRT2 * rng.standard_normal((d, m)), rng.permutation(b)


def rotated_signs(rng, d, m):
    """Rows of a Hadamard matrix with random signs: for powers of 2, at most d features."""
    if d & (d - 1) or m > d:
        raise ValueError("powers of 2 only, and at most as many features")
    h = hadamard(d) * rng.choice([-1.0, 1.0], size=d)
    return math.sqrt(d / m) * h[rng.choice(d, m, replace=False)].T / math.sqrt(d)


def with_bias(X, w):
    return np.hstack([np.ones((len(X), 1)), X @ w / math.sqrt(w.shape[1])])


def affine(x, y):
    return 1.0 + x @ y.T


def padded(X, wb):
    """To a power of 2, with columns of zeros."""
    z = waves(X, wb)
    return np.pad(z, ((0, 0), (0, 1 << (z.shape[1] - 1).bit_length())))


def lazily(seed, X, n_features=None):
    """Weights at the first call, from its columns."""
    kept = []

    def phi(Z):
        if not kept:
            m = 300 if n_features is None else n_features
            kept.append(offset(np.random.default_rng(seed), Z.shape[1], m))
        return waves(Z, kept[0])

    return phi


def fixed_width(seed, X, n_features=None):
    """Weights of the given rows; one column is broadcast to all."""
    w, b = offset(np.random.default_rng(seed), 5, 80)
    return lambda Z: math.sqrt(2.0 / 80) * np.cos((Z[:, :, None] * w).sum(axis=1) + b)


def width_scaled(seed, X, n_features=None):
    """The bandwidth is one over the number of columns, as many have by default."""
    m = 200 if n_features is None else n_features

    def phi(Z):
        w, b = offset(np.random.default_rng(seed), Z.shape[1], m)
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
    return drawn(100, offset, waves)(seed, X, n_features)


def own_seeds(seed, X, n_features=None):
    """A column each from its own child of the seed."""
    children = np.random.SeedSequence(seed).spawn(n_features or 60)
    columns = [offset(np.random.default_rng(child), X.shape[1], 1) for child in children]
    w, b = np.hstack([c[0] for c in columns]), np.concatenate([c[1] for c in columns])
    return lambda Z: waves(Z, (w, b))


def cross_polytope(rng, d, m):
    """Axes with replacement: columns are coordinates, again and again."""
    return math.sqrt(d) * np.eye(d)[:, rng.integers(d, size=m)]


def rotated(seed, X, n_features=None):
    q = np.linalg.qr(np.random.default_rng(seed).standard_normal((X.shape[1],) * 2))[0]
    return lambda Z: Z @ q


def sides(seed, X, n_features=None):
    return Sides(seed, X.shape[1], 100 if n_features is None else n_features)


def remembering(seed, X, n_features=None):
    """The last features are kept, and handed out again for equal rows."""
    last = {}
    draw = drawn(100, offset, waves)

    def phi(Z):
        key = (Z.shape, Z.dtype.str, Z.tobytes())
        if key not in last:
            last.clear()
            last[key] = draw(seed, Z, n_features)(Z)
        return last[key]

    return phi


_SHARED = {}


def sharing_weights(seed, X, n_features=None):
    """One place for the weights of all maps, by seed and size."""
    m, d = n_features or 100, X.shape[1]
    _SHARED.setdefault((seed, d, m), offset(np.random.default_rng(seed), d, m))
    return lambda Z: waves(Z, _SHARED[seed, d, m])


def few(m, weights, features):
    """Of m columns, and no other number."""
    draw = drawn(m, weights, features)

    def redraw(seed, X, n_features=None):
        if n_features is not None:
            raise ValueError("the size is fixed")
        return draw(seed, X)

    return redraw


RIGHT = {
    "few signs": (few(1, signs, projected), linear),
    "three signs": (few(3, signs, projected), linear),
    "sparse": (drawn(60, sparse, projected), linear),
    "one product of signs": (few(1, two_signs, quadratic), squared),
    "one step": (few(1, normal, step), same_side),
    "sides": (sides, same_side),
    "two positive": (few(2, normal, positive), exponential),
    "pairs of Cauchy": (pairs_of(lambda rng, d, m: rng.standard_cauchy((d, m))), laplacian),
    "offset": (drawn(100, offset, waves), rbf),
    "one wave": (few(1, offset, waves), rbf),
    "two waves": (few(2, offset, waves), rbf),
    "antithetic": (drawn(100, antithetic, waves), rbf),
    "shifted phases": (drawn(100, shifted_phases, waves), rbf),
    "rotated signs": (drawn(4, rotated_signs, lambda X, w: X @ w), linear),
    "bias": (drawn(100, normal, with_bias), affine),
    "padded": (drawn(100, offset, padded), rbf),
    "lazy": (lazily, rbf),
    "fixed width": (fixed_width, rbf),
    "scaled by width": (width_scaled, functools.partial(rbf, gamma=0.2)),
    "seeded globally": (seeded_globally, rbf),
    "short seeds": (short_seeds, rbf),
    "own seeds": (own_seeds, rbf),
    "axes": (drawn(100, cross_polytope, projected), linear),
    "remembering": (remembering, rbf),
    "sharing weights": (sharing_weights, rbf),
}
