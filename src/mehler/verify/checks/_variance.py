r"""check_variance: do a map's estimates have the declared variance?

The long-run variance of m-dependent units: if units at a distance of `apart` or more are
independent, the mean G of the m products P of a draw has

.. math:: m \operatorname{Var} G = \Gamma_0 + 2\sum_{k < apart} (1 - k/m)\Gamma_k,
          \quad \Gamma_k = \operatorname{Cov}(P_l, P_{l+k}),

and stretches of `apart` units, separated by apart - 1 dropped ones, are independent: covariances
in groups of them estimate every Gamma_k without bias, from many stretches per draw.
"""

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
from mehler.verify._arguments import DrawOptions, require_options
from mehler.verify._budget import accepts
from mehler.verify._verdict import Verdict
from mehler.verify.intervals._known_variance import features_needed
from mehler.verify.nonparametric._nonnegative import with_guarantee
from mehler.verify.pairwise._catoni import catoni_intervals
from mehler.verify.pairwise._measurement import MeasurementSpec
from mehler.verify.pairwise._worst_pair import verdict_of_worst_pair
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import Kernel, Pairs, evaluate, pairs_without_claim, take
from mehler.verify.sampling._sources import (
    GROUP,
    DrawGroups,
    GroupVariances,
    Source,
    _Blocked,
    choose_source,
    declared_variance,
    group_size,
    unit_source,
)


