"""Further faults, each beside a correct counterpart: name -> (fault, counterpart, what is said).

The words are of a cause where the map is refuted, in the remarks where it is reported, and "" where
`check_structure` misses it, as ``docs/structure.md`` lists.
"""

from __future__ import annotations

import warnings

import numpy as np

from tests.verify.structure.correct_maps import cosines, plain, rng_of, weights


def of(change):
    """A map of one draw, change(phi, seed) -> map."""
    return lambda seed: change(plain(seed), seed)


def drawn(change):
    """Cosines of weights from change(seed) -> (w, b)."""
    return lambda seed: lambda Z: cosines(Z, *change(seed))


def remembers(learn, use, first=True):
    """Features of rows changed by what the first call, or every call, has learnt."""

    def made(seed):
        kept, phi = [], plain(seed)

        def apply(Z):
            if not (first and kept):
                kept[:] = [learn(Z)]
            return phi(use(Z, kept[0]))

        return apply

    return made


def cached(key, copies=True):
    def made(seed):
        kept, phi = {}, plain(seed)

        def apply(Z):
            z = kept.setdefault(key(Z), phi(Z)) if key(Z) not in kept else kept[key(Z)]
            return z.copy() if copies else z

        return apply

    return made


def whole(Z):
    return Z.shape, Z.dtype.str, np.ascontiguousarray(Z).tobytes()


def buffered(fresh):
    def made(seed):
        phi, buffer = plain(seed), np.empty((200_000, 80))

        def apply(Z):
            out = np.empty((len(Z), 80)) if fresh else buffer[: len(Z)]
            out[:] = phi(Z)
            return out

        return apply

    return made


def dropout(rng_for):
    def made(seed):
        phi = plain(seed)
        return lambda Z: phi(Z) * (rng_for(seed, Z).random(80) < 0.5) * np.sqrt(2.0)

    return made


def in_blocks(size, rest):
    def made(seed):
        phi = plain(seed)

        def apply(Z):
            z = np.zeros((len(Z), 80))
            stop = len(Z) if rest or len(Z) < size else len(Z) - len(Z) % size
            for start in range(0, stop, size):
                z[start : min(start + size, stop)] = phi(Z[start : min(start + size, stop)])
            return z

        return apply

    return made


def resized(keeps):
    """Weights by the width of the rows; another width spoils the first, or is kept beside it."""

    def made(seed):
        rng, kept = rng_of(seed), {}

        def apply(Z):
            d = Z.shape[1]
            if d not in kept:
                if not keeps:
                    kept.clear()
                kept[d] = rng.standard_normal((d, 80)), rng.uniform(0.0, 6.283185307179586, 80)
            return cosines(Z, *kept[d])

        return apply

    return made


_COUNT = [0]


def counted(seed):
    _COUNT[0] += 1
    return plain(seed + _COUNT[0])


def offsets_of_the_process(seed):
    b = np.random.uniform(0.0, 6.283185307179586, 80)  # noqa: NPY002
    return lambda Z: cosines(Z, weights(seed)[0], b)


def half_fixed(seed):
    (w, b), (v, c) = weights(seed), weights(1)
    w[:, :40], b[:40] = v[:, :40], c[:40]
    return w, b


def by_rows(Z, order):
    return Z[np.argsort(np.linalg.norm(Z, axis=1), kind="stable")] if order else Z


def moving(act):
    def made(seed):
        phi = plain(seed)

        def apply(Z):
            act()
            return phi(Z)

        return apply

    return made


def quietly():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")


def errors_restored():
    with np.errstate(all="ignore"):
        np.exp(np.array([0.0]))


def imputed(Z, by_column):
    bad = np.isnan(Z)
    mean = np.nanmean(Z, axis=0) if by_column else np.zeros(Z.shape[1])
    return np.where(bad, mean, np.where(bad.any(), Z + (mean if by_column else 0.0), Z))


def in_place(change):
    def made(seed):
        phi = plain(seed)

        def apply(Z):
            z = phi(Z)
            change(Z)
            return z

        return apply

    return made


def per_row(Z):
    return Z / (1.0 + np.linalg.norm(Z, axis=1, keepdims=True))


def narrowed(kind):
    def made(seed):
        w, b = weights(seed)
        return lambda Z: cosines(Z.astype(kind(Z.dtype)), w, b)

    return made


