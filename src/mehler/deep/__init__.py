"""Deep networks at infinite width: their exact kernels, and random features that approach them."""

from mehler.deep._kernel import DeepKernel

__all__ = ["DeepKernel"]
