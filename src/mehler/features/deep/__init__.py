"""Deep networks at infinite width: their exact kernels, and random features that approach them."""

from mehler.features.deep._features import DeepFeatures
from mehler.features.deep._kernel import DeepKernel
from mehler.features.deep._recursion import critical_weight_variance
from mehler.features.deep._tangent import TangentFeatures
from mehler.features.deep.finite_width import FiniteWidth

__all__ = [
    "DeepFeatures",
    "DeepKernel",
    "FiniteWidth",
    "TangentFeatures",
    "critical_weight_variance",
]
