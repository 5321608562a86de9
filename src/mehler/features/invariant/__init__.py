"""Group-invariant features: empirical distribution functions of projections over orbits."""

from mehler.features.invariant._invariant import Rule as Rule
from mehler.features.invariant._invariant import TemplateName as TemplateName
from mehler.features.invariant._invariant import bins_for as bins_for
