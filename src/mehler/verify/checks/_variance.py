"""check_variance: do inner products of a map's features have the variance that it declares?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._plural import counted
from mehler._validate import require_flag, require_function, require_positive
from mehler.verify._arguments import DrawOptions, accepts, require_options
from mehler.verify._maps import Bundles, Clock, Draws, Kernel, RowPairs, first_map, unclaimed_pairs
from mehler.verify._measurement import Task, conclude
from mehler.verify._sources import (
    Finding,
    PairSource,
    Source,
    choose_source,
    declaration,
    declared_variance,
    power_sums,
)
from mehler.verify._verdict import Verdict
from mehler.verify.intervals._known_variance import measure_known_variance
from mehler.verify.intervals._undeclared import measure_undeclared

# Samples per group, of which normal ones need a seventh more than in large groups; least number of
# groups for intervals without a declared kurtosis.
GROUP, _LEAST = 8, 256


class GroupVariances(Source):
    """One sample per group of 8 products, of a draw or of several: their variance over V."""

    group, unit_name, squares = GROUP, "V", "variances of groups"
    remedy = "declare kurtosis=, or draw larger maps"

    def __init__(self, base: PairSource, pairs: RowPairs, variances: Array) -> None:
        self.base, self.pairs = base, pairs
        self.bundle = 1 if base.per_draw >= 2 * GROUP else GROUP
        m, groups = base.n_features * self.bundle, base.per_draw * self.bundle // GROUP
        ones = np.ones(pairs.n)
        super().__init__(ones, ones, m, groups, base.rounding)
        self.name, self.independence, self.ignored = base.name, base.independence, base.ignored
        kind = "draws" if base.per_draw == 1 else self.name.split()[-1]
        self.events = f"groups of {GROUP} {kind}"
        # The declared variance is n_features times that of the mean of per_draw samples.
        self._factor = base.n_features / base.per_draw / variances

    def samples(self, phi: Any, index: NDArray[np.int64]) -> Any:
        maps = phi if isinstance(phi, tuple) else (phi,)
        x = np.concatenate([self.base.samples(member, index) for member in maps])
        x = x[: self.per_draw * GROUP].reshape(self.per_draw, GROUP, -1)
        return x.var(axis=1, ddof=1) * self._factor[index]

    def lengths(self) -> tuple[Any, ...]:
        return self.claim, np.arange(self.claim.size)[None], 0.0, "each is not negative"

    def of_draw(self, phi: Any) -> tuple[Any, ...]:
        x = np.concatenate([self.samples(phi, at) for at in self.blocks()], axis=1)
        return power_sums(x - self.claim), (), x, x

    def unit_text(self, index: int) -> str:
        return "V"


def has_variance(variance: Array, probe: Array, source: Source, pairs: RowPairs) -> Any:
    """Return a mask of the pairs whose declared variance exceeds rounding."""
    # At equal rows a square root turns the eps by which a correlation is off 1 into sqrt(eps).
    square = np.abs(probe).max(axis=0) ** 2 * source.n_features / source.per_draw
    floor = (2.0**10 * source.eps) ** 2 * square
    if (variance < -floor).any():
        raise ValueError(f"variance(X, Y) reaches {variance.min():.6g}: variances are not negative")
    equal = (pairs.left.values[pairs.first] == pairs.right.values[pairs.second]).all(axis=1)
    return variance > np.where(equal, 64.0 * np.sqrt(np.finfo(float).eps) * square, floor)


def is_constant(source: Source, draws: Draws, still: NDArray[np.int64]) -> bool:
    """Return whether products at pairs of zero variance are constant over a few draws."""
    if not still.size:
        return True
    x = np.concatenate([source.samples(draws[k], still) for k in range(GROUP)])
    return bool((np.ptp(x, axis=0) <= 2.0**10 * source.eps * np.abs(x).max(axis=0)).all())


def declared_kurtosis(kurtosis: float | Kernel | None, phi: object, pairs: RowPairs) -> Any:
    """Return the kurtosis at every pair, given or the map's own; None if there is none."""
    of_map = kurtosis is None
    kurtosis = declaration(phi, "product_kurtosis") if of_map else kurtosis
    if kurtosis is None:
        return None
    if callable(kurtosis):
        try:
            k = pairs.values_of(kurtosis, "kurtosis")
        except ValueError:
            if of_map:  # it knows none of such rows
                return None
            raise
    else:
        k = np.full(pairs.n, require_positive("kurtosis", kurtosis))
    if k.min() < 1.0:
        raise ValueError(f"kurtosis reaches {k.min():.6g}: no law has one below 1")
    return k


