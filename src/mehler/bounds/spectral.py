r"""Bound how far the Gram matrix of m features is from the kernel, and m features from functions.

The first is the largest eigenvalue of the error, relative to the kernel K and a ridge as ridge
regression needs it, or without a ridge. The second is the distance of functions in the kernel's
space from combinations of features. Features may be bounded, or functions of Gaussian weights.
Proofs are in :doc:`/theorems/features-gram-error` and :doc:`/theorems/features-nearest`;
:func:`mehler.bounds.solve` returns sufficient numbers of features. What the bounds share:

n_features : int or array
    Columns m, in M = m/block independent blocks; :math:`\hat K_m` is their Gram matrix at the rows.
norm : float
    B, the radius of the ball of functions, in the norm of the space of K.
block : int
    Columns that share a draw: 2 for pairs of cosine and sine.
delta : float or array
    The bound holds with probability at least 1 - delta.
gram : array, shape (n, n)
    The exact kernel K of the rows, as ``phi.kernel(X)``; or `eigenvalues`.
eigenvalues : array, shape (n,)
    All n eigenvalues mu of K, zeros included.

How large one block's features are, one or more of these:

sup : float
    An upper bound of the length of one block's features of a row, normalised so that their mean
    square is K(x, x): 1 for pairs of cosine and sine (block=2), sqrt 2 for a cosine with an
    offset. Then the leverage is at most n sup^2/lambda.
leverage : float
    A bound of the largest ridge leverage s = <phi, (K + lambda)^(-1) phi> of a block.
lipschitz : float
    For features that are functions of standard normals, with or without a bound: those of the
    rows, (n,), are this Lipschitz in them. The largest singular value of the rows for maxout and
    1-Lipschitz activations; (2 gamma)^(1/2) times it for Gaussian frequencies.
"""

from __future__ import annotations

import math

import numpy as np

from mehler._validate import require_positive
from mehler.bounds import _spectra
from mehler.bounds._arguments import counts, positives, probabilities, require_host, squares
from mehler.bounds._bound import Assumption, Bound, Counts, Floats, Reals, Term, bound

__all__ = ["approximation", "gram_error"]


@bound("features.gram-error", "spectral error of the Gram matrix over K + lambda", "n_features")
def gram_error(
    n_features: Counts,
    *,
    delta: Reals,
    ridge: float | None = None,
    gram: Floats | None = None,
    eigenvalues: Floats | list[float] | None = None,
    sup: float | None = None,
    leverage: float | None = None,
    lipschitz: float | None = None,
    variance: Floats | None = None,
    block: Counts = 1,
) -> Bound:
    r"""Bound the spectral error of the Gram matrix, relative to the kernel and a ridge.

    .. math:: P\big(\|(K+\lambda)^{-1/2}(\hat K_m - K)(K+\lambda)^{-1/2}\| > \Delta\big)
              \le \delta, \qquad \sum_\pm
              \frac{\sum_i (e^{a_\pm\beta_i + w_\pm 1\{i=1\}} - 1)}{\psi(\theta_\pm\Delta)} = \delta

    with psi(x) = e^x - 1 - x, beta_i = mu_i/(mu_i + lambda), s the `leverage` of a block, and, for
    any theta and L, of which the best are taken, a = M psi(+-theta L/M)/L and w = M E[psi(+-theta
    s/M); s > L], which is 0 where s <= L surely. Term: "deviation". One eigenvalue decomposition,
    then about 0.03 s at n = 5000. Proof: :doc:`/theorems/features-gram-error`; arguments:
    :mod:`mehler.bounds.spectral`. Sharper than J. A. Tropp (2015), Theorem 7.7.1.

    Parameters
    ----------
    ridge : float, optional
        lambda, in units of K: lambda of ridge regression on n rows, not divided by n. Without it
        the operator norm of K_m - K, in units of K: beta are then the eigenvalues of K, and s is
        the squared length of a block's features of all rows, at most n sup^2.
    variance : array, shape (n, n), optional
        Instead, for any map: m Var of the entries, V, as ``phi.variance(X)``, by Chebyshev's
        inequality for the Frobenius norm: Delta = (sum of V/(m delta))^(1/2)/lambda.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.bounds import spectral
    >>> setting = {"ridge": 2.0, "eigenvalues": 200 * 0.5 ** np.arange(20), "sup": 1.5}
    >>> round(spectral.gram_error(20_000, delta=0.01, **setting).value, 3)
    0.122
    """
    mu, quantity = _spectra.eigenvalues_of(gram, eigenvalues), ""
    sizes = {"sup": sup, "leverage": leverage, "lipschitz": lipschitz}
    if ridge is not None:
        require_positive("ridge", ridge)
    elif leverage is not None:
        raise ValueError("leverage is that at a ridge: give ridge")
    else:
        quantity = "operator norm of the error of the Gram matrix"
    m, chance = _spectra.blocks(n_features, block), probabilities(delta=delta)
    if variance is None:
        size = _spectra.size_of(mu, ridge=ridge, **sizes)
        value = np.vectorize(lambda k, p: _spectra.deviation(size, k, p), otypes=[float])(m, chance)
        assumptions = size.assumptions
    else:
        if any(size is not None for size in sizes.values()):
            raise ValueError("give variance alone, or sup, leverage, lipschitz without it")
        matrix = require_host("variance", variance)
        if matrix.shape != (mu.size, mu.size):
            raise ValueError(f"variance has shape {matrix.shape}, and K is of {mu.size} rows")
        if matrix.min() < -1e-9 * matrix.max():
            raise ValueError("variance has a negative entry")
        total = math.fsum(np.maximum(matrix, 0.0).flat)
        value = np.sqrt(total / (counts(n_features=n_features) * chance)) / (ridge or 1.0)
        assumptions = (_spectra.MEAN, Assumption("the variance of their products is this"))
    terms = (Term("deviation", value),)
    return Bound(terms=terms, probability=1 - chance, assumptions=assumptions, quantity=quantity)


