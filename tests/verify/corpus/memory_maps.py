"""Faults of memory, of a process's settings, of weights drawn late, and of where a fault begins.

More of `structure_maps`, beside correct counterparts in the same way.
"""

from __future__ import annotations

import functools

import numpy as np

from tests.cli.defective_maps import draw, plain, waves
from tests.verify.corpus.structure_maps import caching

FAULTS = {
    "caches_by_memory": "rows in Fortran order have the features of the same memory",
    "caches_rounded_rows": "of an earlier call",
    "two_results_in_turn": "overwrites the features that an earlier one returned",
    "shifts_fortran_rows": "changed in place",
    "shifts_single_precision": "changed in place",
    "shifts_one_row": "changed in place",
    "squeezes": "features of 1 row have shape",
    "call_sets_errstate": "a call changes np.geterr() of the process",
    "redrawn_for_other_widths": "features depend on the rows of earlier calls",
    "redrawn_from_row_65536": "from row 65536 on",
    "seeds_a_thousand_apart": "seeds 0 and 1000 share",
}


# -- memory ---------------------------------------------------------------------------------------

caches_by_memory, caches_by_memory_twin = caching(
    lambda X: (X.shape, X.dtype.str, X.ravel(order="K").tobytes())
)


def cached_rows(seed, n_features, digits):
    """Each row is remembered by its rounded entries, or by all of them."""
    phi, kept = plain(seed, n_features), {}

    def of(row):
        key = row.dtype.str, (row if digits is None else np.round(row, digits)).tobytes()
        if key not in kept:
            kept[key] = phi(row[None])[0]
        return kept[key]

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


def shifting(of):
    """A fault that shifts the rows of ``of(X)`` in place, and its counterpart that does not."""

    def fault(seed, n_features):
        phi = plain(seed, n_features)

        def shifted(X):
            rows = of(X)
            rows -= rows.dtype.type(0.25)
            return phi(rows)

        return shifted

    def counterpart(seed, n_features):
        phi = plain(seed, n_features)
        return lambda X: phi(of(X) - of(X).dtype.type(0.25))

    return fault, counterpart


def floating(X):
    return X if X.dtype.kind == "f" else X.astype(np.float64)


# Conversions copy, but for rows that need none.
shifts_fortran_rows, shifts_fortran_rows_twin = shifting(
    lambda X: np.asfortranarray(floating(X)) if len(X) > 1 else floating(X).copy()
)
shifts_single_precision, shifts_single_precision_twin = shifting(
    lambda X: X.astype(np.float32, copy=False)
)
shifts_one_row, shifts_one_row_twin = shifting(
    lambda X: floating(X) if len(X) == 1 else floating(X).copy()
)


# -- shapes ---------------------------------------------------------------------------------------


def squeezes(seed, n_features):
    phi = plain(seed, n_features)
    return lambda X: phi(X).squeeze()


def squeezes_twin(seed, n_features):
    """An axis of its own."""
    phi = plain(seed, n_features)
    return lambda X: phi(X)[:, :, None].squeeze(axis=2)


# -- settings of the process ----------------------------------------------------------------------


def call_sets_errstate(seed, n_features):
    phi = plain(seed, n_features)

    def strict(X):
        np.seterr(all="raise")
        return phi(X)

    return strict


def call_sets_errstate_twin(seed, n_features):
    return np.errstate(all="raise", under="ignore")(plain(seed, n_features))


# -- weights that are drawn late ------------------------------------------------------------------


def redrawn_for_other_widths(seed, n_features):
    rng, kept = np.random.default_rng(seed), []

    def phi(X):
        if not kept or len(kept[0]) != X.shape[1]:
            kept[:] = draw(rng, X.shape[1], n_features)
        return waves(X, *kept)

    return phi


def redrawn_for_other_widths_twin(seed, n_features):
    """The weights of each width are kept, and drawn from a stream of their own."""
    kept = {}

    def phi(X):
        d = X.shape[1]
        if d not in kept:
            kept[d] = draw(np.random.default_rng([seed, d]), d, n_features)
        return waves(X, *kept[d])

    return phi


# -- where a fault begins -------------------------------------------------------------------------


def redrawn_from_row_65536(seed, n_features):
    first, rest = plain(seed, n_features), plain(seed + 1, n_features)
    return lambda X: np.concatenate([first(X[: 1 << 16]), rest(X[1 << 16 :])])


def redrawn_from_row_65536_twin(seed, n_features):
    phi = plain(seed, n_features)
    return lambda X: np.concatenate([phi(X[: 1 << 16]), phi(X[1 << 16 :])])


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
