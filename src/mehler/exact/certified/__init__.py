r"""Exact values as balls: intervals that provably contain the number.

Needs python-flint (the extra ``certified``), which is imported by the first call.
"""

from mehler.exact.certified._api import (
    collision_coefficients,
    collision_probability,
    hermite_moment,
    locally_linear_kernel,
    max_moment,
    maxout_kernel,
    sigma2,
)
from mehler.exact.certified._api import kernel_enclosure as kernel_enclosure
from mehler.exact.certified._ball import Ball
from mehler.exact.certified._ball import exact_number as exact_number
from mehler.exact.certified._ball import public_mpf as public_mpf
from mehler.exact.certified._ball import require_bits as require_bits
from mehler.exact.certified._ball import require_dps as require_dps
from mehler.exact.certified._ball import to_mpf as to_mpf
from mehler.exact.certified._context import precision as precision
from mehler.exact.certified._context import private_context as private_context
from mehler.exact.certified._context import to_arb as to_arb
from mehler.exact.certified._digits import collision_enclosure as collision_enclosure

__all__ = [
    "Ball",
    "collision_coefficients",
    "collision_probability",
    "hermite_moment",
    "locally_linear_kernel",
    "max_moment",
    "maxout_kernel",
    "sigma2",
]
