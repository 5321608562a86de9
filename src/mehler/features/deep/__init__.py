"""Deep networks at infinite width: their exact kernels, and random features that approach them.

The maps are `mehler.DeepKernel` and `mehler.DeepFeatures`.
"""

# Shared with the experiments, and no public names.
from mehler.features.deep._networks import inputs_of as inputs_of
from mehler.features.deep._recursion import Elementwise as Elementwise
from mehler.features.deep._recursion import Layer as Layer
from mehler.features.deep._recursion import Maxout as Maxout
from mehler.features.deep._recursion import critical_weight_variance
from mehler.features.deep._recursion import first_pairs as first_pairs

__all__ = ["critical_weight_variance"]
