"""check_convergence: does the error of the estimates fall as n_features^{-1/2}?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from mehler._arrays import Array
from mehler._plural import counted
from mehler._validate import require_integer
from mehler.verify._arguments import CheckOptions, DrawOptions, require_options
from mehler.verify._budget import accepts
from mehler.verify._verdict import FLOOR, KURTOSIS, Status, Verdict
from mehler.verify.intervals import known_variance
from mehler.verify.intervals._known_variance import detectable_effect, features_needed
from mehler.verify.intervals._self_normalised import effective_samples
from mehler.verify.nonparametric._kurtosis_test import FEW, Means
from mehler.verify.nonparametric._unseen import Suspicion, Unseen
from mehler.verify.sampling._pairs import Pairs, pairs_without_claim
from mehler.verify.sampling._sources import GROUP, DrawGroups, call, estimate, power_sums

# Groups of the pilot, and the safety factor on its scatter.
PILOT, SAFETY = 48, 2.0


class VarianceAtSize:
    """Grouped draws of one size and their estimates."""

    def __init__(
        self, draw: Callable[[int, int], Any], m: int, pairs: Pairs, seed: int, stream: int
    ) -> None:
        self.m, self.pairs, self.seed, self.stream = m, pairs, seed, stream
        self.draw: Callable[[int], Any] = lambda word: draw(word, m)
        z = call(self.draw(DrawGroups(self.draw, seed, GROUP, stream=stream).seed(0)), pairs.left)
        if z.shape[1] != m:
            raise ValueError(
                f"draw(seed, {m}) has {counted(z.shape[1], 'feature')}: sizes must be what "
                f"was asked for"
            )
        self.eps = float(np.finfo(z.dtype).eps) if z.dtype.kind == "f" else 0.0

    def groups(self, n: int, *, stream: int) -> Any:
        """Return estimates at the pairs, shape (n, GROUP, pairs)."""
        bundles = DrawGroups(self.draw, self.seed, GROUP, stream=self.stream + stream)
        return self.estimates(bundles, 0, n)

    def estimates(self, bundles: DrawGroups, start: int, stop: int) -> Any:
        """Return the estimates of groups start to stop - 1."""
        return np.array(
            [
                [self.pairs.pick(estimate(phi, self.pairs, self.m)) for phi in bundles[k]]
                for k in range(start, stop)
            ]
        )

    def is_fixed(self, n: int) -> bool:
        """Whether the first n draws have the same nonzero features."""
        bundles = DrawGroups(self.draw, self.seed, GROUP, stream=self.stream)
        first, *rest = (call(self.draw(bundles.seed(k)), self.pairs.left) for k in range(n))
        return bool(np.any(first)) and all(np.array_equal(first, each) for each in rest)

    def slack(self, groups: Array) -> Any:
        """Return how far rounding of a sum of m products may move an estimate."""
        return 8.0 * math.sqrt(self.m) * self.eps * np.abs(groups).max(axis=(0, 1))

    def spread(self, groups: Array, weights: Array) -> Any:
        """Return m times the weighted variance of every group."""
        return self.m * groups.var(axis=1, ddof=1) @ weights


def weights_of(groups: Array, m: int) -> Any:
    """Return weights of about 1 over each pair's variance, 0 for constant pairs."""
    variance = m * groups.var(axis=1, ddof=1).mean(axis=0)
    keep = variance > 1e-12 * variance.max()
    return np.where(keep, 1.0 / np.where(keep, variance, 1.0), 0.0) / keep.sum()


def plan_of(pilot: Array, terms: CheckOptions, floor: float) -> tuple[float, int]:
    """Return a bound on the variance of one group's spread, and the number of groups needed."""
    centre = max(float(pilot.mean()), floor)
    bound = max(SAFETY * float(pilot.var(ddof=1)), floor * floor)
    # The relative width of R's interval is about twice that of either variance.
    width = 0.45 * terms.resolution * centre
    return bound, features_needed(bound, width, 0.5 * terms.false_alarm, 0.5 * terms.miss)


def ends_of(x: Array, bound: float, false_alarm: float) -> tuple[float, float]:
    if x.size <= 2.0 * math.log(4.0 / false_alarm):
        return -math.inf, math.inf
    return known_variance(x, bound, 0.5 * false_alarm)


# Pairs of draws of either size: the least, the most, and the ratio of successive inspections.
_LEAST, _MOST, _STEP = 1_000, 20_000, 1.25


@dataclass(frozen=True)
class Growth:
    """The ratio of two variances, a lower bound but for `unseen` events, and the pairs drawn."""

    observed: float
    low: float
    n: int
    unseen: Unseen


