"""Correct maps that a careless rule refutes: (draw, kernel or None, rows), none of them wrong."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.linalg import hadamard
from scipy.special import ndtri
from scipy.stats import qmc

X = np.random.default_rng(0).standard_normal((7, 5))
X6 = np.random.default_rng(8).standard_normal((7, 6))
SMALL = np.random.default_rng(1).uniform(-0.5, 0.5, (6, 2))
LONG = 2.7 * X / np.linalg.norm(X, axis=1, keepdims=True)
WHOLE = np.random.default_rng(2).integers(-4, 5, (6, 5)).astype(float)
TAU = 2.0 * math.pi
rng_of = np.random.default_rng


def linear(x, y):
    return x @ y.T


def squares(x, y):
    return ((x[:, None] - y[None]) ** 2).sum(axis=2)


def rbf(x, y):
    return np.exp(-0.5 * squares(x, y))


def cosines(Z, w, b):
    return math.sqrt(2.0 / w.shape[1]) * np.cos(Z @ w + b)


def weights(seed, d=5, m=80):
    rng = rng_of(seed)
    return rng.standard_normal((d, m)), rng.uniform(0.0, TAU, m)


def plain(seed, d=5, m=80):
    w, b = weights(seed, d, m)
    return lambda Z: cosines(Z, w, b)


def of(change, **options):
    """A map of the features of `plain`, and of the rows."""
    return lambda seed: (lambda phi: lambda Z: change(phi, Z))(plain(seed, **options))


def projected(law):
    """Z @ w for weights of a law."""
    return lambda seed: (lambda w: lambda Z: Z @ w)(law(rng_of(seed)))


def haar(rng, d=5):
    q, r = np.linalg.qr(rng.standard_normal((d, d)))
    return q * np.sign(np.diag(r))


def importance(seed, d=5, m=100):
    """Frequencies of a proposal 1.25 times wider, with the root of their density ratio."""
    w, b = weights(seed, d, m)
    ratio = 1.25**d * np.exp(-0.5 * ((1.25 * w) ** 2).sum(axis=0) * (1.0 - 1.25**-2))
    return lambda Z: np.sqrt(ratio) * cosines(Z, 1.25 * w, b)


def bernoulli_kernel(x, y):
    """The periodic kernel prod_i (1 + B_2(|x_i - y_i|)), B_2(t) = t^2 - t + 1/6."""
    t = np.abs(x[:, None] - y[None]) % 1.0
    return np.prod(1.0 + t**2 - t + 1.0 / 6.0, axis=2)


def bernoulli(seed, m=120):
    """Waves h of weight 1 / (pi h)^2, since B_2(t) is the sum of cos(2 pi h t) / (pi h)^2."""
    rng, h = rng_of(seed), np.arange(1, 4000)
    p = 1.0 / (math.pi * h) ** 2
    size = p.sum()
    zero = rng.random((2, m)) < 1.0 / (1.0 + size)
    hashes = rng.choice(h, size=(2, m), p=p / size) * rng.choice([-1, 1], size=(2, m))
    w, b = TAU * np.where(zero, 0, hashes), rng.uniform(0.0, TAU, m)
    return lambda Z: (1.0 + size) * cosines(Z, w, b)


def one_plus(seed, m=100):
    """Products of 1 + s_i x_i."""
    s = rng_of(seed).choice([-1.0, 1.0], (5, m))
    return lambda Z: np.prod(1.0 + Z[:, :, None] * s, axis=1) / math.sqrt(m)


def pipeline(seed):
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    steps = make_pipeline(StandardScaler(), RBFSampler(gamma=0.5, n_components=80))
    return steps.set_params(rbfsampler__random_state=seed).fit(X).transform


def union(seed):
    from sklearn.kernel_approximation import PolynomialCountSketch, RBFSampler
    from sklearn.pipeline import make_union

    parts = make_union(RBFSampler(gamma=0.5, n_components=80), PolynomialCountSketch())
    states = [key for key in parts.get_params() if key.endswith("__random_state")]
    return parts.set_params(**dict.fromkeys(states, seed)).fit(X).transform


class Transformer:
    """Its argument is `seed`, not `random_state`; fitted, it has weights of the rows' width."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, Z):
        self.phi = plain(self.seed, d=Z.shape[1])
        return self

    def transform(self, Z):
        return self.phi(Z)


