"""Feature selection from a pool of random features, as a transformer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import mehler.features as features
from mehler._arrays import Array
from mehler._validate import require_choice
from mehler.features import leverage
from mehler.features.leverage import Draws
from mehler.sklearn import _inputs
from mehler.sklearn._base import Sampler, fitted_part
from mehler.sklearn._samplers import FourierSampler

# Selectors by name, with the parameters that each one takes.
_SELECTIONS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "leverage": (leverage.LeverageSampling, ("lam", "draws", "mix")),
    "plain": (leverage.PlainSampling, ()),
    "top-leverage": (leverage.TopLeverage, ("lam",)),
}
# Size of the default pool per feature kept.
_POOL_FACTOR = 10


@dataclass(kw_only=True, eq=False, repr=False)
class LeverageSampler(Sampler):
    """Features selected from a larger pool by the fitted rows: `mehler.features.leverage`.

    Sampling by ridge leverage scores preserves the pool's kernel, and needs fewer features for the
    same accuracy if the scores vary a lot. Keeping the largest scores changes the kernel.

    Parameters
    ----------
    n_components : int, default=100
        Largest number of features; repeated draws by leverage scores are merged.
    pool : sampler of this module, default=None
        The pool, fitted on the same rows. Default
        ``FourierSampler(n_components=10 * n_components, form='offset')``. Its parameters are
        searched over as ``pool__gamma`` and so on.
    selection : str, default='leverage'
        'leverage' samples by ridge leverage scores, 'plain' keeps the first features,
        'top-leverage' keeps those of the largest scores.
    lam : float, default=1e-3
        Ridge of the scores: the `alpha` of `sklearn.kernel_ridge.KernelRidge` divided by the
        number of rows.
    draws : {'systematic', 'iid', 'without replacement'}, default='systematic'
        Sampling scheme.
    mix : float, default=0.1
        Weight of plain sampling in the mixture, from 0 to 1. With draws='iid' and mix=0.0 this is
        the paper's Algorithm 1 to the letter.

    Attributes
    ----------
    map_ : mehler.features.SelectedFeatures
        The immutable map. ``map_.unbiased`` is True if it preserves the pool's kernel.

    Notes
    -----
    `expected_kernel` is the pool's kernel if that is preserved, else that of the kept features. In
    a Pipeline the same rows select features and train the learner, contrary to the assumptions of
    the bounds; where these matter, select on other rows.

    A fit costs the features of the pool and a factorisation of their Gram: at 500 of 5000 columns
    and 1437 digits 0.7 CPU seconds, where `FourierSampler` of 500 takes 0.01. That pays where
    scores are uneven, as ``LeverageSampling.scores(X).gain`` says, and predictions must be cheap.
    On the rows of :doc:`/which-map` it gained nothing: take more Fourier features there.

    References
    ----------
    Bach (2017); Shahrampour, Kolouri (2019): `mehler.features.leverage`.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.sklearn import FourierSampler, LeverageSampler
    >>> x = np.random.default_rng(0).standard_normal((100, 2))
    >>> pool = FourierSampler(n_components=300, form="offset", gamma=0.5)
    >>> sampler = LeverageSampler(pool=pool, n_components=30, random_state=0).fit(x)
    >>> sampler.map_.unbiased, sampler.transform(x).shape[1] <= 30
    (True, True)
    """

    n_components: int = 100
    pool: Any = None
    selection: Literal["leverage", "plain", "top-leverage"] = "leverage"
    lam: float = 1e-3
    draws: Draws = "systematic"
    mix: float = 0.1
    random_state: Any = None

    def _draw(self, x: Array, n_components: int, seed: int) -> features.FeatureMap:
        selector, names = _SELECTIONS[require_choice("selection", self.selection, _SELECTIONS)]
        own = {name: getattr(self, name) for name in names}
        if selector is leverage.LeverageSampling:
            own["seed"] = seed
        default = FourierSampler(n_components=_POOL_FACTOR * n_components, form="offset")
        pool = fitted_part(self.pool, default, seed, x, name="pool", weights=self._row_weights)
        chosen: features.FeatureMap = selector(pool.map_, n_components, **own).fit(_inputs.dense(x))
        return chosen
