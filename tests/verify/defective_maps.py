"""Twenty-three defects of random Fourier features, each beside a correct map that looks like it.

All claim the kernel exp(-|x - y|^2), ``--kernel rbf``. Each is a draw function for `mehler verify`:
``tests/verify/defective_maps.py:NAME``, and ``NAME_twin`` for its twin. Weights are drawn for the
columns that come, as other libraries do.
"""

import functools

import numpy as np

# The defects, with words that their headlines must have.
STRUCTURAL = {
    "redraws_on_every_call": "drawn anew at every call",
    "caches_by_shape": "of an earlier call",
    "centres_by_batch": "depend on the other rows of the batch",
    "centres_in_place": "changed in place",
    "draws_by_chunk": "from row 64 on",
    "ambient_entropy": "ignores its seed",
    "global_state": "by the global random state of numpy.random",
    "seed_or_none": "seed 0 is not a seed",
    "sixteen_seeds": "give the same features",
    "clips_rows": "at |x| = ",
    "odd_sizes": "at m = 5, outside your claim",
    "single_precision": "float32 rows have other features",
    "first_64_columns": "at d = 80",
    "each_twice": "equal up to a factor",
    "one_phase": "few random numbers are shared",
}
STATISTICAL = {
    "factor_lost": "estimate / exact is 0.50 at every pair",
    "divided_by_m": "1/n_features",
    "bandwidth_of_2014": "gamma / 2",
    "offset_left_out": "phases b were left out",
    "offset_to_quarter_pi": "E cos 2b = 0.6",
    "degrees": "does not have the kernel",
    "uniform_weights": "fits uniform weights",
    "transposed_blocks": "does not have the kernel",
}
DEFECTS = {**STRUCTURAL, **STATISTICAL}


def draw(rng, d, m):
    """Frequencies of the kernel and offsets."""
    return np.sqrt(2.0) * rng.standard_normal((d, m)), rng.uniform(0.0, 2.0 * np.pi, m)


def waves(X, w, b):
    return np.sqrt(2.0 / w.shape[1]) * np.cos(X @ w + b)


def plain(seed, n_features, change=lambda w, b: (w, b)):
    """The map without a defect, or with other weights."""
    return lambda X: waves(X, *change(*draw(np.random.default_rng(seed), X.shape[1], n_features)))


def fed(change):
    """The map of rows that are changed first."""

    def draw_map(seed, n_features):
        phi = plain(seed, n_features)
        return lambda X: phi(change(X))

    return draw_map


def weighted(change):
    """The map of weights and offsets that are changed."""
    return lambda seed, n_features: plain(seed, n_features, change)


def scaled(factor):
    """The map times a factor of rows and the number of features."""

    def draw_map(seed, n_features):
        phi = plain(seed, n_features)
        return lambda X: phi(X) * factor(X, n_features)

    return draw_map


# -- what one map does ----------------------------------------------------------------------------


def redraws_on_every_call(seed, n_features):
    rng = np.random.default_rng(seed)
    return lambda X: waves(X, *draw(rng, X.shape[1], n_features))


def redraws_on_every_call_twin(seed, n_features):
    """At the first call, as maps do that learn the number of columns then."""
    rng = np.random.default_rng(seed)
    weights = []

    def phi(X):
        if not weights:
            weights.append(draw(rng, X.shape[1], n_features))
        return waves(X, *weights[0])

    return phi


def cached(seed, n_features, key):
    phi, cache = plain(seed, n_features), {}

    def cached_phi(X):
        if key(X) not in cache:
            cache[key(X)] = phi(X)
        return cache[key(X)].copy()

    return cached_phi


caches_by_shape = functools.partial(cached, key=lambda X: X.shape)
caches_by_shape_twin = functools.partial(cached, key=lambda X: (X.shape, X.dtype.str, X.tobytes()))
centres_by_batch = fed(lambda X: X - X.mean(axis=0))
centres_by_batch_twin = fed(lambda X: X - 0.1)


def centres_in_place(seed, n_features):
    phi = plain(seed, n_features)

    def centred(X):
        X -= X.mean(axis=0)
        return phi(X)

    return centred


def centres_in_place_twin(seed, n_features):
    phi = plain(seed, n_features)

    def shifted(X):
        X = X.copy()
        X -= 0.1
        return phi(X)

    return shifted


def in_chunks(X, of):
    return np.concatenate([of(X[k : k + 64]) for k in range(0, len(X), 64)])


def draws_by_chunk(seed, n_features):
    def phi(X):
        rng = np.random.default_rng(seed)
        return in_chunks(X, lambda rows: waves(rows, *draw(rng, X.shape[1], n_features)))

    return phi


def draws_by_chunk_twin(seed, n_features):
    phi = plain(seed, n_features)
    return lambda X: in_chunks(X, phi)


# -- seeds ----------------------------------------------------------------------------------------


def drawn_now(rng, n_features):
    """Weights for up to 256 columns, drawn once."""
    w, b = draw(rng, 256, n_features)
    return lambda X: waves(X, w[: X.shape[1]], b)


def ambient_entropy(seed, n_features):
    return drawn_now(np.random.default_rng(), n_features)


def ambient_entropy_twin(seed, n_features):
    return drawn_now(np.random.default_rng(seed), n_features)


def from_global_state(n_features):
    return drawn_now(np.random.RandomState(np.random.randint(1 << 30)), n_features)  # noqa: NPY002


def global_state(seed, n_features):
    return from_global_state(n_features)


def global_state_twin(seed, n_features):
    """Seeds the global generator first, as other libraries' users have to."""
    np.random.seed(seed)  # noqa: NPY002
    return from_global_state(n_features)


