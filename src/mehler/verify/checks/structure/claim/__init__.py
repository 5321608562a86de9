"""Check the claimed kernel at other sizes, lengths and precisions."""

from mehler.verify.checks.structure.claim._other_lengths import check_lengths
from mehler.verify.checks.structure.claim._sizes import (
    check_inputs,
    check_other_rows,
    check_precision,
    check_sizes,
)
from mehler.verify.checks.structure.claim._unused import check_unused

__all__ = [
    "check_inputs",
    "check_lengths",
    "check_other_rows",
    "check_precision",
    "check_sizes",
    "check_unused",
]
