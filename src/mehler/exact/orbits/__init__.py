"""Orbits under a group, seen through random templates: expectations, distances, variances.

What :class:`mehler.GroupInvariantFeatures` converge to. Functions here know vectors by their
lengths and inner products, not the group; all of them run on the host, in float64.
"""

from mehler.exact.orbits._bins import RULES, Bins
from mehler.exact.orbits._distances import cyclic_distance, hit_numbers, token_distance
from mehler.exact.orbits._merge import mean_maximum
from mehler.exact.orbits._products import expected_product, expected_square
from mehler.exact.orbits._samples import (
    coincidence_weight,
    orbit_sample_variance,
    sample_variance,
)
from mehler.exact.orbits._spread import limit_variance_bound
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