def seed_or_none(seed, n_features):
    return drawn_now(np.random.default_rng(seed or None), n_features)


def seed_or_none_twin(seed, n_features):
    return drawn_now(np.random.default_rng(None if seed is None else seed), n_features)


def sixteen_seeds(seed, n_features):
    return plain(seed % 16, n_features)


def sixteen_seeds_twin(seed, n_features):
    return plain((seed, seed % 16), n_features)


# -- sizes, lengths, precision --------------------------------------------------------------------


def clipped(X, longest):
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X * np.minimum(1.0, longest / np.maximum(lengths, 1e-300))


clips_rows = fed(lambda X: clipped(X, 2.0))
clips_rows_twin = fed(lambda X: clipped(X, 1e6))
odd_sizes = scaled(lambda X, m: (1 + m % 2) ** -0.5)


def odd_sizes_twin(seed, n_features):
    """In pairs, the last one of which may lack its partner."""

    def phi(X):
        w, b = draw(np.random.default_rng(seed), X.shape[1], -(-n_features // 2))
        t = X @ w + b
        return np.sqrt(2.0 / n_features) * np.hstack([np.cos(t), np.sin(t)])[:, :n_features]

    return phi


single_precision = fed(lambda X: X * (1.5 if X.dtype == np.float32 else 1.0))


def single_precision_twin(seed, n_features):
    phi = plain(seed, n_features, lambda w, b: (w.astype(np.float32), b.astype(np.float32)))
    return lambda X: phi(X.astype(np.float32))


first_64_columns = fed(lambda X: X[:, :64])


def first_64_columns_twin(seed, n_features):
    """All columns, 64 at a time."""

    def phi(X):
        w, b = draw(np.random.default_rng(seed), X.shape[1], n_features)
        blocks = range(0, X.shape[1], 64)
        t = sum(X[:, k : k + 64] @ w[k : k + 64] for k in blocks)
        return np.sqrt(2.0 / n_features) * np.cos(t + b)

    return phi


# -- columns --------------------------------------------------------------------------------------


def each_twice(seed, n_features):
    half = np.arange(n_features) // 2
    return plain(seed, n_features, lambda w, b: (w[:, half], b[half]))


def each_twice_twin(seed, n_features):
    """Each frequency twice, with two independent offsets."""
    half = np.arange(n_features) // 2
    return plain(seed, n_features, lambda w, b: (w[:, half], b))


one_phase = weighted(lambda w, b: (w, b[:1]))
one_phase_twin = weighted(lambda w, b: (w, b + b[0]))
# -- statistics -----------------------------------------------------------------------------------


factor_lost = scaled(lambda X, m: 0.5**0.5)
divided_by_m = scaled(lambda X, m: m**-0.5)
# As in scikit-learn before its pull request 3656.
bandwidth_of_2014 = weighted(lambda w, b: (w / np.sqrt(2.0), b))
offset_left_out = weighted(lambda w, b: (w, 0.0 * b))
offset_to_quarter_pi = weighted(lambda w, b: (w, b / 8.0))
degrees = weighted(lambda w, b: (np.radians(w), b))


def uniform_weights(seed, n_features):
    """Of the same variance."""

    def phi(X):
        rng = np.random.default_rng(seed)
        _, b = draw(rng, 1, n_features)
        w = np.sqrt(6.0) * rng.uniform(-1.0, 1.0, (X.shape[1], n_features))
        return waves(X, w, b)

    return phi


def orthogonal(seed, n_features, transposed):
    """Blocks of orthogonal frequencies, whose lengths go to the features; or to the inputs."""

    def phi(X):
        rng, d = np.random.default_rng(seed), X.shape[1]
        blocks = []
        for _ in range(-(-n_features // d)):
            q, r = np.linalg.qr(rng.standard_normal((d, d)))
            lengths = np.sqrt(2.0 * rng.chisquare(d, d))
            block = q * np.sign(np.diag(r)) * lengths
            blocks.append(block.T if transposed else block)
        _, b = draw(rng, 1, n_features)
        return waves(X, np.hstack(blocks)[:, :n_features], b)

    return phi


transposed_blocks = functools.partial(orthogonal, transposed=True)
transposed_blocks_twin = functools.partial(orthogonal, transposed=False)


# What these got wrong the plain map does right, in ways of its own.


def factor_lost_twin(seed, n_features):
    """In pairs, whose factor is 1 over the root of their number."""

    def phi(X):
        w, _ = draw(np.random.default_rng(seed), X.shape[1], n_features // 2)
        return np.hstack([np.cos(X @ w), np.sin(X @ w)]) / np.sqrt(n_features // 2)

    return phi


divided_by_m_twin = fed(lambda X: 3.0 * X / 3.0)
# Half of the weights with the sign turned: the law is symmetric.
bandwidth_of_2014_twin = weighted(lambda w, b: (w * np.where(np.arange(b.size) % 2, -1, 1), b))
# Sines: an offset more or less.
offset_left_out_twin = weighted(lambda w, b: (w, b - 0.5 * np.pi))
# Four equally likely offsets have the same mean as all.
offset_to_quarter_pi_twin = weighted(lambda w, b: (w, 0.5 * np.pi * np.floor(2.0 * b / np.pi)))


degrees_twin = weighted(lambda w, b: (np.radians(np.degrees(w)), b))


def uniform_weights_twin(seed, n_features):
    """Normal by the quantiles of uniform numbers."""
    from scipy.special import ndtri

    def phi(X):
        rng = np.random.default_rng(seed)
        _, b = draw(rng, 1, n_features)
        w = np.sqrt(2.0) * ndtri(rng.uniform(size=(X.shape[1], n_features)))
        return waves(X, w, b)

    return phi
