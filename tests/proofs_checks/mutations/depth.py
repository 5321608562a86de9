"""Terms and constants of the statements on deep networks."""

from __future__ import annotations

from typing import Any

from mehler.proofs_checks.depth import alike, critical_variance, positive_definite, spectrum

from mehler import exact
from mehler.features.deep import critical_weight_variance
from tests.proofs_checks.defects_depth import (
    critical_weights,
    last_layer,
    later_angle,
    wide_gradient,
    without_biases,
)
from tests.proofs_checks.mutations._row import Check, Row, scaled


def row(name: str, term: str, change: str, check: Check, **defect: Any) -> Row:
    """A row of a statement on depth."""
    return Row(statement=f"depth.{name}", term=term, change=change, check=check, defect=defect)


def fourth(q: int, width: int, depth: int) -> float:
    """The relative variance with 3, the fourth moment of one normal, for that of the largest."""
    kurtosis = 3.0 / exact.sigma2(q) ** 2
    return (1.0 + (kurtosis - 1.0) / width) ** depth - 1.0


ALIKE, VARIANCE, DEFINITE, SPECTRUM = (
    "alike",
    "critical-variance",
    "positive-definite",
    "spectrum",
)
ROWS = [
    row(ALIKE, "one layer, upper", "times 0.99", alike.above, bound=scaled(alike.most, 0.99)),
    row(ALIKE, "one layer, lower", "times 1.01", alike.below, bound=scaled(alike.least, 1.01)),
    row(
        ALIKE,
        "the rate of ten layers",
        "times 0.99",
        alike.deep,
        rate=lambda q: 0.99 / exact.sigma2(q),
    ),
    row(
        ALIKE,
        "3 pi over the depth",
        "times 0.99",
        alike.pools_of_two,
        bound=scaled(alike.angle_most, 0.99),
    ),
    row(ALIKE, "the first angle", "one layer more", alike.pools_of_two, bound=later_angle),
    row(ALIKE, "the slope with biases", "times 1.01", alike.with_biases, slope=lambda w: 1.01 * w),
    row(
        VARIANCE,
        "1/sigma^2, digits",
        "times 1 + 1e-10",
        critical_variance.digits,
        value=scaled(critical_weight_variance, 1 + 1e-10),
    ),
    row(
        VARIANCE,
        "1/sigma^2, in networks",
        "times 1.1",
        critical_variance.kept,
        value=scaled(critical_weight_variance, 1.1),
    ),
    row(VARIANCE, "fourth moment", "that of a normal", critical_variance.varies, claimed=fourth),
    row(
        VARIANCE,
        "depth as the power",
        "one less",
        critical_variance.varies,
        claimed=lambda q, n, depth: critical_variance.relative_variance(q, n, depth - 1),
    ),
    row(
        VARIANCE,
        "gradients",
        "times 1.01",
        critical_variance.gradients,
        factor=lambda q: 1.01 / exact.sigma2(q),
    ),
    row(
        VARIANCE,
        "gradients, the terms of the width",
        "deleted",
        critical_variance.gradients_of_networks,
        claimed=wide_gradient,
    ),
    row(
        VARIANCE,
        "gradients, the layers",
        "one less",
        critical_variance.gradients_of_networks,
        claimed=lambda q, n, depth, w: critical_variance.mean_square(q, n, depth - 1, w),
    ),
    row(DEFINITE, "depth 2 for q = 2", "depth 1", positive_definite.covariance, cases=((2, 1),)),
    row(
        DEFINITE, "the same, tangent kernel", "depth 1", positive_definite.tangent, cases=((2, 1),)
    ),
    *(
        row(DEFINITE, f"biases, {kernel}", "deleted", check, bias_variance=0.0)
        for kernel, check in (
            ("covariance", positive_definite.covariance_with_biases),
            ("tangent kernel", positive_definite.tangent_with_biases),
        )
    ),
    row(
        SPECTRUM,
        "a_q, tangent kernel",
        "times 1.01",
        spectrum.tangent,
        slope=scaled(spectrum.kink, 1.01),
    ),
    row(
        SPECTRUM,
        "sum over layers, tangent kernel",
        "one layer",
        spectrum.tangent,
        claimed=last_layer,
    ),
    row(
        SPECTRUM,
        "a_q, covariance",
        "times 1.01",
        spectrum.covariance,
        slope=scaled(spectrum.kink, 1.01),
    ),
    row(
        SPECTRUM,
        "sum over layers, covariance",
        "one layer",
        spectrum.covariance,
        claimed=last_layer,
    ),
    *(
        row(SPECTRUM, f"{term}, {kernel}", change, check, claimed=claimed)
        for kernel, check in (
            ("tangent kernel", spectrum.tangent),
            ("covariance", spectrum.covariance),
        )
        for term, change, claimed in (
            ("bias variance", "deleted", without_biases),
            ("weight variance", "the critical one", critical_weights),
        )
    ),
    row(SPECTRUM, "q = 2 alone has no odd orders", "q = 3", spectrum.relu_misses_half, q=3),
]
