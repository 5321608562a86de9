"""The norms of a function: infima over its representations, for finitely many features."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.bounds.kitchen_sinks import norm_h, norm_pi


def of_the_representation(alpha: Any, density: Any, features: Any) -> float:
    """Compute the sup norm of the representation itself, whatever function it represents."""
    del features
    return norm_pi(alpha, density)


def least_sup(alpha: Any, density: Any, features: Any) -> float:
    """Compute the least sup norm over all alpha' with the same function, by a linear program.

    `alpha`, `density` (n,); `features` (p, n) at the p points that define functions.
    """
    from scipy.optimize import linprog

    n = len(alpha)
    # Unknown: beta = alpha'/density, and t >= |beta|.
    weighted = features * density
    found = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=np.block([[np.eye(n), -np.ones((n, 1))], [-np.eye(n), -np.ones((n, 1))]]),
        b_ub=np.zeros(2 * n),
        A_eq=np.hstack([weighted, np.zeros((len(weighted), 1))]),
        b_eq=features @ alpha,
        bounds=[(None, None)] * n + [(0, None)],
        method="highs",
    )
    if not found.success:
        raise ArithmeticError(f"the linear program was not solved: {found.message}")
    return float(found.fun)


def least_square(alpha: Any, density: Any, features: Any) -> float:
    """Compute the least H norm over all alpha' with the same function, by least squares."""
    root = np.sqrt(density)
    # alpha'/sqrt(density) of least length.
    gamma, *_ = np.linalg.lstsq(features * root, features @ alpha, rcond=None)
    return norm_h(gamma * root, density)


def kernel_norm(alpha: Any, density: Any, features: Any) -> float:
    """Compute the norm of the same function in the kernel's space, sqrt(f^T K^+ f)."""
    f = features @ alpha
    kernel = (features * density) @ features.T
    return float(np.sqrt(f @ np.linalg.solve(kernel, f)))
