"""Evaluate a user's kernel on rows, and check what it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_reals

Kernel = Callable[[Any, Any], Any]
# Eigenvalues and differences across the diagonal below this share of the largest are rounding.
_ROUNDING = 1e-6
LARGEST = 1e150


def require_kernel(kernel: Any) -> Kernel:
    """Return a function (X, Y) -> (n, k); of a map its exact kernel."""
    if callable(getattr(kernel, "kernel", None)):
        found: Kernel = kernel.kernel
        return found
    if not callable(kernel):
        raise TypeError(
            f"kernel={kernel!r} must be a function (X, Y) -> (n, k), or a map, whose exact kernel "
            "is taken"
        )
    checked: Kernel = kernel
    return checked


def values(kernel: Kernel, x: Array, y: Array) -> Array:
    """Evaluate a kernel, and check the shape and that numbers are finite."""
    found = kernel(x, y)
    shape = (x.shape[0], y.shape[0])
    if tuple(getattr(found, "shape", ())) != shape:
        raise ValueError(
            f"kernel(X, Y) has shape {tuple(getattr(found, 'shape', ()))} for rows of {shape}; it "
            "must have one entry for each pair"
        )
    _arrays.require_finite(found, name="kernel(X, Y)")
    return found


def gram(kernel: Kernel, x: Array) -> Any:
    """Return the symmetric kernel matrix of rows, float64 on the host."""
    found = np.asarray(_arrays.to_host(values(kernel, x, x)), dtype=np.float64)
    size = float(np.abs(found).max(initial=0.0))
    if float(np.abs(found - found.T).max(initial=0.0)) > _ROUNDING * size:
        raise ValueError("kernel(X, X) is not symmetric")
    return 0.5 * (found + found.T)


def host_reals(name: str, value: Any) -> Any:
    """Return finite real numbers of any library, float64 on the host."""
    return require_reals(name, _arrays.to_host(value) if _arrays.is_array(value) else value)


def matrix(name: str, value: Any) -> Any:
    """Return a symmetric matrix of finite numbers, float64 on the host."""
    found = host_reals(name, value)
    if found.ndim != 2 or found.shape[0] != found.shape[1] or found.shape[0] == 0:
        raise ValueError(f"{name} must be a square matrix, not of shape {found.shape}")
    if float(np.abs(found).max()) > LARGEST:
        raise ValueError(f"{name} holds numbers above {LARGEST:g}, whose squares overflow")
    if float(np.abs(found - found.T).max()) > _ROUNDING * float(np.abs(found).max()):
        raise ValueError(f"{name} is not symmetric")
    return 0.5 * (found + found.T)


def spectrum(name: str, found: Any) -> tuple[Any, Any]:
    """Return eigenvalues of at least 0 and eigenvectors; ValueError for negative eigenvalues."""
    eigenvalues, vectors = np.linalg.eigh(found)
    if eigenvalues[0] < -_ROUNDING * np.abs(eigenvalues).max():
        raise ValueError(
            f"{name} is not positive semidefinite: its least eigenvalue is {eigenvalues[0]:.3g}, "
            f"its largest {eigenvalues[-1]:.3g}"
        )
    return np.maximum(eigenvalues, 0.0), vectors
