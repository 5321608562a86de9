r"""The exact layer to any number of decimal digits, by mpmath numbers and integer arithmetic.

Nothing global is read or set: precision is an argument, and each call has a context of its own.
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
