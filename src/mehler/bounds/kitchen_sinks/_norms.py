"""Norms of a representation f = int alpha(w) phi(.; w) dw, on a grid of w."""

from __future__ import annotations

import math

from mehler._arrays import Array, array_namespace, to_host


def norm_pi(alpha: Array, density: Array) -> float:
    r"""Return the sup norm of a representation relative to the sampling density.

    .. math:: \|\alpha\|_\pi = \sup_\omega \frac{|\alpha(\omega)|}{\pi(\omega)}

    The norm of a function is the infimum of this over all alpha that represent it: a
    representation of the function 0 may have a positive one. It is never below
    :math:`\int|\alpha|` nor below `norm_h`, both of the same representation and density.

    Parameters
    ----------
    alpha : array, shape (n,)
        Values of alpha on a grid, or the weights of n features.
    density : array, shape (n,)
        pi on the same grid, or the n probabilities; not negative.

    Returns
    -------
    float
        Infinity where alpha is not 0 and the density is. On a grid the supremum over its points.

    Raises
    ------
    TypeError
        Not arrays, or arrays of two libraries.
    ValueError
        Shapes that differ or are empty, NaN or infinity, a negative density.

    See Also
    --------
    norm_h : The norm of the kernel's space.
    lemma_1 : A bound for functions of this norm at most C.

    References
    ----------
    A. Rahimi, B. Recht, Weighted sums of random kitchen sinks (2008).

    Examples
    --------
    >>> import numpy as np
    >>> norm_pi(np.array([0.5, -0.3]), np.array([0.75, 0.25]))
    1.2
    """
    values, pi = _on_host(alpha=alpha, density=density)
    largest = 0.0
    for a, p in zip(values, pi, strict=True):
        if a != 0:
            largest = max(largest, abs(a) / p if p > 0 else math.inf)
    return largest


def norm_h(alpha: Array, density: Array, weights: Array | None = None) -> float:
    r"""Return the norm of a representation whose infimum is the norm of the kernel's space.

    .. math:: \|\alpha\|_H = \Big(\int \frac{\alpha(\omega)^2}{\pi(\omega)}\,d\omega\Big)^{1/2}

    The norm of f in the space of :math:`k(x, y) = E_\pi\,\phi(x;\omega)\phi(y;\omega)` is the
    infimum (attained) of this over all alpha that represent f.

    Parameters
    ----------
    alpha : array, shape (n,)
        Values of alpha on a grid, or the weights of n features.
    density : array, shape (n,)
        pi on the same grid, or the n probabilities; not negative.
    weights : array, shape (n,), optional
        Quadrature weights; 1 if `density` is the probabilities of n features.

    Returns
    -------
    float
        Infinity where alpha is not 0 and the density is.

    Raises
    ------
    TypeError, ValueError
        As in `norm_pi`; a negative weight.

    See Also
    --------
    norm_pi : The sup norm relative to the density.

    References
    ----------
    A. Rahimi, B. Recht, Weighted sums of random kitchen sinks (2008).

    Examples
    --------
    >>> import numpy as np
    >>> round(norm_h(np.array([0.5, -0.3]), np.array([0.75, 0.25])), 6)
    0.832666
    """
    if weights is None:
        values, pi = _on_host(alpha=alpha, density=density)
        each = [1.0] * len(values)
    else:
        values, pi, each = _on_host(alpha=alpha, density=density, weights=weights)
    # In units of the largest value, since products with a subnormal number lose all digits.
    # hypot neither underflows nor overflows.
    counted = (abs(a) for a, w in zip(values, each, strict=True) if w > 0)
    largest = max(counted, default=0.0) or 1.0
    return largest * math.hypot(
        *(
            abs(a) / largest * math.sqrt(w) / math.sqrt(p) if p > 0 else math.inf
            for a, p, w in zip(values, pi, each, strict=True)
            if a != 0 and w > 0
        )
    )


def _on_host(**arrays: Array) -> list[list[float]]:
    """Validate values and return them as floats; all arrays but the first must be non-negative."""
    array_namespace(*arrays.values(), names=tuple(arrays))
    found: list[list[float]] = []
    for name, array in arrays.items():
        values = to_host(array)
        if values.ndim != 1 or values.size == 0:
            raise ValueError(
                f"{name} has shape {tuple(values.shape)}: pass one value a feature, shape (n,) "
                "with n of at least 1"
            )
        if values.dtype.kind not in "biuf":
            raise TypeError(f"{name} holds {values.dtype} values: pass real numbers")
        numbers = [float(one) for one in values]
        if not all(map(math.isfinite, numbers)):
            raise ValueError(f"{name} holds NaN or infinity: drop such points first")
        if found and min(numbers) < 0:
            raise ValueError(f"{name} holds {min(numbers)!r}: it must not be negative")
        if found and len(numbers) != len(found[0]):
            raise ValueError(
                f"alpha has {len(found[0])} values and {name} {len(numbers)}: give one each a point"
            )
        found.append(numbers)
    return found
