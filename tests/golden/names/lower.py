"""Lower bounds; rows of a Gram matrix were samples."""

from __future__ import annotations

from typing import Any

from mehler.proofs_checks.group_invariant.kernel.energy_quotient import (
    least_energy as energy_distance,
)
from mehler.proofs_checks.maxout.growth.remark_1_codes import agree_at_least as collision

from mehler.bounds import lower
from mehler.bounds.lower import gram_error, one_pair, uniform

__all__ = ["collision", "energy_distance", "gram_error", "one_pair", "uniform"]

gram_direction = lower.gram_error_direction
gram_rare = lower.gram_error_rare
lemma_3 = lower.approximation
risk = lower.excess_risk
excess_risk = lower.fixed_design_error


def all_pairs(n_features: int, *, n_samples: int, **others: Any) -> Any:
    return lower.all_pairs(n_features, n_rows=n_samples, **others)
