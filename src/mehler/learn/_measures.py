"""Measures of kernel matrices and of features: spectral errors, Rademacher complexities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays, _random
from mehler._arrays import Array
from mehler._validate import (
    require_choice,
    require_integer,
    require_positive,
)
from mehler.learn._features import host_reals, require_rows

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


@dataclass(frozen=True)
class Rademacher:
    """An empirical Rademacher complexity.

    Parameters
    ----------
    value : float
        Mean over the drawn signs.
    error : float
        Its standard error.
    bound : float
        Upper bound in closed form, by Jensen's inequality.
    """

    value: float
    error: float
    bound: float


def rademacher(
    Z: Array,
    radius: float,
    *,
    shape: Literal["ball", "box"] = "ball",
    seed: int,
    n_draws: int = 1000,
) -> Rademacher:
    r"""Compute the empirical Rademacher complexity of linear functions of features.

    .. math:: \frac1N\,E_\sigma \sup_\theta \sum_{i\le N}\sigma_i\langle\theta, z_i\rangle
              = \begin{cases} \frac BN\,E\,|\sum_i\sigma_iz_i|_2 & |\theta|_2 \le B \\
              \frac BN\,E\,|\sum_i\sigma_iz_i|_1 & |\theta|_\infty \le B \end{cases}

    Parameters
    ----------
    Z : array, shape (N, m)
        Features of the sample.
    radius : float
        B, above 0. For weights of at most C/m in the maxout paper's class, whose features are not
        divided by sqrt(m), pass sqrt(m) times the map's features and C/m.
    shape : {"ball", "box"}, optional
        Norm that is bounded by B: the Euclidean one, or the largest weight.
    seed : int
        Seed of the signs.
    n_draws : int, optional
        Drawn sign vectors, at least 2.

    Returns
    -------
    Rademacher
        Value, standard error, and the bound
        :math:`\frac BN(\sum_i|z_i|^2)^{1/2}` or
        :math:`\frac BN\sum_\ell(\sum_iz_{i\ell}^2)^{1/2}`.

    Notes
    -----
    The classes are symmetric, so that sums in absolute value have the same complexity. Multiply by
    2 for the definition with 2/N. n_draws products of 1 x N by N x m.

    References
    ----------
    Definition 2 of Shahrampour, Kolouri (2019); Bartlett, Mendelson (2002); Appendix B of Mroueh,
    Rennie, Goel (2015).

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import learn
    >>> complexity = learn.rademacher(np.eye(4), 2.0, shape="box", seed=0)  # every sum is 4
    >>> complexity.value, complexity.bound
    (2.0, 2.0)
    """
    require_rows(Z, "Z")
    radius = require_positive("radius", radius)
    norm = 2 if require_choice("shape", shape, ("ball", "box")) == "ball" else 1
    n_draws = require_integer("n_draws", n_draws, least=2, most=10**7)
    z = np.asarray(_arrays.to_host(Z), dtype=np.float64)
    if float(np.abs(z).max()) > _LARGEST:
        raise ValueError(f"Z holds numbers above {_LARGEST:g}, whose squares overflow")
    rng = _random.generator(_random.require_seed(seed), _random.SELECTION, 0)
    scale = radius / len(z)
    suprema = np.empty(n_draws)
    for part in _arrays.slices(n_draws, 256):
        signs = 2.0 * rng.integers(2, size=(part.stop - part.start, len(z))) - 1.0
        suprema[part] = scale * np.linalg.norm(signs @ z, ord=norm, axis=1)
    squares = (z * z).sum(axis=0)
    bound = scale * (np.sqrt(squares.sum()) if norm == 2 else np.sqrt(squares).sum())
    return Rademacher(
        float(suprema.mean()), float(suprema.std(ddof=1) / np.sqrt(n_draws)), float(bound)
    )


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
