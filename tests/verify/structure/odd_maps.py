"""Correct maps of further kinds: columns that depend on each other, few states, other libraries."""

from __future__ import annotations

import functools
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.linalg import hadamard

from tests.verify.structure.correct_maps import SMALL, X, cosines, haar, plain, rbf, rng_of, weights

X3, X6 = X[:, :3], np.random.default_rng(8).standard_normal((7, 6))
TAU = 2.0 * math.pi


def linear(x, y):
    return x @ y.T


def squares(x, y):
    return ((x[:, None] - y[None]) ** 2).sum(axis=2)


def pairs(Z, w, scale):
    return scale * np.hstack([np.cos(Z @ w), np.sin(Z @ w)])


# -- columns that share random numbers ------------------------------------------------------------


def shared_scale(variance):
    """Cosines whose frequencies share a random factor, the root of a variance drawn per map."""

    def draw(seed, m=100):
        rng = rng_of(seed)
        w, b = rng.standard_normal((5, m)), rng.uniform(0.0, TAU, m)
        return functools.partial(cosines, w=math.sqrt(variance(rng)) * w, b=b)

    return draw


def rational(x, y):
    """E exp(-s |x - y|^2 / 2) for s of the gamma law of shape 2 and mean 1."""
    return (1.0 + squares(x, y) / 4.0) ** -2.0


def common_phase(seed, m=100):
    rng = rng_of(seed)
    w, b = rng.standard_normal((5, m)), rng.uniform(0.0, TAU)
    return lambda Z: cosines(Z, w, b)


def shared_factor(factor):
    """Cosines times one random number of second moment 1."""

    def draw(seed):
        rng = rng_of(seed)
        scale, phi = factor(rng), plain(int(rng.integers(1 << 60)))
        return lambda Z: scale * phi(Z)

    return draw


def many_phases(seed, m=127):
    """One frequency at evenly spaced phases, nearly copies; an even number has copies."""
    rng = rng_of(seed)
    w, b = rng.standard_normal((5, 1)), TAU * (np.arange(m) + rng.uniform()) / m
    return lambda Z: cosines(Z, np.repeat(w, m, axis=1), b)


def shifted_series(uniform):
    """A Fourier series whose waves share one shift."""
    k = np.arange(1, 65)

    def draw(seed):
        u = uniform(rng_of(seed))
        return lambda Z: math.sqrt(2.0) / k * np.cos(TAU * k * (Z - u))

    return draw


def series_kernel(x, y):
    k = np.arange(1, 65)
    return (np.cos(TAU * k * (x[:, None] - y[None])) / k**2).sum(axis=2)


POOL = rng_of(77).standard_normal((5, 100)), rng_of(78).uniform(0.0, TAU, 100)


def with_replacement(seed, m=100):
    """Of a pool of 100, as leverage scores sample: about half of the columns have a copy."""
    p = np.linspace(1.0, 5.0, 100) / 300.0
    i = rng_of(seed).choice(100, m, p=p)
    return lambda Z: cosines(Z, POOL[0][:, i], POOL[1][i]) / np.sqrt(100.0 * p[i])


def pool_kernel(x, y):
    return cosines(x, *POOL) @ cosines(y, *POOL).T


def tensor(d):
    """All products of two coordinates after a rotation: exact, and column ij is column ji."""

    def draw(seed):
        q = haar(rng_of(seed), d)[:5]
        return lambda Z: np.einsum("ni,nj->nij", Z @ q, Z @ q).reshape(len(Z), -1)

    return draw


def grid(seed, m=128):
    """One random grid, its cells hashed to columns."""
    rng = rng_of(seed)
    width, shift = rng.gamma(2.0, 1.0, 5), rng.uniform(size=5)
    mix = rng.integers(1, 1 << 31, 5) | 1

    def phi(Z):
        cell = (np.floor(Z / width + shift).astype(np.int64) * mix).sum(axis=1)
        return (cell[:, None] % m == np.arange(m)).astype(float)

    return phi


# -- deterministic, or of few states --------------------------------------------------------------


def gauss(seed):
    t, p = np.polynomial.hermite_e.hermegauss(12)
    w = np.stack([axis.ravel() for axis in np.meshgrid(t, t)])
    return lambda Z: pairs(Z, w, np.tile(np.sqrt(np.outer(p, p).ravel() / TAU), 2))


def gauss_with_sign(seed):
    phi, sign = gauss(0), rng_of(seed).choice([-1.0, 1.0])
    return lambda Z: sign * phi(Z)


def landmarks_with_signs(seed):
    values, vectors = np.linalg.eigh(rbf(X[:4], X[:4]))
    signs = rng_of(seed).choice([-1.0, 1.0], 4)
    return lambda Z: signs * (rbf(Z, X[:4]) @ (vectors / np.sqrt(values)))


