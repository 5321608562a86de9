"""Approximation and excess risk on invariant features, and exact risks of averages over a group."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mehler._validate import require_not_negative
from mehler.bounds._entries import require_host
from mehler.bounds._function import Formula, bound, derived, square_of
from mehler.bounds.group_invariant._elements import (
    INDEPENDENT_ELEMENTS,
    LOSS,
    ORTHOGONAL,
    SAMPLES,
    TEMPLATES,
    UNCLIPPED,
    of_elements,
)


@bound(
    "group-invariant.lemma-4",
    "L2 distance to weights of at most C/m",
    falls_in=("n_templates", "n_bins", "n_elements"),
    assumes=(TEMPLATES, UNCLIPPED),
)
def approximation(
    n_templates: int,
    *,
    n_bins: int,
    window: float,
    scale: float,
    delta: float,
    n_elements: int | None = None,
) -> Formula:
    r"""Bound the L2 distance from a function of the class to combinations of features.

    .. math:: \|f - \tilde f\| \le \frac{2sC}{\sqrt m}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
              + \frac{2sC}{\sqrt r}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big) + \frac{sC}n

    with probability at least 1 - 2 delta, for f with a weight of at most C times the density of
    templates, and weights of at most C/m on the columns. With the whole group the term in r
    vanishes: 1 - delta.

    Terms: "templates", "elements" (of a sample) and "binning". `trivial` is 2 s C.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> bound = group_invariant.approximation(100, n_bins=10, window=1.0, scale=1.0, delta=0.05)
    >>> round(bound.value, 3), bound.probability
    (0.79, 0.95)
    """
    size = 2.0 * window * scale
    root = 1.0 + math.sqrt(-2.0 * math.log(delta))
    log = r"(1 + \sqrt{2\log(1/\delta)})"
    terms = {"templates": (size * root / math.sqrt(n_templates), rf"\frac{{2sC}}{{\sqrt m}}{log}")}
    if n_elements is not None:
        value = size * root / math.sqrt(n_elements)
        terms["elements"] = (value, rf"\frac{{2sC}}{{\sqrt r}}{log}")
    terms["binning"] = (0.5 * size / n_bins, "sC/n")
    assumptions = of_elements(n_elements)
    return Formula(
        terms,
        probability=1 - (1 if n_elements is None else 2) * delta,
        trivial=size,
        assumptions=assumptions,
    )


@bound(
    "group-invariant.theorem-3",
    "excess risk of the empirical minimiser",
    falls_in=("n_samples", "n_templates", "n_bins", "n_elements"),
    assumes=(TEMPLATES, UNCLIPPED, SAMPLES, LOSS),
)
@derived(approximation.body)
def excess_risk(
    distance: Formula,
    n_samples: int,
    *,
    window: float,
    scale: float,
    lipschitz: float,
    delta: float,
    n_elements: int | None = None,
) -> Formula:
    r"""Bound the excess risk of the empirical minimiser over weights of at most C/m.

    .. math::

        \mathcal E(f_N) - \inf_{\mathcal F_p}\mathcal E \le
            \frac{4LsC}{\sqrt N}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
            + \frac{2sLC}{\sqrt m}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
            + \frac{4sLC}{\sqrt r}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big) + \frac{sLC}n

    with probability at least 1 - 5 delta; the samples are orbits, one representative of each. With
    the whole group the term in r vanishes: 1 - 3 delta.

    Terms: "statistical", "confidence", "templates", "elements" (of a sample) and "binning".
    `trivial` is 4 L s C, the range of the loss.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> bound = group_invariant.excess_risk(10**6, n_templates=10**6, n_bins=100, window=1.0,
    ...                                     scale=1.0, lipschitz=1.0, delta=0.01)
    >>> round(bound.value, 4), bound.probability
    (0.0342, 0.97)
    """
    size, root = lipschitz * window * scale, math.sqrt(n_samples)
    deviation = math.sqrt(-2.0 * math.log(delta))
    terms = {
        "statistical": (4.0 * size / root, r"4LsC/\sqrt N"),
        "confidence": (4.0 * size * deviation / root, r"4LsC\sqrt{2\log(1/\delta)/N}"),
    }
    for name, (value, formula) in distance.terms.items():
        # On the whole space features of a sample are not invariant: as much again for them.
        factor, latex = (2.0, r"2L\,") if name == "elements" else (1.0, r"L\,")
        terms[name] = (lipschitz * factor * value, latex + formula)
    trivial = 4.0 * size
    return Formula(
        terms,
        probability=1 - (3 if n_elements is None else 5) * delta,
        trivial=trivial,
        assumptions=distance.assumptions,
    )


@bound(
    "group-invariant.theorem-4",
    "largest error of a distribution function",
    falls_in=("n_elements",),
    assumes=(INDEPENDENT_ELEMENTS,),
)
def cdf_error(n_elements: int, *, delta: float) -> Formula:
    r"""Bound the largest error of a distribution function over r independent elements.

    .. math:: \sup_\tau|\hat\psi(x, t, \tau) - \psi(x, t, \tau)| \le
              \sqrt{\frac1{2r}\log\frac2\delta}

    for one row and one template, with probability at least 1 - delta. It is the published formula.

    Term: "confidence". `trivial` is 1.

    References
    ----------
    Dvoretzky, Kiefer, Wolfowitz (1956); the constant 2 is P. Massart's (1990).

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> round(group_invariant.cdf_error(50, delta=0.05).value, 4)
    0.1921
    """
    value = math.sqrt(math.log(2.0 / delta) / (2.0 * n_elements))
    return Formula(
        {"confidence": (value, r"\sqrt{\log(2/\delta)/(2r)}")}, probability=1 - delta, trivial=1.0
    )


Average = Literal["none", "after", "before"]
# Symmetric and positive semidefinite up to this part of the largest entry.
_ROUNDING = 1e-6


def _grams(name: str, value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return matrices (n, N, N) whose first and mean are symmetric and semidefinite."""
    grams = require_host(name, value)
    if grams.ndim != 3 or grams.shape[1] != grams.shape[2] or grams.size == 0:
        raise ValueError(
            f"{name} has shape {grams.shape}: give K(x_i, g x_j) of N rows and n elements, "
            "(n, N, N)"
        )
    for part, gram in ((f"the first of {name}", grams[0]), (f"the mean of {name}", grams.mean(0))):
        largest = np.abs(gram).max()
        if np.abs(gram - gram.T).max() > _ROUNDING * largest:
            raise ValueError(
                f"{part} is not symmetric: the identity is first, and a group has all inverses"
            )
        if np.linalg.eigvalsh(gram)[0] < -_ROUNDING * largest:
            raise ValueError(f"{part} has an eigenvalue below 0: a kernel is positive semidefinite")
    return grams


