"""The exact functions to any number of decimal digits, in mpmath and integer arithmetic.

Nothing global is read or set: precision is an argument, and each call uses a private context.
"""

from mehler.exact._multiprecision._api import (
    collision_coefficients,
    collision_probability,
    hermite_moment,
    locally_linear_kernel,
    max_moment,
    maxout_kernel,
    product_second_moment,
)

__all__ = [
    "collision_coefficients",
    "collision_probability",
    "hermite_moment",
    "locally_linear_kernel",
    "max_moment",
    "maxout_kernel",
    "product_second_moment",
]
