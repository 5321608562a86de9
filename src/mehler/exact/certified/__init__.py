r"""Exact values as balls: intervals that provably contain the number.

Needs python-flint (the extra ``certified``), which is imported by the first call.
"""

from mehler.exact.certified._ball import Ball
from mehler.exact.certified._enclosures import (
    collision_coefficients,
    collision_probability,
    hermite_moment,
    locally_linear_kernel,
    max_moment,
    maxout_kernel,
    sigma2,
)

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