# -- columns that depend on each other ------------------------------------------------------------


def common_phase(seed, m=100):
    rng = rng_of(seed)
    w, b = rng.standard_normal((5, m)), rng.uniform(0.0, TAU)
    return lambda Z: cosines(Z, w, b)


def shared_amplitude(seed):
    """Cosines times one random number of second moment 1."""
    rng = rng_of(seed)
    scale, phi = math.sqrt(rng.exponential()), plain(int(rng.integers(1 << 60)))
    return lambda Z: scale * phi(Z)


def many_phases(seed, m=127):
    """One frequency at evenly spaced phases, nearly copies; an even number has copies."""
    rng = rng_of(seed)
    w, b = rng.standard_normal((5, 1)), TAU * (np.arange(m) + rng.uniform()) / m
    return lambda Z: cosines(Z, np.repeat(w, m, axis=1), b)


WAVES = np.arange(1, 65)


def shifted_series(seed):
    """A Fourier series whose waves share one shift."""
    u = rng_of(seed).integers(1024) / 1024.0
    return lambda Z: math.sqrt(2.0) / WAVES * np.cos(TAU * WAVES * (Z - u))


def series_kernel(x, y):
    return (np.cos(TAU * WAVES * (x[:, None] - y[None])) / WAVES**2).sum(axis=2)


POOL = rng_of(77).standard_normal((5, 100)), rng_of(78).uniform(0.0, TAU, 100)


def with_replacement(seed, m=100):
    """Of a pool of 100, as leverage scores sample: about half of the columns have a copy."""
    p = np.linspace(1.0, 5.0, 100) / 300.0
    i = rng_of(seed).choice(100, m, p=p)
    return lambda Z: cosines(Z, POOL[0][:, i], POOL[1][i]) / np.sqrt(100.0 * p[i])


def tensor(seed):
    """All products of two coordinates after a rotation: exact, and column ij is column ji."""
    q = haar(rng_of(seed))
    return lambda Z: np.einsum("ni,nj->nij", Z @ q, Z @ q).reshape(len(Z), -1)


def sobol(seed, m=64):
    u = qmc.Sobol(6, scramble=True, rng=rng_of(seed)).random(m).T
    w, b = ndtri(np.clip(u[:5], 1e-9, 1 - 1e-9)), TAU * u[5]
    return lambda Z: cosines(Z, w, b)


def nystroem(seed):
    basis = X[rng_of(seed).permutation(len(X))[:4]]
    values, vectors = np.linalg.eigh(rbf(basis, basis))
    return lambda Z: rbf(Z, basis) @ (vectors / np.sqrt(values))


# -- of few values, or of few states --------------------------------------------------------------


def tenths(seed):
    """At tenths sums of signs are 0 up to rounding, in another order than BLAS."""
    w = rng_of(seed).choice([-1.0, 1.0], (5, 60))
    return lambda Z: np.sign((Z[:, :, None] * w).sum(axis=1)) / math.sqrt(60)


def simhash(seed, bits=12):
    w = rng_of(seed).standard_normal((5, bits))
    return lambda Z: ((Z @ w > 0.0) @ (1 << np.arange(bits))).reshape(-1, 1).astype(np.uint16)


def landmarks_with_signs(seed):
    values, vectors = np.linalg.eigh(rbf(X[:4], X[:4]))
    signs = rng_of(seed).choice([-1.0, 1.0], 4)
    return lambda Z: signs * (rbf(Z, X[:4]) @ (vectors / np.sqrt(values)))


