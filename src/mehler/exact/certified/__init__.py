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
from mehler.exact.certified._ball import Ball

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
