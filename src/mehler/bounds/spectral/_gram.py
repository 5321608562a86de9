"""Spectral error of the Gram matrix of m features against the exact kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler import _arrays, _validate
from mehler._validate import require_reals
from mehler.bounds._bound import Assumption, Bound, Term, require_positive, require_probability
from mehler.bounds._elementwise import elementwise
from mehler.bounds._inverse import least_features
from mehler.bounds.spectral._known import Known, blocks, eigenvalues_of, know
from mehler.bounds.spectral._tails import deviation, tails

STATEMENT = "features.gram-error"
_FORMULA = r"\Delta(\delta; \beta, s)"


@elementwise
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
) -> Bound:
    r"""Bound the spectral error of the Gram matrix, relative to the kernel and a ridge.

    .. math:: P\big(\|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| > \Delta\big)
              \le \delta, \qquad
              \frac{\sum_i (e^{a_\pm\beta_i + w_\pm 1\{i=1\}} - 1)}{\psi(\theta_\pm\Delta)}
              \text{ summed over } \pm \text{ is } \delta

    with psi(x) = e^x - 1 - x, beta_i = mu_i/(mu_i + lambda) for the eigenvalues mu of K, M
    independent blocks, s = <phi, (K+lambda)^(-1) phi> of one block, and for the best theta and L
    a = M psi(+-theta L/M)/L, w = M E[psi(+-theta s/M); s > L], 0 where s <= L surely. So
    (1 - Delta)(K + lambda) <= K_m + lambda <= (1 + Delta)(K + lambda).

    Parameters
    ----------
    n_features : int or array
        Columns m; M = m/block.
    ridge : float
        lambda, in units of K: lambda of ridge regression on n rows, not divided by n.
    delta : float or array
        The bound holds with probability at least 1 - delta.
    gram : array, shape (n, n)
        The exact kernel K of the rows, as ``phi.kernel(X)``; or `eigenvalues`.
    eigenvalues : array, shape (n,)
        Those of K.
    sup : float, optional
        An upper bound of the length of one block's features of a row, normalised so that their
        mean square is K(x, x): 1 for pairs of cosine and sine (block=2), sqrt 2 for a cosine with
        an offset. Then s <= n sup^2/lambda.
    leverage : float, optional
        A bound of s itself, the largest ridge leverage of a block.
    lipschitz : float, optional
        For features that are functions of standard normals, with or without a bound: those of
        the rows, (n,), are this Lipschitz in them. The largest singular value of the rows for
        maxout and 1-Lipschitz activations; (2 gamma)^(1/2) times it for Gaussian frequencies.
    variance : array, shape (n, n), optional
        Instead, for any map: m Var of the entries, as ``phi.variance(X)``, by Chebyshev's
        inequality for the Frobenius norm: Delta = (sum of variance/(m delta))^(1/2)/lambda.
    block : int
        Columns that share a draw: 2 for pairs of cosine and sine.

    Returns
    -------
    Bound
        The single term "deviation".

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, K is not positive semidefinite, or none of `sup`,
        `leverage`, `lipschitz` and `variance` is given, or `variance` with another.

    See Also
    --------
    gram_error_features : The least m for a target.
    operator_error : The same without ridge, in units of K.

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
    >>> import numpy as np, mehler
    >>> from mehler.bounds import spectral
    >>> X = np.random.default_rng(0).standard_normal((200, 2))
    >>> phi = mehler.FourierFeatures.draw(2, 20_000, gamma=0.5, seed=0)
    >>> options = {"gram": phi.kernel(X), "ridge": 2.0}
    >>> bound = spectral.gram_error(20_000, delta=0.01, sup=1.0, block=2, **options)
    >>> round(bound.value, 3)
    0.369
    """
    require_probability(delta=delta)
    m = blocks(n_features, block)
    mu = eigenvalues_of(gram, eigenvalues)
    _validate.require_positive("ridge", ridge)
    if variance is not None:
        return _by_variance(n_features, variance, ridge, delta, mu, sup, leverage, lipschitz)
    known = know(mu, ridge=ridge, sup=sup, leverage=leverage, lipschitz=lipschitz)
    return _bound(known, m, delta, "spectral error of the Gram matrix, relative to K + lambda")


@elementwise
def gram_error_features(eps: float, *, block: int = 1, **known: Any) -> int:
    """Return the least number of features at which :func:`gram_error` is at most `eps`.

    Parameters
    ----------
    eps : float or array
        Target Delta.
    block : int
        Columns that share a draw.
    **known
        `ridge`, `delta` and what else :func:`gram_error` is told.

    Returns
    -------
    int
        The least m, a multiple of `block`: with one block fewer the bound exceeds `eps`.

    Raises
    ------
    TypeError, ValueError
        As :func:`gram_error`; or if 10^18 blocks are not enough.

    See Also
    --------
    gram_error : The bound at a given m.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.bounds import spectral
    >>> decay = 200 * 0.5 ** np.arange(20)
    >>> spectral.gram_error_features(0.5, ridge=2.0, delta=0.01, eigenvalues=decay, sup=1.5)
    1267
    """
    require_positive(eps=eps)
    # The eigenvalues once, not for each m.
    mu = eigenvalues_of(known.pop("gram", None), known.pop("eigenvalues", None))
    options = {"eigenvalues": mu, "block": block, **known}
    blocks(block, block)
    return block * least_features(lambda m: gram_error(m * block, **options).value, eps)


@elementwise
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
) -> Bound:
    r"""Bound the operator norm of the error of the Gram matrix.

    .. math:: P\big(\|\hat K_m - K\| > \varepsilon\big) \le \delta

    by the inequality of :func:`gram_error` with beta the eigenvalues of K and s = |phi|^2, the
    squared length of a block's features of all rows.

    Parameters
    ----------
    n_features, delta, gram, eigenvalues, sup, lipschitz, block
        As in :func:`gram_error`.
    variance : array, shape (n, n), optional
        As there: (sum of variance/(m delta))^(1/2).

    Returns
    -------
    Bound
        The single term "deviation", in units of K.

    See Also
    --------
    gram_error : Relative to K + lambda.

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
    require_probability(delta=delta)
    m = blocks(n_features, block)
    mu = eigenvalues_of(gram, eigenvalues)
    if variance is not None:
        return _by_variance(n_features, variance, None, delta, mu, sup, None, lipschitz)
    known = know(mu, ridge=None, sup=sup, leverage=None, lipschitz=lipschitz)
    return _bound(known, m, delta, "operator norm of the error of the Gram matrix")


