"""Orbits under a group, seen through random templates: expectations and variances.

The limits of :class:`mehler.GroupInvariantFeatures`: a :class:`TemplateLaw` draws templates t,
:class:`Bins` hold the thresholds of the distribution functions of <t, g x> over elements g. Vectors
enter by their norms and inner products only, not by the group. All functions run on the host, in
float64; NaN, infinity and arguments of another kind or range are a TypeError or ValueError that
names the argument.
"""

from mehler.exact.orbits._products import RULES as RULES
from mehler.exact.orbits._products import Bins, expected_product, expected_square
from mehler.exact.orbits._products import limit_variance_bound as limit_variance_bound
from mehler.exact.orbits._samples import coincidence_weight as coincidence_weight
from mehler.exact.orbits._samples import orbit_sample_variance as orbit_sample_variance
from mehler.exact.orbits._samples import sample_variance as sample_variance
from mehler.exact.orbits._templates import LAWS as LAWS
from mehler.exact.orbits._templates import TemplateLaw

__all__ = ["Bins", "TemplateLaw", "expected_product", "expected_square"]