_NEAREST = "mean square distance of the nearest combination of features, worst of a ball"
# Values tried of lambda, over mu_1/N, and of theta, over M/nu.
_RIDGES = np.geomspace(1e-8, 10.0, 55)
_TILTS = np.geomspace(1e-4, 1e3, 400)
_FEW = 1e-12
# Values of t at which the integral is summed, dense towards 0 and 1.
_STEPS = np.unique(
    np.concatenate([np.geomspace(1e-6, 0.5, 120), 1 - np.geomspace(0.5, 1e-12, 240)])
)


@bound("features.nearest", _NEAREST, "n_features")
def approximation(
    n_features: Counts,
    *,
    norm: Reals,
    gram: Floats | None = None,
    eigenvalues: Floats | list[float] | None = None,
    kurtosis: float | None = None,
    sup: float | None = None,
    leverage: float | None = None,
    lipschitz: float | None = None,
    ridge: float | None = None,
    block: Counts = 1,
) -> Bound:
    r"""Bound how far m features are from the functions of a ball, with the best weights.

    .. math:: E\sup_{\|f\|_H \le B}\min_{\alpha \in R^m}\frac1N\sum_{i \le N}\Big(f(x_i)
              - \sum_l\alpha_l\phi_l(x_i)\Big)^2 \le
              \min_\lambda B^2\lambda\int_0^{\Delta_1}\frac{p_m(t)}{(1-t)^2}\,dt

    over N rows x_i and functions of norm at most B in the kernel's space H, with :math:`\lambda
    \Delta_1/(1-\Delta_1) = \mu_1/N` and p_m(t) a bound of the chance that :math:`\hat K_m +
    N\lambda` is not above 1 - t times :math:`K + N\lambda`. Term: "nearest", a mean square.
    `trivial` is B^2 mu_1/N. Proof: :doc:`/theorems/features-nearest`; arguments:
    :mod:`mehler.bounds.spectral`. After F. Bach (2017).

    Parameters
    ----------
    leverage : float
        That at N lambda; it needs `ridge`.
    kurtosis : float, optional
        c^2, at least 1: :math:`E\langle v, Gv\rangle^2 \le c^2\langle v, Kv\rangle^2` for all v
        and the Gram matrix G of one block; 3 for linear units, Gaussian over the weights. Then
        :math:`p_m(t) = \inf_\theta\sum_i(e^{\theta^2\nu\beta_i/(2M)} - 1)/\psi(\theta t)` with
        :math:`\nu = c^2\sum_i\beta_i`, :math:`\beta_i = \mu_i/(\mu_i + N\lambda)`.
    ridge : float, optional
        lambda of the proof, in units of mean squares; by default the best of a grid.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.bounds import spectral
    >>> mu, m = 200 * 0.5 ** np.arange(1, 201), np.array([200, 1000, 5000])
    >>> bound = spectral.approximation(m, norm=1.0, eigenvalues=mu, kurtosis=3.0)
    >>> print(*(f"{value:.1e}" for value in bound.value))
    3.6e-02 9.3e-05 3.2e-09
    """
    m, square = _spectra.blocks(n_features, block), squares(norm=positives(norm=norm))
    mu = _spectra.eigenvalues_of(gram, eigenvalues)
    has_size = (sup, leverage, lipschitz) != (None, None, None)
    if kurtosis is None and not has_size:
        raise ValueError("give kurtosis, sup, leverage or lipschitz: how large features are")
    if kurtosis is not None and require_positive("kurtosis", kurtosis) < 1:
        raise ValueError(f"kurtosis={kurtosis!r} is below 1, which no mean of squares is")
    if leverage is not None and ridge is None:
        raise ValueError("leverage is that at a ridge: give ridge")
    cap = float(mu[0]) / mu.size
    lams = _RIDGES * cap
    if ridge is not None:
        lams = np.array([require_positive("ridge", ridge)])
        if not _FEW * cap <= ridge <= cap / _FEW:
            raise ValueError(
                f"ridge={ridge!r} must be within 1e12 times {cap:.6g}, the largest error"
            )

    def size(lam: float) -> _spectra.Size:
        lam *= mu.size
        return _spectra.size_of(mu, ridge=lam, sup=sup, leverage=leverage, lipschitz=lipschitz)

    def least(m: float) -> float:
        distances = [cap]
        for lam in lams.tolist():
            beta, sides = mu / (mu + mu.size * lam), []
            # With far fewer blocks the bound is vacuous.
            if kurtosis is not None and m > _FEW * kurtosis * math.fsum(beta):
                sides.append(_of_moments(beta, kurtosis * math.fsum(beta), m))
            if has_size:
                sides.append(_spectra.tail(size(lam), m, -1))
            distances += [_mean(below, float(beta[0]), lam, cap) for below in sides]
        return min(distances)

    assumptions = size(float(lams[-1])).assumptions if has_size else (_spectra.MEAN,)
    if kurtosis is not None:
        text = "squares of combinations of a block's features have this kurtosis or less"
        assumptions += (Assumption(text),)
    value = square * np.vectorize(least, otypes=[float])(m)
    return Bound(terms=(Term("nearest", value),), trivial=square * cap, assumptions=assumptions)


def _of_moments(beta: Floats, spread: float, m: float) -> _spectra.Tail:
    """Bound p_m by the kurtosis, for `spread` = nu."""
    theta = _TILTS * m / spread
    rise = theta**2 * spread / (2 * m)
    return _spectra.Tail(theta, _spectra.log_sums(rise, np.zeros_like(rise), beta))


def _mean(below: _spectra.Tail, largest: float, ridge: float, cap: float) -> float:
    """Bound the integral for one lambda, the mean of min(lambda t/(1 - t), cap), from above."""
    starts = np.concatenate([[0.0], _STEPS])
    edges = np.minimum(np.concatenate([[0.0], ridge * _STEPS / (1 - _STEPS), [np.inf]]), cap)
    rises, chances = np.diff(edges), np.zeros(starts.size)
    chances[0] = 1.0
    # The chance is 0 from t = beta_1 on.
    inside = (rises > 0) & (starts > 0) & (starts < largest)
    chances[inside] = np.exp(np.minimum(0.0, below.log_probability(starts[inside])))
    return math.fsum(rises * chances)
