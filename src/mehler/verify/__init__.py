"""Verdicts with error rates for random feature maps: anybody's, not only ours.

`check_kernel` asks whether a map has the kernel that it claims; `check_mean` is the same for any
scalar; `check_precision` finds weights that were rounded to float32. Each returns a `Verdict`, and
each can be paid from a `Ledger`, the false-alarm budget of a run.
"""

from mehler.verify import intervals
from mehler.verify._allotment import Allotment
from mehler.verify._confirm import confirm
from mehler.verify._design import detectable_effect, features_needed
from mehler.verify._kernel import assert_kernel, check_kernel
from mehler.verify._ledger import BudgetExceeded, Ledger
from mehler.verify._mean import check_mean
from mehler.verify._precision import check_precision
from mehler.verify._verdict import Verdict

__all__ = [
    "Allotment",
    "BudgetExceeded",
    "Ledger",
    "Verdict",
    "assert_kernel",
    "check_kernel",
    "check_mean",
    "check_precision",
    "confirm",
    "detectable_effect",
    "features_needed",
    "intervals",
]
