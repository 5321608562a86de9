"""Faults of how maps are built, each beside a correct counterpart that does nearly the same.

All claim the kernel exp(-|x - y|^2), ``--kernel rbf``. NAME is the fault and NAME_twin its
counterpart, as in ``tests/cli/defective_maps.py``; FAULTS has words of the cause.
"""

from __future__ import annotations

import functools
import hashlib
from typing import ClassVar

import numpy as np

from tests.cli.defective_maps import cached, draw, plain, waves

FAULTS = {
    "caches_by_ends": "of an earlier call",
    "caches_by_rounding": "of an earlier call",
    "caches_at_module": "of an earlier call",
    # Which rule sees it first depends on the memory that arrays get.
    "caches_by_id": "features",
    "nan_spreads": "a row of nan changes the features of other rows",
    "inf_clips_all": "a row of inf changes the features of other rows",
    "weights_cast_to_integers": "integer rows have other features",
    "refit_keeps_the_size": "a draw depends on the draws before it",
    "nearly_opposite": "columns copy each other, or nearly",
    "twenty_frequencies": "few random numbers are shared",
    "call_reseeds": "the global random state of numpy.random changed",
}


def digest(X):
    return hashlib.sha256(np.ascontiguousarray(X).tobytes()).digest(), X.shape, X.dtype.str


def caching(key):
    """A fault that caches by `key`, and its counterpart by that and a digest of all bytes."""
    return (
        functools.partial(cached, key=key),
        functools.partial(cached, key=lambda X: (key(X), digest(X))),
    )


caches_by_ends, caches_by_ends_twin = caching(lambda X: (X.shape, X[[0, -1]].tobytes()))
caches_by_rounding, caches_by_rounding_twin = caching(lambda X: (X.shape, np.round(X, 2).tobytes()))
caches_by_id, _ = caching(lambda X: (id(X), X.shape))


def caches_by_id_twin(seed, n_features):
    """By identity and content, and the array is kept, so that no other gets its address."""
    phi, kept = plain(seed, n_features), {}

    def cached_phi(X):
        if id(X) not in kept or not np.array_equal(kept[id(X)][1], X):
            kept[id(X)] = (X, X.copy(), phi(X))
        return kept[id(X)][2].copy()

    return cached_phi


_KEPT: dict[object, np.ndarray] = {}


def at_module(seed, n_features, key):
    def phi(X):
        if len(_KEPT) > 500:
            _KEPT.clear()
        name = (seed, n_features, X.shape, X.dtype.str, key(X))
        if name not in _KEPT:
            _KEPT[name] = plain(seed, n_features)(X)
        return _KEPT[name].copy()

    return phi


caches_at_module = functools.partial(at_module, key=lambda X: X[0].tobytes())
caches_at_module_twin = functools.partial(at_module, key=digest)


# -- rows that are not finite ---------------------------------------------------------------------


def nan_spreads(seed, n_features):
    phi = plain(seed, n_features)
    return lambda X: phi(X) + 0.0 * X.sum()


def nan_spreads_twin(seed, n_features):
    phi = plain(seed, n_features)
    return lambda X: phi(X) + 0.0 * X.sum(axis=1, keepdims=True)


def inf_clips_all(seed, n_features):
    phi = plain(seed, n_features)
    return lambda X: phi(np.clip(X, -0.1, 0.1) if np.isinf(X).any() else X)


def inf_clips_all_twin(seed, n_features):
    """A refusal of such rows is no fault."""
    phi = plain(seed, n_features)

    def refusing(X):
        if np.isinf(X).any():
            raise ValueError("rows must be finite")
        return phi(X)

    return refusing


# -- integers -------------------------------------------------------------------------------------


def weights_cast_to_integers(seed, n_features):
    def phi(X):
        w, b = draw(np.random.default_rng(seed), X.shape[1], n_features)
        return waves(X, w.astype(X.dtype), b)

    return phi


def weights_cast_to_integers_twin(seed, n_features):
    """Weights of the type of the rows, where that is a floating-point type."""

    def phi(X):
        w, b = draw(np.random.default_rng(seed), X.shape[1], n_features)
        return waves(X, w.astype(np.result_type(X.dtype, np.float32)), b)

    return phi


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


def nearly_opposite(seed, n_features):
    """The last half is nearly the first one with the sign turned."""

    def change(w, b):
        half = np.arange(n_features) % -(-n_features // 2)
        turned = np.pi * (np.arange(n_features) >= -(-n_features // 2))
        return w[:, half] + 0.02 * (w - w[:, half]), b[half] + turned

    return plain(seed, n_features, change)


def nearly_opposite_twin(seed, n_features):
    """Cosines and sines of the first half."""

    def change(w, b):
        half = np.arange(n_features) % -(-n_features // 2)
        turned = 0.5 * np.pi * (np.arange(n_features) >= -(-n_features // 2))
        return w[:, half], b[half] + turned

    return plain(seed, n_features, change)


def few(seed, n_features, n):
    return plain(seed, n_features, lambda w, b: (w[:, np.arange(n_features) % n], b))


def each_times(seed, n_features, n):
    """Each frequency n times: the error falls, with the number of frequencies."""
    return plain(seed, n_features, lambda w, b: (w[:, np.arange(n_features) // n], b))


twenty_frequencies = functools.partial(few, n=20)
twenty_frequencies_twin = functools.partial(each_times, n=2)


# -- global state ---------------------------------------------------------------------------------


def call_reseeds(seed, n_features):
    phi = plain(seed, n_features)

    def reseeding(X):
        np.random.seed(0)  # noqa: NPY002  # the fault
        return phi(X)

    return reseeding


def call_reseeds_twin(seed, n_features):
    """The state is put back."""
    phi = plain(seed, n_features)

    def restoring(X):
        before = np.random.get_state()  # noqa: NPY002
        np.random.seed(0)  # noqa: NPY002
        np.random.set_state(before)  # noqa: NPY002
        return phi(X)

    return restoring


# -- draws ----------------------------------------------------------------------------------------


def rare_draws_twin(seed, n_features):
    """Correct: 0 in 99 % of draws, ten times as long in the others."""
    rng = np.random.default_rng(seed)
    scale = 10.0 * (rng.uniform() < 0.01)
    phi = plain(int(rng.integers(1 << 62)), n_features)
    return lambda X: scale * phi(X)
