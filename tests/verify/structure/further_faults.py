"""Further faults, each beside a correct counterpart: name -> (fault, counterpart, what is said).

The words are of a cause where the map is refuted, in the remarks where it is reported, and "" where
`check_structure` misses it, as ``docs/structure.md`` lists.
"""

import numpy as np

from tests.verify.structure.correct_maps import cosines, plain, rng_of, weights


def of(change):
    """A map of one draw, change(phi, seed) -> map."""
    return lambda seed: change(plain(seed), seed)


def with_change(change):
    """Cosines of weights from change(seed) -> (w, b)."""
    return lambda seed: lambda Z: cosines(Z, *change(seed))


def remembers(learn, use, first=True):
    """Features of rows changed by what the first call, or every call, has learnt."""

    def draw(seed):
        memory, phi = [], plain(seed)

        def apply(Z):
            if not (first and memory):
                memory[:] = [learn(Z)]
            return phi(use(Z, memory[0]))

        return apply

    return draw


def cached(key, copies=True):
    def draw(seed):
        cache, phi = {}, plain(seed)

        def apply(Z):
            z = cache.setdefault(key(Z), phi(Z)) if key(Z) not in cache else cache[key(Z)]
            return z.copy() if copies else z

        return apply

    return draw


def whole(Z):
    return Z.shape, Z.dtype.str, np.ascontiguousarray(Z).tobytes()


def dropout(rng_for):
    def draw(seed):
        phi = plain(seed)
        return lambda Z: phi(Z) * (rng_for(seed, Z).random(80) < 0.5) * np.sqrt(2.0)

    return draw


def half_fixed(seed):
    (w, b), (v, c) = weights(seed), weights(1)
    w[:, :40], b[:40] = v[:, :40], c[:40]
    return w, b


ON = "other rows of the batch"
FURTHER = {
    "learns the scale of the first batch": (
        remembers(lambda Z: np.abs(Z).max(), lambda Z, s: Z / s),
        of(lambda phi, s: lambda Z: phi(Z / 3.0)),
        ON,
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
    "dropout by the number of rows": (
        dropout(lambda seed, Z: rng_of(len(Z))),
        dropout(lambda seed, Z: rng_of(seed + 2)),
        ON,
    ),
    "a cache that is handed out": (
        cached(whole, copies=False),
        cached(lambda Z: (whole(Z), 2)),
        "writing to features changes those of later calls",
    ),
    "wrong for more than 3,000 rows": (
        of(lambda phi, s: lambda Z: phi(Z * (1.0 if len(Z) < 3000 else 1.1))),
        of(lambda phi, s: lambda Z: phi(Z)),
        "how many rows",
    ),
    "seeds by their first six digits": (
        with_change(lambda s: weights(int(str(s)[:6]))),
        with_change(lambda s: weights(int(str(s)[::-1]) + (s % 10 == 0) * s * 10**12)),
        "give the same features",
    ),
    "centres more than 100 rows in place": (
        of(lambda phi, s: lambda Z: phi(np.subtract(Z, 0.1, out=Z if len(Z) > 100 else None))),
        of(lambda phi, s: lambda Z: phi(np.subtract(Z, 0.1))),
        "X is changed in place",
    ),
    "half of the columns without a seed": (with_change(half_fixed), with_change(weights), ""),
    "one stream for weights and offsets": (
        with_change(lambda s: (weights(s)[0], rng_of(s).uniform(0.0, 6.283185307179586, 80))),
        with_change(weights),
        "",
    ),
    "the odd columns of X unused": (
        of(lambda phi, s: lambda Z: phi(Z * (np.arange(Z.shape[1]) % 2 == 0))),
        of(lambda phi, s: lambda Z: phi(Z)),
        "of 5 columns of X change nothing: 1, 3",
    ),
    "wrong between 100 and 200 rows": (
        of(lambda phi, s: lambda Z: phi(Z * (1.1 if 100 < len(Z) < 200 else 1.0))),
        of(lambda phi, s: lambda Z: phi(Z)),
        "",
    ),
    "weights rounded for single precision": (
        lambda seed: (
            lambda Z: cosines(Z, *(np.round(v, 2) if Z.dtype == "f4" else v for v in weights(seed)))
        ),
        lambda seed: lambda Z: cosines(Z, *weights(seed)),
        "float32 rows have other features",
    ),
    "transposes as many rows as features": (
        of(lambda phi, s: lambda Z: phi(Z).T if len(Z) == 80 else phi(Z)),
        of(lambda phi, s: lambda Z: phi(Z).T.T),
        "features depend on how many rows",
    ),
    "wrong beside rows that are long": (
        of(lambda phi, s: lambda Z: phi(Z * (1.1 if np.abs(Z).max() > 50.0 else 1.0))),
        of(lambda phi, s: lambda Z: phi(Z)),
        "a row of inf changes",
    ),
}
