"""Approximation and excess risk on invariant features, and exact risks of averages over a group."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from mehler._validate import require_choice
from mehler.bounds._arguments import (
    counts,
    not_negatives,
    positives,
    probabilities,
    require_host,
    squares,
)
from mehler.bounds._bound import Assumption, Bound, Counts, Floats, Reals, Term, bound, digits
from mehler.bounds.group_invariant._kernel_error import ELEMENTS, TEMPLATES

_AVERAGES = ("none", "after", "before")
_SAMPLES = Assumption("the samples are independent of each other, of the templates and elements")


@bound(
    "group-invariant.lemma-4",
    "L2 distance to weights of at most C/m",
    "n_templates",
    "n_bins",
    "n_elements",
)
def approximation(
    n_templates: Counts,
    *,
    n_bins: Counts,
    window: Reals,
    scale: Reals,
    delta: Reals,
    n_elements: Counts | None = None,
) -> Bound:
    r"""Bound the L2 distance from a function of the class to combinations of features.

    .. math:: \|f - \tilde f\| \le \frac{2sC}{\sqrt m}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
              + \frac{2sC}{\sqrt r}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big) + \frac{sC}n

    with probability at least 1 - 2 delta, for f with a weight of at most C times the density of
    templates, and weights of at most C/m on the columns. With the whole group the term in r
    vanishes: 1 - delta. Terms: "templates", "elements" (of a sample) and "binning". `trivial` is 2
    s C. Proof: :doc:`/theorems/group-invariant-lemma-4`; arguments:
    :mod:`mehler.bounds.group_invariant`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> bound = group_invariant.approximation(100, n_bins=10, window=1.0, scale=1.0, delta=0.05)
    >>> round(bound.value, 3), bound.probability
    (0.79, 0.95)
    """
    s, weight = positives(window=window, scale=scale)
    chance = probabilities(delta=delta)
    text = f"the window {digits(s)} holds every projection of a row on a template"
    return Bound(
        terms=_distances(n_templates, n_bins, n_elements, 2.0 * s * weight, chance),
        probability=1 - (1 if n_elements is None else 2) * chance,
        assumptions=(TEMPLATES, Assumption(text), *(() if n_elements is None else (ELEMENTS,))),
        trivial=2.0 * s * weight,
    )


def _distances(
    n_templates: Counts, n_bins: Counts, n_elements: Counts | None, size: Any, delta: Any
) -> tuple[Term, ...]:
    """Return the terms of :func:`approximation`; `size` is 2 s C."""
    m, n = counts(n_templates=n_templates, n_bins=n_bins)
    root = 1.0 + np.sqrt(-2.0 * np.log(delta))
    terms = [Term("templates", size * root / np.sqrt(m))]
    if n_elements is not None:
        value = size * root / np.sqrt(counts(n_elements=n_elements))
        terms.append(Term("elements", value))
    return (*terms, Term("binning", 0.5 * size / n))


@bound(
    "group-invariant.theorem-3",
    "excess risk of the empirical minimiser",
    "n_samples",
    "n_templates",
    "n_bins",
    "n_elements",
)
def excess_risk(
    n_samples: Counts,
    *,
    n_templates: Counts,
    n_bins: Counts,
    window: Reals,
    scale: Reals,
    lipschitz: Reals,
    delta: Reals,
    n_elements: Counts | None = None,
) -> Bound:
    r"""Bound the excess risk of the empirical minimiser over weights of at most C/m.

    .. math::

        \mathcal E(f_N) - \inf_{\mathcal F_p}\mathcal E \le
            \frac{4LsC}{\sqrt N}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
            + \frac{2sLC}{\sqrt m}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big)
            + \frac{4sLC}{\sqrt r}\Big(1 + \sqrt{2\log\tfrac1\delta}\Big) + \frac{sLC}n

    with probability at least 1 - 5 delta; the samples are orbits, one representative of each. With
    the whole group the term in r vanishes: 1 - 3 delta. Terms: "statistical", "confidence",
    "templates", "elements" (of a sample) and "binning". `trivial` is 4 L s C, the range of the
    loss. Proof: :doc:`/theorems/group-invariant-theorem-3`; arguments:
    :mod:`mehler.bounds.group_invariant`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> bound = group_invariant.excess_risk(10**6, n_templates=10**6, n_bins=100, window=1.0,
    ...                                     scale=1.0, lipschitz=1.0, delta=0.01)
    >>> round(bound.value, 4), bound.probability
    (0.0342, 0.97)
    """
    n, chance = counts(n_samples=n_samples), probabilities(delta=delta)
    s, weight, steep = positives(window=window, scale=scale, lipschitz=lipschitz)
    size, root = steep * s * weight, np.sqrt(n)
    deviation = np.sqrt(-2.0 * np.log(chance))
    terms = [
        Term("statistical", 4.0 * size / root),
        Term("confidence", 4.0 * size * deviation / root),
    ]
    for term in _distances(n_templates, n_bins, n_elements, 2.0 * s * weight, chance):
        # On the whole space features of a sample are not invariant: as much again for them.
        factor = 2.0 if term.name == "elements" else 1.0
        terms.append(Term(term.name, steep * factor * term.value))
    text = f"the window {digits(s)} holds every projection of a row on a template"
    return Bound(
        terms=tuple(terms),
        probability=1 - (3 if n_elements is None else 5) * chance,
        assumptions=(
            TEMPLATES,
            Assumption(text),
            _SAMPLES,
            Assumption(f"the loss is {digits(steep)}-Lipschitz in the prediction"),
            *(() if n_elements is None else (ELEMENTS,)),
        ),
        trivial=4.0 * size,
    )


@bound("group-invariant.theorem-4", "largest error of a distribution function", "n_elements")
def cdf_error(n_elements: Counts, *, delta: Reals) -> Bound:
    r"""Bound the largest error of a distribution function over r independent elements.

    .. math:: \sup_\tau|\hat\psi(x, t, \tau) - \psi(x, t, \tau)| \le
              \sqrt{\frac1{2r}\log\frac2\delta}

    for one row and one template, with probability at least 1 - delta. Term: "confidence". `trivial`
    is 1. Proof: :doc:`/theorems/group-invariant-theorem-4`; arguments:
    :mod:`mehler.bounds.group_invariant`.

    Examples
    --------
    >>> from mehler.bounds import group_invariant
    >>> round(group_invariant.cdf_error(50, delta=0.05).value, 4)
    0.1921
    """
    r, chance = counts(n_elements=n_elements), probabilities(delta=delta)
    value = np.sqrt(np.log(2.0 / chance) / (2.0 * r))
    terms = (Term("confidence", value),)
    assumptions = (Assumption("the elements are independent Haar draws"),)
    return Bound(terms=terms, probability=1 - chance, assumptions=assumptions, trivial=1.0)


Average = Literal["none", "after", "before"]
# Symmetric and positive semidefinite up to this part of the largest entry.
_ROUNDING = 1e-6


def _grams(name: str, value: Floats) -> Floats:
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


@bound("group-invariant.ridge-gain", "mean excess risk on the orbits of the rows")
def ridge_excess_risk(
    grams: Floats,
    *,
    ridge: float,
    noise: Reals,
    target: Floats | None = None,
    norm: Reals | None = None,
    average: Average = "none",
) -> Bound:
    r"""Compute the mean excess risk of kernel ridge regression on the orbits of its rows.

    .. math:: \frac1N\sum_{j \le N}\frac1n\sum_{g \in G}E\big(\hat f(gx_j) - f(x_j)\big)^2

    for :math:`y_i = f(x_i) + \epsilon_i`, f invariant, uncorrelated noise of mean 0 and variance
    :math:`\sigma^2`, and the minimiser of :math:`\frac1N\sum(y_i - \hat f(x_i))^2 + \lambda\|\hat
    f\|_H^2`, which may be averaged over the group. An equality with `target`; with `norm` the
    largest value over all invariant targets of that norm. Terms: "bias" and "variance". Proof:
    :doc:`/theorems/group-invariant-ridge-gain`, after B. Elesedy (2021).

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

    Examples
    --------
    >>> import numpy as np
    >>> from mehler.bounds import group_invariant
    >>> from mehler.features import groups
    >>> X = np.random.default_rng(0).standard_normal((30, 6))
    >>> moved = [move(X) for move in groups.CyclicShifts(6).actions]
    >>> grams = np.exp(-np.array([((X[:, None] - Y) ** 2).sum(axis=2) for Y in moved]) / 12)
    >>> for average in ("none", "after", "before"):
    ...     risk = group_invariant.ridge_excess_risk(grams, ridge=0.01, noise=0.5, norm=1.0,
    ...                                              average=average)
    ...     print(f"{average:6} {risk['bias']:.4f} {risk['variance']:.4f}")
    none   0.0074 0.0645
    after  0.0052 0.0200
    before 0.0025 0.0205
    """
    require_choice("average", average, _AVERAGES)
    moved, sigma = _grams("grams", grams), not_negatives(noise=noise)
    own, mean = moved[0], moved.mean(axis=0)
    size = own.shape[0]
    penalty = float(size * positives(ridge=ridge))
    if np.isinf(penalty):
        raise ValueError(f"ridge={ridge!r} times {size} rows is too large for a float")
    variance = squares(noise=sigma)
    if (target is None) == (norm is None):
        raise ValueError("give one of target, the values at the rows, and norm")
    if average == "none":
        smoothers = np.swapaxes(moved, 1, 2) @ _inverse(own, penalty)
    else:
        inner = own if average == "after" else mean
        smoothers = (mean @ _inverse(inner, penalty))[None]
    residual = np.eye(size) - smoothers
    if norm is None:
        values = require_host("target", target)
        if values.shape != (size,):
            raise ValueError(f"target has shape {values.shape}: give a value a row, ({size},)")
        bias = float(np.mean((residual @ values) ** 2))
    else:
        square = np.einsum("gij,gik->jk", residual, residual) / (len(residual) * size)
        root = _root(mean)
        worst = float(np.linalg.eigvalsh(root @ square @ root)[-1])
        bias = squares(norm=positives(norm=norm)) * worst
    scattered = variance * float(np.sum(smoothers**2)) / (len(smoothers) * size)
    return Bound(
        terms=(Term("bias", np.maximum(bias, 0.0)), Term("variance", scattered)),
        assumptions=(
            Assumption("the target takes one value on each orbit"),
            Assumption("the kernel is invariant under the group"),
        ),
    )


def _inverse(kernel: Floats, penalty: float) -> Any:
    try:
        return np.linalg.inv(kernel + penalty * np.eye(len(kernel)))
    except np.linalg.LinAlgError:
        raise ValueError(
            f"ridge: {penalty:.3g} for all rows is lost to rounding beside the entries of grams, "
            f"up to {np.abs(kernel).max():.3g}"
        ) from None


def _root(mean: Floats) -> Any:
    values, vectors = np.linalg.eigh((mean + mean.T) / 2)
    return (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
