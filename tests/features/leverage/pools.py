"""Pools of every kind for the selectors."""

from __future__ import annotations

import numpy as np

import mehler
from mehler.features import groups, leverage

D = 3
RNG = np.random.default_rng(5)
ROWS = RNG.standard_normal((30, D))
TARGETS = np.sin(2 * ROWS[:, 0]) + ROWS[:, 1]

# Name: (pool, columns a group).
POOLS = {
    "pairs": (lambda seed=0: mehler.FourierFeatures.draw(D, 24, gamma=0.4, seed=seed), 2),
    "offset": (
        lambda seed=0: mehler.FourierFeatures.draw(D, 24, gamma=0.4, form="offset", seed=seed),
        1,
    ),
    "orthogonal": (
        lambda seed=0: mehler.FourierFeatures.draw(
            D, 24, form="offset", projections="orthogonal", seed=seed
        ),
        3,
    ),
    "hadamard-pairs": (
        lambda seed=0: mehler.FourierFeatures.draw(D, 24, projections="hadamard", seed=seed),
        8,
    ),
    "maxout": (lambda seed=0: mehler.MaxoutFeatures.draw(D, 24, 4, seed=seed), 1),
    "shared": (
        lambda seed=0: mehler.MaxoutFeatures.draw(D, 24, 2, n_projections=7, seed=seed),
        1,
    ),
    "decoupled": (lambda seed=0: mehler.DecoupledMaxoutFeatures.draw(D, 24, 4, seed=seed), 1),
    "sinks": (
        lambda seed=0: mehler.KitchenSinks.draw(D, 24, activation="tanh", bias=1.0, seed=seed),
        1,
    ),
    "invariant": (
        lambda seed=0: mehler.GroupInvariantFeatures.draw(
            D, n_templates=6, n_bins=4, group=groups.CyclicShifts(D), window=1.0, seed=seed
        ),
        8,
    ),
}

# Name: (make(pool, n_features), what fit needs).
SELECTORS = {
    "plain": lambda pool, m: leverage.PlainSampling(pool, m),
    "sampling": lambda pool, m: leverage.LeverageSampling(pool, m, lam=0.01, seed=3),
    "iid": lambda pool, m: leverage.LeverageSampling(pool, m, lam=0.01, draws="iid", seed=3),
    "once": lambda pool, m: leverage.LeverageSampling(
        pool, m, lam=0.01, draws="without replacement", seed=3
    ),
    "top-leverage": lambda pool, m: leverage.TopLeverage(pool, m, lam=0.01),
    "top-variance": lambda pool, m: leverage.TopVariance(pool, m),
    "eerf": lambda pool, m: leverage.EERF(pool, m),
    "lkrf": lambda pool, m: leverage.LKRF(pool, m, rho=1.0),
    "greedy": lambda pool, m: leverage.Greedy(pool, m, total_weight=4.0),
}
