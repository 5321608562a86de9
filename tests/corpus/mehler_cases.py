"""Defects planted in mehler's own maps, below their declarations."""

from __future__ import annotations

import functools
import math

import numpy as np

import mehler
from mehler import exact
from tests.corpus.registry import Planted, Twin, kernel, precision
from tests.features import test_planted_defects as ways
from tests.features.test_planted_defects import KINDS, Q

D = ways.D
# Units that share projections give one sample a draw, of a variance that falls with q.
SIZES = {"shared": (64, 32)}
ROWS = ways.ROWS[:3]
LOOK = kernel(ROWS)


@functools.cache
def drawer(kind, defect=None, m=None):
    cls, options = KINDS[kind]
    if defect is not None:
        cls = defect(cls)
    size, q = SIZES.get(kind, (500, Q))
    if kind == "shared":
        options = {"n_projections": 2000}
    return lambda seed: cls(D, m or size, q, seed=seed, **options)


@functools.cache
def linear(defect=None):
    """A pool of one."""
    cls = defect(mehler.MaxoutFeatures) if defect else mehler.MaxoutFeatures
    return lambda seed: cls(D, 500, 1, seed=seed)


def one_piece_more(cls):
    """Units over q + 1 projections."""

    class Broken(cls):
        def _draw(self, dtype):
            (weights,) = super()._draw(dtype)
            more = np.random.default_rng(self.seed).standard_normal((1, *weights.shape[1:]))
            return (np.concatenate([weights, more.astype(dtype)]),)

    return Broken


def own_directions(cls):
    """Decoupled units that take the projection that decided: maxout after all."""

    class Broken(cls):
        def _draw(self, dtype):
            decide, _ = super()._draw(dtype)
            return decide, decide

    return Broken


def without_sigma(cls):
    """Decoupled units without the factor sigma(q)."""

    class Broken(cls):
        def __call__(self, X):
            return super().__call__(X) / math.sqrt(exact.sigma2(self.pool_size))

    return Broken


def not_centred(cls):
    """The offset is forgotten."""

    class Broken(cls):
        def __call__(self, X):
            lengths = np.sqrt(np.sum(X * X, axis=1, keepdims=True))
            return super().__call__(X) + exact.max_moment(1, Q) * lengths / math.sqrt(
                self.n_features
            )

    return Broken


def shifted_codes(cls):
    """Codes of the second array start at 1: an index from another language."""

    class Broken(cls):
        def _unit_products(self, left, right):
            return super()._unit_products(left, right + 1)

        def gram(self, X, Y=None):
            # Counted here: `similarity` refuses the digit q.
            left, right = self(X), self(X if Y is None else Y) + 1
            return np.mean(left[:, None, :] == right[None, :, :], axis=2)

    return Broken


def half_twice(cls):
    """Shared projections of which each unit takes half, and those twice."""

    class Broken(cls):
        def _draw(self, dtype):
            pool, members = super()._draw(dtype)
            half = self.pool_size // 2
            members[half:] = members[:half]
            return pool, members

    return Broken


def clipped(cls):
    """Codes kept in fewer bits than they need."""

    class Broken(cls):
        def __call__(self, X):
            return np.minimum(super().__call__(X), Q - 2).astype(np.uint8)

    return Broken


def sign_weights(cls):
    """Random signs for normal weights: variance 1, so that a pool of one stays linear."""

    class Broken(cls):
        def _draw(self, dtype):
            return tuple(np.sign(part) for part in super()._draw(dtype))

    return Broken


def planted(name, kind, defect):
    return Planted(name, "check_kernel", LOOK, drawer(kind, defect), drawer(kind))


def rounded(kind):
    look = precision(D, ways.SCALES[kind])
    return Planted(
        f"{kind}: weights through float32",
        "check_structure: weights",
        look,
        drawer(kind, ways.rounded_weights),
        drawer(kind),
    )


PLANTED = [
    planted("maxout: not normalised", "maxout", ways.missing_scale),
    planted("maxout: off-by-one pool, one short", "maxout", ways.one_piece_short),
    planted("maxout: off-by-one pool, one more", "maxout", one_piece_more),
    planted("centred: offset forgotten", "centred", not_centred),
    planted("centred: min for max", "centred", ways.smallest),
    planted("shared: half of the indices twice", "shared", half_twice),
    planted("decoupled, fresh: direction is the decider", "decoupled-fresh", own_directions),
    planted("decoupled, next: without sigma(q)", "decoupled-next", without_sigma),
    planted("decoupled, fresh: off-by-one pool", "decoupled-fresh", ways.one_piece_short),
    planted("codes: off-by-one pool", "codes", ways.one_piece_short),
    planted("codes: one side starts at 1", "codes", shifted_codes),
    planted("codes: in too few bits", "codes", clipped),
    rounded("maxout"),
    rounded("decoupled-next"),
]


def twin(name, kind, why, defect=None):
    return Twin(name, "check_kernel", LOOK, drawer(kind, defect), why)


TWINS = [
    *(
        twin(f"{kind}: min for max", kind, "-w has the law of w", ways.smallest)
        for kind in ("maxout", "decoupled-next", "decoupled-fresh", "codes")
    ),
    Twin(
        "linear: signs for normal weights",
        "check_kernel",
        LOOK,
        linear(sign_weights),
        "a pool of one sees two moments of its weights",
    ),
]
