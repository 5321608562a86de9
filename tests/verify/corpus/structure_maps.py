"""Faults of how maps are built, each beside a correct counterpart that does nearly the same.

All claim the kernel exp(-|x - y|^2), ``--kernel rbf``. NAME is the fault and NAME_twin its
counterpart, as in ``tests/verify/defective_maps.py``; FAULTS has words of the cause.
"""

import functools
import hashlib
from typing import ClassVar

import numpy as np

from tests.verify.defective_maps import cached, draw, plain, waves

FAULTS = {
    "caches_by_sums": "of an earlier call",
    # Which rule sees it first depends on the memory that arrays get.
    "caches_by_id": "features",
    "inf_clips_all": "a row of inf changes the features of other rows",
    "weights_cast_to_integers": "integer rows have other features",
    "refit_keeps_the_size": "a draw depends on the draws before it",
    "nearly_opposite": "columns copy each other, or nearly",
    "twenty_frequencies": "few random numbers are shared",
    "call_reseeds": "the global random state of numpy.random changed",
    "caches_by_memory": "rows in Fortran order have the features of the same memory",
    "caches_rounded_rows": "of an earlier call",
    "two_results_in_turn": "overwrites the features that an earlier one returned",
    "shifts_fortran_rows": "changed in place",
    "shifts_one_row": "changed in place",
    "squeezes": "features of 1 row have shape",
    "call_sets_errstate": "a call changes np.geterr() of the process",
    "redrawn_for_other_widths": "features depend on the rows of earlier calls",
    "redrawn_from_row_65536": "from row 65536 on",
    "seeds_a_thousand_apart": "seeds 0 and 1000 share",
}


def digest(X):
    return hashlib.sha256(np.ascontiguousarray(X).tobytes()).digest(), X.shape, X.dtype.str


def caching(key):
    """A fault that caches by `key`, and its counterpart by that and a digest of all bytes."""
    return (
        functools.partial(cached, key=key),
        functools.partial(cached, key=lambda X: (key(X), digest(X))),
    )


caches_by_sums, caches_by_sums_twin = caching(lambda X: (X.shape, X.sum(axis=0).tobytes()))
caches_by_id, _ = caching(lambda X: (id(X), X.shape))


def caches_by_id_twin(seed, n_features):
    """By identity and content, and the array is kept, so that no other gets its address."""
    phi, cache = plain(seed, n_features), {}

    def cached_phi(X):
        if id(X) not in cache or not np.array_equal(cache[id(X)][1], X):
            cache[id(X)] = (X, X.copy(), phi(X))
        return cache[id(X)][2].copy()

    return cached_phi


def of(change):
    """Features changed by ``change(phi, X)``."""
    return lambda seed, n_features: functools.partial(change, plain(seed, n_features))


def refusing(phi, X):
    if np.isinf(X).any():
        raise ValueError("rows must be finite")
    return phi(X)


inf_clips_all = of(lambda phi, X: phi(np.clip(X, -0.1, 0.1) if np.isinf(X).any() else X))
inf_clips_all_twin = of(refusing)


# -- integers -------------------------------------------------------------------------------------


def weights_cast(seed, n_features, kind_of):
    def phi(X):
        w, b = draw(np.random.default_rng(seed), X.shape[1], n_features)
        return waves(X, w.astype(kind_of(X)), b)

    return phi


weights_cast_to_integers = functools.partial(weights_cast, kind_of=lambda X: X.dtype)
weights_cast_to_integers_twin = functools.partial(
    weights_cast, kind_of=lambda X: np.result_type(X.dtype, np.float32)
)


# -- what one fit leaves to the next --------------------------------------------------------------


class Transformer:
    """With the interface of scikit-learn."""

    def __init__(self, n_components=250, random_state=0):
        self.n_components, self.random_state = n_components, random_state

    def get_params(self, deep=True):
        return {"n_components": self.n_components, "random_state": self.random_state}

    def transform(self, X):
        return waves(X - self.shift_, *self.weights_)

    def drawn(self, X):
        rng = np.random.default_rng(self.random_state)
        return draw(rng, X.shape[1], self.n_components)


class refit_keeps_the_size(Transformer):
    """The scale of rows is kept for the next fit of as many columns, unless that is larger."""

    largest: ClassVar[dict[int, float]] = {}

    def fit(self, X):
        size = float(np.abs(X).max())
        self.shift_ = self.largest.get(X.shape[1], size)
        self.largest[X.shape[1]] = size
        self.weights_ = self.drawn(X)
        return self


class refit_keeps_the_size_twin(Transformer):
    """A dictionary of the class that remembers weights by all that they depend on."""

    kept: ClassVar[dict[tuple[int, int, int], tuple[np.ndarray, np.ndarray]]] = {}

    def fit(self, X):
        key = (self.random_state, X.shape[1], self.n_components)
        if key not in self.kept:
            self.kept.clear()
            self.kept[key] = self.drawn(X)
        self.shift_, self.weights_ = 0.0, self.kept[key]
        return self


# -- columns --------------------------------------------------------------------------------------


