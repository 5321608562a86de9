"""Selectors of features of a pool: the first, sampled by leverage scores, of largest score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from mehler import _random
from mehler._arrays import Array
from mehler._validate import require_choice, require_instance, require_positive, require_within
from mehler.features.leverage._scores import LeverageScores, ScoreMethod, ridge_leverage_scores
from mehler.features.leverage._selector import Choice, Selector

Draws: TypeAlias = Literal["systematic", "iid", "without replacement"]


def draw_counts(
    draws: Draws, rng: np.random.Generator, q: NDArray[np.float64], n: int
) -> tuple[Any, Any]:
    """Return counts of n draws by probabilities q, and their means.

    Systematic draws are n equidistant points in the cumulative distribution, with one uniform
    offset: counts are within 1 of their mean, which is that of independent draws. Those without
    replacement are systematic ones by inclusion probabilities.
    """
    if draws == "iid":
        return rng.multinomial(n, q), n * q
    means = n * q if draws == "systematic" else inclusion(q, n)
    return points_in(means, n, rng.random()), means


def points_in(lengths: NDArray[np.float64], n: int, start: float) -> Any:
    """Count the points start, start + 1, ... in each of consecutive intervals."""
    edges = np.cumsum(lengths)
    # Rounding must not lose the last point.
    edges[-1] = n
    totals = np.clip(np.ceil(edges - start), 0, n).astype(np.int64)
    return np.diff(totals, prepend=0)


def inclusion(q: NDArray[np.float64], n: int) -> Any:
    """Compute inclusion probabilities min(1, c q) that sum to n."""
    order = np.argsort(-q, kind="stable")
    rest = np.cumsum(q[order][::-1])[::-1]
    # The largest k groups are certain; the others share the rest in proportion.
    for k in range(n):
        scale = (n - k) / rest[k]
        if scale * q[order[k]] <= 1:
            break
    else:
        k, scale = n, 0.0
    probabilities = scale * q
    probabilities[order[:k]] = 1.0
    return np.minimum(probabilities, 1.0)


@dataclass(frozen=True, kw_only=True, eq=False)
class PlainSampling(Selector):
    """Keep the first features of the pool: the usual random features, as a baseline.

    Parameters
    ----------
    pool, n_features, groups
        As in :class:`Selector`.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.features import leverage
    >>> pool = mehler.FourierFeatures.draw(2, 100, seed=0)
    >>> leverage.PlainSampling(pool, 10).fit(np.eye(2)).n_features
    10
    """

    changes_kernel: ClassVar[bool] = False

    def _choose(self, phi: Array) -> Choice:
        mass, n = np.zeros(self._fractions().size), self._n_groups()
        mass[:n] = 1.0 / n
        # Blocks of orthogonal directions are groups; other dependent units have no group.
        blocks = self.groups is None and mass.size < self.pool.n_features // self._columns_a_unit()
        # A mean of n group means; dependent groups may do no better than one.
        n_means = n if self.pool.independent_units or blocks else 1
        return Choice(mass, True, (0.0, 1.0 / (n_means * self._columns_a_unit()), 0.0))


@dataclass(frozen=True, kw_only=True, eq=False)
class ByScores(Selector):
    """Keep some features of a pool by their leverage scores."""

    lam: float
    method: ScoreMethod = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "lam", require_positive("lam", self.lam))

    def scores(self, X: Array) -> LeverageScores:
        """Compute the leverage scores of the pool, with the predicted gain, on rows as of `fit`."""
        return self._scores(self._features(X))

    def _scores(self, phi: Array) -> LeverageScores:
        # Features of a map are smaller by the root of their number: a smaller lam spares a copy.
        lam = max(self.lam / self.pool.n_features, 5e-324)
        return ridge_leverage_scores(phi, lam, groups=self._labels(), method=self.method)


@dataclass(frozen=True, kw_only=True, eq=False)
class LeverageSampling(ByScores):
    r"""Sample features by their leverage scores, with weights that keep the kernel.

    .. math:: \tilde q = (1 - \eta)\,\frac{\tau}{\sum\tau} + \eta\,p, \qquad
              g_i = \sqrt{\frac{c_i}{M\,\tilde q_i}}

    with :math:`\tau` the scores, p the pool's own distribution, and c_i the number of the M draws
    that are feature i: duplicates are merged. (Gains multiply the map's columns, which include
    :math:`1/\sqrt{M_0}`, M_0 the size of the pool: :doc:`/theorems/leverage-algorithm-1`.)

    Parameters
    ----------
    pool, n_features, groups
        As in :class:`Selector`. Independent draws repeat features, so fewer columns are kept.
    lam, method
        As in `ridge_leverage_scores`.
    draws : {'systematic', 'iid', 'without replacement'}, optional
        Systematic draws have the mean of independent ones, and counts within 1 of it.
    mix : float, optional
        :math:`\eta` in [0, 1], the fraction of plain sampling, which bounds weights by 1/eta. With
        ``draws="iid", mix=0.0`` this is Algorithm 1 of Shahrampour, Kolouri (2019) as published.
    seed : int
        Seed of the draws; the pool has its own.

    Notes
    -----
    With ``mix=0.0`` nothing bounds the weights, so that ``variance`` of the result raises; features
    that are 0 on all rows are never drawn, and where there are some, the result does not claim the
    pool's kernel.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler.features import leverage
    >>> x = np.random.default_rng(0).standard_normal((200, 1))
    >>> pool = mehler.FourierFeatures.draw(1, 400, seed=0)
    >>> chosen = leverage.LeverageSampling(pool, 40, lam=1e-3, seed=1).fit(x)
    >>> chosen.unbiased, chosen.n_features <= 40
    (True, True)
    """

    draws: Draws = "systematic"
    mix: float = 0.1
    seed: int

    changes_kernel: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "seed", _random.require_seed(self.seed))
        require_choice("draws", self.draws, get_args(Draws))
        mix = require_within("mix", self.mix, "a number from 0 to 1", lambda x: 0.0 <= x <= 1.0)
        object.__setattr__(self, "mix", mix)

    def law(self, scores: LeverageScores) -> Any:
        """Return the sampling probabilities of groups: :meth:`scores` mixed with plain sampling."""
        require_instance("scores", scores, LeverageScores)
        return (1 - self.mix) * scores.probabilities + self.mix * self._fractions()

    def _choose(self, phi: Array) -> Choice:
        q, n = self.law(self._scores(phi)), self._n_groups()
        support = int(np.count_nonzero(q))
        if support < (n if self.draws == "without replacement" else 1):
            raise ValueError(
                f"mix={self.mix} draws from features of a score above 0 alone, and {support} "
                f"groups of {q.size} have one on these rows: use mix > 0, other rows or fewer "
                "features"
            )
        rng = _random.generator(self.seed, _random.SELECTION, 0)
        counts, means = draw_counts(self.draws, rng, q / q.sum(), n)
        mass = counts * self._fractions() / np.where(q > 0, means, 1.0)
        return Choice(mass, support == q.size, self._variance_factors(n))

    def _variance_factors(self, n: int) -> tuple[float, float, float] | None:
        """Return the factors of the variance's bound; None without mixing.

        Given the pool, one draw's square averages at most (V + K^2)/mix; systematic ones err alike.
        """
        if self.mix == 0:
            return None
        n_draws = n if self.draws == "iid" else 1
        product = 1.0 / (self.mix * n_draws * self._columns_a_unit())
        return (1.0 - 1.0 / n_draws, product, (1.0 / self.mix - 1.0) / n_draws)


@dataclass(frozen=True, kw_only=True, eq=False)
class TopLeverage(ByScores):
    """Keep the features of largest leverage score: Algorithm 2 of Shahrampour, Kolouri (2019).

    No theorem covers it: the kept features have the kernel of the high frequencies
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

    changes_kernel: ClassVar[bool] = True

    def _choose(self, phi: Array) -> Choice:
        return self._largest(self._scores(phi).scores)