@bound(
    "group-invariant.ridge-gain",
    "mean excess risk on the orbits of the rows",
    assumes=("the target takes one value on each orbit", "the kernel is invariant under the group"),
    domains={"grams": _grams, "target": require_host},
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

    Terms: "bias" and "variance". It bounds a mean: its probability is 1.

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

    Notes
    -----
    "after" is never worse than "none", by what the minimiser varies on orbits. "before" may be
    worse than both at the same ridge. Costs one inverse of an N by N matrix, and n products.

    References
    ----------
    B. Elesedy (2021), Provably strict generalisation benefit for invariance in kernel methods, has
    a lower bound of the gain.

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
    residual = np.eye(size) - smoothers
    error = r"\frac1{nN}\sum_g|(S_g - 1)f|^2"
    if norm is None:
        if target.shape != (size,):
            raise ValueError(f"target has shape {target.shape}: give a value a row, ({size},)")
        bias = float(np.mean((residual @ target) ** 2))
    else:
        square = np.einsum("gij,gik->jk", residual, residual) / (len(residual) * size)
        root = _root(mean)
        worst = float(np.linalg.eigvalsh(root @ square @ root)[-1])
        bias, error = square_of("norm", norm) * worst, rf"\max_{{\|f\|_H \le B}}{error}"
    variance_term = variance * float(np.sum(smoothers**2)) / (len(smoothers) * size)
    terms = {
        "bias": (max(bias, 0.0), error),
        "variance": (variance_term, r"\frac{\sigma^2}{nN}\sum_g\|S_g\|_F^2"),
    }
    return Formula(terms)


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
    domains={"norm": require_not_negative},
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

    Terms: "signal" and "noise". It bounds a mean: its probability is 1.

    Parameters
    ----------
    n_fixed : int or array
        k, the dimension of the vectors that all elements leave alone: for a finite group the mean
        of the traces of its elements.
    noise : float
        sigma.
    norm : float
        The length of w.
    average : {"none", "after", "before"}
        The solution; its average over the group; or least squares on the k invariant coordinates.

    Notes
    -----
    With more rows than d + 1 the same risk takes (d/k)(N - 1) + 1 rows without the group that it
    takes N with the invariant coordinates.

    References
    ----------
    B. Elesedy, S. Zaidi (2021), Provably strict generalisation benefit for equivariant models, has
    the difference of "none" and "after".

    Examples
    --------
    Cyclic shifts of 20 coordinates leave the constant vectors alone:

    >>> from mehler.bounds import group_invariant
    >>> setting = {"n_inputs": 20, "n_fixed": 1, "noise": 0.5, "norm": 1.0}
    >>> for average in ("none", "after", "before"):
    ...     bound = group_invariant.least_squares_excess_risk([10, 50], average=average, **setting)
    ...     print(average, bound.value.round(4))
    none [0.7778 0.1724]
    after [0.2866 0.0086]
    before [0.0312 0.0052]
    """
    if n_fixed > n_inputs:
        raise ValueError(f"n_fixed={n_fixed} must be at most {n_inputs}")
    inner = n_fixed if average == "before" else n_inputs
    missed, inflation = max(0.0, 1 - n_samples / inner), _inflation(n_samples, inner)
    if average == "after":
        if n_fixed < n_inputs:
            rest = n_inputs - n_fixed
            missed *= 1 - rest * n_samples / ((n_inputs - 1) * (n_inputs + 2))
        inflation *= n_fixed / n_inputs
    variance = square_of("noise", noise)
    terms = {
        "signal": (square_of("norm", norm) * missed, "|w|^2s"),
        "noise": (variance * inflation if noise else 0.0, r"\sigma^2v"),
    }
    return Formula(terms)


def _inflation(samples: int, inputs: int) -> float:
    """Return E tr of the pseudoinverse of a Wishart matrix of N rows in dimension d."""
    if samples < inputs - 1:
        return samples / (inputs - samples - 1)
    return inputs / (samples - inputs - 1) if samples > inputs + 1 else math.inf