def two_halves(seed, n_features, turn, nearly):
    """The last half is the first one, or nearly, at turned phases."""

    def change(w, b):
        size = -(-n_features // 2)
        half, last = np.arange(n_features) % size, np.arange(n_features) >= size
        return w[:, half] + nearly * (w - w[:, half]), b[half] + turn * last

    return plain(seed, n_features, change)


nearly_opposite = functools.partial(two_halves, turn=np.pi, nearly=0.02)
# Cosines and sines.
nearly_opposite_twin = functools.partial(two_halves, turn=0.5 * np.pi, nearly=0.0)


def few(seed, n_features, index):
    return plain(seed, n_features, lambda w, b: (w[:, index(np.arange(n_features))], b))


twenty_frequencies = functools.partial(few, index=lambda j: j % 20)
# Each frequency twice: the error falls, with the number of frequencies.
twenty_frequencies_twin = functools.partial(few, index=lambda j: j // 2)


# -- global state ---------------------------------------------------------------------------------


def reseeding(phi, X):
    np.random.seed(0)  # noqa: NPY002  # the fault
    return phi(X)


def restoring(phi, X):
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(0)  # noqa: NPY002
    np.random.set_state(before)  # noqa: NPY002
    return phi(X)


call_reseeds, call_reseeds_twin = of(reseeding), of(restoring)


# -- draws ----------------------------------------------------------------------------------------


def rare_draws_twin(seed, n_features):
    """Correct: 0 in 99 % of draws, ten times as long in the others."""
    rng = np.random.default_rng(seed)
    scale = 10.0 * (rng.uniform() < 0.01)
    phi = plain(int(rng.integers(1 << 62)), n_features)
    return lambda X: scale * phi(X)


# -- memory ---------------------------------------------------------------------------------------

caches_by_memory, caches_by_memory_twin = caching(
    lambda X: (X.shape, X.dtype.str, X.ravel(order="K").tobytes())
)


def cached_rows(seed, n_features, digits):
    """Each row is remembered by its rounded entries, or by all of them."""
    phi, cache = plain(seed, n_features), {}

    def of(row):
        key = row.dtype.str, (row if digits is None else np.round(row, digits)).tobytes()
        if key not in cache:
            cache[key] = phi(row[None])[0]
        return cache[key]

    return lambda X: np.array([of(row) for row in X])


caches_rounded_rows = functools.partial(cached_rows, digits=1)
caches_rounded_rows_twin = functools.partial(cached_rows, digits=None)


def two_results_in_turn(seed, n_features, results=lambda z: z):
    phi, turns = plain(seed, n_features), {}

    def phi_into(X):
        pair = turns.setdefault(len(X), [np.empty((len(X), n_features)) for _ in range(2)])
        pair.reverse()
        pair[0][:] = phi(X)
        return results(pair[0])

    return phi_into


two_results_in_turn_twin = functools.partial(two_results_in_turn, results=np.copy)


def shifting(rows_of):
    """A fault that shifts the rows of ``rows_of(X)`` in place, and one that does not."""

    def shifted(phi, X):
        rows = rows_of(X)
        rows -= rows.dtype.type(0.25)
        return phi(rows)

    return of(shifted), of(lambda phi, X: phi(rows_of(X) - rows_of(X).dtype.type(0.25)))


def floating(X):
    return X if X.dtype.kind == "f" else X.astype(np.float64)


# Conversions copy, but for rows that need none.
shifts_fortran_rows, shifts_fortran_rows_twin = shifting(
    lambda X: np.asfortranarray(floating(X)) if len(X) > 1 else floating(X).copy()
)
shifts_one_row, shifts_one_row_twin = shifting(
    lambda X: floating(X) if len(X) == 1 else floating(X).copy()
)


# -- shapes, and settings of the process ----------------------------------------------------------

squeezes = of(lambda phi, X: phi(X).squeeze())
squeezes_twin = of(lambda phi, X: phi(X)[:, :, None].squeeze(axis=2))  # an axis of its own


def strict(phi, X):
    np.seterr(all="raise")
    return phi(X)


call_sets_errstate, call_sets_errstate_twin = (
    of(strict),
    of(np.errstate(all="raise", under="ignore")(lambda phi, X: phi(X))),
)


# -- weights that are drawn late ------------------------------------------------------------------


def redrawn_for_other_widths(seed, n_features):
    rng, weights = np.random.default_rng(seed), []

    def phi(X):
        if not weights or len(weights[0]) != X.shape[1]:
            weights[:] = draw(rng, X.shape[1], n_features)
        return waves(X, *weights)

    return phi


def redrawn_for_other_widths_twin(seed, n_features):
    """The weights of each width are kept, and drawn from a stream of their own."""
    weights = {}

    def phi(X):
        d = X.shape[1]
        if d not in weights:
            weights[d] = draw(np.random.default_rng([seed, d]), d, n_features)
        return waves(X, *weights[d])

    return phi


# -- where a fault begins -------------------------------------------------------------------------


def in_two(seed, n_features, seeds_apart):
    first, rest = (plain(seed + k, n_features) for k in (0, seeds_apart))
    return lambda X: np.concatenate([first(X[: 1 << 16]), rest(X[1 << 16 :])])


redrawn_from_row_65536 = functools.partial(in_two, seeds_apart=1)
redrawn_from_row_65536_twin = functools.partial(in_two, seeds_apart=0)


def column_by_column(seed, n_features, seed_of):
    def phi(X):
        rngs = [np.random.default_rng(seed_of(seed, column)) for column in range(n_features)]
        w, b = zip(*(draw(rng, X.shape[1], 1) for rng in rngs), strict=True)
        return waves(X, np.concatenate(w, axis=1), np.concatenate(b))

    return phi


seeds_a_thousand_apart = functools.partial(
    column_by_column, seed_of=lambda seed, column: seed + 1000 * column
)
seeds_a_thousand_apart_twin = functools.partial(
    column_by_column, seed_of=lambda seed, column: [seed, column]
)