ON = "other rows of the batch"
FURTHER = {
    "learns the scale of the first batch": (
        remembers(lambda Z: np.abs(Z).max(), lambda Z, s: Z / s),
        of(lambda phi, s: lambda Z: phi(Z / 3.0)),
        ON,
    ),
    "learns the mean of the first batch": (
        remembers(lambda Z: Z.mean(axis=0), lambda Z, m: Z - m),
        of(lambda phi, s: lambda Z: phi(Z - 0.5)),
        ON,
    ),
    "scales by the deviation of the batch": (
        remembers(lambda Z: Z.std() + 1e-3, lambda Z, s: Z / s, first=False),
        of(lambda phi, s: lambda Z: phi(per_row(Z))),
        ON,
    ),
    "a softmax over rows": (
        of(lambda phi, s: lambda Z: np.exp(phi(Z)) / np.exp(phi(Z)).sum(axis=0)),
        of(lambda phi, s: lambda Z: np.exp(phi(Z)) / np.exp(phi(Z)).sum(axis=1, keepdims=True)),
        ON,
    ),
    "sorts rows": (
        of(lambda phi, s: lambda Z: phi(by_rows(Z, True))),
        of(lambda phi, s: lambda Z: phi(by_rows(Z, False))),
        "the place, of the rows",
    ),
    "adds the place of a row": (
        of(lambda phi, s: lambda Z: phi(Z) + 0.1 * np.arange(len(Z))[:, None]),
        of(lambda phi, s: lambda Z: phi(Z) + 0.1 * Z[:, :1]),
        "the place, of the rows",
    ),
    "drops rows that occur twice": (
        of(lambda phi, s: lambda Z: phi(np.unique(Z, axis=0))),
        of(
            lambda phi, s: (
                lambda Z: phi(np.unique(Z, axis=0))[
                    np.unique(Z, axis=0, return_inverse=True)[1].ravel()
                ]
            )
        ),
        "the place, of the rows",
    ),
    "dropout at every call": (
        dropout(lambda seed, Z: np.random.default_rng()),
        dropout(lambda seed, Z: rng_of(seed + 1)),
        "drawn anew at every call",
    ),
    "dropout by the number of rows": (
        dropout(lambda seed, Z: rng_of(len(Z))),
        dropout(lambda seed, Z: rng_of(seed + 2)),
        ON,
    ),
    "a cache by mean and deviation": (
        cached(lambda Z: (Z.shape, round(float(Z.mean()), 6), round(float(Z.std()), 6))),
        cached(whole),
        "of an earlier call",
    ),
    "a cache by every hundredth entry": (
        cached(lambda Z: (Z.shape, Z.ravel()[::100].tobytes())),
        cached(lambda Z: (whole(Z), 1)),
        "of an earlier call",
    ),
    "a cache that is handed out": (
        cached(whole, copies=False),
        cached(lambda Z: (whole(Z), 2)),
        "writing to features changes those of later calls",
    ),
    "one buffer of the largest batch": (
        buffered(False),
        buffered(True),
        "overwrites the features that an earlier one returned",
    ),
    "centres in place": (
        in_place(lambda Z: np.subtract(Z, Z.mean(axis=0), out=Z, casting="unsafe")),
        in_place(lambda Z: Z - Z.mean(axis=0)),
        "in place",
    ),
    "clips in place at 2": (
        in_place(lambda Z: np.clip(Z, -2, 2, out=Z) if Z.dtype.kind == "f" else None),
        in_place(lambda Z: np.clip(Z, -2, 2)),
        "in place",
    ),
    "rows of a block left over": (in_blocks(500, False), in_blocks(500, True), "from row"),
    "wrong for more than 3,000 rows": (
        of(lambda phi, s: lambda Z: phi(Z * (1.0 if len(Z) < 3000 else 1.1))),
        of(lambda phi, s: lambda Z: phi(Z)),
        "how many rows",
    ),
    "weights redrawn for another width": (resized(False), resized(True), "rows of earlier calls"),
    "weights of the rows' type": (
        narrowed(lambda kind: np.float16 if kind == np.float32 else kind),
        narrowed(lambda kind: np.float64),
        "float32 rows",
    ),
    "whole rows cut to bytes": (
        of(lambda phi, s: lambda Z: phi(Z.astype(np.uint8) if Z.dtype.kind == "i" else Z)),
        of(lambda phi, s: lambda Z: phi(Z.astype(np.int64) if Z.dtype.kind == "i" else Z)),
        "integer rows",
    ),
    "fills NaN by the batch": (
        of(lambda phi, s: lambda Z: phi(imputed(Z, True))),
        of(lambda phi, s: lambda Z: phi(imputed(Z, False))),
        "a row of nan",
    ),
    "draws counted": (counted, lambda seed: plain(seed + 1), "ignores its seed"),
    "seeds by their first six digits": (
        drawn(lambda s: weights(int(str(s)[:6]))),
        drawn(lambda s: weights(int(str(s)[::-1]) + (s % 10 == 0) * s * 10**12)),
        "give the same features",
    ),
    "offsets of the global generator": (
        offsets_of_the_process,
        drawn(weights),
        "ignores its seed",
    ),
    "half of the columns without a seed": (drawn(half_fixed), drawn(weights), ""),
    "one stream for weights and offsets": (
        drawn(lambda s: (weights(s)[0], rng_of(s).uniform(0.0, 6.283185307179586, 80))),
        drawn(weights),
        "",
    ),
    "the odd columns of X unused": (
        of(lambda phi, s: lambda Z: phi(Z * (np.arange(Z.shape[1]) % 2 == 0))),
        of(lambda phi, s: lambda Z: phi(Z)),
        "of 5 columns of X change nothing: 1, 3",
    ),
    "a call that silences errors": (
        moving(lambda: np.seterr(over="ignore")),
        moving(errors_restored),
        "np.geterr()",
    ),
    "a call that filters warnings": (
        moving(lambda: warnings.simplefilter("once")),
        moving(quietly),
        "warnings.filters",
    ),
    "a call that draws for nothing": (
        moving(lambda: np.random.standard_normal(3)),  # noqa: NPY002
        moving(lambda: np.random.default_rng(0).standard_normal(3)),
        "global random state of numpy.random",
    ),
    "wrong between 100 and 200 rows": (
        of(lambda phi, s: lambda Z: phi(Z * (1.1 if 100 < len(Z) < 200 else 1.0))),
        of(lambda phi, s: lambda Z: phi(Z)),
        "",
    ),
    "wrong beside rows that are long": (
        of(lambda phi, s: lambda Z: phi(Z * (1.1 if np.abs(Z).max() > 50.0 else 1.0))),
        of(lambda phi, s: lambda Z: phi(Z)),
        "a row of inf changes",
    ),
}
