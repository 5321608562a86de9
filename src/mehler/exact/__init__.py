"""Exact expected kernels, variances and moments of random features.

Each name comes in up to three precisions: float64 on arrays of any namespace (the default), mpmath
numbers (``dps=``), and balls that provably contain the value (:mod:`mehler.exact.certified`).

``rho`` : float or array
    Correlations in [-1, 1]. Beyond by rounding, 1e-12 in float64 and 1e-5 in float32, is clipped;
    beyond by more, or NaN, is a ValueError. A number gives a float, an array one of its shape,
    namespace, device and float dtype. With ``dps`` one int, float, Fraction, decimal string or mpf,
    taken as the exact number that it is.
``q`` : int
    Pool size, from 1 to 10^6 in float64.
``dps`` : int, optional
    Decimal digits, from 1 to 30,000; the result is then mpmath's, and pool sizes go to 10^4, of
    moments to 10^8, orders to 1000 and coefficients to 64.

An argument of another kind is a TypeError, one out of range a ValueError; both name it. Source of
maxout's functions: Mroueh, Rennie, Goel (2015), Theorem 1, Lemma 1, Remark 1 and equation (4).
Names that are not in ``__all__`` are for the packages above, and no part of the public interface.
"""

from typing import TYPE_CHECKING

from mehler.exact import orbits
from mehler.exact._correlations import LARGEST_POOL as LARGEST_POOL
from mehler.exact._correlations import require_pool as require_pool
from mehler.exact._correlations import require_rho as require_rho
from mehler.exact._kernels import (
    centred_kernel,
    centred_variance,
    collision_probability,
    decoupled_variance,
    locally_linear_kernel,
    maxout_kernel,
    maxout_variance,
    product_second_moment,
)
from mehler.exact._moments import centred_moment as centred_moment
from mehler.exact._moments import collision_coefficients, hermite_moment, max_moment, sigma2
from mehler.exact._table import collision_at as collision_at
from mehler.exact._table import collision_slope as collision_slope
from mehler.exact._table import evaluate as evaluate
from mehler.exact._table import evaluate_at_angle as evaluate_at_angle
from mehler.exact._table import kernel_at as kernel_at
from mehler.exact._table import pool_table as pool_table
from mehler.exact._table import second_moment_at as second_moment_at
from mehler.exact._table import wedge_grid as wedge_grid
from mehler.exact.activations import Activation, activation_kernel, activation_kernel_error

__all__ = [
    "Activation",
    "activation_kernel",
    "activation_kernel_error",
    "centred_kernel",
    "centred_variance",
    "certified",
    "collision_coefficients",
    "collision_probability",
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
