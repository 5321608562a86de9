"""A map and the claimed gradient of its kernel in, a verdict out."""

from mehler.verify.checks.gradient._check_gradient import check_gradient

__all__ = ["check_gradient"]
