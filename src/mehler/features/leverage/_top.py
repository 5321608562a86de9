"""Selectors that keep the features of largest score or variance: the kernel changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from mehler import _arrays
from mehler._validate import positive
from mehler.features.leverage._scores import ridge_leverage_scores
from mehler.features.leverage._selector import Choice, Selector, top


@dataclass(frozen=True, kw_only=True, eq=False)
class TopLeverage(Selector):
    """Keep the features of largest leverage score.

    No theorem covers it: what is kept has the kernel of the high frequencies. Compare with
    `TopVariance`, which costs less and did as well where this was found to help
    (:doc:`/theorems/leverage-bach`).

    Parameters
    ----------
    pool, n_features, groups
        As in every selector.
    lam : float
        The ridge of the scores, see `ridge_leverage_scores`.
    method : {'svd', 'dual', 'gram'}, optional
        Of the scores.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.features import leverage
    >>> pool = mehler.FourierFeatures.draw(2, 100, seed=0)
    >>> leverage.TopLeverage(pool, 10, lam=0.1).fit(np.eye(2)).unbiased
    False
    """

    lam: float
    method: Literal["svd", "dual", "gram"] = "svd"

    changes_kernel: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("lam", self.lam)

    def _choose(self, phi: _arrays.Array, y: Any) -> Choice:
        scores = ridge_leverage_scores(
            phi * float(self.pool.n_features) ** 0.5,
            self.lam,
            groups=self._labels(),
            method=self.method,
        )
        # A mean over a group's columns: a smaller last block is not worse for its size.
        return top(self._by_groups(scores.scores) / self._shares(), self._n_groups())


@dataclass(frozen=True, kw_only=True, eq=False)
class TopVariance(Selector):
    """Keep the features of largest variance over the rows: the cheap control of `TopLeverage`.

    Parameters as in every selector; the cost is one pass over the features.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.features import leverage
    >>> pool = mehler.FourierFeatures.draw(2, 100, seed=0)
    >>> leverage.TopVariance(pool, 10).fit(np.eye(2)).n_features
    10
    """

    changes_kernel: ClassVar[bool] = True

    def _choose(self, phi: _arrays.Array, y: Any) -> Choice:
        xp = _arrays.array_namespace(phi)
        return top(self._by_groups(xp.var(phi, axis=0)) / self._shares(), self._n_groups())
