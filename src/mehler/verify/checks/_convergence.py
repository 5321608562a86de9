"""check_convergence: does the variance of estimates <phi(x), phi(y)> fall as 1/n_features?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._plural import counted
from mehler._validate import require_integer
from mehler.verify._arguments import DrawOptions, accepts, require_options
from mehler.verify._maps import Bundles, Clock, RowPairs, call, require_draw, unclaimed_pairs
from mehler.verify._measurement import Task, conclude
from mehler.verify._sources import Source, estimate
from mehler.verify._verdict import Verdict
from mehler.verify.intervals._undeclared import measure_undeclared

# Draws of either size per sample; draws that set the weights of pairs; least samples.
_GROUP, _PILOT, _LEAST = 2, 128, 256


class Growth(Source):
    """Samples of m_2 Var_2 - m_1 Var_1, sizes m_1 < m_2, over weighted pairs; the claim is <= 0."""

    name, noun, unit_name = "", "mean", "n_features * variance at the small size"
    events = "pairs of draws"
    remedy = "give other rows, or sizes that differ more"
    group, is_bound, counted_in = 2 * _GROUP, True, "draw"

    def __init__(
        self, draw: Callable[[int, int], Any], sizes: tuple[int, int], pairs: RowPairs, seed: int
    ) -> None:
        self.sizes, self.pairs = sizes, pairs
        makers = [lambda word, m=m: draw(word, m) for m in sizes for _ in range(_GROUP)]
        self.draws, early = Bundles(makers, seed), Bundles(makers, seed, stream=1)
        for m, phi in zip(sizes, self.draws[0][::_GROUP]):
            z = call(phi, pairs.left)
            if z.shape[1] != m:
                raise ValueError(f"draw(seed, {m}) has {counted(z.shape[1], 'feature')}, not {m}")
        eps = float(np.finfo(z.dtype).eps) if z.dtype.kind == "f" else 0.0
        pilot = np.array([self._estimates(early[k]) for k in range(_PILOT)])
        small = pilot[:, 0].reshape(-1, pairs.n)
        # How far rounding of a sum of m products may move an estimate.
        slack = 8.0 * math.sqrt(sizes[0]) * eps * np.abs(small).max(axis=0)
        if (np.ptp(small, axis=0) <= slack).all():
            text = f"{counted(small.shape[0], 'seed')} gave the same estimates at all pairs: draw"
            raise ValueError(f"{text} ignores its seed, or they do not vary; give other rows")
        # About 1 over the variance of each pair; 0 for constant ones.
        variance = sizes[0] * pilot[:, 0].var(axis=1, ddof=1).mean(axis=0)
        moves = variance > 1e-12 * variance.max()
        self._weights = np.where(moves, 1.0 / np.where(moves, variance, 1.0), 0.0) / moves.sum()
        if not np.isfinite(self._spread(pilot[0])).all():
            raise ValueError("variances of <phi(x), phi(y)> overflow: scale the rows of X")
        self.means = np.zeros(2)
        super().__init__(np.zeros(1), np.ones(1), _GROUP * sum(sizes), 1, 0.0)

    def _estimates(self, maps: tuple[Any, ...]) -> Any:
        widths = np.repeat(self.sizes, _GROUP).tolist()
        grams = [self.pairs.pick(estimate(phi, self.pairs, m)) for phi, m in zip(maps, widths)]
        return np.array(grams).reshape(2, _GROUP, self.pairs.n)

    def _spread(self, estimates: Any) -> Any:
        return self.sizes * (estimates.var(axis=1, ddof=1) @ self._weights)

    def samples(self, phi: Any, index: NDArray[np.int64]) -> Any:
        spread = self._spread(self._estimates(phi))
        self.means = self.means + spread
        return np.array([[spread[1] - spread[0]]])

    def place(self, index: int) -> dict[str, Any]:
        return {"sizes": f"{self.sizes[0]}, {self.sizes[1]}"}

    def unit_text(self, index: int) -> str:
        return f"n_features * variance at {counted(self.sizes[0], 'feature')}"


@accepts()
def check_convergence(
    draw: Callable[[int, int], Any],
    X: Array,
    Y: Array | None = None,
    *,
    sizes: tuple[int, int] = (64, 256),
    resolution: float = 0.5,
    **options: Unpack[DrawOptions],
) -> Verdict:
    r"""Check that n_features * Var<phi(x), phi(y)> is no larger for more features.

    .. math:: R = \frac{m_2 \sum_p w_p \operatorname{Var}_{m_2}\langle\phi(x_p),\phi(y_p)\rangle}
              {m_1 \sum_p w_p \operatorname{Var}_{m_1}\langle\phi(x_p),\phi(y_p)\rangle} \le 1

    Shared or repeated features do not change the mean of the estimates, which `check_kernel` tests,
    but raise R: to m_2/m_1 if all features are copies of m_1 of them.

    Parameters
    ----------
    draw : callable
        (seed, n_features) -> map.
    X, Y : array, shape (n, d), (k, d)
        Rows; p numbers their pairs (x_p, y_p), and w_p is about 1 over the variance of pair p.
    sizes : (int, int)
        Numbers of features m_1 < m_2.
    resolution : float
        Width of the interval for R.
    **options : DrawOptions
        false_alarm, miss, ledger, name; max_features, time_limit, seed.

    Returns
    -------
    Verdict
        ``observed`` is the estimate of R, ``exact`` is 1. An interval wholly below 1 is no defect:
        orthogonal features do better than m^{-1/2}.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls: a resolution of m_2/m_1 - 1 or more, at which a map of
        copies would pass; rows at which estimates are the same for all seeds.

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed, m, copies=1):
    ...     w = np.random.default_rng(seed).standard_normal((3, m // copies))
    ...     return lambda X: np.tile(X @ w, copies) / np.sqrt(m)
    >>> X = np.random.default_rng(0).standard_normal((4, 3))
    >>> check_convergence(draw, X).status
    'holds'
    >>> check_convergence(lambda seed, m: draw(seed, m, copies=m // 64), X).status
    'refuted'
    """
    try:
        small, large = (require_integer("sizes", size, least=2) for size in sizes)
    except (TypeError, ValueError):
        small = large = 0
    if small >= large:
        raise ValueError(f"sizes={sizes!r} must be two numbers of features, say (64, 256)")
    terms = require_options("convergence", options, resolution)
    copies = f"features that are all copies raise the ratio to {large / small:g} only"
    terms.require_below(large / small - 1.0, copies)
    least = 2 * _GROUP * (small + large)
    draws, remedy = f"two samples, {counted(least, 'feature')}", "allow more, or give smaller sizes"
    terms.require_features(least, draws, remedy)
    require_draw(draw, takes="seed, n_features")
    pairs, clock = unclaimed_pairs(X, Y), Clock(terms.time_limit)
    terms.pay()
    claim = f"n_features * variance of the estimates is no larger at {counted(large, 'feature')}"
    claim += f" than at {small}, over {counted(pairs.n, 'pair')}"
    with np.errstate(all="ignore"):
        source = Growth(draw, (small, large), pairs, terms.seed)
        task = Task(source, source.draws, terms, clock)
        measurement = measure_undeclared(task, least=_LEAST)
        ratio = float(source.means[1] / source.means[0])
        remark = f"From {small} to {counted(large, 'feature')} n_features * variance grows by"
        remark += f" a factor {ratio:.3g}: features are shared, repeated or dependent."
        verdict = conclude(task, measurement, claim, remark=remark)
    # The interval for A (R - 1), A the variance at the small size, about 1.
    small_mean, large_mean = source.means / measurement.n_draws
    low, high = (min(0.0, large_mean - small_mean) + end for end in verdict.interval)
    return replace(
        verdict,
        observed=ratio,
        exact=1.0,
        interval=(1.0 + low / small_mean, 1.0 + high / small_mean),
        where=source.place(0),
        n_draws=2 * _GROUP * verdict.n_draws,
        statistics=(),
    )
