"""Exact expected kernels, variances and moments of random features.

Each name comes in three precisions: float64 on arrays of any namespace (the default), mpmath
numbers (``dps=``), and balls that provably contain the value (:mod:`mehler.exact.certified`).
"""

from typing import TYPE_CHECKING

from mehler.exact import asymptotics, closed_form, orbits
from mehler.exact._coefficients import collision_coefficients
from mehler.exact._cross_polytope import cross_polytope_collision
from mehler.exact._kernels import (
    centred_kernel,
    collision_probability,
    locally_linear_kernel,
    maxout_kernel,
)
from mehler.exact._moments import hermite_moment, max_moment, sigma2
from mehler.exact._variances import (
    centred_variance,
    decoupled_variance,
    maxout_variance,
    product_second_moment,
)
from mehler.exact.activations import Activation, activation_kernel, activation_kernel_error

__all__ = [
    "Activation",
    "activation_kernel",
    "activation_kernel_error",
    "asymptotics",
    "centred_kernel",
    "centred_variance",
    "certified",
    "closed_form",
    "collision_coefficients",
    "collision_probability",
    "cross_polytope_collision",
    "decoupled_variance",
    "hermite_moment",
    "locally_linear_kernel",
    "max_moment",
    "maxout_kernel",
    "maxout_variance",
    "orbits",
    "product_second_moment",
    "sigma2",
]

if TYPE_CHECKING:
    from mehler.exact import certified


def __getattr__(name: str) -> object:
    # Imported on access: balls need python-flint, an extra.
    if name == "certified":
        import importlib

        return importlib.import_module("mehler.exact.certified")
    raise AttributeError(f"module 'mehler.exact' has no attribute {name!r}")
