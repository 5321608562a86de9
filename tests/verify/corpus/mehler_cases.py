"""Defects planted in mehler's own maps, below their declarations."""

import functools
import math

import numpy as np

import mehler
from mehler import exact
from tests.verify.corpus.registry import Planted, Twin, kernel, moved_weights

D, M, Q = 5, 500, 4
# Directions at random, one pair close, one nearly opposite, lengths unequal.
_RNG = np.random.default_rng(0)
ROWS = _RNG.standard_normal((4, D))
ROWS = np.vstack([ROWS, ROWS[0] + 0.1 * ROWS[1], -2 * ROWS[1] + 0.2 * ROWS[2]])
KINDS = {
    "maxout": (mehler.MaxoutFeatures, {}),
    "centred": (mehler.MaxoutFeatures, {"centred": True}),
    "shared": (mehler.MaxoutFeatures, {"n_projections": 2000}),
    "decoupled-next": (mehler.DecoupledMaxoutFeatures, {}),
    "decoupled-fresh": (mehler.DecoupledMaxoutFeatures, {"directions": "fresh"}),
    "codes": (mehler.MaxoutCodes, {}),
}
# Units that share projections give one sample a draw, of a variance that falls with q.
SIZES = {"shared": (64, 32)}
FEW = ROWS[:3]
LOOK = kernel(FEW)


@functools.cache
def drawer(kind, defect=None, m=None):
    cls, options = KINDS[kind]
    if defect is not None:
        cls = defect(cls)
    size, q = SIZES.get(kind, (M, Q))
    return lambda seed: cls(D, m or size, q, seed=seed, **options)


@functools.cache
def linear(defect=None):
    """A pool of one."""
    cls = defect(mehler.MaxoutFeatures) if defect else mehler.MaxoutFeatures
    return lambda seed: cls(D, 500, 1, seed=seed)


def missing_scale(cls):
    """Features without their 1/sqrt(m)."""

    class Broken(cls):
        def __call__(self, X, **options):
            return super().__call__(X, **options) * math.sqrt(self.n_features)

        def _unit_products(self, left, right):
            return super()._unit_products(left, right) * self.n_features

    return Broken


def smallest(cls):
    """argmin and min for argmax and max."""

    class Broken(cls):
        def _draw(self, dtype, units):
            # min over w is -max over -w: negate what decides and what comes out.
            parts = super()._draw(dtype, units)
            return tuple(-part if part.dtype.kind == "f" else part for part in parts)

        def __call__(self, X, **options):
            z = super().__call__(X, **options)
            if cls is mehler.MaxoutCodes:
                return z
            offset = 0.0
            if getattr(self, "centred", False):
                # max_j - h_1|x| of the negated weights is -(min_j + h_1|x|): undo the offset,
                # negate, and subtract it again, as code with the wrong reduction would.
                lengths = np.sqrt(np.sum(X * X, axis=1, keepdims=True))
                offset = 2 * exact.max_moment(1, Q) * lengths / math.sqrt(self.n_features)
            return -z - offset

    return Broken


def without_sigma(cls):
    """Decoupled units without the factor sigma(q)."""

    class Broken(cls):
        def __call__(self, X, **options):
            return super().__call__(X, **options) / math.sqrt(exact.sigma2(self.pool_size))

    return Broken


def not_centred(cls):
    """The offset is forgotten."""

    class Broken(cls):
        def __call__(self, X, **options):
            lengths = np.sqrt(np.sum(X * X, axis=1, keepdims=True))
            return super().__call__(X, **options) + exact.max_moment(1, Q) * lengths / math.sqrt(
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


@moved_weights
def one_piece_short(phi, *parts):
    """Maxima over q - 1 projections; of a shared pool the members are cut, which come last."""
    if getattr(phi, "n_projections", None):
        return parts[0], parts[1][:-1]
    return tuple(part[:-1] for part in parts)


@moved_weights
def half_twice(phi, pool, members):
    """Of shared projections each unit takes half, and those twice."""
    half = phi.pool_size // 2
    members[half:] = members[:half]
    return pool, members


own_directions = moved_weights(lambda phi, decide, _: (decide, decide))
# Random signs for normal weights: variance 1, so that a pool of one stays linear.
sign_weights = moved_weights(lambda phi, *parts: tuple(map(np.sign, parts)))


def planted(name, kind, defect):
    return Planted(name, "check_kernel", LOOK, drawer(kind, defect), drawer(kind))


PLANTED = [
    planted("maxout: not normalised", "maxout", missing_scale),
    *(
        planted(f"{kind}: off-by-one pool, one short", kind, one_piece_short)
        for kind in KINDS
        if kind != "shared"
    ),
    planted("centred: offset forgotten", "centred", not_centred),
    planted("centred: min for max", "centred", smallest),
    planted("shared: half of the indices twice", "shared", half_twice),
    planted("decoupled, fresh: direction is the decider", "decoupled-fresh", own_directions),
    planted("decoupled, next: without sigma(q)", "decoupled-next", without_sigma),
    planted("codes: one side starts at 1", "codes", shifted_codes),
]


def twin(name, kind, why, defect=None):
    return Twin(name, "check_kernel", LOOK, drawer(kind, defect), why)


TWINS = [
    *(
        twin(f"{kind}: min for max", kind, "-w has the law of w", smallest)
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
