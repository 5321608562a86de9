"""Defects of how maps are drawn: shared units, seeds, group actions."""

from __future__ import annotations

import math

import numpy as np

import mehler
from mehler import verify
from tests.verify.corpus import fourier, mehler_cases, units
from tests.verify.corpus.fourier import Cosines
from tests.verify.corpus.registry import Planted, Twin, drawer, moved_weights
from tests.verify.corpus.units import Averaged

ROWS = mehler_cases.FEW
D, Q = mehler_cases.D, 4


def convergence(rows):
    def look(draw, seed):
        return verify.check_convergence(draw, rows, seed=seed)

    return look


def invariance(draw, seed):
    """Under a quarter turn of the first two coordinates."""
    return verify.check_invariance(
        draw, lambda x: units.turn(x, math.pi / 2), units.TURNED, seed=seed
    )


SEEDS = "check_structure: seeds"


def reproducible(draw, seed):
    rules = ("the seed alone decides", "global state", "seeds differ")
    return verify.check_structure(draw, ROWS, only=rules, seed=seed, time_limit=600.0)


def sized(cls, **change):
    """(seed, n_features) -> map, for checks of convergence."""
    return lambda seed, n_features: cls(seed, n_features=n_features, **change)


def sized_maxout(cls):
    """With a pool of two, as only the number of units matters."""
    return lambda seed, n_features: cls(D, n_features, 2, seed=seed)


@moved_weights
def few_projections(phi, weights):
    """Units that take their pieces from the same 32 projections."""
    rng = np.random.default_rng(phi.seed)
    members = rng.random((phi.n_features, 32)).argsort(axis=1)[:, : phi.pool_size]
    return (np.ascontiguousarray(weights[0][:, members].transpose(2, 0, 1)),)


def fixed(fraction):
    """The first units never change: all of them, if the seed is not handed on."""

    def change(phi, weights):
        (same,) = mehler.MaxoutFeatures(D, phi.n_features, Q, seed=0)._weights(weights.dtype.name)
        return (np.where(np.arange(phi.n_features) >= fraction * phi.n_features, weights, same),)

    return moved_weights(change)


@moved_weights
def of_neighbours(phi, weights):
    """Unit l has the seed seed + l, so that the next seed has all units but one in common."""
    seeds = range(phi.seed, phi.seed + phi.n_features)
    units = [np.random.default_rng(seed).standard_normal((Q, D)) for seed in seeds]
    return (np.stack(units, axis=-1).astype(weights.dtype),)


@moved_weights
def ambient(phi, weights):
    """Weights from the machine's entropy, whatever the seed."""
    return (np.random.default_rng().standard_normal(weights.shape).astype(weights.dtype),)


def plain(cls, **options):
    return lambda seed: cls(D, 100, Q, seed=seed, **options)


MAXOUT = mehler.MaxoutFeatures
FOURIER = convergence(fourier.ROWS)
UNITS = convergence(ROWS)
RIGHT = sized(Cosines)
OWN = sized_maxout(MAXOUT)
DRAWN = plain(MAXOUT)
TURNED = drawer(Averaged)


def planted(name, check, look, broken, correct, history=""):
    return Planted(name, check, look, broken, correct, history)


PLANTED = [
    planted(
        "cosines: seeds reused across units",
        "check_convergence",
        FOURIER,
        sized(Cosines, distinct=16),
        RIGHT,
    ),
    planted(
        "maxout: few projections for many units",
        "check_convergence",
        UNITS,
        sized_maxout(few_projections(MAXOUT)),
        OWN,
    ),
    planted(
        "group: identity left out",
        "check_invariance",
        invariance,
        drawer(Averaged, turns=units.QUARTERS[1:]),
        TURNED,
    ),
    planted("maxout: deaf to its seed", SEEDS, reproducible, plain(fixed(1)(MAXOUT)), DRAWN),
    planted(
        "few codes: units of neighbouring seeds",
        SEEDS,
        reproducible,
        lambda seed: of_neighbours(mehler.MaxoutCodes)(D, 25, Q, seed=seed),
        lambda seed: mehler.MaxoutCodes(D, 25, Q, seed=seed),
    ),
    planted("maxout: ambient entropy", SEEDS, reproducible, plain(ambient(MAXOUT)), DRAWN),
]

TWINS = [
    Twin(
        "codes: of one bit",
        SEEDS,
        reproducible,
        lambda seed: mehler.MaxoutCodes(D, 100, 2, seed=seed),
        "an eighth of the columns of three bits, or more, agree by chance",
    ),
    Twin(
        "cosines: each unit twice",
        "check_convergence",
        FOURIER,
        lambda seed, n_features: Cosines(seed, n_features=n_features, distinct=n_features // 2),
        "half as fast but no less steadily: the variance tells",
    ),
    Twin(
        "group: a coset",
        "check_invariance",
        invariance,
        drawer(Averaged, turns=tuple(angle + 1.0 for angle in units.QUARTERS)),
        "the sum runs over the same orbit, turned once more",
    ),
]
