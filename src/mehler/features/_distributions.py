"""Methods that maps take over: distribution function of a feature, kurtosis of its product P."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler.features import _correlation


def product_kurtosis(self: Any, X: Array, Y: Array | None = None) -> Array:
    """Compute the kurtosis of one feature product, E(P - EP)^4 / Var(P)^2, shape (n, k).

    Exact for codes, decoupled units and Fourier features, and up to the kernel's accuracy for
    kitchen sinks; a bound for maxout units, and the bound 4/Var(P) at nearly equal rows for spectra
    that define no kurtosis, as the Gaussian one does. Rows, result and errors are :meth:`kernel`'s.
    """
    return self._of_rows(X, Y, self._kurtosis_of)


def feature_cdf(self: Any, X: Array, t: Array) -> Array:
    r"""Compute the distribution function of a feature times sqrt(n_features), shape (n, k).

    .. math:: F_x(t) = \Phi(t/|x| + c)^q, \qquad \Phi\Big(\frac t{\sigma(q)|x|}\Big), \qquad
              1 - \tfrac1\pi\arccos(t/\sqrt2)

    of maxout features of pools of q (c is the mean :math:`h_1(q)` of the largest of q normals if
    centred, else 0), of decoupled ones, and of Fourier features with an offset, the same for every
    row and kernel. That of a kitchen sink follows from activation and law. ValueError for Fourier
    pairs, of two distributions, and for an activation or a law that defines none.

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
    return self._cdf_of(X, t)


def cdf(X: Array, t: Array, of_unit: Callable[[Any], Any], *, homogeneous: bool = True) -> Array:
    """Compute P(|x_i| M <= t[i, j]), or P(M <= t[i, j]), for M with cdf `of_unit`."""

    def at(rows: Any, values: Any) -> Any:
        length = _correlation.lengths(np, rows) if homogeneous else np.ones((len(rows), 1))
        quotient = values / np.where(length > 0.0, length, 1.0)
        return np.where(length > 0.0, of_unit(quotient), values >= 0.0)

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
