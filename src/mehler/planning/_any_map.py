"""Plan the number of features of any map that declares its variance, on given rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._validate import (
    require_integer,
    require_positive,
    require_probability,
    require_reals,
)
from mehler.planning._plan import Plan, Row
from mehler.planning._table import normal_row
from mehler.verify import features_needed

# In units of the kernel, whose squares are floats.
_LARGEST_EPS = 1e100


def plan_map(
    phi: Any, X: Any, *, eps: float = 0.1, delta: float = 0.01, n_samples: int | None = None
) -> Plan:
    r"""Plan how many features a map needs for its Gram matrix to be within eps on all pairs.

    .. math:: m = V \Big(\frac{\Phi^{-1}(1 - \delta / 2P)}{\epsilon}\Big)^2, \qquad
              V = \max_{x, y} \frac{m \operatorname{Var}\langle\phi(x), \phi(y)\rangle}
                  {k(x,x)\,k(y,y)}, \qquad P = \tfrac{N(N+1)}2

    Parameters
    ----------
    phi : FeatureMap
        Any map with ``kernel`` and ``variance``; its own number of features does not matter.
    X : array, shape (n, d)
        Rows at whose pairs, the diagonal included, the variance is looked at.
    eps : float
        Error of the Gram matrix, in units of sqrt(k(x,x) k(y,y)).
    delta : float
        Probability of a larger error at any pair.
    n_samples : int, optional
        Rows N that are planned for; default n.

    Returns
    -------
    Plan
        An asymptotic row, for the inner products themselves, and a proved one, for Catoni's
        estimate in the place of their mean (:func:`mehler.verify.features_needed`), which holds at
        every size.

    Raises
    ------
    ValueError
        If k(x, x) = 0 at a row.

    Notes
    -----
    V is exact or an upper bound, as the map declares, but looked at on `X` alone: give rows that
    are like those planned for. Cost: one kernel and one variance matrix, n by n.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> phi = mehler.FourierFeatures.draw(2, 10, gamma=0.5, seed=0)
    >>> X = np.random.default_rng(0).standard_normal((50, 2))
    >>> for row in mehler.planning.plan_map(phi, X, eps=0.1).rows:
    ...     print(row.kind, row.features)
    asymptotic 1998
    proved 2720
    """
    eps, delta = require_positive("eps", eps), require_probability("delta", delta)
    if eps > _LARGEST_EPS:
        raise ValueError(f"eps={eps!r} must be at most {_LARGEST_EPS:g}")
    rows = np.asarray(_arrays.to_host(X)) if _arrays.is_array(X) else require_reals("X", X)
    _arrays.require_matrix(rows, name="X")
    n = require_integer("n_samples", rows.shape[0] if n_samples is None else n_samples)
    variance = relative_variance(phi, rows)
    setting = {
        "eps": eps,
        "delta": delta,
        "map": type(phi).__name__,
        "n_samples": n,
        "variance": variance,
    }
    planned = rows_of_variance(variance, eps=eps, delta=delta, n_samples=n)
    return Plan(setting=setting, rows=planned)


def relative_variance(phi: Any, X: Any) -> float:
    """Return the largest m Var<phi(x), phi(y)> / (k(x,x) k(y,y)) at the pairs of some rows."""
    for part in ("kernel", "gram_variance"):
        if not callable(getattr(phi, part, None)):
            raise TypeError(f"phi is {type(phi).__name__}, which has no {part}(X): pass a map")
    rows = np.asarray(_arrays.to_host(X), dtype=np.float64)
    length = np.diag(np.asarray(phi.kernel(rows)))
    if not (length > 0).all():
        raise ValueError(
            f"k(x, x) = {length.min():.6g} at row {int(np.argmin(length))} of X: errors are "
            "relative to it, so leave such rows out"
        )
    # gram_variance knows of units that depend on each other.
    spread = phi.n_features * np.asarray(phi.gram_variance(rows))
    # A variance that is 0 up to rounding needs some features all the same.
    return max(float(np.max(spread / np.outer(length, length))), 1e-12)


def rows_of_variance(
    variance: float, *, eps: float, delta: float, n_samples: int
) -> tuple[Row, Row]:
    """Return the asymptotic and the proved row for a relative variance."""
    pairs = n_samples * (n_samples + 1) // 2
    quantity = f"largest error of the Gram matrix over sqrt(k(x,x) k(y,y)), {n_samples} rows"
    declared = ("the variance is nowhere larger than at the rows given",)
    limit = normal_row(quantity, {"eps": eps, "delta": delta}, pairs, variance=variance)
    # Half each for an interval that misses the truth, and for one that is too wide.
    fraction = delta / pairs / 2
    return (
        replace(limit, name="central limit, union over pairs", statement="", assumptions=declared),
        Row(
            quantity=quantity,
            name="Catoni's estimate, union over pairs",
            kind="proved",
            features=features_needed(variance, 2 * eps, fraction, fraction),
            probability=1 - delta,
            assumptions=declared,
            note="for Catoni's estimate of the mean product",
        ),
    )
