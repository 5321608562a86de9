"""Activations of one random projection, and their expected kernels.

Closed forms for the step, the powers of the positive part, erf, cos and sin; Mehler's series,
with a stated error, for any other function.
"""

from mehler.exact.activations._activation import Activation as Activation
from mehler.exact.activations._closed import Pairs as Pairs
from mehler.exact.activations._closed import Projected as Projected
from mehler.exact.activations._closed import arc_cosine as arc_cosine
from mehler.exact.activations._closed import gaussian as gaussian
from mehler.exact.activations._closed import on_sphere as on_sphere
from mehler.exact.activations._named import ACTIVATIONS
from mehler.exact.activations._named import ActivationLike as ActivationLike
from mehler.exact.activations._named import activation_kernel as activation_kernel
from mehler.exact.activations._named import activation_kernel_error as activation_kernel_error
from mehler.exact.activations._named import activation_of as activation_of
from mehler.exact.activations._series import Cache as Cache

__all__ = ["ACTIVATIONS"]
