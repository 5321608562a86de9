r"""Theorem 2 of the maxout paper, its lemmas and its second remark, as published.

Arguments are those of :mod:`mehler.bounds.maxout` and these:

c1, c_prime, c : float
    The paper's constants :math:`C_1`, C' and c, which it gives no values.
epsilon, loss_at_zero : float
    :math:`\varepsilon` in (0, 1) and :math:`|V(0)|`.

The published forms are about inputs of norm 1 and a loss in [0, 1]: other values of `radius` and
`loss_bound` violate an assumption, or enter `trivial` alone.
"""

from __future__ import annotations

import math

from mehler import exact
from mehler.bounds._bound import Assumption
from mehler.bounds._function import Formula, bound, derived, number
from mehler.bounds.maxout import DRAWN, LOSS, NORMAL, of_inputs, root_log

__all__ = ["lemma_2", "lemma_3", "lemma_4", "remark_2", "theorem_2", "theorem_2_condition"]

_RISK = "excess risk of the empirical minimiser over the infinite class"


def complexity(
    n_inputs: int, dimension: float, diameter: float, pool_size: int, delta: float
) -> float:
    """Compute k log(D sqrt(d) / delta) + log(q + 1); it may be negative."""
    scaled = diameter * math.sqrt(n_inputs) / delta
    if dimension == 0:
        logarithm = 0.0  # a single point: 0 times the logarithm of 0
    else:
        logarithm = dimension * (math.log(scaled) if scaled > 0 else -math.inf)
    return logarithm + math.log(pool_size + 1)


def _covered(
    pool_size: int,
    delta: float,
    n_inputs: int,
    dimension: float,
    diameter: float,
    c1: float,
    c: float,
    radius: float = 1.0,
) -> tuple[float, float, tuple[Assumption, ...]]:
    """Return C_1 times the published root, its failure beyond delta, and what both assume."""
    inside = complexity(n_inputs, dimension, diameter, pool_size, delta)
    assumptions = (
        *of_inputs(radius, dimension, diameter),
        Assumption("inputs have length 1", radius == 1, f"radius {radius:g}"),
        Assumption("the published root is of a number", inside >= 0, f"{inside:g}"),
    )
    root = c1 * math.sqrt(inside) if inside >= 0 else math.nan
    return root, 2 * math.exp(-c * n_inputs / 4), assumptions


@bound(
    "maxout.lemma-2",
    "largest |phi(x, W)| over the inputs, all of {n_features} units",
    form="printed",
    assumes=(NORMAL,),
)
@derived(_covered)
def lemma_2(
    covered: tuple[float, float, tuple[Assumption, ...]], *, delta: float, n_features: int = 1
) -> Formula:
    r"""Evaluate the published bound of the supremum of one unit.

    .. math:: \sup_{x \in \mathcal M} |\phi(x, W)| \le
              C_1 \sqrt{k \log(D \sqrt d/\delta) + \log(q + 1)}

    with probability at least :math:`1 - \delta - 2 e^{-cd/4}`.

    Term: "supremum"; NaN where the root is of a negative number.

    Parameters
    ----------
    n_features : int or array
        The lemma is about one unit, and vacuous for more.

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> round(printed.maxout.lemma_2(pool_size=4, delta=0.01, n_inputs=10, dimension=3,
    ...                              diameter=2.0, c1=1.0, c=0.5).value, 3)
    4.578
    """
    root, failure, assumptions = covered
    terms = {"supremum": (root, r"C_1\sqrt{k\log(D\sqrt d/\delta) + \log(q+1)}")}
    assumptions += (Assumption("one unit", n_features == 1, f"{n_features} units"),)
    return Formula(terms, 1 - delta - failure, assumptions=assumptions)


@bound(
    "maxout.lemma-3",
    "L2 distance from f to the nearest function of the box",
    form="printed",
    assumes=(NORMAL,),
)
@derived(_covered)
def lemma_3(
    covered: tuple[float, float, tuple[Assumption, ...]],
    *,
    n_features: int,
    scale: float,
    delta: float,
) -> Formula:
    r"""Evaluate the published bound of the approximation by m units.

    .. math:: C C_1 \sqrt{\frac{k \log(D \sqrt d/\delta) + \log(q + 1)}m}
              \left(1 + \sqrt{2 \log(1/\delta)}\right)

    with probability at least :math:`1 - 2 \delta - 2 e^{-cd/4}`.

    Terms: "mean" and "confidence"; NaN where the root is of a negative number.

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> round(printed.maxout.lemma_3(n_features=10_000, pool_size=8, scale=0.3, delta=0.05,
    ...     n_inputs=10, dimension=3, diameter=2.0, c1=1.0, c=0.5).value, 4)
    0.0423
    """
    root, failure, assumptions = covered
    mean = scale * root / math.sqrt(n_features)
    latex = r"C C_1\sqrt{(k\log(D\sqrt d/\delta) + \log(q+1))/m}"
    terms = {
        "mean": (mean, latex),
        "confidence": (mean * root_log(delta), latex + r"\sqrt{2\log(1/\delta)}"),
    }
    return Formula(terms, 1 - 2 * delta - failure, assumptions=assumptions)


