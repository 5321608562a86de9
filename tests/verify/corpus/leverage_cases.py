"""Defects of sampling a pool by leverage scores: of the weights, the law and what is drawn twice.

One pool is drawn once, so that the kernel and the variance of a selection are finite sums, and
exact. Sampling is unbiased for any scores at all: only weights that do not belong to the law that
was drawn from change the kernel.
"""

from __future__ import annotations

import functools

import numpy as np

import mehler
from mehler import verify
from mehler.features import leverage
from tests.verify.corpus.registry import Planted, Twin

D, POOL, KEPT = 3, 1600, 800
_RNG = np.random.default_rng(3)
ROWS = 0.7 * _RNG.standard_normal((3, D))
# Scores are of other rows than those that are looked at.
SCORED = _RNG.standard_normal((4, D))
POOLED = mehler.FourierFeatures.draw(D, POOL, gamma=0.4, form="offset", seed=0)


@functools.cache
def drawer(defect=None, mix=0.5):
    """seed -> selected features of one pool, with columns of 0 for what was drawn again."""
    cls = defect(leverage.LeverageSampling) if defect else leverage.LeverageSampling

    def draw(seed):
        chosen = cls(POOLED, KEPT, lam=0.01, seed=seed, draws="iid", mix=mix, method="gram")
        phi = chosen.fit(SCORED)
        return lambda x: np.pad(phi(x), [(0, 0), (0, KEPT - phi.n_features)])

    return draw


@functools.cache
def look_at(mix):
    """The kernel is the pool's own Gram; one draw is h_i/q_i with probability q_i."""
    sampler = leverage.LeverageSampling(POOLED, KEPT, lam=0.01, seed=0, draws="iid", mix=mix)
    q = sampler.law(sampler.scores(SCORED))

    def variance(x, y):
        left, right = POOLED(x), POOLED(y)
        return (left**2 / q) @ (right**2).T - (left @ right.T) ** 2

    def look(draw, seed):
        return verify.check_kernel(draw, POOLED.gram, ROWS, variance=variance, seed=seed)

    return look


def moved(change):
    """A defect of the masses of what was chosen, with the law that it was drawn from."""

    def defect(cls):
        class Broken(cls):
            def _choose(self, phi):
                choice = super()._choose(phi)
                q = self.law(self._scores(phi))
                return choice._replace(mass=change(choice.mass, q, self))

        return Broken

    return defect


def printed(mass, q, chosen):
    """c/(M q): the print forgets the size of the pool."""
    return mass * POOL


def unweighted(mass, q, chosen):
    """What was drawn, as it is."""
    counts = np.round(mass * KEPT * q / chosen._shares())
    return counts / counts.sum()


def counted_once(mass, q, chosen):
    """A feature that was drawn twice has the weight of one."""
    return np.where(mass > 0, chosen._shares() / (KEPT * q), 0.0)


def of_scores_alone(mass, q, chosen):
    """Weights of the scores, for draws from their mixture with plain sampling."""
    pure = (q - chosen.mix * chosen._shares()) / (1 - chosen.mix)
    return mass * q / pure


def planted(name, defect):
    return Planted(f"leverage: {name}", "check_kernel", look_at(0.5), drawer(defect), drawer())


PLANTED = [
    planted("the pool's size forgotten in the weight", moved(printed)),
    planted("no weights", moved(unweighted)),
    planted("drawn twice, counted once", moved(counted_once)),
    planted("weights of the scores, draws of the mixture", moved(of_scores_alone)),
]
TWINS = [
    Twin(
        "leverage: nearly no plain sampling",
        "check_kernel",
        look_at(0.1),
        drawer(mix=0.1),
        "a small share of it bounds the weights, and no more",
    ),
]
