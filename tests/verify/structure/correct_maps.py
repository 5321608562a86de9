"""Correct maps that a careless rule refutes: (draw, kernel or None, rows), none of them wrong."""

from __future__ import annotations

import math

import numpy as np

import mehler

X = np.random.default_rng(0).standard_normal((7, 5))
SMALL = np.random.default_rng(1).uniform(-0.5, 0.5, (6, 2))
UNIT = X / np.linalg.norm(X, axis=1, keepdims=True)
LONG = 2.7 * UNIT
WHOLE = np.random.default_rng(2).integers(-4, 5, (6, 5)).astype(float)


def rbf(x, y):
    return np.exp(-0.5 * ((x[:, None] - y[None]) ** 2).sum(axis=2))


def rng_of(seed):
    return np.random.default_rng(seed)


def cosines(Z, w, b):
    return math.sqrt(2.0 / w.shape[1]) * np.cos(Z @ w + b)


def weights(seed, d=5, m=80):
    rng = rng_of(seed)
    return rng.standard_normal((d, m)), rng.uniform(0.0, 2.0 * math.pi, m)


def plain(seed, d=5, m=80):
    w, b = weights(seed, d, m)
    return lambda Z: cosines(Z, w, b)


def importance(seed, d=5, m=100):
    """Frequencies of a proposal 1.25 times wider, with the root of their density ratio."""
    rng = rng_of(seed)
    w = 1.25 * rng.standard_normal((d, m))
    ratio = 1.25**d * np.exp(-0.5 * (w**2).sum(axis=0) * (1.0 - 1.25**-2))
    b = rng.uniform(0.0, 2.0 * math.pi, m)
    return lambda Z: np.sqrt(ratio) * cosines(Z, w, b)


def bernoulli_kernel(x, y):
    """The periodic kernel prod_i (1 + B_2(|x_i - y_i|)), B_2(t) = t^2 - t + 1/6."""
    t = np.abs(x[:, None] - y[None]) % 1.0
    return np.prod(1.0 + t**2 - t + 1.0 / 6.0, axis=2)


def bernoulli(seed, m=120):
    """Waves h of weight 1 / (pi h)^2, since B_2(t) is the sum of cos(2 pi h t) / (pi h)^2."""
    rng = rng_of(seed)
    h = np.arange(1, 4000)
    p = 1.0 / (math.pi * h) ** 2
    size = p.sum()
    zero = rng.random((2, m)) < 1.0 / (1.0 + size)
    drawn = rng.choice(h, size=(2, m), p=p / size) * rng.choice([-1, 1], size=(2, m))
    b = rng.uniform(0.0, 2.0 * math.pi, m)
    w = 2.0 * math.pi * np.where(zero, 0, drawn)
    return lambda Z: math.sqrt(2.0 / m) * (1.0 + size) * np.cos(Z @ w + b)


def one_plus_kernel(x, y):
    return np.prod(1.0 + x[:, None] * y[None], axis=2)


def one_plus(seed, m=100):
    """Products of 1 + s_i x_i."""
    s = rng_of(seed).choice([-1.0, 1.0], (5, m))
    return lambda Z: np.prod(1.0 + Z[:, :, None] * s, axis=1) / math.sqrt(m)


def pipeline(seed):
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    made = make_pipeline(StandardScaler(), RBFSampler(gamma=0.5, n_components=80))
    return made.set_params(rbfsampler__random_state=seed).fit(X).transform


def cached(seed):
    phi, kept = plain(seed), {}

    def by_content(Z):
        key = Z.tobytes(), Z.shape, Z.dtype.str, Z.flags.f_contiguous
        return kept.setdefault(key, phi(Z)).copy()

    return by_content


def lazy(seed):
    kept = {}

    def phi(Z):
        d = Z.shape[1]
        if d not in kept:
            kept[d] = weights(seed, d)
        return cosines(Z, *kept[d])

    return phi


def blocks(seed, size=64):
    phi = plain(seed)
    return lambda Z: np.concatenate([phi(Z[k : k + size]) for k in range(0, len(Z), size)])


