"""Orbits under a group, seen through random templates: expectations, distances, variances.

The limits of :class:`mehler.GroupInvariantFeatures`. Vectors enter by their norms and inner
products only, not by the group. All functions run on the host, in float64.
"""

from mehler.exact.orbits._products import (
    RULES,
    Bins,
    expected_product,
    expected_square,
    limit_variance_bound,
)
from mehler.exact.orbits._samples import (
    coincidence_weight,
    cyclic_distance,
    hit_numbers,
    mean_maximum,
    orbit_sample_variance,
    sample_variance,
    token_distance,
)
from mehler.exact.orbits._templates import LAWS, TemplateLaw

__all__ = [
    "LAWS",
    "RULES",
    "Bins",
    "TemplateLaw",
    "coincidence_weight",
    "cyclic_distance",
    "expected_product",
    "expected_square",
    "hit_numbers",
    "limit_variance_bound",
    "mean_maximum",
    "orbit_sample_variance",
    "sample_variance",
    "token_distance",
]
