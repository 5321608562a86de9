"""Feature laws whose variance follows from the kernel, for `NamedKernel.laws`.

A law describes how features are made and gives V with Var <phi(x), phi(y)> = V / m for m columns.
Frequencies w are independent: N(0, I) for dot-product kernels, the kernel's spectral distribution
for shift-invariant ones. The derivations are in ``docs/third-party.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mehler.kernels._shapes import distances

Variance = Callable[[Any, Any], Any]


@dataclass(frozen=True)
class Law:
    """A way to make features, and the variance that follows.

    `text` describes the features; `variance` maps (X, Y) to V, shape (n, k), or an upper bound of
    it. `independent`: the columns of one draw are i.i.d. samples; else a whole draw is one sample.
    """

    text: str
    variance: Variance = field(repr=False)
    independent: bool


def fourier(kernel: Variance, at_twice: Variance, *, isotropic: bool) -> Mapping[str, Law]:
    """Return the laws of random Fourier features; `at_twice` is the kernel at 2 (x - y).

    If the spectrum is `isotropic`, orthogonal blocks keep the kernel.
    """

    def offset(X: Any, Y: Any) -> Any:
        return 1.0 + 0.5 * at_twice(X, Y) - kernel(X, Y) ** 2

    def pairs(X: Any, Y: Any) -> Any:
        return 1.0 + at_twice(X, Y) - 2.0 * kernel(X, Y) ** 2

    laws = {
        "cos-offset": Law(
            "sqrt(2/m) cos(w.x + b), b uniform on a circle, independent", offset, True
        ),
        "cos-sin": Law("sqrt(2/m) (cos(w.x), sin(w.x)), w independent", pairs, False),
    }
    return {**laws, **_in_blocks(laws, _spread)} if isotropic else laws


def exponential(kernel: Variance, gamma: float) -> Mapping[str, Law]:
    """Return the laws of features of exp(gamma <x, y>), for rows scaled by sqrt(gamma)."""

    def square(X: Any, Y: Any, sign: float) -> Any:
        # gamma |x + sign y|^2, from sums or differences of rows, without cancellation.
        return gamma * distances(X, -sign * Y, "sqeuclidean")

    def positive(X: Any, Y: Any) -> Any:
        return kernel(X, Y) ** 2 * np.expm1(square(X, Y, 1.0))

    def mirrored(X: Any, Y: Any) -> Any:
        # 2 (cosh s - 1) without cancellation.
        return kernel(X, Y) ** 2 * 4.0 * np.sinh(0.5 * square(X, Y, 1.0)) ** 2

    def waves(X: Any, Y: Any) -> Any:
        lengths = np.exp(gamma * ((X**2).sum(axis=1)[:, None] + (Y**2).sum(axis=1)[None, :]))
        return lengths * np.expm1(-square(X, Y, -1.0)) ** 2

    upwards = {
        "positive": Law("exp(w.x - |x|^2/2) / sqrt(m), independent", positive, True),
        "positive-pairs": Law(
            "exp(-|x|^2/2) (exp(w.x), exp(-w.x)) / sqrt(m), w independent", mirrored, False
        ),
    }
    both_ways = {
        "cos-sin": Law("sqrt(2/m) exp(|x|^2/2) (cos(w.x), sin(w.x)), w independent", waves, False)
    }
    return {
        **upwards,
        **_in_blocks(upwards, lambda variance: variance),
        **both_ways,
        **_in_blocks(both_ways, _spread),
    }


def projections(kernel: Variance) -> Mapping[str, Law]:
    """Return the laws of random projections, features of the linear kernel."""

    def gaussian(X: Any, Y: Any) -> Any:
        return _norms(X, Y) + kernel(X, Y) ** 2

    def signs(X: Any, Y: Any) -> Any:
        return gaussian(X, Y) - 2.0 * (X**2) @ (Y**2).T

    laws = {"gaussian": Law("w.x / sqrt(m), w standard normal, independent", gaussian, True)}
    return {
        **laws,
        "signs": Law("w.x / sqrt(m), w of signs, independent", signs, True),
        **_in_blocks(laws, _spread),
    }


def sketches(degree: int, gamma: float, coef0: float) -> Mapping[str, Law]:
    r"""Return the law of tensor sketches, features of polynomial kernels.

    The degree-fold tensor product of a row goes to m cells by a sum of independent hashes, with a
    product of signs. Two entries meet in a cell with chance 1/m; over signs and pairs of entries

    .. math:: V \le (2 a^2 + n - 2 s)^p - a^{2p}, \quad
              a = \sum_i |x_i y_i|, \ n = |x|^2 |y|^2, \ s = \sum_i x_i^2 y_i^2 .
    """

    def bound(X: Any, Y: Any) -> Any:
        # The constant coef0 acts as one more entry.
        left, right = (
            np.hstack([np.sqrt(gamma) * rows, np.full((len(rows), 1), np.sqrt(coef0))])
            for rows in (X, Y)
        )
        meets = (np.abs(left) @ np.abs(right).T) ** 2
        all_four = 2.0 * meets + _norms(left, right) - 2.0 * (left**2) @ (right**2).T
        return all_four**degree - meets**degree

    text = "tensor sketch of hashes and signs, all independent: an upper bound of V"
    return {"sketch": Law(text, bound, False)}


def rectified(kernel: Variance, squared: Variance) -> Mapping[str, Law]:
    """Return the laws of rectified powers, features of the arc-cosine kernels.

    `kernel` is k_n = 2 E max(0, w.x)^n max(0, w.y)^n, `squared` is k_2n.
    """
    laws = {
        "rectified": Law(
            "sqrt(2/m) max(0, w.x)^order, w standard normal, independent",
            lambda X, Y: 2.0 * squared(X, Y) - kernel(X, Y) ** 2,
            True,
        )
    }
    return {**laws, **_in_blocks(laws, _spread)}


def _in_blocks(laws: Mapping[str, Law], bound: Callable[[Variance], Variance]) -> dict[str, Law]:
    """Return the same laws with w in blocks of orthogonal directions."""
    return {
        f"{name}-orthogonal": Law(
            f"{law.text.replace('independent', 'in orthogonal blocks')}: an upper bound of V",
            bound(law.variance),
            False,
        )
        for name, law in laws.items()
    }


def _spread(variance: Variance) -> Variance:
    """Return (1 + 3/(d + 1)) V, a bound for any feature on blocks of d orthogonal directions."""
    return lambda X, Y: variance(X, Y) * (1.0 + 3.0 / (X.shape[1] + 1.0))


def _norms(X: Any, Y: Any) -> Any:
    return (X**2).sum(axis=1)[:, None] * (Y**2).sum(axis=1)[None, :]