def hadamard_64(seed):
    """Signs of six columns and 64 of their sums: 64 maps in all."""
    signs = rng_of(seed).choice([-1.0, 1.0], 6)
    return lambda Z: (Z * signs) @ hadamard(64)[[1, 2, 4, 8, 16, 32]] / 8.0


def count_sketch(rng, m=64):
    s = np.zeros((5, m))
    s[np.arange(5), rng.integers(m, size=5)] = rng.choice([-1.0, 1.0], 5)
    return s


def min_hash(seed, m=40):
    a = rng_of(seed).integers(1, 1 << 31, (5, m)) | 1
    return lambda Z: np.where((Z > 0.0)[:, :, None], a, 1 << 40).min(axis=1)


def grid(seed, m=128):
    """One random grid, its cells hashed to columns."""
    rng = rng_of(seed)
    width, shift = rng.gamma(2.0, 1.0, 5), rng.uniform(size=5)
    mix = rng.integers(1, 1 << 31, 5) | 1

    def phi(Z):
        cell = (np.floor(Z / width + shift).astype(np.int64) * mix).sum(axis=1)
        return (cell[:, None] % m == np.arange(m)).astype(float)

    return phi


def bumps(seed, m=100):
    """Zero at most rows."""
    centres = 1.5 * rng_of(seed).standard_normal((m, 5))
    return lambda Z: np.maximum(1.0 - squares(Z, centres), 0.0)


# -- how maps are written -------------------------------------------------------------------------


def cached(seed):
    phi, cache = plain(seed), {}

    def by_content(Z):
        key = Z.tobytes(), Z.shape, Z.dtype.str, Z.flags.f_contiguous
        return cache.setdefault(key, phi(Z)).copy()

    return by_content


def own_generator(seed):
    """A generator that the map keeps, for weights of every width that it meets."""
    rng, weights = rng_of(seed), {}

    def phi(Z):
        d = Z.shape[1]
        if d not in weights:
            weights[d] = rng.standard_normal((d, 80)), rng.uniform(0.0, TAU, 80)
        return cosines(Z, *weights[d])

    return phi


def in_threads(phi, Z):
    with ThreadPoolExecutor(3) as pool:
        return np.concatenate(list(pool.map(phi, np.array_split(Z, min(3, len(Z))))))


def read_only(phi, Z):
    z = phi(Z)
    z.flags.writeable = False
    return z


def of_floats64(phi, Z):
    if Z.dtype != np.float64 or not np.isfinite(Z).all():
        raise TypeError("float64 only")
    return phi(Z)


def of_directions(phi, Z):
    """A row of zeros has none."""
    with np.errstate(all="ignore"):
        return phi(Z / np.linalg.norm(Z, axis=1, keepdims=True))


def tree_leaves(seed):
    from sklearn.ensemble import RandomTreesEmbedding

    trees = RandomTreesEmbedding(5, max_depth=3, random_state=seed, sparse_output=False)
    return trees.fit(X).transform


def in_half(seed):
    w, b = (part.astype(np.float16) for part in weights(seed))
    return lambda Z: np.float16(math.sqrt(2 / 80)) * np.cos(Z.astype(np.float16) @ w + b)


def steep(seed):
    """Frequencies of 10^5, computed in single precision: rounding shows in every digit."""
    w, b = (part.astype(np.float32) for part in weights(seed))
    return lambda Z: cosines(Z.astype(np.float32), np.float32(1e5) * w, b)


def torch_network(seed):
    """Weights of the global generator, as most modules draw them."""
    import torch

    torch.manual_seed(seed)
    network = torch.nn.Sequential(torch.nn.Linear(5, 64), torch.nn.Tanh()).eval()

    def phi(Z):
        with torch.no_grad():
            return network(torch.as_tensor(np.array(Z), dtype=torch.float32)).numpy()

    return phi


