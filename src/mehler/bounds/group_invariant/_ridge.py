"""Ridge regression of an invariant target: the exact mean risk on the orbits of the rows."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from mehler import _arrays
from mehler._validate import require_choice, require_not_negative, require_positive, require_reals
from mehler.bounds._bound import Assumption, Bound, Term, square_of

STATEMENT = "group-invariant.ridge-gain"
AVERAGES = ("none", "after", "before")
INVARIANT = Assumption("the target takes one value on each orbit")
# Symmetric and positive semidefinite up to this part of the largest entry.
_ROUNDING = 1e-6

Average = Literal["none", "after", "before"]


def ridge_risk(
    grams: Any,
    *,
    ridge: float,
    noise: float,
    target: Any = None,
    norm: float | None = None,
    average: Average = "none",
) -> Bound:
    r"""Compute the mean excess risk of kernel ridge regression on the orbits of its rows.

    .. math:: \frac1N\sum_{j \le N}\frac1n\sum_{g \in G}E\big(\hat f(gx_j) - f(x_j)\big)^2

    for :math:`y_i = f(x_i) + \epsilon_i`, f invariant, uncorrelated noise of mean 0 and variance
    :math:`\sigma^2`, and the minimiser of :math:`\frac1N\sum(y_i - \hat f(x_i))^2 +
    \lambda\|\hat f\|_H^2`, which may be averaged over the group. An equality with `target`; with
    `norm` the largest value over all invariant targets of that norm.

    Parameters
    ----------
    grams : array, shape (n, N, N)
        K(x_i, g x_j) for the n elements of a finite group, the identity first; the kernel keeps
        its values where both rows are moved by one element.
    ridge : float
        lambda, the penalty of mean squared errors.
    noise : float
        sigma.
    target : array, shape (N,), optional
        f at the rows; or `norm`.
    norm : float, optional
        B, the norm of f in the kernel's space.
    average : {"none", "after", "before"}
        The minimiser; its average over the group, x -> mean of f(g x); or the minimiser with the
        average kernel, which is that of ridge regression on all n N rows g x_i with the targets of
        x_i.

    Returns
    -------
    Bound
        Terms "bias" and "variance". It bounds a mean: its probability is 1.

    Raises
    ------
    TypeError, ValueError
        If an argument is out of range, not one of `target` and `norm` is given, or the first matrix
        or the mean of all is not symmetric and positive semidefinite.

    See Also
    --------
    least_squares_risk : Linear functions and Gaussian rows, at a fresh row.
    mehler.bounds.ridge.excess_risk : With random features.

    Notes
    -----
    "after" is never worse than "none", by what the minimiser varies on orbits. "before" may be
    worse than both at the same ridge. Costs one inverse of an N by N matrix, and n products.

    References
    ----------
    Proof: :doc:`/theorems/group-invariant-ridge-gain`. B. Elesedy (2021), Provably strict
    generalisation benefit for invariance in kernel methods, has a lower bound of the gain.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.bounds import group_invariant
    >>> from mehler.features import groups
    >>> X = np.random.default_rng(0).standard_normal((30, 6))
    >>> def kernel(X, Y):
    ...     return np.exp(-((X[:, None] - Y[None]) ** 2).sum(axis=2) / 12)
    >>> grams = np.stack([kernel(X, move(X)) for move in groups.CyclicShifts(6).actions])
    >>> for average in ("none", "after", "before"):
    ...     risk = group_invariant.ridge_risk(grams, ridge=0.01, noise=0.5, norm=1.0,
    ...                                       average=average)
    ...     print(f"{average:6} {risk['bias']:.4f} {risk['variance']:.4f}")
    none   0.0074 0.0645
    after  0.0052 0.0200
    before 0.0025 0.0205
    """
    moved = _grams(grams)
    own, mean = moved[0], moved.mean(axis=0)
    size = own.shape[0]
    penalty = size * require_positive("ridge", ridge)
    if not math.isfinite(penalty):
        raise ValueError(f"ridge={ridge!r} times {size} rows is too large for a float")
    variance = square_of("noise", require_not_negative("noise", noise))
    require_choice("average", average, AVERAGES)
    if (target is None) == (norm is None):
        raise ValueError("give one of target, the values at the rows, and norm")
    if average == "none":
        smoothers = np.swapaxes(moved, 1, 2) @ _inverse(own, penalty)
    else:
        inner = own if average == "after" else mean
        smoothers = (mean @ _inverse(inner, penalty))[None]
    away = np.eye(size) - smoothers
    if target is not None:
        values = require_reals(
            "target", _arrays.to_host(target) if _arrays.is_array(target) else target
        )
        if values.shape != (size,):
            raise ValueError(f"target has shape {values.shape}: give a value a row, ({size},)")
        bias = float(np.mean((away @ values) ** 2))
    else:
        square = np.einsum("gij,gik->jk", away, away) / (len(away) * size)
        root = _root(mean)
        worst = float(np.linalg.eigvalsh(root @ square @ root)[-1])
        bias = square_of("norm", require_positive("norm", norm)) * worst
    spent = variance * float(np.sum(smoothers**2)) / (len(smoothers) * size)
    return Bound(
        statement=STATEMENT,
        form="proved",
        quantity="mean excess risk on the orbits of the rows",
        terms=(
            Term("bias", max(bias, 0.0), r"\frac1{nN}\sum_g|(S_g - 1)f|^2"),
            Term("variance", spent, r"\frac{\sigma^2}{nN}\sum_g\|S_g\|_F^2"),
        ),
        probability=1.0,
        assumptions=(INVARIANT, Assumption("the kernel is invariant under the group")),
    )


def _grams(grams: Any) -> Any:
    """Return the matrices (n, N, N) in float64, if the first and their mean are kernels'."""
    moved = require_reals("grams", _arrays.to_host(grams) if _arrays.is_array(grams) else grams)
    if moved.ndim != 3 or moved.shape[1] != moved.shape[2] or moved.size == 0:
        raise ValueError(
            f"grams has shape {moved.shape}: give K(x_i, g x_j) of N rows and n elements, (n, N, N)"
        )
    moved = moved.astype(np.float64)
    for name, one in (("the first of grams", moved[0]), ("the mean of grams", moved.mean(axis=0))):
        most = np.abs(one).max()
        if np.abs(one - one.T).max() > _ROUNDING * most:
            raise ValueError(
                f"{name} is not symmetric: the identity is first, and a group has all inverses"
            )
        if np.linalg.eigvalsh(one)[0] < -_ROUNDING * most:
            raise ValueError(f"{name} has an eigenvalue below 0: a kernel is positive semidefinite")
    return moved


def _inverse(kernel: Any, penalty: float) -> Any:
    try:
        return np.linalg.inv(kernel + penalty * np.eye(len(kernel)))
    except np.linalg.LinAlgError:
        raise ValueError(
            f"ridge: {penalty:.3g} for all rows is lost to rounding beside the entries of grams, "
            f"up to {np.abs(kernel).max():.3g}"
        ) from None


def _root(mean: Any) -> Any:
    values, vectors = np.linalg.eigh((mean + mean.T) / 2)
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
