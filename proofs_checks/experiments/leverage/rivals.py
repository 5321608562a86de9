"""Rivals of leverage scores: keep features of a pool by targets, by variance, or greedily.

Selectors as in `mehler.features.leverage`, made with targets ``y``, (N,) or (N, K), of N rows:
``EERF(pool, 100, y=y).fit(X)``. A pool is a random map of M_0 features phi(x, omega_i), some in
groups that stay together, as cosine and sine. ``_choose`` returns weights of all groups, 0 for
those dropped, from features ``phi`` (N, M_0). What is kept has another kernel than the pool.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mehler.features.leverage import Choice, Selector

Values = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class TopVariance(Selector):
    """Keep the features of largest variance over the rows: one pass over the features."""

    changes_kernel: ClassVar[bool] = True

    def _choose(self, phi: Values) -> Choice:
        return self._largest(np.var(phi, axis=0))


@dataclass(frozen=True, kw_only=True, eq=False)
class ByTargets(Selector):
    """Keep some features of a pool by targets on the rows."""

    y: Any

    changes_kernel: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        y = np.asarray(self.y, dtype=np.float64)
        if y.ndim not in (1, 2) or not np.all(np.isfinite(y)):
            raise ValueError("y must be finite numbers of shape (rows,) or (rows, outputs)")
        object.__setattr__(self, "y", y.reshape(len(y), -1))

    def _alignment(self, phi: Values) -> Any:
        """Return (1/N sum_j y_j phi_i(x_j))^2 of each column, over the outputs.

        Targets are centred, and divided by a power of two where squares could overflow.
        """
        y, largest = self.y, float(np.abs(self.y).max(initial=0.0))
        if largest and not 2.0**-40 <= largest <= 2.0**40:
            y = np.ldexp(y, -np.frexp(largest)[1])
        means = phi.T @ (y - y.mean(axis=0)).astype(phi.dtype) / float(len(phi))
        return np.sum(means**2, axis=1)


@dataclass(frozen=True, kw_only=True, eq=False)
class EERF(ByTargets):
    r"""Keep the features of largest correlation with the targets.

    .. math:: \hat S_i = \frac1N\sum_j(y_j - \bar y)\,\phi(x_j, \omega_i), \qquad
              \text{largest } \sum_c\hat S_{ic}^2

    Shahrampour, Beirami, Tarokh (2018), On data-dependent random features, unverified.
    """

    def _choose(self, phi: Values) -> Choice:
        return self._largest(self._alignment(phi))


@dataclass(frozen=True, kw_only=True, eq=False)
class LKRF(ByTargets):
    r"""Learn weights of the features by alignment with the targets, and keep the largest.

    .. math:: \max_q\ \sum_iq_i\hat S_i^2 \quad\text{over}\quad q \ge 0,\ \sum q = 1,\
              M_0\Big\|q - \frac1{M_0}\Big\|^2 \le \rho

    solved exactly. Of its support the M largest are kept and weighted by q, divided by their sum.
    With ``weighted=False``, or without a large enough support to differ, these are the features
    of `EERF`: q increases with :math:`\hat S^2`. All groups need one size.
    Sinha, Duchi (2016), Learning kernels with random features, unverified.
    """

    rho: float
    weighted: bool = True

    def _choose(self, phi: Values) -> Choice:
        alignment = self._alignment(phi)
        q = largest_mean(np.bincount(self._labels(), alignment).astype(np.float64), self.rho)
        weights = self._largest(alignment).mass * (q > 0)
        mass = weights * q if self.weighted else weights
        return Choice(mass / mass.sum())


def largest_mean(v: Values, rho: float) -> Any:
    r"""Maximise <q, v> over the simplex with n |q - 1/n|^2 <= rho; returns q (n,).

    .. math:: q_i = \Big[\frac1k + \gamma_k(v_i - \bar v_k)\Big]_+, \qquad
              \gamma_k^2 = \Big(\frac{\rho + 1}n - \frac1k\Big)\Big/\sum_{i\le k}(v_i - \bar v_k)^2

    over the k largest, so many that the k-th is positive and the next is not. Exact, n log n steps.
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
    slack = (rho + 1.0) / n - 1.0 / sizes
    able = (slack >= 0) & (squares > 0)
    gamma = np.sqrt(np.where(able, slack, 0.0) / np.where(able, squares, 1.0))
    inside = able & (1.0 / sizes + gamma * (down - means) > 0)
    # The largest support with a positive last member: a smaller one omits what adds to the mean.
    k = int(np.flatnonzero(inside)[-1]) + 1
    top = 1.0 / k + gamma[k - 1] * (down[:k] - means[k - 1])
    q[order[:k]] = top / top.sum()
    return q


