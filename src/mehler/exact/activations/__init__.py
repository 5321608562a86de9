"""Activations of one random projection, and their expected kernels.

Closed forms for the step, the powers of the positive part, erf, cos and sin; Mehler's series,
with a stated error, for any other function.
"""

from mehler.exact.activations._activation import Activation
from mehler.exact.activations._geometry import Pairs
from mehler.exact.activations._named import ACTIVATIONS, activation_of
from mehler.exact.activations._pairs import activation_kernel, activation_kernel_error

__all__ = [
    "ACTIVATIONS",
    "Activation",
    "Pairs",
    "activation_kernel",
    "activation_kernel_error",
    "activation_of",
]
