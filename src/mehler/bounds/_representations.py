"""Norms of representations, and by what maxout units are divided to be at most 1."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from mehler._arrays import Array, array_namespace
from mehler._validate import require_choice
from mehler.bounds._arguments import Counts, Floats, Reals, counts, positives, require_host


def norm_pi(alpha: Array, density: Array) -> float:
    r"""Return the sup norm of a representation relative to the sampling density.

    .. math:: \|\alpha\|_\pi = \sup_\omega \frac{|\alpha(\omega)|}{\pi(\omega)}

    The norm of a function is the infimum of this over all alpha that represent it: a
    representation of the function 0 may have a positive one. It is never below
    :math:`\int|\alpha|` nor below `norm_h`, both of the same representation and density.

    Parameters
    ----------
    alpha, density : array, shape (n,)
        Values of alpha and of pi, not negative, on a grid; or n weights and n probabilities.

    Returns
    -------
    float
        Infinity where alpha is not 0 and the density is. On a grid the supremum over its points.

    Examples
    --------
    >>> import numpy as np
    >>> norm_pi(np.array([0.5, -0.3]), np.array([0.75, 0.25]))
    1.2
    """
    values, pi = _columns(alpha=alpha, density=density)
    return float(np.max(_ratios(values, pi), initial=0.0))


def norm_h(alpha: Array, density: Array, weights: Array | None = None) -> float:
    r"""Return the norm of a representation whose infimum is the norm of the kernel's space.

    .. math:: \|\alpha\|_H = \Big(\int \frac{\alpha(\omega)^2}{\pi(\omega)}\,d\omega\Big)^{1/2}

    The norm of f in the space of :math:`k(x, y) = E_\pi\,\phi(x;\omega)\phi(y;\omega)` is the
    infimum (attained) of this over all alpha that represent f.

    Parameters
    ----------
    alpha, density : array, shape (n,)
        As in :func:`norm_pi`.
    weights : array, shape (n,), optional
        Quadrature weights, not negative; 1 if `density` is the probabilities of n features.

    Returns
    -------
    float
        Infinity where alpha is not 0 and the density is.

    Examples
    --------
    >>> import numpy as np
    >>> round(norm_h(np.array([0.5, -0.3]), np.array([0.75, 0.25])), 6)
    0.832666
    """
    optional = {} if weights is None else {"weights": weights}
    values, pi, *quadrature = _columns(alpha=alpha, density=density, **optional)
    w = quadrature[0] if quadrature else np.ones_like(pi)
    counted = (w > 0) & (values != 0)
    # In units of the largest value, since products with a subnormal number lose all digits, and by
    # hypot, which neither underflows nor overflows.
    largest = float(np.max(values[counted], initial=0.0)) or 1.0
    roots = np.sqrt(w[counted])
    return largest * math.hypot(*(roots * _ratios(values[counted] / largest, np.sqrt(pi[counted]))))


def _ratios(values: Floats, divisors: Floats) -> Any:
    """Divide, with 0 for 0/0 and infinity for what else is divided by 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(values == 0, 0.0, values / divisors)


def _columns(**arrays: Array) -> list[Floats]:
    """Return absolute values, and other arrays as they are, which must not be negative."""
    array_namespace(*arrays.values(), names=tuple(arrays))
    columns = {name: require_host(name, array) for name, array in arrays.items()}
    size = columns["alpha"].size
    for name, values in columns.items():
        if values.ndim != 1 or size == 0:
            raise ValueError(f"{name} has shape {values.shape}: pass one value a feature, (n,)")
        if values.size != size:
            raise ValueError(f"alpha has {size} values and {name} {values.size}: pass as many")
        if name != "alpha" and values.min() < 0:
            raise ValueError(f"{name} holds {float(values.min())!r}: it must not be negative")
    return [np.abs(values) for values in columns.values()]


def feature_scale_maxout(
    n_inputs: Counts,
    pool_size: Counts,
    *,
    radius: Reals,
    by: Literal["frobenius", "longest"] = "frobenius",
) -> Any:
    r"""Compute the mean of b(W), by which maxout units are divided to be at most 1.

    A unit :math:`\phi(x; W) = \max_{j\le q}\langle w_j, x\rangle` with standard normal weights has
    no bound, and the lemmas fail for it. On inputs with :math:`|x| \le R` it is at most b(W),

    .. math::

        b = R\,\|W\|_F: \quad E b = R\sqrt2\,\frac{\Gamma((dq+1)/2)}{\Gamma(dq/2)} \le R\sqrt{dq},
        \qquad b = R\max_j|w_j|: \quad E b \le R\big(\sqrt d + \sqrt{2\log q}\big).

    Draw W from a density proportional to b times the normal one and use :math:`\phi/b`: then all
    bounds of this namespace hold with this number as `feature_scale`.

    Parameters
    ----------
    n_inputs, pool_size, radius : int, int, float, or arrays
        Input dimension d, pool size q, and R, the largest norm of an input.
    by : {"frobenius", "longest"}
        Frobenius: :math:`W/\|W\|_F` is uniform on the unit sphere of dq coordinates, so divide a
        normal draw by its Frobenius norm. Longest: from those, keep each W with probability
        :math:`\max_j|w_j|/\|W\|_F`, and divide by its longest row; a smaller scale.

    Returns
    -------
    float or array
        E b, in units of the radius, to a relative error of 1e-12; the longest row by quadrature.

    Examples
    --------
    >>> from mehler.bounds.kitchen_sinks import feature_scale_maxout
    >>> for by in ("frobenius", "longest"):
    ...     print(round(feature_scale_maxout(20, 4, radius=1.0, by=by), 4))
    8.9164
    5.1502
    """
    d, q = counts(n_inputs=n_inputs, pool_size=pool_size)
    radius = positives(radius=radius)
    if require_choice("by", by, ("frobenius", "longest")) == "longest":
        mean = radius * np.vectorize(_longest, otypes=[float])(d, q)
    else:
        from scipy.special import poch

        # sqrt(2) Gamma((n+1)/2) / Gamma(n/2), n = dq: the ratio without its overflow.
        mean = radius * (math.sqrt(2) * poch(d * q / 2, 0.5))
    if not np.all(np.isfinite(mean)):
        raise ValueError(f"n_inputs={n_inputs!r}, pool_size={pool_size!r}: the mean overflows")
    return mean if np.ndim(mean) else float(mean)


def _longest(d: float, q: float) -> float:
    """Compute the mean largest of q norms: the integral of 1 - P(norm <= r)^q over r >= 0."""
    from scipy.special import gammaincc, log1p

    # Lengths lie within a few of sqrt(d); above, the integrand is below q e^{-u^2/2}, u the excess.
    low = max(0.0, math.sqrt(d) - 8.0)
    high = math.sqrt(d) + math.sqrt(2 * math.log(q)) + 9.0
    # In pieces: the fall from 1 to 0 is about 1/sqrt(2 log q) wide.
    edges = np.linspace(low, high, 13)
    nodes, weights = np.polynomial.legendre.leggauss(64)
    half = (edges[1] - edges[0]) / 2
    r = (edges[:-1, np.newaxis] + half * (nodes + 1)).ravel()
    tail = gammaincc(d / 2, r**2 / 2)
    with np.errstate(divide="ignore"):  # the tail rounds to 1 at small r, whose power is 0
        exceeds = -np.expm1(q * log1p(-tail))
    return low + float(half * (np.tile(weights, len(edges) - 1) @ exceeds))
