"""Check that two maps have the same expected kernel."""

from mehler.verify.checks.same._check_same import check_same

__all__ = ["check_same"]
