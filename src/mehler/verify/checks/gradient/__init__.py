"""Check the expected gradient of a map."""

from mehler.verify.checks.gradient._check_gradient import check_gradient

__all__ = ["check_gradient"]
