"""Statistical checks of random feature maps, with stated error rates.

A check compares the draws of a map with a claim, such as E<phi(x), phi(y)> = k(x, y), and returns
a `Verdict`. Its status is one of three:

============== ================================================= ============== ===========
status         meaning                                           wrong at most  exit status
============== ================================================= ============== ===========
*holds*        every interval contains the claim and is at most  `false_alarm`  0
               `resolution` wide
*refuted*      at some pair the interval excludes the claim      `false_alarm`  1
*inconclusive* neither; never counts as passed                                  3
============== ================================================= ============== ===========

A correct map is refuted with probability at most `false_alarm`, 1e-9 by default, shared by all
pairs through a union bound. A map that is off by more than `resolution` anywhere holds with
probability at most `false_alarm` as well, and deviations of `detectable` or more are refuted except
with probability `miss`. These rates are bounds at the sample size used, under the assumptions that
the verdict lists; one that holds only in the limit says so there.

=================================== ==========================================================
question                            check
=================================== ==========================================================
Is it a map at all?                 `check_structure`: ten rules, a function of seed and of
                                    each row alone
Is the kernel right?                `check_kernel`, or `assert_kernel` in a test
Is the declared variance right?     `check_variance`
Do features have the declared law?  `check_distribution`
Does the error fall as m^(-1/2)?    `check_convergence`: shared or repeated features
Are features invariant?             `check_invariance`, under the action of a group
Did a new version change the map?   `check_same`: old against new, no formula needed
Is the mean of my samples right?    `check_mean`: of numbers, vectors, products
=================================== ==========================================================

`require` raises for a verdict that does not hold, `diagnose` suggests why, and
`Verdict.certificate` writes down what it rests on. Bad input is refused before any draw. A `Ledger`
keeps the false-alarm budget of a run. The intervals themselves are in `mehler.verify.intervals`.

Examples
--------
>>> import numpy as np
>>> from mehler import verify
>>> def draw(seed):
...     signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, 500))
...     return lambda X: X @ signs / np.sqrt(500)
>>> X = np.random.default_rng(0).standard_normal((4, 3))
>>> verify.check_kernel(draw, lambda X, Y: X @ Y.T, X, resolution=0.1).status
'holds'
"""

from mehler.verify import intervals
from mehler.verify._arguments import Allotment, BudgetExceeded, DrawOptions, Ledger, Options
from mehler.verify._arguments import Entry as Entry

# Shared with other packages of mehler, and no public names.
from mehler.verify._arguments import in_decimals as in_decimals
from mehler.verify._arguments import relative_resolution as relative_resolution
from mehler.verify._diagnosis import Cause, diagnose
from mehler.verify._verdict import Verdict, require
from mehler.verify._verdict import certificates_text as certificates_text
from mehler.verify._verdict import failure_text as failure_text
from mehler.verify.checks._assertion import assert_kernel
from mehler.verify.checks._convergence import check_convergence
from mehler.verify.checks._distribution import check_distribution
from mehler.verify.checks._invariance import check_invariance
from mehler.verify.checks._kernel import check_kernel
from mehler.verify.checks._mean import check_mean
from mehler.verify.checks._same import check_same
from mehler.verify.checks._variance import check_variance
from mehler.verify.checks.structure import check_structure
from mehler.verify.intervals._known_variance import KNOWN_VARIANCE as KNOWN_VARIANCE
from mehler.verify.intervals._known_variance import detectable_effect, features_needed
from mehler.verify.intervals._undeclared import KURTOSIS as KURTOSIS

__all__ = [
    "Allotment",
    "BudgetExceeded",
    "Cause",
    "DrawOptions",
    "Ledger",
    "Options",
    "Verdict",
    "assert_kernel",
    "check_convergence",
    "check_distribution",
    "check_invariance",
    "check_kernel",
    "check_mean",
    "check_same",
    "check_structure",
    "check_variance",
    "detectable_effect",
    "diagnose",
    "features_needed",
    "intervals",
    "require",
]
