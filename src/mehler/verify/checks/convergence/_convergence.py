"""check_convergence: does the error of the estimates fall as n_features^{-1/2}?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler._plural import counted
from mehler._validate import require_integer
from mehler.verify._arguments import at_most, pay, require_options, root_seed
from mehler.verify._verdict import Status, Verdict
from mehler.verify.budget._ledger import Ledger, passed_to_ledger
from mehler.verify.checks.convergence._variance_at_size import (
    PILOT,
    SAFETY,
    VarianceAtSize,
    ends_of,
    plan_of,
    proved_growth,
    unmoved,
    weights_of,
)
from mehler.verify.intervals._design import detectable_effect
from mehler.verify.sampling._choose_source import GROUP
from mehler.verify.sampling._pairs import pairs_without_claim

_PILOTED = "asymptotic (Catoni on variances of groups of draws, their scatter from a pilot)"
_SURE = "variances of pairs of draws: not negative (betting), bounded moments"
_SUSPICION = (
    "Variances seem to grow, but too few draws were made to be sure, or few large estimates decide "
    "them: give other rows, or sizes that differ more."
)


@passed_to_ledger
def check_convergence(
    draw: Callable[[int, int], Any],
    X: Array,
    Y: Array | None = None,
    *,
    sizes: tuple[int, int] = (64, 256),
    false_alarm: float = 1e-9,
    resolution: float = 0.5,
    max_draws: int | None = None,
    seed: int | None = None,
    ledger: Ledger | None = None,
    miss: float = 1e-6,
    name: str | None = None,
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
    max_draws : int, optional
        Largest number of draws of either size.
    false_alarm, seed, ledger, miss, name
        As for `check_kernel`.

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
    BudgetExceeded
        If the ledger cannot pay.

    See Also
    --------
    check_kernel : The mean of the estimates.
    check_variance : Their variance at one size.

    Notes
    -----
    Samples are variances of groups of 8 draws. A claim holds by Catoni's intervals at twice the
    scatter of a pilot; the verdict calls this asymptotic. If they exclude the claim, it is refuted
    only by a guaranteed lower bound on R. It bets, without assumptions, that the variance at m_2
    features exceeds that at m_1, whose mean square is bounded by five times the samples' own. Else
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
    seed = root_seed(seed)
    try:
        small, large = (require_integer("sizes", size, least=2) for size in sizes)
    except (TypeError, ValueError):
        raise ValueError(
            f"sizes={sizes!r} must be two numbers of features, say (64, 256)"
        ) from None
    if small >= large:
        raise ValueError(f"sizes={sizes!r} must increase")
    asked = require_options("convergence", name, false_alarm, resolution, miss)
    asked.require_below(
        large / small - 1.0,
        f"features that are all copies raise the ratio to {large / small:g} only",
    )
    max_draws = at_most("max_draws", max_draws, least=GROUP)
    if not callable(draw):
        raise TypeError(f"draw={draw!r} must be callable: (seed, n_features) -> map")
    pairs = pairs_without_claim(X, Y)
    pay(ledger, asked.name, asked.false_alarm)
    with np.errstate(all="ignore"):
        sides = [VarianceAtSize(draw, m, pairs, seed, 2 * k) for k, m in enumerate((small, large))]
        pilots = [side.groups(PILOT, stream=1) for side in sides]
        if bool((np.ptp(pilots[0], axis=(0, 1)) <= sides[0].slack(pilots[0])).all()):
            return unmoved(asked, sides, pilots, sizes, seed)
        weights = weights_of(pilots[0], small)
        spreads = [side.spread(g, weights) for side, g in zip(sides, pilots)]
        if not all(np.isfinite(each).all() for each in spreads):
            raise ValueError(
                "variances of <phi(x), phi(y)> leave the range of floats: scale the rows of X"
            )
        # A first coarse inspection, at a twentieth of the error rate, finds gross defects early.
        for share, coarse in ((0.05, 3.0), (0.95, 1.0)):
            part = replace(
                asked, false_alarm=share * asked.false_alarm, resolution=coarse * asked.resolution
            )
            # A size without variation has converged; give it a tiny scatter.
            floor = 1e-6 * float(spreads[0].mean())
            plans = [plan_of(each, part, floor) for each in spreads]
            ends, means, used, seen = [], [], [], []
            for side, (bound, wanted) in zip(sides, plans):
                allowed = wanted if max_draws is None else min(wanted, max_draws // GROUP)
                x = side.spread(side.groups(max(1, allowed), stream=0), weights)
                used.append(x.size)
                means.append(float(x.mean()))
                ends.append(ends_of(x, bound, part.false_alarm))
                seen.append(
                    detectable_effect(x.size, bound, 0.5 * part.false_alarm, 0.5 * asked.miss)
                )
            (low1, high1), (low2, high2) = ends
            low = max(low2, 0.0) / high1
            high = high2 / low1 if low1 > 0.0 else math.inf
            if low > 1.0:
                break
    ratio = means[1] / means[0]
    n_draws, n_features = GROUP * sum(used), GROUP * (used[0] * small + used[1] * large)
    status: Status = "holds"
    reason, method = "", _PILOTED
    assumptions: tuple[str, ...] = (
        f"variances of groups scatter at most {SAFETY:g} times as in a pilot of {PILOT}",
    )
    if low > 1.0:
        # A pilot's scatter guarantees nothing, so this is a suspicion only.
        status, reason = "inconclusive", _SUSPICION
        with np.errstate(all="ignore"):
            seen_again = proved_growth(asked, sides, weights, max_draws)
        if seen_again is not None:
            n_draws = 4 * seen_again.n
            n_features = 2 * seen_again.n * (small + large)
            ratio, low, high = seen_again.observed, seen_again.low, math.inf
            status, method = "refuted", _SURE
            assumptions = tuple(
                f"of variances of pairs of draws {each}" for each in seen_again.assumptions
            )
            reason = (
                f"From {small} to {counted(large, 'feature')} n_features * variance grows by "
                f"a factor "
                f"{ratio:.3g}: features are shared, repeated or dependent."
            )
    elif high - low > asked.resolution * max(1.0, ratio):
        status = "inconclusive"
        reason = (
            f"The interval is {high - low:.3g} wide, more than the resolution "
            f"{asked.resolution:.3g}: {counted(max(n for _, n in plans) * GROUP, 'draw')} "
            f"would decide."
        )
    # With variances A and R A, R > 1 is refuted once R A - d' > A + d for the detectable d, d'.
    detectable = sum(seen) / means[0]
    return asked.verdict(
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
        seeds={"seed": seed},
        reason=reason,
    )
