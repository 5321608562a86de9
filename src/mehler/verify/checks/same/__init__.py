"""Two maps in, one verdict out: whether both have the same expected kernel, whatever it is."""

from mehler.verify.checks.same._check_same import check_same

__all__ = ["check_same"]
