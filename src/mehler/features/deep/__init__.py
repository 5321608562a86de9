"""Deep networks at infinite width: their exact kernels, and random features that approach them.

The maps are `mehler.DeepKernel`, `mehler.DeepFeatures` and `mehler.TangentFeatures`.
"""

from mehler.features.deep._recursion import critical_weight_variance
from mehler.features.deep._width import FiniteWidth

__all__ = ["FiniteWidth", "critical_weight_variance"]