def proved_growth(
    terms: CheckOptions, sides: list[VarianceAtSize], weights: Array, unit: float, most: int
) -> Growth | None:
    """Return a growth that fresh draws confirm, as many as first suggested it or more, or None.

    `unit` is the order of the variance, and `most` are the pairs of draws that are allowed.
    """
    # Groups of two draws decide with fewer draws than larger ones.
    kept = [DrawGroups(side.draw, side.seed, 2, stream=side.stream) for side in sides]
    samples = np.empty((2, 0))

    def gaps(start: int, stop: int) -> tuple[Array, Array, Unseen]:
        """Return samples start to stop - 1, sums of their differences, and what is unseen."""
        nonlocal samples
        n = samples.shape[1]
        if stop > n:
            more = (
                side.spread(side.estimates(pairs, n, stop), weights) / unit
                for side, pairs in zip(sides, kept)
            )
            samples = np.concatenate([samples, np.stack(list(more))], axis=1)
        some = samples[:, start:stop]
        x = (some[1] - some[0])[:, None]
        sums, ends = power_sums(x), (x.min(axis=0), x.max(axis=0))
        return some, sums, Unseen.of(stop - start, sums, terms.false_alarm, terms.resolution, ends)

    def grows(n: int, sums: Array, unseen: Unseen) -> bool:
        means = Means(n, sums, terms.resolution)
        few = effective_samples(means.squares, means.fourths)[0] < FEW
        return bool(sums[0][0] > 0.0 and not few and unseen.least[0] >= FLOOR * terms.resolution)

    n = min(_LEAST, most)
    _, sums, unseen = gaps(0, n)
    while n < most and not grows(n, sums, unseen):
        n = min(most, math.ceil(_STEP * n))
        _, sums, unseen = gaps(0, n)
    first = Suspicion(n, 1, sums, np.array([True]), terms.false_alarm, terms.resolution)
    until = min(most, first.until(0.0, math.inf))
    if until < 2 * n:
        return None
    (a, b), sums, unseen = gaps(n, until)
    if not grows(until - n, sums, unseen):
        return None
    low = 1.0 + float(unseen.least[0]) / float(a.mean())
    return Growth(float(b.mean() / a.mean()), low, until, unseen)


def unmoved(
    terms: CheckOptions,
    sides: list[VarianceAtSize],
    pilots: list[Any],
    sizes: tuple[int, int],
) -> Verdict:
    """Refute features that are the same for every seed; leave equal estimates open."""
    shown = float(pilots[0].flat[0])
    # Equal estimates are no evidence: cosine-sine features have length 1 in every draw, and events
    # may be rare. Features that agree in every bit are evidence.
    fixed = sides[0].is_fixed(GROUP)
    return terms.verdict(
        status="refuted" if fixed else "inconclusive",
        claim="estimates vary over seeds, with a variance that falls as 1/n_features",
        observed=0.0,
        exact=1.0,
        interval=(0.0, 0.0) if fixed else (0.0, math.inf),
        n_features=PILOT * GROUP * (sides[0].m + sides[1].m),
        n_draws=2 * PILOT * GROUP,
        n_intervals=2,
        detectable=sizes[1] / sizes[0] - 1.0 if fixed else math.inf,
        method="equality of features" if fixed else "equality of estimates",
        assumptions=("random features differ from seed to seed",),
        where={"sizes": f"{sizes[0]}, {sizes[1]}", "estimate": shown},
        reason="All seeds gave the same features: the seed is ignored, or nothing is random."
        if fixed
        else "All seeds gave the same estimates at all pairs, though not the same features: give "
        "rows at which estimates vary.",
    )


_BY_PILOT = "asymptotic (Catoni on variances of groups of draws, their scatter from a pilot)"
_SURE = f"variances of pairs of draws: {KURTOSIS}"
_SUSPICION = (
    "Variances seem to grow, but too few draws were made to be sure, or few large estimates decide "
    "them: give other rows, or sizes that differ more."
)