def jax_map(seed):
    import jax

    a, b = jax.random.split(jax.random.PRNGKey(seed))
    w = np.asarray(jax.random.normal(a, (5, 80)))
    shift = np.asarray(jax.random.uniform(b, (80,))) * TAU
    return jax.jit(lambda Z: math.sqrt(2.0 / 80) * jax.numpy.cos(Z @ w + shift))


CORRECT = {
    # Refuted before: at widths and lengths outside the claim, and by names.
    "importance weights": (importance, rbf, X),
    "periodic Bernoulli kernel": (bernoulli, bernoulli_kernel, SMALL),
    "products of 1 + s x": (one_plus, lambda x, y: np.prod(1 + x[:, None] * y[None], 2), LONG),
    "a pipeline": (pipeline, None, X),
    "a union": (union, None, X),
    "a transformer with seed": (lambda seed: Transformer(seed).fit(X).transform, rbf, X),
    "a common phase": (common_phase, rbf, X),
    "a shared amplitude": (shared_amplitude, rbf, X),
    "many phases": (many_phases, rbf, X),
    "a shift of 10 bits": (shifted_series, series_kernel, SMALL[:, :1]),
    "a pool with replacement": (
        with_replacement,
        lambda x, y: cosines(x, *POOL) @ cosines(y, *POOL).T,
        X,
    ),
    "products after a rotation": (tensor, lambda x, y: (x @ y.T) ** 2, X),
    "a common length": (projected(lambda rng: haar(rng) * math.sqrt(rng.chisquare(5))), linear, X),
    "Sobol points": (sobol, rbf, X),
    "Nystroem": (nystroem, None, X),
    "identity": (lambda seed: lambda Z: Z, linear, X),
    "signs at tenths": (tenths, None, 0.1 * WHOLE),
    "one hash of 12 bits": (simhash, None, X),
    "one sign": (projected(lambda rng: rng.choice([-1.0, 1.0], (5, 1))), None, X),
    "landmarks with signs": (landmarks_with_signs, None, X),
    "64 maps in all": (hadamard_64, linear, X6),
    "count sketch": (projected(count_sketch), linear, X),
    "minima of hashes": (min_hash, None, X),
    "one hashed grid": (grid, None, X),
    "one very sparse feature": (
        projected(lambda rng: rng.choice([-1, 0, 1], (5, 1), p=(0.05, 0.9, 0.05)) / math.sqrt(0.1)),
        linear,
        X,
    ),
    "bumps": (bumps, None, X),
    "booleans": (lambda seed: lambda Z: Z @ rng_of(seed).standard_normal((5, 70)) > 0.0, None, X),
    "cache by content": (cached, rbf, X),
    "a generator of its own": (own_generator, rbf, X),
    "a pool of threads": (of(in_threads), rbf, X),
    "a list": (of(lambda phi, Z: phi(Z).tolist(), m=20), rbf, X),
    "Fortran order": (of(lambda phi, Z: np.asfortranarray(phi(Z))), rbf, X),
    "read-only results": (of(read_only), rbf, X),
    "refuses single precision": (of(of_floats64), rbf, X),
    "directions alone": (of(of_directions), None, X),
    "huge": (of(lambda phi, Z: 1e120 * phi(Z)), lambda x, y: 1e240 * rbf(x, y), X),
    "tiny": (of(lambda phi, Z: 1e-120 * phi(Z)), lambda x, y: 1e-240 * rbf(x, y), X),
    "whole rows": (plain, rbf, WHOLE.astype(np.int64)),
    "one row": (plain, rbf, X[:1]),
    "one feature": (lambda seed: plain(seed, m=1), rbf, X),
    "computed in half precision": (in_half, rbf, X),
    "frequencies of 1e5 in single precision": (steep, None, X),
    "leaves of trees": (tree_leaves, None, X),
    "rounded to 1/64": (of(lambda phi, Z: np.round(64.0 * phi(Z)) / 64.0), None, X),
    "a torch network": (torch_network, None, X),
    "jax": (jax_map, rbf, X),
}