def _bound(known: Known, m: int, delta: float, quantity: str) -> Bound:
    value = deviation(*tails(known.beta, known.level, m), float(known.beta[0]), delta)
    return Bound(
        statement=STATEMENT,
        form="proved",
        quantity=quantity,
        terms=(Term("deviation", value, _FORMULA),),
        probability=1 - delta,
        assumptions=known.assumptions,
    )


def _by_variance(
    m: int, variance: Any, ridge: float | None, delta: float, mu: Any, *others: float | None
) -> Bound:
    if any(one is not None for one in others):
        raise ValueError("give variance alone, or sup, leverage, lipschitz without it")
    given = _arrays.to_host(variance) if _arrays.is_array(variance) else variance
    matrix = require_reals("variance", given)
    if matrix.shape != (mu.size, mu.size):
        raise ValueError(f"variance has shape {matrix.shape}, and K is of {mu.size} rows")
    if matrix.min() < -1e-9 * matrix.max():
        raise ValueError("variance has a negative entry")
    total = math.fsum(np.maximum(matrix, 0.0).flat)
    value = math.sqrt(total / (m * delta)) / (1.0 if ridge is None else ridge)
    return Bound(
        statement=STATEMENT,
        form="proved",
        quantity="spectral error of the Gram matrix",
        terms=(Term("deviation", value, r"\sqrt{\sum_{ij}V_{ij}/(m\delta)}/\lambda"),),
        probability=1 - delta,
        assumptions=(
            Assumption("blocks of features are independent, with the mean K"),
            Assumption("the variance of their products is this"),
        ),
    )
