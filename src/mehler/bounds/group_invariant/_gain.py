"""What averaging over a group gains: exact mean risks of ridge regression and least squares."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._validate import require_choice, require_not_negative, require_reals
from mehler.bounds._function import Formula, bound, count, square_of
from mehler.bounds.group_invariant._assumptions import ORTHOGONAL

Average = Literal["none", "after", "before"]
_AVERAGE = partial(require_choice, allowed=("none", "after", "before"))
# Symmetric and positive semidefinite up to this part of the largest entry.
_ROUNDING = 1e-6


def _of_host(name: str, value: Any) -> NDArray[np.float64]:
    """Return an array of any library in float64."""
    return require_reals(name, _arrays.to_host(value) if _arrays.is_array(value) else value).astype(
        np.float64
    )


def _grams(name: str, value: Any) -> NDArray[np.float64]:
    """Return the matrices (n, N, N), if the first and their mean are kernels'."""
    moved = _of_host(name, value)
    if moved.ndim != 3 or moved.shape[1] != moved.shape[2] or moved.size == 0:
        raise ValueError(
            f"{name} has shape {moved.shape}: give K(x_i, g x_j) of N rows and n elements, "
            "(n, N, N)"
        )
    for part, one in ((f"the first of {name}", moved[0]), (f"the mean of {name}", moved.mean(0))):
        most = np.abs(one).max()
        if np.abs(one - one.T).max() > _ROUNDING * most:
            raise ValueError(
                f"{part} is not symmetric: the identity is first, and a group has all inverses"
            )
        if np.linalg.eigvalsh(one)[0] < -_ROUNDING * most:
            raise ValueError(f"{part} has an eigenvalue below 0: a kernel is positive semidefinite")
    return moved


