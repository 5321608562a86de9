"""The exact Gram matrix and the size of one block's features, for all spectral bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._validate import require_positive, require_reals
from mehler.bounds._bound import Assumption
from mehler.bounds._function import square_of
from mehler.bounds.spectral._tails import Level

MEAN = "blocks of features are independent, with the mean K"
# Eigenvalues of a Gram matrix are computed up to this part of the largest.
_ROUNDING = 1e-10


@dataclass(frozen=True)
class Size:
    """Eigenvalues of the mean B, downwards, the squared length s of a block, and assumptions."""

    beta: Any
    level: Level
    assumptions: tuple[Assumption, ...]


def with_eigenvalues(arguments: dict[str, Any]) -> dict[str, Any]:
    """Replace the Gram matrix by its eigenvalues."""
    mu = eigenvalues_of(arguments["gram"], arguments["eigenvalues"])
    return {**arguments, "gram": None, "eigenvalues": mu}


def eigenvalues_of(gram: Any, eigenvalues: Any) -> Any:
    """Return the eigenvalues (n,) of the exact Gram matrix, downwards; one of both is given."""
    if (gram is None) == (eigenvalues is None):
        raise ValueError("give one of gram, the exact kernel of the rows, and eigenvalues")
    if gram is not None:
        matrix = require_reals("gram", _arrays.to_host(gram) if _arrays.is_array(gram) else gram)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
            raise ValueError(f"gram has shape {matrix.shape}: give the kernel of n rows, (n, n)")
        if np.abs(matrix - matrix.T).max() > 1e-6 * np.abs(matrix).max():
            raise ValueError("gram is not symmetric: give the exact kernel of the rows")
        values = np.linalg.eigvalsh(matrix)
        name = "gram"
    else:
        host = _arrays.to_host(eigenvalues) if _arrays.is_array(eigenvalues) else eigenvalues
        values = np.array(require_reals("eigenvalues", host))
        if values.ndim != 1 or values.size == 0:
            raise ValueError(f"eigenvalues has shape {values.shape}: give a list of them, (n,)")
        name = "eigenvalues"
    values = np.sort(values)[::-1]
    if not values[0] > 0:
        raise ValueError(f"{name}: the largest eigenvalue is {values[0]:.6g}, it must be positive")
    if values[-1] < -max(_ROUNDING, 1e-14 * values.size) * values[0]:
        raise ValueError(
            f"{name} has an eigenvalue of {values[-1]:.6g}: a kernel is positive semidefinite"
        )
    return np.maximum(values, 0.0)


def size_of(
    mu: Any,
    *,
    ridge: float | None = None,
    sup: float | None = None,
    leverage: float | None = None,
    lipschitz: float | None = None,
) -> Size:
    """Return B and the level of s = <phi, (K + ridge)^(-1) phi>; of |phi|^2 without a ridge."""
    if sup is None and leverage is None and lipschitz is None:
        raise ValueError("give sup, leverage or lipschitz: how large the features of a block are")
    scale = 1.0 if ridge is None else ridge
    beta = mu if ridge is None else mu / (mu + scale)
    mean = math.fsum(beta)
    assumptions = [Assumption(MEAN)]
    most, rate = math.inf, 0.0
    if sup is not None:
        most = mu.size * square_of("sup", require_positive("sup", sup)) / scale
        if most == 0:
            raise ValueError(f"sup={sup!r} is too small to be squared: give it in other units")
        text = "no block's features of a row are longer than this"
        # The mean of s is the trace of B, so that no smaller bound of s is true.
        assumptions.append(Assumption(text, _reaches(most, mean), f"{sup:g}"))
    if leverage is not None:
        require_positive("leverage", leverage)
        text = "no block's leverage is larger than this"
        assumptions.append(Assumption(text, _reaches(leverage, mean), f"{leverage:g}"))
        most = min(most, float(leverage))
    if lipschitz is not None:
        rate = lipschitz / math.sqrt(scale)
        text = "the features of the rows are this Lipschitz in standard normal weights"
        assumptions.append(Assumption(text, None, f"{lipschitz:g}"))
        if rate * rate == 0:
            raise ValueError(f"lipschitz={lipschitz!r} is too small: give rows in other units")
        if rate * rate == math.inf:
            raise ValueError(
                f"lipschitz={lipschitz!r}: features over a ridge of {scale!r} overflow: make it "
                "larger, or give rows in other units"
            )
    elif math.isinf(most):
        raise ValueError(f"features over a ridge of {scale!r} overflow: make it larger")
    # No level is below the mean: one so declared is unmet, and has to stay within the floats.
    return Size(beta, Level(max(most, 1e-12 * mean), mean, rate), tuple(assumptions))


def _reaches(most: float, mean: float) -> bool:
    return bool(most >= mean * (1 - 1e-6))


def blocks(n_features: int, block: int) -> int:
    """Return the number of independent blocks of columns."""
    if n_features % block:
        raise ValueError(
            f"n_features={n_features} is no multiple of block={block}, the columns that share a "
            "draw"
        )
    return n_features // block