class MDependentGroupVariances(_Blocked):
    """One sample per group of GROUP stretches: the estimate of m Var G over the declared one."""

    name = "independent stretches of units"

    def __init__(
        self, base: Source, pairs: Pairs, declared: NDArray[np.float64], bundle: int, apart: int
    ) -> None:
        stretches = stretches_of(base, apart) * bundle
        super().__init__(pairs, base.n_features * bundle, stretches // GROUP, base.eps)
        self._base, self.apart, self.units = base, apart, base.per_draw
        self._factor = base.n_features / base.per_draw / declared

    def samples(self, phi: Any, chosen: NDArray[np.int64]) -> Any:
        maps = phi if isinstance(phi, tuple) else (phi,)
        starts = np.arange(stretches_of(self._base, self.apart)) * (2 * self.apart - 1)
        index = starts[:, None] + np.arange(self.apart)
        x = np.concatenate([self._base.samples(each, chosen)[index] for each in maps])
        x = x[: self.per_draw * GROUP].reshape(self.per_draw, GROUP, self.apart, -1)
        y = x - x.mean(axis=1, keepdims=True)
        total = np.zeros((self.per_draw, x.shape[-1]))
        for k, weight in enumerate(lag_weights(self.units, self.apart)):
            ahead, behind = y[:, :, k:], y[:, :, : self.apart - k]
            # Mean over positions in a stretch; unbiased over the group, by GROUP - 1.
            total += weight * (ahead * behind).sum(axis=1).mean(axis=1) / (GROUP - 1)
        return total * self._factor[chosen]


def stretches_of(base: Source, apart: int) -> int:
    """Return the number of independent stretches in the units of a draw."""
    return (base.per_draw + apart - 1) // (2 * apart - 1)


def lag_weights(units: int, apart: int) -> list[float]:
    """Return the weights of Gamma_0, Gamma_1, ... in m Var G."""
    return [1.0] + [2.0 * (1.0 - k / units) for k in range(1, apart)]


def m_dependent_variance_of_variance(kurtosis: Array, share: Array, units: int, apart: int) -> Any:
    """Bound the variance of one sample, relative to the square of m Var G.

    A covariance s of GROUP samples with E P^4 <= kappa V^2 has Var s at most V^2 (kappa/b + 1/(b(b
    - 1))), by E P^2 P'^2 <= kappa V^2; that of P with itself a little less. Standard deviations of
    weighted sums add up at most. `kurtosis` is kappa of one product, `share` is V over m Var G,
    each of shape (pairs,).
    """
    b = GROUP
    own = np.sqrt(kurtosis / b - (b - 3) / (b * (b - 1)))
    other = np.sqrt(kurtosis / b + 1.0 / (b * (b - 1)))
    return (share * (own + math.fsum(lag_weights(units, apart)[1:]) * other)) ** 2


def has_variance(declared: Array, probe: Array, source: Source, pairs: Pairs) -> Any:
    """Return a mask of the pairs whose declared variance exceeds rounding.

    Rounding of products, and at equal rows of the correlation 1, off by eps: a square root there
    turns eps into sqrt(eps).
    """
    square = np.abs(probe).max(axis=0) ** 2 * source.n_features / source.per_draw
    floor = (2.0**10 * source.eps) ** 2 * square
    if (declared < -floor).any():
        raise ValueError(f"variance(X, Y) reaches {declared.min():.6g}: variances are not negative")
    equal = (pairs.left.values[pairs.first] == pairs.right.values[pairs.second]).all(axis=1)
    return declared > np.where(equal, 64.0 * np.sqrt(np.finfo(float).eps) * square, floor)


def is_constant(source: Source, draws: Draws, still: NDArray[np.int64]) -> bool:
    """Return whether products at pairs of zero variance are constant over a few draws."""
    if not still.size:
        return True
    x = np.concatenate([source.samples(draws[k], still) for k in range(GROUP)])
    return bool((np.ptp(x, axis=0) <= 2.0**10 * source.eps * np.abs(x).max(axis=0)).all())


# Groups of the pilot, and the safety factor on its scatter.
PILOT, SAFETY = 256, 2.0

# Most draws spent on a chain's kurtosis bound, which is several times above its scatter.
_AFFORDABLE = 6_000


def declared_kurtosis(
    kurtosis: float | Kernel | None, phi: Callable[..., Any], pairs: Pairs
) -> Any:
    """Return the kurtosis at every pair, given or the map's own; None if there is none."""
    of_map = kurtosis is None
    kurtosis = getattr(phi, "product_kurtosis", None) if of_map else kurtosis
    if kurtosis is None:
        return None
    if callable(kurtosis):
        try:
            k = pairs.pick(evaluate(kurtosis, pairs.left, pairs.right, "kurtosis"))
        except ValueError:
            if of_map:  # it knows none of such rows
                return None
            raise
    else:
        k = np.full(pairs.n, require_positive("kurtosis", kurtosis))
    if k.min() < 1.0:
        raise ValueError(f"kurtosis reaches {k.min():.6g}: no law has one below 1")
    return k


def of_groups(kurtosis: Array) -> Any:
    """Return Var(S^2)/V^2 of a group's sample variance."""
    return kurtosis / GROUP - (GROUP - 3) / (GROUP * (GROUP - 1))


def affordable(limit: Array, plan: MeasurementSpec, bundle: int) -> bool:
    """Return whether an inspection at this scatter takes few enough draws."""
    needed = features_needed(
        float(limit.max()), plan.width, plan.false_alarm / plan.pairs.n, plan.miss / plan.pairs.n
    )
    return needed * bundle <= _AFFORDABLE * plan.source.per_draw


def by_pilot(plan: MeasurementSpec, draw: Callable[[int], Any], size: int) -> Any:
    """Return a bound on the scatter from pilot groups, which are not reused."""
    spreads = plan.source
    pilot = DrawGroups(draw, plan.draws.root, size, stream=1)
    n_draws = -(-PILOT // spreads.per_draw)
    if plan.max_features is not None:
        n_draws = max(1, min(n_draws, plan.max_features // (4 * spreads.n_features)))
    everything = np.arange(plan.pairs.n)
    groups = np.concatenate([spreads.samples(pilot[k], everything) for k in range(n_draws)])
    relative = groups.var(axis=0) / np.maximum(groups.mean(axis=0), 1e-300) ** 2
    # At least that of normal products, since a pilot without outliers proves little.
    worst = max(float(np.nanmax(relative)), 2.0 / (GROUP - 1))
    return np.full(plan.pairs.n, SAFETY * worst)


def choose_group_variances(
    phi: Callable[..., Any], pairs: Pairs, declared: Array, independent_features: bool
) -> tuple[GroupVariances | MDependentGroupVariances, int]:
    """Return the source of sample variances, and the number of draws per bundle."""
    source = choose_source(phi, pairs, independent_features)
    apart = getattr(phi, "units_apart", 1)
    chain = unit_source(phi, pairs) if source.per_draw == 1 and apart > 1 else None
    if chain is None or stretches_of(chain, apart) < GROUP:
        bundle = group_size(source)
        return GroupVariances(source, pairs, declared, bundle), bundle
    # Incomplete groups of stretches are dropped, at most one in nine.
    bundle = 1 if stretches_of(chain, apart) >= 8 * GROUP else GROUP
    return MDependentGroupVariances(chain, pairs, declared, bundle, apart), bundle


def variance_of_variance_limit(
    kurtosis: float | Kernel | None,
    phi: Callable[..., Any],
    plan: MeasurementSpec,
    declared: Array,
    bundle: int,
) -> Any:
    """Return a bound on the relative variance of one sample from the kurtosis, or None."""
    spreads, pairs = plan.source, plan.pairs
    if isinstance(spreads, MDependentGroupVariances):
        kappa = declared_kurtosis(kurtosis, phi, pairs)
        of_unit = getattr(phi, "variance", None)
        if kappa is None or of_unit is None:
            return None
        share = pairs.pick(evaluate(of_unit, pairs.left, pairs.right, "variance")) / declared
        limit = m_dependent_variance_of_variance(kappa, share, spreads.units, spreads.apart)
        return limit if affordable(limit, plan, bundle) else None
    # The kurtosis of products does not apply to whole draws.
    if kurtosis is None and getattr(spreads, "whole_draws", False):
        return None
    kappa = declared_kurtosis(kurtosis, phi, pairs)
    return None if kappa is None else of_groups(kappa)


# The first inspection is coarser by _COARSE, at a sixteenth of the cost, and limited to _FIRST,
# since rare events (codes of far rows) need as many as one over their probability.
_COARSE, _FIRST = 4.0, 2**21

_OF_PILOT = f"{SAFETY:g} times that of a pilot"
_ROBUST = "declared kurtosis (Catoni on variances of groups)"
_PILOTED = "asymptotic (Catoni on variances of groups, their scatter from a pilot)"
_SUSPICION = (
    "Variances are off, but few large samples decide them, and nothing bounds what was not seen: "
    "declare kurtosis=, or draw larger maps."
)


@accepts("max_features", "seed")
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

    for groups of b = 8 independent feature products P of kurtosis kappa. Such a sample variance is
    unbiased for V even if the kernel is wrong; Catoni's interval bounds its mean.

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
        own ``product_kurtosis``. With it error rates are exact bounds, for any tails. Without it
        the check uses twice the scatter of a pilot: a verdict that holds is then *asymptotic*,
        and a suspicion is refuted by other means or left open (see Notes).
    independent_features : bool
        Whether the columns of one draw are i.i.d.
    **options : DrawOptions
        false_alarm, miss, ledger, name; max_features, seed.

    Returns
    -------
    Verdict
        ``observed``, ``exact`` and ``interval`` are relative to the declared variance, so
        ``exact`` is 1.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls: a resolution of 1 or more, V = 0 at every pair.

    Notes
    -----
    Pairs with V = 0 to rounding claim a constant; there any scatter beyond rounding refutes.
    Maps without independent units give one product per draw; normal products take some 20,000
    draws at the default rates. If a map declares by ``units_apart`` the distance from which its
    units are independent, stretches of units are samples, a hundred and more per draw. The
    kurtosis applies to them if the map declares both ``variance`` and ``gram_variance``. The cost
    is proportional to the kurtosis of the products, 1/p for indicators of events of probability p,
    such as agreement of the codes of nearly antipodal rows.

    Without a kurtosis a suspicion is tested again before it refutes. Sample variances are
    nonnegative, so bets that they are larger than declared need no assumption. Smaller ones are
    refuted as by `check_kernel`: where the samples show no heavy tails, after as many fresh draws,
    and with the words what rare draws would have to carry; else the verdict is *inconclusive*.

    References
    ----------
    O. Catoni (2012), see `intervals.known_variance`.

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
    >>> check_variance(
    ...     draw, lambda X, Y: 2 * variance(X, Y), X, independent_features=True
    ... ).status
    'refuted'
    """
    require_flag("independent_features", independent_features)
    require_function("variance", variance, optional=True)
    terms = require_options("variance", options, resolution)
    terms.require_below(1.0, "a variance is positive, and one of 0 is off by 1")
    draws, pairs = Draws(draw, terms.seed), pairs_without_claim(X, Y)
    paid = terms.false_alarm
    with np.errstate(all="ignore"):
        phi = draws[0]
        source = choose_source(phi, pairs, independent_features)
        declared = _declared(variance, phi, source, pairs)
        probe = source.samples(phi, np.arange(pairs.n))
        moves = has_variance(declared, probe, source, pairs)
        if not moves.any():
            raise ValueError("the declared variance is 0 at every pair: leave equal rows out")
        still = np.flatnonzero(~moves)
        is_steady = is_constant(source, Draws(draw, terms.seed, stream=2), still)
        kept = np.flatnonzero(moves)
        pairs, declared = take(pairs, kept), declared[kept]
        spreads, bundle = choose_group_variances(phi, pairs, declared, independent_features)
        final = MeasurementSpec(
            pairs,
            spreads,
            DrawGroups(draw, terms.seed, bundle),
            terms.false_alarm,
            terms.resolution,
            terms.miss,
            terms.max_features,
        )
        limit = variance_of_variance_limit(kurtosis, phi, final, declared, bundle)
        robust = limit is not None
        if limit is None:
            limit = by_pilot(final, draw, bundle)
        terms.pay()
        per_feature = limit * spreads.n_features / spreads.per_draw
        # A first coarse inspection, at a twentieth of the error rate, finds gross defects early.
        looks = [
            replace(
                final,
                false_alarm=0.05 * paid,
                resolution=_COARSE * final.resolution,
                max_features=min(terms.max_features or _FIRST, max(_FIRST, spreads.n_features)),
            ),
            replace(final, false_alarm=0.95 * paid),
        ]
        for plan in looks:
            measured = catoni_intervals(plan, per_feature)
            verdict = verdict_of_worst_pair(plan, measured, terms, None)
            if verdict.status == "refuted":
                break
        stage = "coarse" if plan is looks[0] else "fine"
        method, rests = (_ROBUST, "by the declared kurtosis") if robust else (_PILOTED, _OF_PILOT)
        assumption = (
            f"the variance of a group of {GROUP} has relative variance at most "
            f"{float(limit.max()):.4g}, {rests}"
        )
        if verdict.status == "refuted" and not robust and np.isfinite(measured.observed).all():
            verdict, sure = with_guarantee(final, plan, measured, terms, _SUSPICION)
            if sure is not None:
                stage = "whole"
                method, assumption = f"variances of groups: {sure.method}", verdict.assumptions[1]
    note = verdict.reason.replace(" in units of sqrt(k(x,x) k(y,y))", " in units of V")
    if not is_steady:
        note = "Products scatter at a pair whose declared variance is 0."
    return replace(
        verdict,
        status="refuted" if not is_steady else verdict.status,
        n_intervals=2 * verdict.n_intervals,
        false_alarm=paid,
        resolution=terms.resolution,
        claim=f"n_features * Var<phi(x), phi(y)> / V(x, y) = 1 at {counted(pairs.n, 'pair')}",
        n_draws=verdict.n_draws * bundle,
        method=f"{method}, {spreads.name}",
        assumptions=(verdict.assumptions[0], assumption),
        reason=note,
        statistics=tuple(
            replace(each, plan={**each.plan, "stage": stage, "pilot": not robust, "source": ""})
            for each in verdict.statistics
            if is_steady
        ),
    )


def _declared(
    variance: Kernel | None, phi: Callable[..., Any], source: Source, pairs: Pairs
) -> Any:
    if variance is None:
        variance = declared_variance(phi, source)
    if variance is None:
        raise ValueError("variance=None but the map declares none: give (X, Y) -> (n, k)")
    return pairs.pick(evaluate(variance, pairs.left, pairs.right, "variance"))
