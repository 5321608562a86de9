"""Verdicts with error rates for random feature maps: anybody's, not only ours.

`check_kernel` asks whether a map has the kernel that it claims, `check_gradient` the gradient of
one; `check_mean`, `check_mean_vector` and `check_covariance` are the same for samples of anything;
`check_variance` and `check_distribution` hold variances and laws against what is declared;
`check_convergence` finds shared or repeated features, `check_reproducible` seeds that are ignored
or related, `check_invariance` features that a group moves, `check_backends` libraries that
disagree, `check_finite` inputs that overflow, `check_precision` weights rounded to float32;
`check_same` holds a new version of a map against the old one. Before all of them `check_structure`
asks whether a map is one at all: a function of its seed and of each row alone. Each returns a
`Verdict`, and each can be paid from a `Ledger`, the false-alarm budget of a run.
"""

from mehler.verify import intervals
from mehler.verify._allotment import Allotment
from mehler.verify._backends import check_backends
from mehler.verify._causes import Cause
from mehler.verify._confirm import confirm
from mehler.verify._convergence import check_convergence
from mehler.verify._design import detectable_effect, features_needed
from mehler.verify._diagnose import diagnose
from mehler.verify._distribution import check_distribution
from mehler.verify._finite import check_finite
from mehler.verify._invariance import check_invariance
from mehler.verify._kernel import assert_kernel, check_kernel
from mehler.verify._ledger import BudgetExceeded, Ledger
from mehler.verify._mean import check_mean
from mehler.verify._precision import check_precision
from mehler.verify._reproducible import check_reproducible
from mehler.verify._variance import check_variance
from mehler.verify._verdict import Verdict
from mehler.verify.gradient import check_gradient
from mehler.verify.same import check_same
from mehler.verify.samples import check_covariance, check_mean_vector
from mehler.verify.structure import check_structure

__all__ = [
    "Allotment",
    "BudgetExceeded",
    "Cause",
    "Ledger",
    "Verdict",
    "assert_kernel",
    "check_backends",
    "check_convergence",
    "check_covariance",
    "check_distribution",
    "check_finite",
    "check_gradient",
    "check_invariance",
    "check_kernel",
    "check_mean",
    "check_mean_vector",
    "check_precision",
    "check_reproducible",
    "check_same",
    "check_structure",
    "check_variance",
    "confirm",
    "detectable_effect",
    "diagnose",
    "features_needed",
    "intervals",
]