@accepts("max_features", "seed")
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

    Shared, repeated or recycled features keep the mean of the estimates, so `check_kernel` does
    not see them. They raise R: if all features are copies of `m_1` of them, R = m_2/m_1.

    Parameters
    ----------
    draw : callable
        (seed, n_features) -> map.
    X, Y : array, shape (n, d), (k, d)
        All unordered pairs of rows of X, or all of X by Y; the variances of all pairs are added
        up, each weighted by about its inverse.
    sizes : (int, int)
        Numbers of features m_1 < m_2.
    resolution : float
        Width of the interval for R at R = 1: a map whose R exceeds 1 by more holds with
        probability at most `false_alarm`.
    **options : DrawOptions
        false_alarm, miss, ledger, name; max_features, seed.

    Returns
    -------
    Verdict
        ``observed`` is the estimate of R, ``exact`` is 1. An interval wholly *below* 1 is no
        defect: orthogonal or quasi-random features may do better than m^{-1/2}.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls: a resolution of m_2/m_1 - 1 or more, at which a map of
        copies would pass.

    Notes
    -----
    Samples are variances of groups of 8 draws. A claim holds by Catoni's intervals at twice the
    scatter of a pilot; the verdict calls this asymptotic. If they exclude the claim, it is refuted
    only as by `check_kernel`: by differences of the variances of pairs of draws, confirmed by as
    many fresh ones, and with the words what rare draws would have to carry for it to be right. Else
    the verdict is *inconclusive*.

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
        raise ValueError(
            f"sizes={sizes!r} must be two numbers of features, say (64, 256)"
        ) from None
    if small >= large:
        raise ValueError(f"sizes={sizes!r} must increase")
    terms = require_options("convergence", options, resolution)
    terms.require_below(
        large / small - 1.0,
        f"features that are all copies raise the ratio to {large / small:g} only",
    )
    both = small + large
    max_draws = None if terms.max_features is None else terms.max_features // both
    terms.require_features(
        GROUP * both,
        f"{GROUP} draws of both sizes, {counted(GROUP * both, 'feature')}",
        "allow more, or give smaller sizes",
    )
    if not callable(draw):
        raise TypeError(f"draw={draw!r} must be callable: (seed, n_features) -> map")
    pairs = pairs_without_claim(X, Y)
    terms.pay()
    with np.errstate(all="ignore"):
        sides = [
            VarianceAtSize(draw, m, pairs, terms.seed, 2 * k) for k, m in enumerate((small, large))
        ]
        pilots = [side.groups(PILOT, stream=1) for side in sides]
        if bool((np.ptp(pilots[0], axis=(0, 1)) <= sides[0].slack(pilots[0])).all()):
            return unmoved(terms, sides, pilots, sizes)
        weights = weights_of(pilots[0], small)
        spreads = [side.spread(g, weights) for side, g in zip(sides, pilots)]
        if not all(np.isfinite(each).all() for each in spreads):
            raise ValueError(
                "variances of <phi(x), phi(y)> leave the range of floats: scale the rows of X"
            )
        # A first coarse inspection, at a twentieth of the error rate, finds gross defects early.
        for share, coarse in ((0.05, 3.0), (0.95, 1.0)):
            part = replace(
                terms,
                false_alarm=share * terms.false_alarm,
                resolution=coarse * terms.resolution,
            )
            # A size without variation has converged; give it a tiny scatter.
            floor = 1e-6 * float(spreads[0].mean())
            plans = [plan_of(each, part, floor) for each in spreads]
            ends, means, used, effects = [], [], [], []
            for side, (bound, plan) in zip(sides, plans):
                allowed = plan if max_draws is None else min(plan, max_draws // GROUP)
                x = side.spread(side.groups(max(1, allowed), stream=0), weights)
                used.append(x.size)
                means.append(float(x.mean()))
                ends.append(ends_of(x, bound, part.false_alarm))
                effects.append(
                    detectable_effect(x.size, bound, 0.5 * part.false_alarm, 0.5 * terms.miss)
                )
            (low1, high1), (low2, high2) = ends
            low = max(low2, 0.0) / high1
            high = high2 / low1 if low1 > 0.0 else math.inf
            if low > 1.0:
                break
    ratio = means[1] / means[0]
    n_draws, n_features = GROUP * sum(used), GROUP * (used[0] * small + used[1] * large)
    status: Status = "holds"
    reason, method = "", _BY_PILOT
    assumptions: tuple[str, ...] = (
        f"variances of groups scatter at most {SAFETY:g} times as in a pilot of {PILOT}",
    )
    if low > 1.0:
        # A pilot's scatter guarantees nothing, so this is a suspicion only.
        status, reason = "inconclusive", _SUSPICION
        with np.errstate(all="ignore"):
            most = _MOST if max_draws is None else min(_MOST, max_draws // 2)
            growth = proved_growth(terms, sides, weights, float(spreads[0].mean()), most)
        if growth is not None:
            n_draws = 4 * growth.n
            n_features = 2 * growth.n * (small + large)
            ratio, low, high = growth.observed, growth.low, math.inf
            status, method = "refuted", _SURE
            unless = growth.unseen.text(
                0, "pairs of draws", f"n_features * variance at {counted(small, 'feature')}"
            )
            assumptions = (f"not that {unless}",)
            reason = (
                f"From {small} to {counted(large, 'feature')} n_features * variance grows by "
                f"a factor "
                f"{ratio:.3g}: features are shared, repeated or dependent. "
                f"Unless {unless}, the claim is wrong."
            )
    elif high - low > terms.resolution * max(1.0, ratio):
        status = "inconclusive"
        reason = (
            f"The interval is {high - low:.3g} wide, more than the resolution "
            f"{terms.resolution:.3g}: {counted(max(n for _, n in plans) * GROUP, 'draw')} "
            f"would decide."
        )
    # With variances A and R A, R > 1 is refuted once R A - d' > A + d for the detectable d, d'.
    detectable = sum(effects) / means[0]
    return terms.verdict(
        status=status,
        claim=(
            f"n_features * variance of the estimates is no larger at "
            f"{counted(large, 'feature')} than at "
            f"{small}, over {counted(pairs.n, 'pair')}"
        ),
        observed=ratio,
        exact=1.0,
        interval=(low, high),
        n_features=n_features,
        n_draws=n_draws,
        n_intervals=4,
        detectable=detectable,
        method=method,
        assumptions=("draws from different seeds are independent", *assumptions),
        where={"sizes": f"{small}, {large}"},
        reason=reason,
    )