def hadamard_64(seed):
    """Signs of six columns and 64 of their sums: 64 maps in all."""
    signs = rng_of(seed).choice([-1.0, 1.0], 6)
    return lambda Z: (Z * signs) @ hadamard(64)[[1, 2, 4, 8, 16, 32]] / 8.0


def count_sketch(seed, m=64):
    rng, s = rng_of(seed), np.zeros((5, m))
    s[np.arange(5), rng.integers(m, size=5)] = rng.choice([-1.0, 1.0], 5)
    return lambda Z: Z @ s


def min_hash(seed, m=40):
    a = rng_of(seed).integers(1, 1 << 31, (5, m)) | 1
    return lambda Z: np.where((Z > 0.0)[:, :, None], a, 1 << 40).min(axis=1)


def very_sparse(seed):
    w = rng_of(seed).choice([-1.0, 0.0, 1.0], (5, 1), p=(0.05, 0.9, 0.05)) / math.sqrt(0.1)
    return lambda Z: Z @ w


def integers(seed, m=80):
    w = rng_of(seed).integers(-3, 4, (5, m))
    return lambda Z: np.rint(Z).astype(np.int64) @ w


def bumps(seed, m=100):
    """Zero at most rows."""
    centres = 1.5 * rng_of(seed).standard_normal((m, 5))
    return lambda Z: np.maximum(1.0 - squares(Z, centres), 0.0)


def boolean(seed, m=70):
    w = rng_of(seed).standard_normal((5, m))
    return lambda Z: Z @ w > 0.0


# -- how maps are written -------------------------------------------------------------------------


def own_generator(seed):
    """A generator that the map keeps, for weights of every width that it meets."""
    rng, kept = rng_of(seed), {}

    def phi(Z):
        d = Z.shape[1]
        if d not in kept:
            kept[d] = rng.standard_normal((d, 80)), rng.uniform(0.0, TAU, 80)
        return cosines(Z, *kept[d])

    return phi


def pooled(seed):
    phi = plain(seed)

    def in_threads(Z):
        with ThreadPoolExecutor(3) as pool:
            return np.concatenate(list(pool.map(phi, np.array_split(Z, min(3, len(Z))))))

    return in_threads


def rows_cached(seed):
    w, b = weights(seed)

    @functools.lru_cache
    def row(key):
        return cosines(np.frombuffer(key)[None], w, b)[0]

    return lambda Z: np.stack([row(np.array(z, dtype=float).tobytes()) for z in Z])


def in_half(seed):
    w, b = (part.astype(np.float16) for part in weights(seed))
    return lambda Z: np.float16(math.sqrt(2 / 80)) * np.cos(Z.astype(np.float16) @ w + b)


def scaled(factor):
    def draw(seed):
        phi = plain(seed)
        return lambda Z: factor * phi(Z)

    return draw


def torch_network(seed):
    """Weights of the global generator, as most modules draw them."""
    import torch

    torch.manual_seed(seed)
    network = torch.nn.Sequential(torch.nn.Linear(5, 64), torch.nn.Tanh()).eval()

    def phi(Z):
        with torch.no_grad():
            return network(torch.as_tensor(np.array(Z), dtype=torch.float32)).numpy()

    return phi


ODD = {
    "a shared bandwidth": (shared_scale(lambda rng: rng.gamma(2.0, 0.5)), rational, X),
    "a common phase": (common_phase, rbf, X),
    "a shared amplitude": (shared_factor(lambda rng: math.sqrt(rng.exponential())), rbf, X),
    "0 in half of the draws": (shared_factor(lambda rng: math.sqrt(2) * rng.integers(2)), rbf, X),
    "many phases": (many_phases, rbf, X),
    "a shift of 10 bits": (
        shifted_series(lambda rng: rng.integers(1024) / 1024.0),
        series_kernel,
        SMALL[:, :1],
    ),
    "a pool with replacement": (with_replacement, pool_kernel, X),
    "products after a rotation": (tensor(5), lambda x, y: (x @ y.T) ** 2, X),
    "one hashed grid": (grid, None, X),
    "quadrature with a sign": (gauss_with_sign, rbf, SMALL),
    "landmarks with signs": (landmarks_with_signs, None, X),
    "64 maps in all": (hadamard_64, linear, X6),
    "count sketch": (count_sketch, linear, X),
    "minima of hashes": (min_hash, None, X),
    "one very sparse feature": (very_sparse, linear, X),
    "bumps": (bumps, None, X),
    "booleans": (boolean, None, X),
    "a generator of its own": (own_generator, rbf, X),
    "a pool of threads": (pooled, rbf, X),
    "rows cached one by one": (rows_cached, rbf, X),
    "computed in half precision": (in_half, rbf, X),
    "huge": (scaled(1e120), lambda x, y: 1e240 * rbf(x, y), X),
    "tiny": (scaled(1e-120), lambda x, y: 1e-240 * rbf(x, y), X),
    "a torch network": (torch_network, None, X),
}
