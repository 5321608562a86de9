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
from mehler.verify._verdict import Verdict
from mehler.verify.budget._allotment import Allotment
from mehler.verify.budget._confirm import confirm
from mehler.verify.budget._ledger import BudgetExceeded, Ledger
from mehler.verify.checks._backends import check_backends
from mehler.verify.checks._distribution import check_distribution
from mehler.verify.checks._finite import check_finite
from mehler.verify.checks._kernel import assert_kernel, check_kernel
from mehler.verify.checks._mean import check_mean
from mehler.verify.checks._precision import check_precision
from mehler.verify.checks.convergence._convergence import check_convergence
from mehler.verify.checks.gradient import check_gradient
from mehler.verify.checks.invariance._invariance import check_invariance
from mehler.verify.checks.reproducible._reproducible import check_reproducible
from mehler.verify.checks.same import check_same
from mehler.verify.checks.samples import check_covariance, check_mean_vector
from mehler.verify.checks.structure import check_structure
from mehler.verify.checks.variance._variance import check_variance
from mehler.verify.diagnosis._causes import Cause
from mehler.verify.diagnosis._diagnose import diagnose
from mehler.verify.intervals._design import detectable_effect, features_needed

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
