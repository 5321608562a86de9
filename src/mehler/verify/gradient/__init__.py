"""A map and the claimed gradient of its kernel in, a verdict out."""

from mehler.verify.gradient._check_gradient import check_gradient

__all__ = ["check_gradient"]