@bound(
    "group-invariant.ridge-gain",
    "mean excess risk on the orbits of the rows",
    assumes=(
        "the target takes one value on each orbit",
        "the kernel is invariant under the group",
    ),
    domains={"grams": _grams, "target": _of_host, "average": _AVERAGE},
)
def ridge_excess_risk(
    grams: Any,
    *,
    ridge: float,
    noise: float,
    target: Any = None,
    norm: float | None = None,
    average: Average = "none",
) -> Formula:
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
        With the terms "bias" and "variance". It bounds a mean: its probability is 1.

    Raises
    ------
    ValueError
        If not one of `target` and `norm` is given, or the first matrix or the mean of all is not
        symmetric and positive semidefinite.

    See Also
    --------
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
    ...     risk = group_invariant.ridge_excess_risk(grams, ridge=0.01, noise=0.5, norm=1.0,
    ...                                              average=average)
    ...     print(f"{average:6} {risk['bias']:.4f} {risk['variance']:.4f}")
    none   0.0074 0.0645
    after  0.0052 0.0200
    before 0.0025 0.0205
    """
    own, mean = grams[0], grams.mean(axis=0)
    size = own.shape[0]
    penalty = size * ridge
    if not math.isfinite(penalty):
        raise ValueError(f"ridge={ridge!r} times {size} rows is too large for a float")
    variance = square_of("noise", noise)
    if (target is None) == (norm is None):
        raise ValueError("give one of target, the values at the rows, and norm")
    if average == "none":
        smoothers = np.swapaxes(grams, 1, 2) @ _inverse(own, penalty)
    else:
        inner = own if average == "after" else mean
        smoothers = (mean @ _inverse(inner, penalty))[None]
    away = np.eye(size) - smoothers
    error = r"\frac1{nN}\sum_g|(S_g - 1)f|^2"
    if norm is None:
        if target.shape != (size,):
            raise ValueError(f"target has shape {target.shape}: give a value a row, ({size},)")
        bias = float(np.mean((away @ target) ** 2))
    else:
        square = np.einsum("gij,gik->jk", away, away) / (len(away) * size)
        root = _root(mean)
        worst = float(np.linalg.eigvalsh(root @ square @ root)[-1])
        bias, error = square_of("norm", norm) * worst, rf"\max_{{\|f\|_H \le B}}{error}"
    spent = variance * float(np.sum(smoothers**2)) / (len(smoothers) * size)
    return Formula(
        {
            "bias": (max(bias, 0.0), error),
            "variance": (spent, r"\frac{\sigma^2}{nN}\sum_g\|S_g\|_F^2"),
        }
    )


def _inverse(kernel: NDArray[np.float64], penalty: float) -> Any:
    try:
        return np.linalg.inv(kernel + penalty * np.eye(len(kernel)))
    except np.linalg.LinAlgError:
        raise ValueError(
            f"ridge: {penalty:.3g} for all rows is lost to rounding beside the entries of grams, "
            f"up to {np.abs(kernel).max():.3g}"
        ) from None


def _root(mean: NDArray[np.float64]) -> Any:
    values, vectors = np.linalg.eigh((mean + mean.T) / 2)
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T


@bound(
    "group-invariant.ridge-gain",
    "mean excess risk of least squares",
    assumes=(
        ORTHOGONAL,
        "the rows are independent and standard normal",
        "the target is linear, and its weights are fixed by the group",
    ),
    domains={"n_fixed": count, "norm": require_not_negative, "average": _AVERAGE},
)
def least_squares_excess_risk(
    n_samples: int,
    *,
    n_inputs: int,
    n_fixed: int,
    noise: float,
    norm: float,
    average: Average = "none",
) -> Formula:
    r"""Compute the mean excess risk of least squares for an invariant linear function.

    .. math:: E\,|\hat w - w|^2 = |w|^2s + \sigma^2v

    for :math:`y_i = \langle w, x_i\rangle + \epsilon_i` with N independent standard normal rows in
    dimension d, uncorrelated noise of mean 0 and variance :math:`\sigma^2`, w fixed by a group of
    orthogonal maps, and the solution :math:`\hat w` of least length. An equality, at a fresh row.

    ======== =================================================== ======================
    average  s, for N < d (none, after) or N < k (before)        v
    ======== =================================================== ======================
    none     :math:`1 - N/d`                                     :math:`V(N, d)`
    after    :math:`(1 - N/d)(1 - (d-k)N/((d-1)(d+2)))`          :math:`V(N, d)\,k/d`
    before   :math:`1 - N/k`                                     :math:`V(N, k)`
    ======== =================================================== ======================

    s is 0 for more rows. V(N, d) is N/(d - N - 1) for N < d - 1, d/(N - d - 1) for N > d + 1, and
    infinite between.

    Parameters
    ----------
    n_samples, n_inputs : int or array
        N and d.
    n_fixed : int or array
        k, the dimension of the vectors that all elements leave alone: for a finite group the mean
        of the traces of its elements.
    noise : float
        sigma.
    norm : float
        The length of w.
    average : {"none", "after", "before"}
        The solution; its average over the group; or least squares on the k invariant coordinates.

    Returns
    -------
    Bound
        With the terms "signal" and "noise". It bounds a mean: its probability is 1.

    Notes
    -----
    With more rows than d + 1 the same risk takes (d/k)(N - 1) + 1 rows without the group that it
    takes N with the invariant coordinates.

    References
    ----------
    Proof: :doc:`/theorems/group-invariant-ridge-gain`. B. Elesedy, S. Zaidi (2021), Provably strict
    generalisation benefit for equivariant models, has the difference of "none" and "after".

    Examples
    --------
    Cyclic shifts of 20 coordinates leave the constant vectors alone:

    >>> from mehler.bounds import group_invariant
    >>> known = {"n_inputs": 20, "n_fixed": 1, "noise": 0.5, "norm": 1.0}
    >>> for average in ("none", "after", "before"):
    ...     bound = group_invariant.least_squares_excess_risk([10, 50], average=average, **known)
    ...     print(average, bound.value.round(4))
    none [0.7778 0.1724]
    after [0.2866 0.0086]
    before [0.0312 0.0052]
    """
    if n_fixed > n_inputs:
        raise ValueError(f"n_fixed={n_fixed} must be at most {n_inputs}")
    inner = n_fixed if average == "before" else n_inputs
    missed, spent = max(0.0, 1 - n_samples / inner), _spent(n_samples, inner)
    if average == "after":
        if n_fixed < n_inputs:
            rest = n_inputs - n_fixed
            missed *= 1 - rest * n_samples / ((n_inputs - 1) * (n_inputs + 2))
        spent *= n_fixed / n_inputs
    variance = square_of("noise", noise)
    return Formula(
        {
            "signal": (square_of("norm", norm) * missed, "|w|^2s"),
            "noise": (variance * spent if noise else 0.0, r"\sigma^2v"),
        }
    )


def _spent(samples: int, inputs: int) -> float:
    """Return E tr of the pseudoinverse of a Wishart matrix of N rows in dimension d."""
    if samples < inputs - 1:
        return samples / (inputs - samples - 1)
    return inputs / (samples - inputs - 1) if samples > inputs + 1 else math.inf
