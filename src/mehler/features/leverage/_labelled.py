"""Selectors that use targets: EERF and LKRF. They change the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mehler import _arrays
from mehler._validate import require_flag, require_positive
from mehler.features.leverage._selector import Choice, Selector, top


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
        aligned = self._alignment(phi, _centred(y))
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
        require_flag("weighted", self.weighted)
        object.__setattr__(self, "rho", require_positive("rho", self.rho))
        if np.ptp(np.bincount(self._labels())):
            raise ValueError(
                "groups have different sizes: draw a pool whose n_features is a multiple of the "
                "size of a group"
            )

    def _choose(self, phi: _arrays.Array, y: Any) -> Choice:
        aligned = self._alignment(phi, _centred(y))
        q = largest_mean(aligned, float(self.rho))
        kept = top(aligned, self._n_groups()).mass * (q > 0)
        mass = kept * q if self.weighted else kept
        return Choice(mass / mass.sum())


def largest_mean(v: Any, rho: float) -> Any:
    r"""Maximise <q, v> over the simplex with n |q - 1/n|^2 <= rho; returns q (n,).

    .. math:: q_i = \Big[\frac1k + \gamma_k(v_i - \bar v_k)\Big]_+, \qquad
              \gamma_k^2 = \Big(\frac{\rho + 1}n - \frac1k\Big)\Big/\sum_{i\le k}(v_i - \bar v_k)^2

    over the k largest; k is the size at which the k-th is positive and the next is not. Exact,
    in n log n operations.
    """
    n = v.size
    order = np.argsort(-v, kind="stable")
    # Subtract the largest, so that ties with it are exact zeros; the scale does not matter.
    down = v[order] - v[order[0]]
    ties = int(np.sum(down == 0.0))
    q = np.zeros(n)
    if ties == n or rho >= n / ties - 1:
        q[order[:ties]] = 1.0 / ties
        return q
    down = down / -down[-1]
    sizes = np.arange(1, n + 1)
    means = np.cumsum(down) / sizes
    # Sums of squares about the mean by non-negative updates, without cancellation.
    steps = np.zeros(n)
    steps[1:] = (down[1:] - means[:-1]) * (down[1:] - means[1:])
    squares = np.cumsum(steps)
    room = (rho + 1.0) / n - 1.0 / sizes
    able = (room >= 0) & (squares > 0)
    gamma = np.sqrt(np.where(able, room, 0.0) / np.where(able, squares, 1.0))
    inside = able & (1.0 / sizes + gamma * (down - means) > 0)
    # The largest support whose last member is positive: a smaller one would omit a member that
    # increases the mean.
    k = int(np.flatnonzero(inside)[-1]) + 1
    kept = 1.0 / k + gamma[k - 1] * (down[:k] - means[k - 1])
    q[order[:k]] = kept / kept.sum()
    return q


def _centred(y: Any) -> Any:
    """Centre targets, divided by a power of two where squares could leave the floats.

    No choice here depends on their scale.
    """
    largest = float(np.abs(y).max(initial=0.0))
    if largest and not 2.0**-40 <= largest <= 2.0**40:
        y = np.ldexp(y, -np.frexp(largest)[1])
    return y - y.mean(axis=0)
