"""Frequencies by alignment in the dual of a support vector machine, without regret."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mehler import _arrays
from mehler._validate import require_integer, require_positive
from mehler.features.leverage._selector import Choice, Selector, top
from mehler.features.leverage._units import members


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

    See Also
    --------
    LKRF : One step of alignment with the targets.
    mehler.learn.kernel_alignment : The alignment of a whole kernel.

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

    def _choose(self, phi: _arrays.Array, y: Any) -> Choice:
        labels = self._labels()
        features = np.asarray(_arrays.to_host(phi), dtype=np.float64)
        atoms = features / np.sqrt(self._shares()[labels])
        q, _, _ = play(atoms, labels, _signs(y), float(self.cost), self.n_rounds)
        mass = q * (top(q, self._n_groups()).mass > 0)
        return Choice(mass / mass.sum())


def play(
    atoms: Any, labels: Any, signs: Any, cost: float, n_rounds: int
) -> tuple[Any, float, float]:
    """Return the weights q (G,), and a lower and an upper bound of the value of the game.

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
    q, mean = counts / n_rounds, mean / n_rounds
    sums = atoms.T @ (mean * signs)
    aligned = np.bincount(labels, (sums**2).sum(axis=1), n_groups)
    low = float(mean.sum() - 0.5 * aligned.max())
    # Any function bounds the value from above: that of q and the mean of alpha, its best multiple.
    values = atoms @ (q[labels][:, None] * sums)
    length = float(q @ aligned)
    high = min(
        0.5 * scale**2 * length + sum(_hinge(scale * f, s, cost) for f, s in zip(values.T, signs.T))
        for scale in np.linspace(0.0, 2.0, 41)
    )
    return q, low, high


def project(alpha: Any, signs: Any, most: float) -> Any:
    """Return the nearest point, column by column, with 0 <= alpha <= most and alpha . signs = 0."""
    # The multiplier theta of alpha - theta signs: the sum does not increase with it.
    low = np.full(alpha.shape[1], -np.abs(alpha).max(initial=0.0) - most)
    high = -low
    for _ in range(60):
        middle = 0.5 * (low + high)
        above = (signs * np.clip(alpha - middle * signs, 0.0, most)).sum(axis=0) > 0.0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.clip(alpha - 0.5 * (low + high) * signs, 0.0, most)


def _hinge(values: Any, signs: Any, cost: float) -> float:
    """Return cost times the mean hinge loss with the best offset, which is at a kink."""
    kinks = np.sort(signs - values)
    # The slope at an offset b: rows of sign 1 with kink above b pull up, of -1 below it down.
    up = np.sort((signs - values)[signs > 0])
    down = np.sort((signs - values)[signs < 0])
    slope = np.searchsorted(down, kinks, side="right") - (
        len(up) - np.searchsorted(up, kinks, side="right")
    )
    offset = kinks[int(np.argmax(slope >= 0))]
    return cost * float(np.mean(np.maximum(0.0, 1.0 - signs * (values + offset))))


def _signs(y: Any) -> Any:
    """Return -1 and 1 for the smaller and the larger of two values a column."""
    least, most = y.min(axis=0), y.max(axis=0)
    if np.any(least == most) or not np.all((y == least) | (y == most)):
        raise ValueError(
            "y must have two values a column, since this is the dual of a support vector machine; "
            "for classes pass one column of 0 and 1 a class"
        )
    return np.where(y == most, 1.0, -1.0)
