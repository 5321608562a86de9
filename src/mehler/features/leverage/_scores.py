"""Ridge leverage scores: how much each feature of a pool matters to ridge regression on rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_choice, require_positive, require_reals
from mehler.features.leverage._selector import require_groups, sum_groups

ScoreMethod: TypeAlias = Literal["auto", "svd", "gram"]
# Least lam in roundings of |A|, or of |A|^2 if products of rows are formed.
_ROUNDINGS = 1e3
# Roundings of |A|^2 beyond which 'auto' forms products of rows: scores to 1e-9.
_AMPLE = 1e9


@dataclass(frozen=True, eq=False, kw_only=True)
class LeverageScores:
    r"""Ridge leverage scores of a pool of features, from `ridge_leverage_scores`.

    Attributes
    ----------
    scores : array, shape (M_0,)
        :math:`\tau_i` of the pool's M_0 features, in [0, 1).
    group_scores : array, shape (G,)
        Sums of `scores` over the G groups; `scores` itself without groups.
    group_weights : numpy.ndarray, shape (G,)
        The pool's distribution on groups.
    n_samples : int
        Number N_0 of rows they were estimated from.
    """

    scores: Array
    group_scores: Array
    group_weights: Any
    n_samples: int

    @property
    def degrees_of_freedom(self) -> float:
        r"""Degrees of freedom :math:`d = \sum_i\tau_i`, about the number of features needed."""
        return float(np.sum(_arrays.to_host(self.group_scores), dtype=np.float64))

    @property
    def largest(self) -> float:
        r"""Largest :math:`d_{\max} = \max_i\tau_i/p_i`: about how many plain sampling needs."""
        return float(np.max(_arrays.to_host(self.group_scores) / self.group_weights))

    @property
    def gain(self) -> float:
        """Predicted gain: `largest` over `degrees_of_freedom`; 1 for a pool of zeros."""
        d = self.degrees_of_freedom
        return self.largest / d if d > 0 else 1.0

    @property
    def probabilities(self) -> Any:
        r"""Sampling probabilities :math:`\hat q = \tau/d` of groups, float64 on the host; sum 1.

        For a pool of zeros, the pool's own distribution.
        """
        tau = _arrays.to_host(self.group_scores).astype(np.float64)
        return tau / tau.sum() if tau.any() else np.asarray(self.group_weights)


def ridge_leverage_scores(
    Phi: Array,
    lam: float,
    *,
    pool_weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    method: ScoreMethod = "auto",
) -> LeverageScores:
    r"""Compute ridge leverage scores of the features of a pool.

    .. math:: \tau_i = \big[A^\top A(A^\top A + \lambda)^{-1}\big]_{ii} = p_i\,
        \langle\phi_i, (\hat\Sigma + \lambda)^{-1}\phi_i\rangle, \qquad
        A_{ji} = \phi(x_j, \omega_i)\sqrt{p_i/N_0}

    with :math:`\hat\Sigma` the kernel :math:`\sum_ip_i\phi_i\phi_i^\top` on the N_0 rows.

    Parameters
    ----------
    Phi : array, shape (N_0, M_0)
        Feature values, of a map `phi` of this library ``phi(X) * phi.n_features**0.5``.
    lam : float
        :math:`\lambda > 0`, of kernel ridge regression with penalty ``N * lam`` on N rows.
    pool_weights : array, shape (M_0,), optional
        Distribution p of the pool: positive, sum 1. Default 1/M_0 each.
    groups : array of int, shape (M_0,), optional
        Labels of features that are kept or dropped together, such as cosine and sine.
    method : {'auto', 'svd', 'gram'}, optional
        'svd': QR and singular values. 'gram': Cholesky of the smaller matrix of products, for
        ``lam >= 1000 eps |A|^2``, |A| the Frobenius norm. 'auto', the default: 'gram' where
        ``lam >= 1e9 eps |A|^2``; 'svd' below, and under ``jax.jit``.

    Returns
    -------
    LeverageScores
        With ``scores`` of shape (M_0,) in the namespace, device and real dtype of `Phi`. Features
        that are 0 on all rows score 0.

    Notes
    -----
    Cost: N_0 M_0 min(N_0, M_0) operations. Error, absolute: about ``eps |A|/sqrt(lam)`` for 'svd',
    ``eps |A|^2/lam`` for 'gram', |A| the largest singular value. Features in float32 are scored in
    double precision where this would be above 1e-3 and the device has it; by 'auto' always. In
    'svd' singular values of at most 4 eps |A| (Frobenius) are rounding and score 0, unless lam is
    above that. Under ``jax.jit`` all is in the widest float, and scores that 'gram' would refuse
    are NaN. Of a Dask array the triangular factor is computed at once, chunk by chunk.

    References
    ----------
    Bach (2017); Shahrampour, Kolouri (2019), equations 7 to 16:
    :doc:`/theorems/leverage-score-identity`.

    Examples
    --------
    >>> import numpy as np
    >>> Phi = np.array([[2.0, 0.0], [0.0, 1.0]])
    >>> result = ridge_leverage_scores(Phi, 1.0)
    >>> result.scores.round(4).tolist(), round(result.degrees_of_freedom, 4)
    ([0.5, 0.2], 0.7)
    """
    require_choice("method", method, ("auto", *METHODS))
    lam = require_positive("lam", lam)
    xp, place = _arrays.array_namespace(Phi, names=("Phi",)), _arrays.place_of(Phi)
    _arrays.require_matrix(Phi, name="Phi")
    dtype = _arrays.real_dtype(Phi, name="Phi")
    n_samples, m = Phi.shape
    weights, labels = _require_weights(pool_weights, m), require_groups(groups, m)
    chunked = _arrays.stays_lazy(Phi)
    if chunked:
        Phi = _rows_on_host(xp, Phi)
        xp = _arrays.array_namespace(Phi)
    # Python floats: a float64 scalar would promote float32 arrays.
    scale = _arrays.from_host(np.sqrt(weights) / math.sqrt(n_samples), _arrays.place_of(Phi), dtype)
    a = xp.astype(Phi, dtype, copy=False) * scale[None, :]
    sizes = xp.maximum(xp.max(a, axis=0), -xp.min(a, axis=0))
    scores = xp.astype(_scores_of(xp, a, lam, method, xp.max(sizes)), dtype, copy=False)
    # Factorisations leave rounding for features that are 0 on all rows.
    scores = xp.where(sizes == 0, xp.zeros_like(scores), scores)
    if chunked:
        xp, scores = place.xp, place.xp.asarray(scores)
    return LeverageScores(
        scores=scores,
        group_scores=sum_groups(xp, scores, labels),
        group_weights=np.bincount(labels, weights=weights),
        n_samples=n_samples,
    )


def _require_weights(pool_weights: ArrayLike | None, n: int) -> Any:
    if pool_weights is None:
        return np.full(n, 1.0 / n)
    weights = require_reals("pool_weights", _arrays.to_host(pool_weights))
    if weights.shape != (n,):
        shape = f"not shape {weights.shape}"
        raise ValueError(f"pool_weights must have one number for each of the {n} features, {shape}")
    if not np.all(weights > 0):
        raise ValueError("pool_weights must be positive; drop features of weight 0")
    # float32 weights sum to 1 within their own rounding.
    if abs(total := weights.sum() - 1.0) > 1e-5:
        raise ValueError(f"pool_weights sum to {1 + total:.6g}, not 1: divide them by their sum")
    return weights


def _rows_on_host(xp: ModuleType, phi: Array) -> Any:
    """Return rows on the host with the products of a Dask array's, in float64."""
    _arrays.require_known_chunks(phi)
    phi = xp.astype(_arrays.finite_chunks(phi, "Phi"), xp.float64)
    few = phi.shape[0] <= phi.shape[1]
    with np.errstate(over="ignore", invalid="ignore"):
        rows = _arrays.to_host(phi if few else xp.linalg.qr(phi, mode="reduced")[1])
    if not np.isfinite(rows).all():
        raise ValueError("squares of Phi leave the floats of float64: scale the features")
    return rows