@bound(
    "maxout.lemma-4",
    "risk that approximating f by m units adds",
    form="printed",
    assumes=(NORMAL, LOSS),
)
@derived(lemma_3.body)
def lemma_4(published: Formula, *, lipschitz: float, loss_bound: float = 1.0) -> Formula:
    r"""Evaluate the published bound of the risk added by m units: L times :func:`lemma_3`.

    Terms: those of :func:`lemma_3`.

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> round(printed.maxout.lemma_4(lipschitz=0.5, n_features=10_000, pool_size=8, scale=0.3,
    ...     delta=0.05, n_inputs=10, dimension=3, diameter=2.0, c1=1.0, c=0.5).value, 4)
    0.0211
    """
    return published.times(lipschitz, "L", trivial=min(loss_bound, lipschitz * published.trivial))


@number("maxout.theorem-2", "features that the published theorem asks for")
def theorem_2_condition(
    epsilon: float,
    *,
    pool_size: int,
    delta: float,
    n_inputs: int,
    dimension: float,
    diameter: float,
    c_prime: float,
) -> float:
    r"""Compute the right-hand side of the condition on m in Theorem 2.

    .. math:: m \ge \frac{C'}{\varepsilon^2} \left(k \log\frac{D \sqrt d}{\delta}
              + \log(q + 1)\right)

    Parameters
    ----------
    epsilon, pool_size, delta, n_inputs, dimension, diameter, c_prime
        As :mod:`mehler.bounds.printed.maxout` has them.

    Returns
    -------
    float
        May be 0 or negative, for sets of a tiny diameter: nothing is then asked for.

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> round(printed.maxout.theorem_2_condition(0.1, pool_size=4, delta=0.01, n_inputs=784,
    ...                                          dimension=10, diameter=2.0, c_prime=16.0))
    140663
    """
    inside = complexity(n_inputs, dimension, diameter, pool_size, delta)
    return c_prime * inside / epsilon**2


@bound("maxout.theorem-2", _RISK, form="printed", assumes=(LOSS, DRAWN))
def theorem_2(
    *,
    n_features: int,
    n_samples: int,
    pool_size: int,
    scale: float,
    lipschitz: float,
    delta: float,
    n_inputs: int,
    dimension: float,
    diameter: float,
    loss_at_zero: float,
    epsilon: float,
    c_prime: float,
    c: float,
    loss_bound: float = 1.0,
) -> Formula:
    r"""Evaluate the published bound of the excess risk.

    .. math:: \frac{4 L C \sigma(q)}{\sqrt N} + \frac{2 |V(0)|}{\sqrt N}
              + 2 \sqrt{\frac{2 \log(1/\delta)}N}
              + L C \varepsilon \left(1 + \sqrt{2 \log(1/\delta)}\right)

    with probability at least :math:`1 - 3 \delta - 2 e^{-cd/4}`, under
    :func:`theorem_2_condition`, for inputs of norm 1 and a loss in [0, 1].

    Terms: "statistical", "loss at zero", "confidence" and "approximation".

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> round(printed.maxout.theorem_2(n_features=10**7, n_samples=60_000, pool_size=4, scale=1.0,
    ...     lipschitz=1.0, delta=0.01, n_inputs=784, dimension=10, diameter=2.0, loss_at_zero=0.5,
    ...     epsilon=0.02, c_prime=16.0, c=0.5).value, 4)
    0.1299
    """
    inside = complexity(n_inputs, dimension, diameter, pool_size, delta)
    needed = c_prime * inside / epsilon**2
    root, deviation = math.sqrt(n_samples), root_log(delta)
    sigma = math.sqrt(exact.sigma2(pool_size))
    terms = {
        "statistical": (4 * lipschitz * scale * sigma / root, r"4LC\sigma(q)/\sqrt N"),
        "loss at zero": (2 * loss_at_zero / root, r"2|V(0)|/\sqrt N"),
        "confidence": (2 * deviation / root, r"2\sqrt{2\log(1/\delta)/N}"),
        "approximation": (
            lipschitz * scale * epsilon * (1 + deviation),
            r"LC\varepsilon(1 + \sqrt{2\log(1/\delta)})",
        ),
    }
    assumptions = (
        *of_inputs(1.0, dimension, diameter),
        Assumption(
            "m is as large as the published condition asks", n_features >= needed, f"{needed:.6g}"
        ),
    )
    return Formula(
        terms, 1 - 3 * delta - 2 * math.exp(-c * n_inputs / 4), assumptions=assumptions, trivial=1.0
    )


@bound("maxout.remark-2", _RISK, form="printed", assumes=(LOSS, DRAWN))
@derived(theorem_2.body)
def remark_2(published: Formula, *, radius: float, loss_bound: float) -> Formula:
    r"""Evaluate the published excess risk for inputs of norm at most R and a loss in [-B, B].

    The whole right-hand side of :func:`theorem_2` is multiplied by R B. What holds for such a loss
    is :func:`mehler.bounds.maxout.excess_risk` with ``loss_bound=2 * B``.

    Terms: those of :func:`theorem_2`.

    Examples
    --------
    >>> from mehler.bounds import printed
    >>> round(printed.maxout.remark_2(radius=2.0, loss_bound=1.0, n_features=10**7,
    ...     n_samples=60_000, pool_size=4, scale=1.0, lipschitz=1.0, delta=0.01, n_inputs=784,
    ...     dimension=10, diameter=2.0, loss_at_zero=0.5, epsilon=0.02, c_prime=16.0,
    ...     c=0.5).value, 4)
    0.2598
    """
    return published.times(radius * loss_bound, "RB", trivial=loss_bound)
