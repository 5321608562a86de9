"""Lower bounds; rows of a Gram matrix were samples."""

from __future__ import annotations

from typing import Any

from mehler.proofs_checks.group_invariant.kernel.energy_quotient import (
    least_energy as energy_distance,
)

from mehler.bounds import lower
from mehler.bounds.lower import gram_error, one_pair, uniform

__all__ = ["energy_distance", "gram_error", "one_pair", "uniform"]

collision = lower.collision_probability
gram_direction = lower.gram_error_direction
gram_rare = lower.gram_error_rare
lemma_3 = lower.approximation
risk = lower.excess_risk
excess_risk = lower.fixed_design_error


def all_pairs(n_features: int, *, n_samples: int, **others: Any) -> Any:
    return lower.all_pairs(n_features, n_rows=n_samples, **others)


def gram_grid(n_features: int, *, n_samples: int, **others: Any) -> Any:
    return lower.gram_error_grid(n_features, n_rows=n_samples, **others)