def _scores_of(xp: ModuleType, a: Array, lam: float, method: str, largest: Array) -> Array:
    """Compute scores in a precision in which lam exceeds rounding; raise if there is none."""
    norm = frobenius(xp, a, largest)
    double = _arrays.widest_float(xp, _arrays.place_of(a).device)
    wide = xp.astype(a, double, copy=False)
    if _arrays.is_lazy(a):
        # Traced sizes: use the widest float, and NaN where that is not enough.
        method = "svd" if method == "auto" else method
        scores = METHODS[method](xp, wide, lam)
        accurate = (norm <= _reach(method, lam, double)) | (method == "svd")
        return xp.where(accurate, scores, xp.full_like(scores, math.nan))
    size = float(norm)
    if method == "auto":
        if size <= _reach("gram", lam, double, _AMPLE):
            return by_gram(xp, wide, lam)
        method = "svd"
    if size > _reach(method, lam, a.dtype):
        a = wide
    reach = _reach(method, lam, a.dtype)
    if method == "gram" and size > reach:
        raise ValueError(
            f"lam is {(reach / size) ** 2:.2g} times 1000 roundings of |A|^2 in "
            f"{_arrays.dtype_name(a.dtype)}, and method='gram' takes 1 or more, to tell small "
            "eigenvalues from rounding: use method='svd'"
        )
    return METHODS[method](xp, a, lam)


