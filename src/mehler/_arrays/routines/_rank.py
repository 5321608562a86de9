"""The numerical rank of a Gram matrix: which of its eigenvalues are more than rounding.

Every cut in the library is made here. One rule, because two that differ give two answers to one
question: below it an eigenvalue is whatever the processor's order of summation left there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._arrays._dtypes import dtype_name
from mehler._arrays._namespace import Array

# Of both terms of the rule. Measured on repeated columns, 20 to 10^5 rows and 3 to 1500 columns of
# rank 1 to 400, on the kernels of OpenBLAS for three kinds of processors: at most 0.9 and 0.5.
_SAFETY = 4.0


def least_resolved(
    xp: Any, values: Array, *, products: str, features: str, squares: Any = None
) -> Array:
    r"""The largest eigenvalue of a Gram matrix that rounding can make out of nothing.

    .. math:: \max\Big\{4\big(e\sqrt{t s} + u\sqrt m\,s\big),\; (4 f)^2 \sum_i |z_i|^2\Big\}

    with s the largest eigenvalue and t the sum of those above 0. Entries of a Gram are off by
    about :math:`e\sqrt{G_{ii}G_{jj}}`, each by its own, and a random matrix of such entries has
    norm :math:`e\sqrt{ts}`; the decomposition of m columns adds :math:`u\sqrt m\,s`; and features
    that are themselves rounded have singular values of :math:`f` times their length.

    Parameters
    ----------
    xp : namespace
    values : array, shape (m,)
        Eigenvalues in any order, in the dtype of the decomposition, whose eps is u.
    products : str
        Dtype in which the products were formed: its eps is e.
    features : str
        Dtype of the features: its eps is f.
    squares : array or float, optional
        Sum of squares of the features before they were centred; default t.

    Returns
    -------
    array, shape ()
        0 for a Gram of zeros.
    """
    positive = xp.where(values > 0.0, values, xp.zeros_like(values))
    total = xp.sum(positive)
    norm = xp.sqrt(total if squares is None else squares + 0.0 * total)
    rounded = least_singular(norm, features) ** 2
    return xp.maximum(_formed(xp, xp.max(positive), total, values.shape[0], products), rounded)


def least_singular(norm: Array, features: str) -> Array:
    """The largest singular value that rounding can make, of features with that Frobenius norm."""
    return 4.0 * _eps(features) * norm


def least_pivot(xp: Any, squared_norm: Array, trace: Array, order: int, *, products: str) -> Array:
    """The same of a Gram matrix that is factorised, not decomposed: a pivot below it is rounding.

    Frobenius' norm stands for the largest eigenvalue, which it is not below.
    """
    return _formed(xp, xp.sqrt(squared_norm), trace, order, products)


def _formed(xp: Any, largest: Array, total: Array, order: int, products: str) -> Array:
    formed = _eps(products) * xp.sqrt(total) * xp.sqrt(largest)
    decomposed = _eps(dtype_name(largest.dtype)) * float(order) ** 0.5 * largest
    return _SAFETY * (formed + decomposed)


def _eps(name: str) -> float:
    return float(np.finfo(name).eps)
