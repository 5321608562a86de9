"""Selectors that change the kernel: by the largest scores, by targets, greedily, by alignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_flag, require_integer, require_positive
from mehler.features.leverage._scores import ScoreMethod, ridge_leverage_scores
from mehler.features.leverage._selector import Choice, Selector, members, top


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
    lam, method
        As in `ridge_leverage_scores`.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.features import leverage
    >>> pool = mehler.FourierFeatures.draw(2, 100, seed=0)
    >>> leverage.TopLeverage(pool, 10, lam=0.1).fit(np.eye(2)).unbiased
    False
    """

    lam: float
    method: ScoreMethod = "auto"

    changes_kernel: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "lam", require_positive("lam", self.lam))

    def _choose(self, phi: Array, y: Array) -> Choice:
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

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.features import leverage
    >>> pool = mehler.FourierFeatures.draw(2, 100, seed=0)
    >>> leverage.TopVariance(pool, 10).fit(np.eye(2)).n_features
    10
    """

    changes_kernel: ClassVar[bool] = True

    def _choose(self, phi: Array, y: Array) -> Choice:
        xp = _arrays.array_namespace(phi)
        return top(self._by_groups(xp.var(phi, axis=0)) / self._shares(), self._n_groups())


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

    def _choose(self, phi: Array, y: Array) -> Choice:
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

    def _choose(self, phi: Array, y: Array) -> Choice:
        aligned = self._alignment(phi, _centred(y))
        q = largest_mean(aligned, float(self.rho))
        kept = top(aligned, self._n_groups()).mass * (q > 0)
        mass = kept * q if self.weighted else kept
        return Choice(mass / mass.sum())


def largest_mean(v: NDArray[np.float64], rho: float) -> Any:
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


def _centred(y: Array) -> Any:
    """Centre targets, divided by a power of two where squares could leave the floats.

    No choice here depends on their scale.
    """
    largest = float(np.abs(y).max(initial=0.0))
    if largest and not 2.0**-40 <= largest <= 2.0**40:
        y = np.ldexp(y, -np.frexp(largest)[1])
    return y - y.mean(axis=0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Greedy(Selector):
    r"""Add features one by one, each the one with the smallest error.

    .. math:: f_k = \big(1 - \tfrac1k\big)f_{k-1} + \tfrac1k g_k, \qquad
              g_k \in \{\pm B\phi_i/\kappa\}

    with :math:`\kappa` the largest root mean square of a feature on the rows. For targets that
    are a sum of features with weights of at most B in total, times kappa, the error after K
    steps is at most :math:`\sqrt{(B^2 - \|y\|^2)/K}`
    (:doc:`/theorems/kitchen-sinks-greedy`); without B the printed steps stall.

    Parameters
    ----------
    pool, n_features, groups
        As in :class:`Selector`. One step per group to keep; features chosen repeatedly get more
        weight. A group is kept if one of its columns is chosen.
    total_weight : float
        Total weight B.

    See Also
    --------
    mehler.bounds.kitchen_sinks.approximation_greedy : The bound of its error.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.features import leverage
    >>> x = np.random.default_rng(0).standard_normal((50, 2))
    >>> pool = mehler.FourierFeatures.draw(2, 100, seed=0)
    >>> chosen = leverage.Greedy(pool, 10, total_weight=5.0)
    >>> chosen.fit(x, np.sin(x[:, 0])).n_features <= 10
    True
    """

    total_weight: float

    changes_kernel: ClassVar[bool] = True
    needs_targets: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(
            self, "total_weight", require_positive("total_weight", self.total_weight)
        )

    def _choose(self, phi: Array, y: Array) -> Choice:
        if y.shape[1] != 1:
            raise ValueError(f"y has {y.shape[1]} columns: greedy steps approach one function")
        chosen = steps(
            np.asarray(_arrays.to_host(phi), dtype=np.float64),
            y[:, 0],
            self.total_weight,
            self._n_groups(),
        )
        counts = np.bincount(self._labels()[chosen], minlength=self._shares().size)
        return Choice(counts / counts.sum())


def steps(phi: NDArray[np.float64], y: NDArray[np.float64], total_weight: float, n: int) -> Any:
    """Return the columns chosen by n steps, in order, with repetitions."""
    rows = phi.shape[0]
    size = np.sqrt(np.mean(phi**2, axis=0).max())
    if size == 0:
        raise ValueError("all features are 0 on these rows: nothing to choose from")
    atoms = phi * (total_weight / size)
    squares = np.mean(atoms**2, axis=0)
    correlation = y @ atoms / rows
    reached = np.zeros_like(correlation)  # <f, atom>
    chosen = np.empty(n, dtype=np.int64)
    for k in range(1, n + 1):
        # |(1 - 1/k) f + s atom/k - y|^2 over signs s, up to what all have in common.
        cross = (1 - 1 / k) * reached - correlation
        best = int(np.argmin(squares / k**2 - 2 * np.abs(cross) / k))
        sign = -1.0 if cross[best] > 0 else 1.0
        reached = (1 - 1 / k) * reached + sign / k * (atoms[:, best] @ atoms) / rows
        chosen[k - 1] = best
    return chosen


@dataclass(frozen=True, kw_only=True, eq=False)
class NotSoRandom(Selector):
    r"""Learn weights of the features by alignment with an SVM's dual variables, round by round.

    .. math:: \max_\alpha \min_q\ \sum_j \alpha_j - \frac12\sum_i q_i v_i(\alpha), \qquad
              v_i(\alpha) = \frac1{p_i}\Big(\sum_j \alpha_j y_j\,\phi_i(x_j)\Big)^2

    over :math:`0 \le \alpha_j \le C/N`, :math:`\sum_j\alpha_jy_j = 0` and the simplex of q; p is
    the share of a feature in the pool. A round takes the feature of largest alignment v, the
    peak in the Fourier domain, and then moves alpha by a gradient step. The averages of both solve
    the game; the M features of largest q are kept and weighted by it.

    The optimal q is that of :math:`\min_w \frac12(\sum_i|w_i|)^2 + \frac CN\sum_j
    \max(0, 1 - y_jf(x_j))`, so few features have a weight, and fewer than M may be kept.

    Parameters
    ----------
    pool, n_features, groups
        As in :class:`Selector`; `fit` needs targets with two values a column, such as 0 and 1.
    cost : float
        C, between 1e-100 and 1e100. A small one leaves all the weight to a few features.
    n_rounds : int, optional
        Rounds, at most 10^5; the error of the value falls as one over their square root.

    Notes
    -----
    The original looks for peaks among all frequencies, by Langevin dynamics; here the pool is what
    is looked through, and its peak is exact. Each round takes two products of a vector with the
    pool's features of the rows; all are held.

    References
    ----------
    Bullins, Zhang, Zhang (2018), Not-so-random features, as recalled: the rival that Shahrampour,
    Kolouri (2019), Section IV, describe by its alignment in the Fourier domain.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.features import leverage
    >>> x = np.random.default_rng(0).standard_normal((50, 2))
    >>> pool = mehler.FourierFeatures.draw(2, 100, seed=0)
    >>> leverage.NotSoRandom(pool, 10, cost=100.0).fit(x, x[:, 0] > 0).n_features
    10
    """

    cost: float
    n_rounds: int = 300

    changes_kernel: ClassVar[bool] = True
    needs_targets: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        cost = require_positive("cost", self.cost)
        # Squares of alignments have to stay within the floats.
        if not 1e-100 <= cost <= 1e100:
            raise ValueError(f"cost={self.cost!r} is not between 1e-100 and 1e100")
        object.__setattr__(self, "cost", cost)
        object.__setattr__(self, "n_rounds", require_integer("n_rounds", self.n_rounds, most=10**5))

    def _choose(self, phi: Array, y: Array) -> Choice:
        labels = self._labels()
        features = np.asarray(_arrays.to_host(phi), dtype=np.float64)
        atoms = features / np.sqrt(self._shares()[labels])
        q, _ = play(atoms, labels, _signs(y), float(self.cost), self.n_rounds)
        mass = q * (top(q, self._n_groups()).mass > 0)
        return Choice(mass / mass.sum())


def play(
    atoms: NDArray[np.float64],
    labels: NDArray[np.int64],
    signs: NDArray[np.float64],
    cost: float,
    n_rounds: int,
) -> tuple[Any, Any]:
    """Return the weights q (G,) and the mean of alpha (N, K), which solve the game on average.

    `atoms` (N, m) are features over the root of their group's share, `signs` (N, K).
    """
    n_groups = int(labels.max()) + 1
    columns, most = members(labels), cost / len(signs)
    alpha = project(np.full(signs.shape, most), signs, most)
    counts, mean, squares = np.zeros(n_groups), np.zeros_like(alpha), 0.0
    # The diameter of the box.
    diameter = most * float(np.sqrt(signs.size))
    for _ in range(n_rounds):
        sums = atoms.T @ (alpha * signs)
        best = int(np.argmax(np.bincount(labels, (sums**2).sum(axis=1), n_groups)))
        counts[best] += 1.0
        mean += alpha
        peak = columns[best]
        gradient = 1.0 - signs * (atoms[:, peak] @ sums[peak])
        squares += float(np.sum(gradient**2))
        if squares > 0.0:
            alpha = project(alpha + diameter / np.sqrt(2.0 * squares) * gradient, signs, most)
    return counts / n_rounds, mean / n_rounds


def project(alpha: NDArray[np.float64], signs: NDArray[np.float64], most: float) -> Any:
    """Return the nearest point, column by column, with 0 <= alpha <= most and alpha . signs = 0."""
    # The multiplier theta of alpha - theta signs: the sum does not increase with it.
    low = np.full(alpha.shape[1], -np.abs(alpha).max(initial=0.0) - most)
    high = -low
    for _ in range(60):
        middle = 0.5 * (low + high)
        above = (signs * np.clip(alpha - middle * signs, 0.0, most)).sum(axis=0) > 0.0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.clip(alpha - 0.5 * (low + high) * signs, 0.0, most)


def _signs(y: Array) -> Any:
    """Return -1 and 1 for the smaller and the larger of two values a column."""
    least, most = y.min(axis=0), y.max(axis=0)
    if np.any(least == most) or not np.all((y == least) | (y == most)):
        raise ValueError(
            "y must have two values a column, since this is the dual of a support vector machine; "
            "for classes pass one column of 0 and 1 a class"
        )
    return np.where(y == most, 1.0, -1.0)