@accepts()
def check_variance(
    draw: Callable[[int], Any],
    variance: Kernel | None,
    X: Array,
    Y: Array | None = None,
    *,
    resolution: float = 0.2,
    kurtosis: float | Kernel | None = None,
    independent_features: bool = False,
    **options: Unpack[DrawOptions],
) -> Verdict:
    r"""Check that n_features * Var<phi(x), phi(y)> is the declared V(x, y) at every pair.

    .. math:: E \frac{1}{b-1}\sum_{i\le b}(P_i - \bar P)^2 = V, \qquad
              \operatorname{Var} = V^2\Big(\frac{\kappa}{b} - \frac{b-3}{b(b-1)}\Big)

    for groups of b = 8 independent feature products P_i, of mean P in their group and of kurtosis
    kappa. Such a sample variance is unbiased for V even if the kernel is wrong. Intervals for its
    mean by `intervals.known_variance` are compared with V.

    Parameters
    ----------
    draw : callable
        seed -> map.
    variance : callable or None
        (X, Y) -> (n, k), the claim; None: the map's own ``variance`` (``gram_variance`` times
        n_features, if its units are not independent).
    X, Y : array, shape (n, d), (k, d)
        Rows. Without `Y` all unordered pairs of rows of X are tested, else all pairs (x, y).
    resolution : float
        Relative to V: a variance off by more holds with probability at most `false_alarm`.
    kurtosis : float or callable, optional
        Upper bound on E(P - EP)^4 / V^2 of one product, or (X, Y) -> (n, k); default the map's
        own ``product_kurtosis``. With it error rates are exact bounds, for any tails.
    independent_features : bool
        Whether the columns of one draw are i.i.d.
    **options : DrawOptions
        false_alarm, miss, ledger, name; max_features, time_limit, seed.

    Returns
    -------
    Verdict
        ``observed``, ``exact``, which is 1, and ``interval`` are relative to the declared variance.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls: a resolution of 1 or more, V = 0 at every pair.

    Notes
    -----
    Pairs with V = 0 to rounding claim a constant; there any scatter beyond rounding refutes.
    The cost is proportional to the kurtosis; normal products of whole draws take some 20,000 draws.
    Without a kurtosis variances of groups are bet on, and confirmed, as lengths by `check_kernel`.

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed):
    ...     signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, 500))
    ...     return lambda X: X @ signs / np.sqrt(500)
    >>> def variance(X, Y):  # of sum_ij x_i s_i s_j y_j, s random signs
    ...     return (X**2) @ (1 - np.eye(3)) @ (Y**2).T + (X @ Y.T) ** 2 - (X**2) @ (Y**2).T
    >>> X = np.random.default_rng(0).standard_normal((3, 3))
    >>> check_variance(draw, variance, X, independent_features=True).status
    'holds'
    """
    require_flag("independent_features", independent_features)
    require_function("variance", variance, optional=True)
    terms = require_options("variance", options, resolution)
    terms.require_below(1.0, "a variance is positive, and one of 0 is off by 1")
    draws, pairs = Draws(draw, terms.seed), unclaimed_pairs(X, Y)
    clock = Clock(terms.time_limit)
    terms.pay()
    with np.errstate(all="ignore"):
        phi = first_map(draws, pairs.left)
        base = choose_source(phi, pairs, independent_features)
        variance = declared_variance(phi, base) if variance is None else variance
        if variance is None:
            none = f"variance=None but the map declares none{base.ignored and f' ({base.ignored})'}"
            raise ValueError(f"{none}: give (X, Y) -> (n, k)")
        variances = pairs.values_of(variance, "variance")
        probe = base.samples(phi, np.arange(pairs.n))
        moves = has_variance(variances, probe, base, pairs)
        if not moves.any():
            raise ValueError("the declared variance is 0 at every pair: leave equal rows out")
        still = np.flatnonzero(~moves)
        is_steady = is_constant(base, Draws(draw, terms.seed, stream=2), still)
        index = np.flatnonzero(moves)
        pairs, variances = pairs.take(index), variances[index]
        source = GroupVariances(choose_source(phi, pairs, independent_features), pairs, variances)
        task = Task(source, Bundles([draw] * source.bundle, terms.seed), terms, clock)
        # The kurtosis of products does not apply to whole draws.
        whole = kurtosis is None and source.base.per_draw == 1
        kappa = None if whole else declared_kurtosis(kurtosis, phi, pairs)
        claim = f"n_features * Var<phi(x), phi(y)> / V(x, y) = 1 at {counted(pairs.n, 'pair')}"
        reason = "Products scatter at a pair whose declared variance is 0."
        certain = None if is_steady else Finding(0, reason, math.nan, "")
        if kappa is None:
            measurement = measure_undeclared(task, least=_LEAST)
        else:
            limit = kappa / GROUP - (GROUP - 3) / (GROUP * (GROUP - 1))  # Var(S^2)/V^2
            measurement = measure_known_variance(task, limit * source.n_features / source.per_draw)
            text = f"the variance of a group of {GROUP} has relative variance at most"
            text = f"{text} {float(limit.max()):.4g}, by the declared kurtosis"
            method = "declared kurtosis (Catoni on variances of groups)"
            measurement = replace(measurement, method=method, assumptions=(text,))
        verdict = conclude(task, measurement, claim, certain=certain)
    statistics = verdict.statistics if is_steady else ()
    return replace(verdict, n_draws=verdict.n_draws * source.bundle, statistics=statistics)
