"""Defects of how maps are drawn: shared units, seeds, group actions."""

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


MAXOUT = mehler.MaxoutFeatures
FOURIER = convergence(fourier.ROWS)
UNITS = convergence(ROWS)
RIGHT = sized(Cosines)
OWN = sized_maxout(MAXOUT)
TURNED = drawer(Averaged)


PLANTED = [
    Planted(
        "cosines: seeds reused across units",
        "check_convergence",
        FOURIER,
        sized(Cosines, distinct=16),
        RIGHT,
    ),
    Planted(
        "maxout: few projections for many units",
        "check_convergence",
        UNITS,
        sized_maxout(few_projections(MAXOUT)),
        OWN,
    ),
    Planted(
        "group: identity left out",
        "check_invariance",
        invariance,
        drawer(Averaged, turns=units.QUARTERS[1:]),
        TURNED,
    ),
]

TWINS = [
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
