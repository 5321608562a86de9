"""A defect for every check of the bounds for any map: a constant that is too small."""

from __future__ import annotations

from mehler.proofs_checks.features import (
    clipped_ridge,
    gram_error,
    lower,
    margin,
    nearest,
    ridge,
    uniform,
)

from mehler.bounds import kernel_error, spectral
from mehler.bounds import lower as lowest
from mehler.bounds import margin as margins
from mehler.bounds import ridge as risks
from tests.proofs_checks.defects_kernel_error import scaled

# (check, what is wrong, the verdict that it must come to)
DEFECTS = [
    (gram_error.printed, {"bound": scaled(gram_error.known_before, 0.15)}, "refuted"),
    (gram_error.drawn, {"bound": scaled(spectral.gram_error, 0.2)}, "refuted"),
    (gram_error.operator, {"bound": scaled(spectral.gram_error, 0.25)}, "refuted"),
    (gram_error.tight, {"bound": scaled(spectral.gram_error, 0.97)}, "refuted"),
    (gram_error.tight_without_bound, {"bound": scaled(spectral.gram_error, 0.65)}, "refuted"),
    (
        ridge.printed,
        {"bound": lambda *sizes, **how: 0.4 * ridge.known_before(*sizes, **how)},
        "refuted",
    ),
    (ridge.drawn, {"bound": scaled(risks.excess_risk, 0.15)}, "refuted"),
    (nearest.tight, {"bound": scaled(spectral.approximation, 0.9)}, "refuted"),
    (nearest.drawn, {"bound": scaled(spectral.approximation, 0.3)}, "refuted"),
    (lower.one_pair, {"bound": scaled(lowest.one_pair, 1.01)}, "refuted"),
    (lower.all_pairs, {"bound": scaled(lowest.all_pairs, 1.1)}, "refuted"),
    (lower.uniform, {"bound": scaled(lowest.uniform, 1.2)}, "refuted"),
    (lower.risk, {"bound": scaled(lowest.excess_risk, 1.01)}, "refuted"),
    (lower.many_laws, {"bound": scaled(lowest.excess_risk, 1.01)}, "refuted"),
    (lower.rows, {"bound": scaled(lowest.fixed_design_error, 1.01)}, "refuted"),
    (lower.rank, {"bound": scaled(lowest.gram_error, 1.01)}, "refuted"),
    (lower.direction, {"bound": scaled(lowest.gram_error_direction, 1.01)}, "refuted"),
    (lower.rare, {"bound": scaled(lowest.gram_error_rare, 1.01)}, "refuted"),
    (lower.grid, {"bound": scaled(lowest.gram_error_grid, 1.1)}, "refuted"),
    (lower.nearest, {"bound": scaled(lowest.approximation, 1.1)}, "refuted"),
    (ridge.tight, {"bound": scaled(risks.excess_risk, 0.99)}, "refuted"),
    (uniform.printed, {"bound": scaled(uniform.known_before, 0.13)}, "refuted"),
    (uniform.drawn, {"bound": scaled(kernel_error.uniform_by_slope, 0.15)}, "refuted"),
    (uniform.tight, {"bound": scaled(kernel_error.uniform_by_slope, 0.99)}, "refuted"),
    (uniform.tight_slopes, {"bound": scaled(kernel_error.uniform_by_slope, 0.7)}, "refuted"),
    (clipped_ridge.tight, {"bound": scaled(risks.excess_risk_clipped, 0.99)}, "refuted"),
    (clipped_ridge.drawn, {"bound": scaled(risks.excess_risk_clipped, 0.05)}, "refuted"),
    (margin.drawn, {"bound": scaled(margins.error_rate, 0.25)}, "refuted"),
    (margin.tight, {"bound": scaled(margins.error_rate_separated, 0.99)}, "refuted"),
    (margin.confident, {"bound": scaled(margins.error_rate_separated, 0.98)}, "refuted"),
]