@dataclass(frozen=True, kw_only=True, eq=False)
class Greedy(ByTargets):
    r"""Add features one by one, each the one with the smallest error.

    .. math:: f_k = \big(1 - \tfrac1k\big)f_{k-1} + \tfrac1k g_k, \qquad
              g_k \in \{\pm B\phi_i/\kappa\}

    with :math:`\kappa` the largest root mean square of a feature on the rows and B the
    `total_weight`. For a target that is a sum of features with weights of at most B in total, times
    kappa, :doc:`/theorems/kitchen-sinks-greedy` bounds the error; without B the printed steps
    stall. One step per group to keep; features chosen repeatedly get more weight.
    """

    total_weight: float

    def _choose(self, phi: Values) -> Choice:
        (y,) = self.y.T
        columns = steps(np.asarray(phi, dtype=np.float64), y, self.total_weight, self._n_groups())
        counts = np.bincount(self._labels()[columns], minlength=self._fractions().size)
        return Choice(counts / counts.sum())


def steps(phi: Values, y: Values, total_weight: float, n: int) -> Any:
    """Return the columns chosen by n steps, in order, with repetitions."""
    rows = phi.shape[0]
    size = np.sqrt(np.mean(phi**2, axis=0).max())
    atoms = phi * (total_weight / size)
    squares = np.mean(atoms**2, axis=0)
    correlation = y @ atoms / rows
    reached = np.zeros_like(correlation)  # <f, atom>
    columns = np.empty(n, dtype=np.int64)
    for k in range(1, n + 1):
        # |(1 - 1/k) f + s atom/k - y|^2 over signs s, up to what all have in common.
        cross = (1 - 1 / k) * reached - correlation
        best = int(np.argmin(squares / k**2 - 2 * np.abs(cross) / k))
        sign = -1.0 if cross[best] > 0 else 1.0
        reached = (1 - 1 / k) * reached + sign / k * (atoms[:, best] @ atoms) / rows
        columns[k - 1] = best
    return columns


@dataclass(frozen=True, kw_only=True, eq=False)
class NotSoRandom(ByTargets):
    r"""Learn weights of the features by alignment with an SVM's dual variables, round by round.

    .. math:: \max_\alpha \min_q\ \sum_j \alpha_j - \frac12\sum_i q_i v_i(\alpha), \qquad
              v_i(\alpha) = \frac1{p_i}\Big(\sum_j \alpha_j y_j\,\phi_i(x_j)\Big)^2

    over :math:`0 \le \alpha_j \le C/N`, :math:`\sum_j\alpha_jy_j = 0` and the simplex of q; p is
    the fraction of a feature in the pool, C the `cost`. A round takes the feature of largest
    alignment v, then moves alpha by a gradient step. The averages of both solve the game, up to one
    over the root of the rounds; the M features of largest q, or fewer, are kept and weighted by it.
    Bullins, Zhang, Zhang (2018), Not-so-random features, unverified; they look for peaks among all
    frequencies, by Langevin dynamics, here the pool's peak is exact.
    """

    cost: float
    n_rounds: int = 300

    def _choose(self, phi: Values) -> Choice:
        labels, least, most = self._labels(), self.y.min(axis=0), self.y.max(axis=0)
        if np.any(least == most) or not np.all((self.y == least) | (self.y == most)):
            raise ValueError("y must have two values a column: one column of 0 and 1 a class")
        atoms = np.asarray(phi, dtype=np.float64) / np.sqrt(self._fractions()[labels])
        q, _ = play(atoms, labels, np.where(self.y == most, 1.0, -1.0), self.cost, self.n_rounds)
        mass = np.zeros(q.size)
        largest = np.argsort(-q, kind="stable")[: self._n_groups()]
        mass[largest] = q[largest]
        return Choice(mass / mass.sum())


def play(
    atoms: Values, labels: NDArray[np.int64], signs: Values, cost: float, n_rounds: int
) -> tuple[Any, Any]:
    """Return q (G,) and the mean alpha (N, K) of `NotSoRandom`'s rounds.

    `atoms` (N, M_0) are features over the root of their group's fraction, `signs` (N, K) targets.
    """
    n_groups = int(labels.max()) + 1
    columns = [np.flatnonzero(labels == group) for group in range(n_groups)]
    most = cost / len(signs)
    alpha = project(np.full(signs.shape, most), signs, most)
    counts, mean, squares = np.zeros(n_groups), np.zeros_like(alpha), 0.0
    diameter = most * float(np.sqrt(signs.size))  # of the box
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


def project(alpha: Values, signs: Values, most: float) -> Any:
    """Return the nearest point, column by column, with 0 <= alpha <= most and alpha . signs = 0."""
    # The multiplier theta of alpha - theta signs: the sum does not increase with it.
    low = np.full(alpha.shape[1], -np.abs(alpha).max(initial=0.0) - most)
    high = -low
    for _ in range(60):
        middle = 0.5 * (low + high)
        above = (signs * np.clip(alpha - middle * signs, 0.0, most)).sum(axis=0) > 0.0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.clip(alpha - 0.5 * (low + high) * signs, 0.0, most)
