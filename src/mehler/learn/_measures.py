"""How well a matrix approximates a kernel's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler._validate import require_positive
from mehler.learn._features import host_reals

# Eigenvalues and differences across the diagonal below this fraction of the largest are rounding.
_ROUNDING = 1e-6
_LARGEST = 1e150  # of an entry: squares and their sums stay finite


def spectral_error(K_hat: Array, K: Array, lam: float) -> float:
    r"""Compute the least Delta for which one matrix is a spectral approximation of another.

    .. math:: (1 - \Delta)(K + \lambda) \preceq \hat K + \lambda \preceq (1 + \Delta)(K + \lambda)

    Parameters
    ----------
    K_hat, K : array, shape (n, n)
        Symmetric matrices; `K` positive semidefinite.
    lam : float
        Ridge, above 0, in the unit of the eigenvalues of `K`.

    Returns
    -------
    float
        Delta: the largest eigenvalue of
        :math:`(K + \lambda)^{-1/2}(\hat K - K)(K + \lambda)^{-1/2}` in size.

    See Also
    --------
    mehler.bounds.leverage.score_error : Rows that suffice for a Delta.

    Notes
    -----
    One eigendecomposition and one more of the quotient, about 18 n^3 operations.

    References
    ----------
    Definition 3 of Shahrampour, Kolouri (2019), after Avron et al. (2017).

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import learn
    >>> round(learn.spectral_error(1.5 * np.eye(3), np.eye(3), 1.0), 12)  # 2.5 / 2 - 1
    0.25
    """
    ridge = require_positive("lam", lam)
    approximation, exact = _matrix("K_hat", K_hat), _matrix("K", K)
    if approximation.shape != exact.shape:
        raise ValueError(
            f"K_hat has shape {approximation.shape} but K {exact.shape}; make them equal"
        )
    eigenvalues, vectors = np.linalg.eigh(exact)
    if eigenvalues[0] < -_ROUNDING * np.abs(eigenvalues).max():
        raise ValueError(
            f"K is not positive semidefinite: its least eigenvalue is {eigenvalues[0]:.3g}, its "
            f"largest {eigenvalues[-1]:.3g}"
        )
    root = vectors / np.sqrt(np.maximum(eigenvalues, 0.0) + ridge)
    quotient = root.T @ (approximation - exact) @ root
    return float(np.abs(np.linalg.eigvalsh(0.5 * (quotient + quotient.T))).max())


def _matrix(name: str, value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a symmetric matrix of finite numbers, float64 on the host."""
    K = host_reals(name, value)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or K.shape[0] == 0:
        raise ValueError(f"{name} must be a square matrix, not of shape {K.shape}")
    size = float(np.abs(K).max())
    if size > _LARGEST:
        raise ValueError(f"{name} holds numbers above {_LARGEST:g}, whose squares overflow")
    if float(np.abs(K - K.T).max()) > _ROUNDING * size:
        raise ValueError(f"{name} is not symmetric")
    return 0.5 * (K + K.T)
