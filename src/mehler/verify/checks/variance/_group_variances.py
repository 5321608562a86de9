r"""Choose sample variances of a map, and bound their scatter by a kurtosis or from a pilot.

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
from typing import Any

import numpy as np

from mehler._validate import require_positive
from mehler.verify.intervals._design import features_needed
from mehler.verify.pairwise._measurement import MeasurementSpec
from mehler.verify.sampling._choose_source import (
    GROUP,
    DrawGroups,
    GroupVariances,
    choose_source,
    group_size,
    unit_source,
)
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import Kernel, Pairs, evaluate
from mehler.verify.sampling._sources import Source, _Blocked


class MDependentGroupVariances(_Blocked):
    """One sample per group of GROUP stretches: the estimate of m Var G over the declared one."""

    name = "independent stretches of units"

    def __init__(self, base: Source, pairs: Any, declared: Any, bundle: int, apart: int) -> None:
        stretches = stretches_of(base, apart) * bundle
        super().__init__(pairs, base.n_features * bundle, stretches // GROUP, base.eps)
        self._base, self.apart, self.units = base, apart, base.per_draw
        self._factor = base.n_features / base.per_draw / declared

    def samples(self, phi: Any, chosen: Any) -> Any:
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


def m_dependent_variance_of_variance(kurtosis: Any, share: Any, units: int, apart: int) -> Any:
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


def has_variance(declared: Any, probe: Any, source: Source, pairs: Pairs) -> Any:
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


def is_constant(source: Source, draws: Draws, still: Any) -> bool:
    """Return whether products at pairs of zero variance are constant over a few draws."""
    if not still.size:
        return True
    x = np.concatenate([source.samples(draws[k], still) for k in range(GROUP)])
    return bool((np.ptp(x, axis=0) <= 2.0**10 * source.eps * np.abs(x).max(axis=0)).all())


# Groups of the pilot, and the safety factor on its scatter.
PILOT, SAFETY = 256, 2.0

# Most draws spent on a chain's kurtosis bound, which is several times above its scatter.
_AFFORDABLE = 6_000


def declared_kurtosis(kurtosis: float | Kernel | None, phi: Any, pairs: Pairs) -> Any:
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


def of_groups(kurtosis: Any) -> Any:
    """Return Var(S^2)/V^2 of a group's sample variance."""
    return kurtosis / GROUP - (GROUP - 3) / (GROUP * (GROUP - 1))


def affordable(limit: Any, plan: MeasurementSpec, bundle: int) -> bool:
    """Return whether an inspection at this scatter takes few enough draws."""
    needed = features_needed(
        float(limit.max()), plan.width, plan.false_alarm / plan.pairs.n, plan.miss / plan.pairs.n
    )
    return needed * bundle <= _AFFORDABLE * plan.source.per_draw


def by_pilot(plan: MeasurementSpec, draw: Callable[[int], Any], size: int) -> Any:
    """Return a bound on the scatter from pilot groups, which are not reused."""
    spreads = plan.source
    pilot = DrawGroups(draw, plan.draws.root, size, stream=1)
    wanted = -(-PILOT // spreads.per_draw)
    if plan.max_features is not None:
        wanted = max(1, min(wanted, plan.max_features // (4 * spreads.n_features)))
    everything = np.arange(plan.pairs.n)
    groups = np.concatenate([spreads.samples(pilot[k], everything) for k in range(wanted)])
    relative = groups.var(axis=0) / np.maximum(groups.mean(axis=0), 1e-300) ** 2
    # At least that of normal products, since a pilot without outliers proves little.
    worst = max(float(np.nanmax(relative)), 2.0 / (GROUP - 1))
    return np.full(plan.pairs.n, SAFETY * worst)


def choose_group_variances(
    phi: Any, pairs: Pairs, declared: Any, independent_features: bool
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
    kurtosis: float | Kernel | None, phi: Any, plan: MeasurementSpec, declared: Any, bundle: int
) -> Any:
    """Return a bound on the relative variance of one sample from the kurtosis, or None."""
    spreads, pairs = plan.source, plan.pairs
    if isinstance(spreads, MDependentGroupVariances):
        known = declared_kurtosis(kurtosis, phi, pairs)
        one = getattr(phi, "variance", None)
        if known is None or one is None:
            return None
        share = pairs.pick(evaluate(one, pairs.left, pairs.right, "variance")) / declared
        limit = m_dependent_variance_of_variance(known, share, spreads.units, spreads.apart)
        return limit if affordable(limit, plan, bundle) else None
    # The kurtosis of products does not apply to whole draws.
    if kurtosis is None and getattr(spreads, "whole_draws", False):
        return None
    known = declared_kurtosis(kurtosis, phi, pairs)
    return None if known is None else of_groups(known)
