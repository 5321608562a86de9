"""Selectors that use targets: EERF and LKRF. They change the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mehler import _arrays
from mehler._validate import flag, positive
from mehler.features.leverage._selector import Choice, Selector, top
from mehler.features.leverage._simplex import largest_mean


@dataclass(frozen=True, kw_only=True, eq=False)
class EERF(Selector):
    r"""Keep the features of largest correlation with the targets.

    .. math:: \hat S_i = \frac1N\sum_j(y_j - \bar y)\,\phi(x_j, \omega_i), \qquad
              \text{largest } \sum_c\hat S_{ic}^2

    This ranks by a smoothed spectrum of the targets, so near duplicates are kept together.

    Parameters
    ----------
    pool, n_features, groups
        As in :class:`Selector`; `fit` needs targets.

    See Also
    --------
    LKRF : With learned weights.
    LeverageSampling : Without targets.

    References
    ----------
    Shahrampour, Beirami, Tarokh (2018), On data-dependent random features, as recalled.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.features import leverage
    >>> x = np.random.default_rng(0).standard_normal((50, 2))
    >>> pool = mehler.FourierFeatures.draw(2, 100, seed=0)
    >>> leverage.EERF(pool, 10).fit(x, np.sin(x[:, 0])).n_features
    10
    """

    changes_kernel: ClassVar[bool] = True
    needs_targets: ClassVar[bool] = True

    def _choose(self, phi: _arrays.Array, y: Any) -> Choice:
        aligned = self._alignment(phi, y - y.mean(axis=0))
        return top(aligned / self._shares(), self._n_groups())


@dataclass(frozen=True, kw_only=True, eq=False)
class LKRF(Selector):
    r"""Learn weights of the features by alignment with the targets, and keep the largest.

    .. math:: \max_q\ \sum_iq_i\hat S_i^2 \quad\text{over}\quad q \ge 0,\ \sum q = 1,\
              M_0\Big\|q - \frac1{M_0}\Big\|^2 \le \rho

    solved exactly. Of its support the M largest are kept and weighted by q, divided by their sum.
    With ``weighted=False``, or without a large enough support to differ, these are the features
    of `EERF`: q increases with :math:`\hat S^2`.

    Parameters
    ----------
    pool, n_features, groups
        As in :class:`Selector`; all groups must have one size. `fit` needs targets.
    rho : float
        Radius of the chi-square ball about uniform weights, above 0.
    weighted : bool, optional
        Weight features by q (default), or equally.

    See Also
    --------
    EERF : The same features with equal weights.
    LeverageSampling : Without targets.

    References
    ----------
    Sinha, Duchi (2016), Learning kernels with random features, as recalled.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.features import leverage
    >>> x = np.random.default_rng(0).standard_normal((50, 2))
    >>> pool = mehler.FourierFeatures.draw(2, 100, seed=0)
    >>> leverage.LKRF(pool, 10, rho=1.0).fit(x, np.sin(x[:, 0])).n_features
    10
    """

    rho: float
    weighted: bool = True

    changes_kernel: ClassVar[bool] = True
    needs_targets: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        flag("weighted", self.weighted)
        positive("rho", self.rho)
        if np.ptp(np.bincount(self._labels())):
            raise ValueError(
                "groups have different sizes: draw a pool whose n_features is a multiple of the "
                "size of a group"
            )

    def _choose(self, phi: _arrays.Array, y: Any) -> Choice:
        aligned = self._alignment(phi, y - y.mean(axis=0))
        q = largest_mean(aligned, float(self.rho))
        kept = top(aligned, self._n_groups()).mass * (q > 0)
        mass = kept * q if self.weighted else kept
        return Choice(mass / mass.sum())
