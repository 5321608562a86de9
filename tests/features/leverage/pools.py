"""Pools of every kind for the selectors."""

import functools

import numpy as np

import mehler
from mehler.features import groups, leverage

D = 3
RNG = np.random.default_rng(5)
ROWS = RNG.standard_normal((30, D))


def of(columns, cls, *sizes, **options):
    """A pool by its seed, and the columns of a group."""
    return lambda seed=0: cls.draw(D, *sizes, **options, seed=seed), columns


POOLS = {
    "pairs": of(2, mehler.FourierFeatures, 24, gamma=0.4),
    "offset": of(1, mehler.FourierFeatures, 24, gamma=0.4, form="offset"),
    "orthogonal": of(3, mehler.FourierFeatures, 24, form="offset", projections="orthogonal"),
    "hadamard-pairs": of(8, mehler.FourierFeatures, 24, projections="hadamard"),
    "maxout": of(1, mehler.MaxoutFeatures, 24, 4),
    "shared": of(1, mehler.MaxoutFeatures, 24, 2, n_projections=7),
    "decoupled": of(1, mehler.DecoupledMaxoutFeatures, 24, 4),
    "sinks": of(1, mehler.KitchenSinks, 24, activation="tanh", bias=1.0),
    "invariant": of(
        8,
        mehler.GroupInvariantFeatures,
        n_templates=6,
        n_bins=4,
        group=groups.CyclicShifts(D),
        window=1.0,
    ),
}

SAMPLING = functools.partial(leverage.LeverageSampling, lam=0.01, seed=3)
# Of a pool and n_features.
SELECTORS = {
    "plain": leverage.PlainSampling,
    "sampling": SAMPLING,
    "iid": functools.partial(SAMPLING, draws="iid"),
    "once": functools.partial(SAMPLING, draws="without replacement"),
    "top-leverage": functools.partial(leverage.TopLeverage, lam=0.01),
}
