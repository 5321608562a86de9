"""Choose sample variances of a map, and a bound on their scatter."""

from __future__ import annotations

from typing import Any

from mehler.verify.checks.variance import _variance_of_variance as scatter
from mehler.verify.checks.variance._m_dependent import (
    MDependentGroupVariances,
    m_dependent_variance_of_variance,
    stretches_of,
)
from mehler.verify.pairwise._measurement import MeasurementSpec
from mehler.verify.sampling._choose_source import choose_source, unit_source
from mehler.verify.sampling._draw_groups import GROUP, GroupVariances, group_size
from mehler.verify.sampling._pairs import Kernel, Pairs, evaluate


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
        known = scatter.declared_kurtosis(kurtosis, phi, pairs)
        one = getattr(phi, "variance", None)
        if known is None or one is None:
            return None
        share = pairs.pick(evaluate(one, pairs.left, pairs.right, "variance")) / declared
        limit = m_dependent_variance_of_variance(known, share, spreads.units, spreads.apart)
        return limit if scatter.affordable(limit, plan, bundle) else None
    # The kurtosis of products does not apply to whole draws.
    if kurtosis is None and getattr(spreads, "whole_draws", False):
        return None
    known = scatter.declared_kurtosis(kurtosis, phi, pairs)
    return None if known is None else scatter.of_groups(known)
