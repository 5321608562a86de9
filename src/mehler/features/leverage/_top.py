"""Selectors of the largest scores or variances. They change the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from mehler import _arrays
from mehler._validate import require_positive
from mehler.features.leverage._scores import ridge_leverage_scores
from mehler.features.leverage._selector import Choice, Selector, top


@dataclass(frozen=True, kw_only=True, eq=False)
class TopLeverage(Selector):
    """Keep the features of largest leverage score.

    No theorem covers it: the kept features have the kernel of the high frequencies. Compare with
    `TopVariance`, which costs less and did as well where this helped
    (:doc:`/theorems/leverage-bach`).

    Parameters
    ----------
    pool, n_features, groups
        As in :class:`Selector`.
    lam : float
        Ridge of the scores, see `ridge_leverage_scores`.
    method : {'svd', 'dual', 'gram'}, optional
        Algorithm of the scores, see `ridge_leverage_scores`.

    See Also
    --------
    LeverageSampling : Sample instead, and preserve the kernel.
    TopVariance : A cheaper baseline.

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
        object.__setattr__(self, "lam", require_positive("lam", self.lam))

    def _choose(self, phi: _arrays.Array, y: Any) -> Choice:
        scores = ridge_leverage_scores(
            phi * float(self.pool.n_features) ** 0.5,
            self.lam,
            groups=self._labels(),
            method=self.method,
        )
        # Average over a group's columns, so that a smaller last block is not penalised.
        return top(self._by_groups(scores.scores) / self._shares(), self._n_groups())


@dataclass(frozen=True, kw_only=True, eq=False)
class TopVariance(Selector):
    """Keep the features of largest variance over the rows, a cheap baseline for `TopLeverage`.

    The cost is one pass over the features.

    Parameters
    ----------
    pool, n_features, groups
        As in :class:`Selector`.

    See Also
    --------
    TopLeverage : By leverage scores.

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