def _reach(method: str, lam: float, dtype: object, roundings: float = _ROUNDINGS) -> float:
    """Return the largest |A| (Frobenius) at which scores are accurate to 1/roundings."""
    roundings = roundings * float(np.finfo(_arrays.dtype_name(dtype)).eps)
    return lam**0.5 / roundings if method == "svd" else float((lam / roundings) ** 0.5)


def by_svd(xp: ModuleType, a: Array, lam: float) -> Array:
    """Compute scores by QR, then the singular value decomposition of the small factor."""
    small = xp.linalg.qr(a, mode="reduced")[1] if a.shape[0] > a.shape[1] else a
    _, s, vh = xp.linalg.svd(small, full_matrices=False)
    root = lam**0.5 * xp.ones_like(s)
    # In units of the larger one, since squares of large features would overflow.
    unit = xp.maximum(s, root)
    sums = (s / unit) ** 2 + (root / unit) ** 2
    # Singular values within rounding of 0 count as 0, however small lam is.
    least = _arrays.least_singular(frobenius(xp, s, s[0]), _arrays.dtype_name(s.dtype))
    fractions = xp.where(sums > (least / unit) ** 2, (s / unit) ** 2 / sums, xp.zeros_like(s))
    return xp.sum(fractions[:, None] * vh**2, axis=0)


def by_gram(xp: ModuleType, a: Array, lam: float) -> Array:
    """Compute scores by Cholesky of the smaller Gram plus lam, L L^T."""
    columns, wide = xp.matrix_transpose(a), a.shape[0] < a.shape[1]
    gram = xp.matmul(a, columns) if wide else xp.matmul(columns, a)
    lower = _arrays.cholesky(xp, gram, lam)
    if wide:
        solutions = _arrays.solve_lower(xp, lower, a)
        return xp.vecdot(solutions, solutions, axis=-2)
    # The diagonal of (A^T A + lam)^-1 A^T A: 1 less lam times that of the inverse would lose the
    # digits of small scores.
    root = _arrays.solve_lower(xp, lower)
    return xp.vecdot(xp.matmul(xp.matrix_transpose(root), root), gram)


METHODS = {"svd": by_svd, "gram": by_gram}


def frobenius(xp: ModuleType, a: Array, largest: Array) -> Array:
    """Compute the Frobenius norm without overflow, from the largest entry in size; shape ()."""
    unit = xp.where(largest > 0, largest, xp.ones_like(largest))
    # In at most 64 parts: the pages of one large temporary cost more than the sum.
    size = max(64, -(-a.shape[0] // 64))
    blocks = (a[rows, ...] / unit for rows in _arrays.slices(a.shape[0], size))
    return unit * xp.sqrt(sum(xp.sum(block**2) for block in blocks))
