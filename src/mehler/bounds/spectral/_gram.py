"""Spectral error of the Gram matrix of m features against the exact kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._validate import require_reals
from mehler.bounds._bound import Assumption
from mehler.bounds._function import Formula, bound
from mehler.bounds.spectral._inputs import MEAN, blocks, size_of, with_eigenvalues
from mehler.bounds.spectral._tails import deviation, tails

STATEMENT = "features.gram-error"


@bound(
    STATEMENT,
    "spectral error of the Gram matrix, relative to K + lambda",
    falls_in=("n_features",),
    prepare=with_eigenvalues,
)
def gram_error(
    n_features: int,
    *,
    ridge: float,
    delta: float,
    gram: Any = None,
    eigenvalues: Any = None,
    sup: float | None = None,
    leverage: float | None = None,
    lipschitz: float | None = None,
    variance: Any = None,
    block: int = 1,
) -> Formula:
    r"""Bound the spectral error of the Gram matrix, relative to the kernel and a ridge.

    .. math:: P\big(\|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| > \Delta\big)
              \le \delta, \qquad
              \frac{\sum_i (e^{a_\pm\beta_i + w_\pm 1\{i=1\}} - 1)}{\psi(\theta_\pm\Delta)}
              \text{ summed over } \pm \text{ is } \delta

    with psi(x) = e^x - 1 - x, beta_i = mu_i/(mu_i + lambda), s of one block's features, and for the
    best theta and L a = M psi(+-theta L/M)/L, w = M E[psi(+-theta s/M); s > L], 0 where s <= L
    surely. So (1 - Delta)(K + lambda) <= K_m + lambda <= (1 + Delta)(K + lambda).

    Parameters
    ----------
    n_features, delta, gram, eigenvalues, sup, leverage, lipschitz, block
        As :mod:`mehler.bounds.spectral` says.
    ridge : float
        lambda, in units of K: lambda of ridge regression on n rows, not divided by n.
    variance : array, shape (n, n), optional
        Instead, for any map: m Var of the entries, V, as ``phi.variance(X)``, by Chebyshev's
        inequality for the Frobenius norm: Delta = (sum of V/(m delta))^(1/2)/lambda.

    Returns
    -------
    Bound
        The single term "deviation".

    Raises
    ------
    ValueError
        If K is not positive semidefinite, or none of `sup`, `leverage`, `lipschitz` and `variance`
        is given, or `variance` with another.

    Notes
    -----
    One eigenvalue decomposition, then about 0.2 s at n = 5000. Sums over more than 512 eigenvalues
    are interpolated from above, by less than 1e-4 of the sum.

    References
    ----------
    Proof: :doc:`/theorems/features-gram-error`. J. A. Tropp (2015), Theorem 7.7.1 has
    4 tr V/|V| exp(-t^2/2/(|V| + L t/3)), which is larger.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import bounds
    >>> known = {"ridge": 2.0, "eigenvalues": 200 * 0.5 ** np.arange(20), "sup": 1.5}
    >>> round(bounds.spectral.gram_error(20_000, delta=0.01, **known).value, 3)
    0.122
    >>> bounds.solve(bounds.spectral.gram_error, at_most=0.5, n_features=None, delta=0.01, **known)
    1267
    """
    m = blocks(n_features, block)
    if variance is not None:
        named = (sup, leverage, lipschitz)
        return _by_variance(n_features, delta, eigenvalues, variance, named, ridge)
    size = size_of(eigenvalues, ridge=ridge, sup=sup, leverage=leverage, lipschitz=lipschitz)
    value = deviation(*tails(size.beta, size.level, m), float(size.beta[0]), delta)
    return Formula(
        {"deviation": (value, r"\Delta_s(\delta, \beta)")},
        probability=1 - delta,
        assumptions=size.assumptions,
    )


@bound(
    STATEMENT,
    "operator norm of the error of the Gram matrix",
    falls_in=("n_features",),
    prepare=with_eigenvalues,
)
def operator_error(
    n_features: int,
    *,
    delta: float,
    gram: Any = None,
    eigenvalues: Any = None,
    sup: float | None = None,
    lipschitz: float | None = None,
    variance: Any = None,
    block: int = 1,
) -> Formula:
    r"""Bound the operator norm of the error of the Gram matrix.

    .. math:: P\big(\|\hat K_m - K\| > \varepsilon\big) \le \delta

    by the inequality of :func:`gram_error` with beta the eigenvalues of K and s = |phi|^2, the
    squared length of a block's features of all rows.

    Parameters
    ----------
    n_features, delta, gram, eigenvalues, sup, lipschitz, block
        As :mod:`mehler.bounds.spectral` says; here s is at most n sup^2.
    variance : array, shape (n, n), optional
        As in :func:`gram_error`: (sum of V/(m delta))^(1/2).

    Returns
    -------
    Bound
        The single term "deviation", in units of K.

    References
    ----------
    Proof: :doc:`/theorems/features-gram-error`.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.bounds import spectral
    >>> decay = 20 * 0.5 ** np.arange(20)
    >>> bound = spectral.operator_error(10_000, delta=0.01, eigenvalues=decay, sup=1.5)
    >>> round(bound.value, 2)
    0.98
    """
    m = blocks(n_features, block)
    if variance is not None:
        return _by_variance(n_features, delta, eigenvalues, variance, (sup, lipschitz))
    size = size_of(eigenvalues, sup=sup, lipschitz=lipschitz)
    value = deviation(*tails(size.beta, size.level, m), float(size.beta[0]), delta)
    return Formula(
        {"deviation": (value, r"\Delta_s(\delta, \mu)")},
        probability=1 - delta,
        assumptions=size.assumptions,
    )


def _by_variance(
    m: int,
    delta: float,
    mu: Any,
    variance: Any,
    others: tuple[float | None, ...],
    ridge: float | None = None,
) -> Formula:
    """Bound the Frobenius norm by Chebyshev's inequality."""
    if any(one is not None for one in others):
        raise ValueError("give variance alone, or sup, leverage, lipschitz without it")
    host = _arrays.to_host(variance) if _arrays.is_array(variance) else variance
    matrix = require_reals("variance", host)
    if matrix.shape != (mu.size, mu.size):
        raise ValueError(f"variance has shape {matrix.shape}, and K is of {mu.size} rows")
    if matrix.min() < -1e-9 * matrix.max():
        raise ValueError("variance has a negative entry")
    total = math.fsum(np.maximum(matrix, 0.0).flat)
    value = math.sqrt(total / (m * delta)) / (1.0 if ridge is None else ridge)
    formula = r"\sqrt{\sum_{ij}V_{ij}/(m\delta)}" + ("" if ridge is None else r"/\lambda")
    return Formula(
        {"deviation": (value, formula)},
        probability=1 - delta,
        assumptions=(Assumption(MEAN), Assumption("the variance of their products is this")),
    )
