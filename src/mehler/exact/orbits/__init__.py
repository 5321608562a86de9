"""Orbits under a group, seen through random templates: expectations and variances.

The limits of :class:`mehler.GroupInvariantFeatures`: a :class:`TemplateLaw` draws templates t,
:class:`Bins` hold the thresholds of the distribution functions of <t, g x> over elements g. Vectors
enter by their norms and inner products only, not by the group. All functions run on the host, in
float64; NaN, infinity and arguments of another kind or range are a TypeError or ValueError that
names the argument.
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
    orbit_sample_variance,
    sample_variance,
)
from mehler.exact.orbits._templates import LAWS, TemplateLaw

__all__ = [
    "LAWS",
    "RULES",
    "Bins",
    "TemplateLaw",
    "coincidence_weight",
    "expected_product",
    "expected_square",
    "limit_variance_bound",
    "orbit_sample_variance",
    "sample_variance",
]