def torch_module(seed):
    """A module whose layer draws from the global generator, in a fork of it."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        layer = torch.nn.Linear(5, 80).double()
    return lambda Z: (
        layer(torch.as_tensor(np.array(Z, dtype=float))).detach().numpy() / math.sqrt(80)
    )


def jax_map(seed):
    import jax

    a, b = jax.random.split(jax.random.PRNGKey(seed))
    w = np.asarray(jax.random.normal(a, (5, 80)))
    shift = np.asarray(jax.random.uniform(b, (80,))) * 2.0 * math.pi
    return jax.jit(lambda Z: math.sqrt(2.0 / 80) * jax.numpy.cos(Z @ w + shift))


def haar(rng, d=5):
    q, r = np.linalg.qr(rng.standard_normal((d, d)))
    return q * np.sign(np.diag(r))


def simhash(seed, bits=12):
    w = rng_of(seed).standard_normal((5, bits))
    return lambda Z: ((Z @ w > 0.0) @ (1 << np.arange(bits))).reshape(-1, 1).astype(np.uint16)


def tenths(seed):
    """The same at tenths, whose sums are 0 up to rounding, in another order than BLAS."""
    w = rng_of(seed).choice([-1.0, 1.0], (5, 60))
    return lambda Z: np.sign((Z[:, :, None] * w).sum(axis=1)) / math.sqrt(60)


def trees(seed):
    """One-hot cells of random splits."""
    rng = rng_of(seed)
    column, threshold = rng.integers(5, size=(10, 3)), rng.standard_normal((10, 3))

    def phi(Z):
        cell = ((Z[:, column] > threshold) * (1, 2, 4)).sum(axis=2)
        return (cell[:, :, None] == np.arange(8)).reshape(len(Z), -1) / math.sqrt(10)

    return phi


def steep(seed):
    """Frequencies of 10^5, computed in single precision: rounding shows in every digit."""
    w, b = weights(seed)
    return lambda Z: cosines(
        Z.astype(np.float32), (1e5 * w).astype(np.float32), b.astype(np.float32)
    )


def nystroem(seed):
    basis = X[rng_of(seed).permutation(len(X))[:4]]
    values, vectors = np.linalg.eigh(rbf(basis, basis))
    half = vectors / np.sqrt(values)
    return lambda Z: rbf(Z, basis) @ half


def refuses_floats32(seed):
    phi = plain(seed)

    def strict(Z):
        if Z.dtype != np.float64 or not np.isfinite(Z).all():
            raise TypeError("float64 only")
        return phi(Z)

    return strict


def scaled_rows(seed):
    """Of directions alone: a row of zeros has none."""
    phi = plain(seed)

    def phi_of_directions(Z):
        with np.errstate(all="ignore"):
            return phi(Z / np.linalg.norm(Z, axis=1, keepdims=True))

    return phi_of_directions


def half(seed):
    phi = plain(seed)
    return lambda Z: phi(Z).astype(np.float16)


def hadamard(seed):
    """Rows of a Hadamard matrix with random signs, for 8 columns."""
    from scipy.linalg import hadamard as matrix

    rng = rng_of(seed)
    h = matrix(8) * rng.choice([-1.0, 1.0], 8)
    return lambda Z: np.pad(Z, ((0, 0), (0, 3))) @ h.T / math.sqrt(8)


def sparse_signs(seed):
    w = rng_of(seed).choice([-1.0, 0.0, 1.0], (5, 40), p=(0.05, 0.9, 0.05)) / math.sqrt(4.0)
    return lambda Z: Z @ w


def shared_radius(seed):
    """Few columns that share a length."""
    rng = rng_of(seed)
    w = haar(rng) * math.sqrt(rng.chisquare(5))
    return lambda Z: Z @ w


def seeded_globally(seed):
    np.random.seed(seed % 2**32)  # noqa: NPY002  # as libraries do that know no other way
    w = np.random.standard_normal((5, 60))  # noqa: NPY002
    return lambda Z: Z @ w / math.sqrt(60)


def sobol(seed, m=64):
    from scipy.special import ndtri
    from scipy.stats import qmc

    u = qmc.Sobol(6, scramble=True, rng=rng_of(seed)).random(m).T
    w, b = ndtri(np.clip(u[:5], 1e-9, 1 - 1e-9)), 2 * math.pi * u[5]
    return lambda Z: cosines(Z, w, b)


def listed(seed):
    phi = plain(seed, m=20)
    return lambda Z: phi(Z).tolist()


def fortran(seed):
    phi = plain(seed)
    return lambda Z: np.asfortranarray(phi(Z))


def read_only(seed):
    phi = plain(seed)

    def frozen(Z):
        z = phi(Z)
        z.flags.writeable = False
        return z

    return frozen


def rotated(seed):
    q = haar(rng_of(seed))
    return lambda Z: Z @ q


def identity(seed):
    return lambda Z: Z


def ours(cls, *sizes, **options):
    return lambda seed: cls.draw(5, 60, *sizes, seed=seed, **options)


CORRECT = {
    # Refuted before: at widths, lengths and by names that nobody asked for.
    "importance weights": (importance, rbf, X),
    "periodic Bernoulli kernel": (bernoulli, bernoulli_kernel, SMALL),
    "products of 1 + s x": (one_plus, one_plus_kernel, LONG),
    "a pipeline": (pipeline, None, X),
    # Of few values.
    "signs at tenths": (tenths, None, 0.1 * WHOLE),
    "one hash of 12 bits": (simhash, None, X),
    "trees": (trees, None, X),
    "sparse signs": (sparse_signs, lambda x, y: x @ y.T, X),
    "one sign": (lambda s: lambda Z: Z @ rng_of(s).choice([-1.0, 1.0], (5, 1)), None, X),
    "codes": (ours(mehler.MaxoutCodes, 3), None, X),
    # Exact, rotated, or with columns that depend on each other.
    "identity": (identity, lambda x, y: x @ y.T, X),
    "a common length": (shared_radius, lambda x, y: x @ y.T, X),
    "Sobol points": (sobol, rbf, X),
    "Nystroem": (nystroem, None, X),
    # With memory, and right.
    "cache by content": (cached, rbf, X),
    "lazy": (lazy, rbf, X),
    "seeds a global generator": (seeded_globally, None, X),
    # Of odd types, layouts and libraries.
    "half precision": (half, rbf, X),
    "a list": (listed, rbf, X),
    "Fortran order": (fortran, rbf, X),
    "read-only results": (read_only, rbf, X),
    "refuses single precision": (refuses_floats32, rbf, X),
    "directions alone": (scaled_rows, None, X),
    "whole rows": (plain, rbf, WHOLE.astype(np.int64)),
    "one row": (plain, rbf, X[:1]),
    "a torch module": (torch_module, None, X),
    "jax": (jax_map, rbf, X),
    # Hard to compare.
    "frequencies of 1e5 in single precision": (steep, None, X),
    "one feature": (lambda s: plain(s, m=1), rbf, X),
}
