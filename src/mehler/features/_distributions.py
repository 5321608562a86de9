"""Distributions of single features, and kurtosis of products of two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import _arrays, exact
from mehler._arrays import Array
from mehler.exact import centred_moment
from mehler.features import _correlation


def product_kurtosis(self: Any, X: Array, Y: Array | None = None) -> Array:
    """Compute the kurtosis of one feature product, E(P - EP)^4 / Var(P)^2, shape (n, k).

    Exact for codes, decoupled units and Fourier features, and up to the kernel's accuracy for
    kitchen sinks; a bound for maxout units, and the bound 4/Var(P) at nearly equal rows for
    spectra that do not define their own kurtosis, as the Gaussian one does. Rows, result and errors
    are as for :meth:`kernel`.
    """
    kurtosis: Array = self._of_rows(X, Y, self._kurtosis_of)
    return kurtosis


def feature_cdf(self: Any, X: Array, t: Array) -> Array:
    r"""Compute the distribution function of a feature times sqrt(n_features), shape (n, k).

    .. math:: F_x(t) = \Phi(t/|x| + c)^q, \qquad \Phi\Big(\frac t{\sigma(q)|x|}\Big), \qquad
              1 - \tfrac1\pi\arccos(t/\sqrt2)

    of maxout features (:math:`c = h_1(q)` if centred, else 0), of decoupled ones, and of Fourier
    features with an offset, which makes it the same for every row and kernel. That of a kitchen
    sink follows from its activation and law. ValueError for Fourier pairs, whose cosines and sines
    have two distributions, and for an activation or a law that defines none.

    Parameters
    ----------
    X : array, shape (n, n_inputs)
        Rows.
    t : array, shape (n, k)
        Arguments for each row, in the namespace of `X`.

    Returns
    -------
    array, shape (n, k)
        In the namespace and float dtype of `X`, computed on the host; relative error about
        1e-15 max(1, q |log Phi|) for maxout units.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> phi = mehler.FourierFeatures.draw(2, 10, form="offset", seed=0)
    >>> float(phi.feature_cdf(np.eye(2), np.ones((2, 1)))[0, 0])
    0.75
    >>> phi = mehler.KitchenSinks.draw(2, 10, activation="relu", seed=0)
    >>> phi.feature_cdf(np.eye(2)[:1], np.array([[-1.0, 0.0]])).tolist()
    [[0.0, 0.5]]
    """
    self._require_law()
    values: Array = self._cdf_of(X, t)
    return values


def cdf(X: Array, t: Array, of_unit: Callable[[Any], Any], *, homogeneous: bool = True) -> Array:
    """Compute P(|x_i| M <= t[i, j]), or P(M <= t[i, j]), for M with cdf `of_unit`."""

    def at(rows: Any, values: Any) -> Any:
        length = _correlation.lengths(np, rows) if homogeneous else np.ones((len(rows), 1))
        scaled = values / np.where(length > 0.0, length, 1.0)
        return np.where(length > 0.0, of_unit(scaled), values >= 0.0)

    return on_host(X, t, at)


@np.errstate(over="ignore")
def on_host(X: Array, t: Array, function: Callable[[Any, Any], Any]) -> Array:
    """Compute a cdf of rows and values, (n, k), in float64 on the host; return where rows live."""
    _arrays.require_matrix(X, name="X")
    _arrays.array_namespace(X, t, names=("X", "t"))
    _arrays.real_dtype(t, name="t")
    if t.ndim != 2 or t.shape[0] != X.shape[0]:
        raise ValueError(
            f"t has shape {tuple(t.shape)} but must have one row of values for each of the "
            f"{X.shape[0]} rows of X"
        )
    _arrays.require_no_gradient(X, t, what="the distribution of a feature")
    rows, values = (np.asarray(_arrays.to_host(a), dtype=np.float64) for a in (X, t))
    return _arrays.from_host(function(rows, values), _arrays.place_of(X), _arrays.real_dtype(X))


def maxout_kurtosis(rho: Array, q: int, *, centred: bool) -> Array:
    """Bound the kurtosis of M M', or of (M - h_1)(M' - h_1); exact at rho = 0.

    With a = M - h_1, b = M' - h_1, (M M' - K)^4 is a polynomial sum C_ij a^i b^j. The covariance
    matrix of (a^i) and (b^j) is G(rho) = sum over n of rho^n times positive semidefinite parts
    (Mehler), so 0 <= G(rho) <= rho G(1) for rho >= 0 and -|rho| G(1) <= G(rho) <= rho^2 G(1) for
    rho < 0, and tr(C G(rho)) is bounded by the eigenvalues of L' C L, where G(1) = L L'.
    """
    _arrays.require_no_gradient(rho, what="the kurtosis of maxout features")
    place = _arrays.place_of(rho)
    r = np.asarray(_arrays.to_host(rho), dtype=np.float64)
    flat = r.ravel()
    offset = 0.0 if centred else exact.max_moment(1, q)
    product = np.full((flat.size, 2, 2), offset)
    product[:, 0, 0] = -exact.centred_kernel(flat, q)
    product[:, 1, 1] = 1.0
    square = _multiplied(product, product)
    fourth = _multiplied(square, square)

    moments = np.array([1.0, 0.0] + [centred_moment(k, q) for k in range(2, 9)])
    joint = moments[np.add.outer(np.arange(5), np.arange(5))]
    root = np.linalg.cholesky((joint - np.outer(moments[:5], moments[:5]))[1:, 1:])
    independent = np.einsum("nij,i,j->n", fourth, moments[:5], moments[:5])
    values = np.linalg.eigvalsh(root.T @ fourth[:, 1:, 1:] @ root)
    above, below = np.maximum(values, 0.0).sum(axis=1), np.maximum(-values, 0.0).sum(axis=1)
    covariance = np.where(flat >= 0.0, flat * above, flat**2 * above - flat * below)
    variance = (exact.centred_variance if centred else exact.maxout_variance)(flat, q)
    bound = ((independent + covariance) / variance**2).reshape(r.shape)
    return _arrays.from_host(bound, place, rho.dtype)


def _multiplied(left: Array, right: Array) -> Any:
    """Multiply polynomials in a and b, coefficients in the last two axes."""
    n = left.shape[1] + right.shape[1] - 1
    out = np.zeros((left.shape[0], n, n))
    for i in range(left.shape[1]):
        for j in range(left.shape[2]):
            piece = out[:, i : i + right.shape[1], j : j + right.shape[2]]
            piece += left[:, i, j, None, None] * right
    return out


def decoupled_kurtosis(rho: Array, q: int) -> Array:
    """Compute the kurtosis: given the winner that of Gaussians of correlation rho, or of 0."""
    kappa = exact.collision_probability(rho, q)
    square = rho * rho
    mean = kappa * rho
    second = 1.0 + 2.0 * kappa * square
    third = kappa * rho * (9.0 + 6.0 * square)
    fourth = 9.0 + kappa * square * (72.0 + 24.0 * square)
    central = fourth - 4.0 * mean * third + 6.0 * mean**2 * second - 3.0 * mean**4
    return central / (second - mean**2) ** 2


def indicator_kurtosis(p: Array) -> Array:
    """Compute 1/(p(1 - p)) - 3, of an indicator of probability p; 1 if it is constant."""
    xp = _arrays.array_namespace(p)
    v = p * (1.0 - p)
    moving = v > 0.0
    return xp.where(moving, 1.0 / xp.where(moving, v, xp.ones_like(v)) - 3.0, xp.ones_like(v))
