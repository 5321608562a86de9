"""Maps that break one rule of how maps are built, each with words of its cause or remark."""

import math
import random

import numpy as np

from tests.verify.structure.right_maps import offset, rbf, waves, waves_of

WRONG = {}


def wrong(words, default=100):
    """Register phi_of(Z, seed, m), or with `maker` a function (seed, X, m) -> map."""

    def register(function):
        def redraw(seed, X, n_features=None):
            m = default if n_features is None else n_features
            return lambda Z: function(Z, seed, m)

        WRONG[function.__name__] = (redraw, words)
        return function

    return register


def maker(words):
    def register(function):
        WRONG[function.__name__] = (
            lambda seed, X, n_features=None: function(seed, X, n_features or 100),
            words,
        )
        return function

    return register


def plain(Z, seed, m):
    return waves(Z, offset(np.random.default_rng(seed), Z.shape[1], m))


# -- one map --------------------------------------------------------------------------------------


_LAST = {}


@maker("share their weights")
def weights_of_the_class(seed, X, m):
    _LAST["seed"] = seed
    return lambda Z: plain(Z, _LAST["seed"], m)


@wrong("in place")
def one_entry_written(Z, seed, m):
    z = plain(Z, seed, m)
    Z[0, 0] = 0.0
    return z


@maker("has other features")
def another_scale_from_the_third_call_on(seed, X, m):
    calls = []

    def phi(Z):
        calls.append(len(Z))
        return plain(Z, seed, m) * (1.0 if len(calls) < 3 else 0.7)

    return phi


@wrong("features are 0")
def rounded_away(Z, seed, m):
    """Entries of 0: the first conversion is one too early."""
    return plain(Z, seed, m).astype(int) / 10.0


@maker("drawn anew at every call")
def noisy(seed, X, m):
    rng = np.random.default_rng(seed)
    return lambda Z: plain(Z, seed, m) + 1e-2 * rng.standard_normal((len(Z), m))


@wrong("Fortran")
def reads_memory(Z, seed, m):
    n, d = Z.shape
    Z = np.lib.stride_tricks.as_strided(Z, (n, d), (Z.itemsize * d, Z.itemsize))
    return plain(Z, seed, m)


# -- seeds ----------------------------------------------------------------------------------------


def seeded(change, words, name):
    def redraw(seed, X, n_features=None):
        return lambda Z: plain(Z, change(seed), n_features or 100)

    WRONG[name] = (redraw, words)


seeded(lambda s: s & 0xFF, "give the same", "eight_bits")
seeded(lambda s: s & ~0x10000, "give the same", "bit_16_lost")
seeded(lambda s: s or 1, "give the same", "zero_is_one")
seeded(lambda s: int(np.float32(s)), "give the same", "as_single")
seeded(lambda s: 7, "every seed gives the same", "always_seven")


@maker("by the global random state of random")
def python_state(seed, X, m):
    wb = offset(np.random.default_rng(random.randrange(1 << 30)), X.shape[1], m)
    return lambda Z: waves(Z, wb)


@maker("a draw changes the global random state of numpy.random")
def moves_global_state(seed, X, m):
    np.random.standard_normal(3)  # noqa: NPY002  # the defect
    return lambda Z: plain(Z, seed, m)


# -- columns --------------------------------------------------------------------------------------


@wrong("equal up to a factor")
def tiled(Z, seed, m):
    w, b = offset(np.random.default_rng(seed), Z.shape[1], -(-m // 4))
    return waves(Z, (np.tile(w, 4)[:, :m], np.tile(b, 4)[:m]))


@wrong("equal up to a factor")
def one_pair_equal(Z, seed, m):
    z = plain(Z, seed, m)
    z[:, -1] = z[:, 0]
    return z


@wrong("columns copy each other, or nearly")
def few_resampled(Z, seed, m):
    """A bootstrap of few features."""
    rng = np.random.default_rng(seed)
    w, b = offset(rng, Z.shape[1], max(1, m // 8))
    columns = rng.integers(w.shape[1], size=m)
    return waves(Z, (w[:, columns], b[columns]))


@wrong("at m = 512, outside your claim, few random numbers are shared")
def two_phases(Z, seed, m):
    w, b = offset(np.random.default_rng(seed), Z.shape[1], m)
    return waves(Z, (w, b[np.arange(m) % 2 % b.size]))


@wrong("few random numbers are shared")
def one_sign(Z, seed, m):
    """All features of a draw are scaled by one random number, whose square is 1 in the mean."""
    rng = np.random.default_rng(seed)
    return plain(Z, seed + 1, m) * math.sqrt(rng.exponential())


# -- columns of X ---------------------------------------------------------------------------------


def on(columns, words, name):
    def redraw(seed, X, n_features=None):
        return lambda Z: plain(Z * columns(np.arange(Z.shape[1])), seed, n_features or 100)

    WRONG[name] = (redraw, words)


on(lambda j: (j < 64) | (j >= 72), "at d = 80, outside", "hole")


@wrong("at d = 1, outside")
def not_for_one(Z, seed, m):
    return plain(Z * (3.0 if Z.shape[1] == 1 else 1.0), seed, m)


# -- features -------------------------------------------------------------------------------------


@wrong("at m = 300, outside")
def at_most_255(Z, seed, m):
    return plain(Z, seed, m) * (1.0 if m <= 255 else 2.0)


# -- lengths --------------------------------------------------------------------------------------


@wrong("|x| = ")
def short_rows_lost(Z, seed, m):
    lengths = np.linalg.norm(Z, axis=1, keepdims=True)
    return plain(Z, seed, m) * np.where(lengths < 0.2, 1.5, 1.0)


KERNEL = rbf
PLAIN = waves_of(100, offset, waves)
