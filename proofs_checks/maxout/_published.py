r"""Evaluate the risk bounds of the maxout paper (Mroueh, Rennie, Goel 2015) as published.

These are Theorem 2, its Lemmas 2 to 4 and its second remark. Arguments are those of
:mod:`mehler.bounds.maxout`: q is `pool_size`, the projections of a unit, m `n_features`, its units,
N `n_samples`, C `scale` and L `lipschitz`, that of the loss V. Inputs have norm 1, `n_inputs` d
columns, the doubling `dimension` k and the `diameter` D. The paper gives no values to
:math:`C_1`, C' and c, which are `c1`, `c_prime` and `c`; `loss_at_zero` is :math:`|V(0)|`. No value
is clipped, since checks compare the formula itself.
"""

import numpy as np

from mehler import exact
from mehler.bounds import Assumption, Bound, Term

_NORMAL = Assumption("weights are independent standard normal")
_RISK = "excess risk of the empirical minimiser over the infinite class"
_ROOT = r"C_1\sqrt{k\log(D\sqrt d/\delta) + \log(q+1)}"


def complexity(
    n_inputs: int, dimension: float, diameter: float, pool_size: int, delta: float
) -> float:
    """Compute k log(D sqrt(d) / delta) + log(q + 1); it may be negative."""
    with np.errstate(divide="ignore"):
        logarithm = np.log(diameter * np.sqrt(n_inputs) / delta)
    # A single point has 0 times the logarithm of 0.
    return float((dimension * logarithm if dimension else 0.0) + np.log(pool_size + 1))


def _root(inside: float, c1: float) -> float:
    """Compute C_1 times the published root; NaN where it is of a negative number."""
    return float(c1 * np.sqrt(inside)) if inside >= 0 else np.nan


def _on_the_sphere(inside: float, diameter: float, radius: float = 1.0) -> tuple[Assumption, ...]:
    """Return the assumptions on inputs, and that the published root exists."""
    return (
        _NORMAL,
        Assumption("inputs have length 1", radius == 1, f"radius {radius:g}"),
        # A diameter that was computed may exceed twice the norm by rounding.
        Assumption("no two are farther apart than 2", diameter <= 2 + 2e-9, f"{diameter:g}"),
        Assumption("the published root is of a number", inside >= 0, f"{inside:g}"),
    )


def lemma_2(
    *,
    pool_size: int,
    delta: float,
    n_inputs: int,
    dimension: float,
    diameter: float,
    c1: float,
    c: float,
    n_features: int = 1,
    radius: float = 1.0,
) -> Bound:
    r"""Evaluate :math:`C_1 \sqrt{k \log(D \sqrt d/\delta) + \log(q + 1)}`.

    It bounds the largest value of one unit with probability :math:`1 - \delta - 2 e^{-cd/4}`.
    """
    inside = complexity(n_inputs, dimension, diameter, pool_size, delta)
    units = Assumption("one unit", n_features == 1, f"{n_features} units")
    return Bound(
        statement="maxout.lemma-2",
        form="printed",
        quantity="largest |phi(x, W)| over the inputs",
        terms=(Term("supremum", _root(inside, c1)),),
        probability=1 - delta - 2 * np.exp(-c * n_inputs / 4),
        assumptions=(*_on_the_sphere(inside, diameter, radius), units),
    )


def lemma_3(
    *,
    n_features: int,
    pool_size: int,
    scale: float,
    delta: float,
    n_inputs: int,
    dimension: float,
    diameter: float,
    c1: float,
    c: float,
    lipschitz: float | None = None,
    loss_bound: float = 1.0,
) -> Bound:
    r"""Evaluate the bound of the distance of m units from a function f, or of the risk it adds.

    .. math:: C C_1 \sqrt{\frac{k \log(D \sqrt d/\delta) + \log(q + 1)}m}
              \left(1 + \sqrt{2 \log(1/\delta)}\right)

    with probability at least :math:`1 - 2 \delta - 2 e^{-cd/4}`. For the risk, Lemma 4, times L.
    """
    inside = complexity(n_inputs, dimension, diameter, pool_size, delta)
    slope = 1.0 if lipschitz is None else lipschitz
    mean = slope * (scale * _root(inside, c1) / np.sqrt(n_features))
    deviation = np.sqrt(-2 * np.log(delta))
    distance = "L2 distance from f to the nearest function of the box"
    return Bound(
        statement="maxout.lemma-3" if lipschitz is None else "maxout.lemma-4",
        form="printed",
        quantity=distance if lipschitz is None else "risk that approximating f by m units adds",
        terms=(Term("mean", mean), Term("confidence", mean * deviation)),
        probability=1 - 2 * delta - 2 * np.exp(-c * n_inputs / 4),
        assumptions=_on_the_sphere(inside, diameter),
        trivial=np.inf if lipschitz is None else loss_bound,
    )


def lemma_4(*, lipschitz: float, **others: float) -> Bound:
    """Evaluate the bound of the added risk: L times :func:`lemma_3` of the other arguments."""
    return lemma_3(lipschitz=lipschitz, **others)  # type: ignore[arg-type]  # counts among them


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

    It may be 0 or negative, for sets of a tiny diameter: nothing is then asked for.
    """
    return c_prime * complexity(n_inputs, dimension, diameter, pool_size, delta) / epsilon**2


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
    radius: float | None = None,
    loss_bound: float = 1.0,
) -> Bound:
    r"""Evaluate the bound of the excess risk, or with `radius` that of Remark 2.

    .. math:: \frac{4 L C \sigma(q)}{\sqrt N} + \frac{2 |V(0)|}{\sqrt N}
              + 2 \sqrt{\frac{2 \log(1/\delta)}N}
              + L C \varepsilon \left(1 + \sqrt{2 \log(1/\delta)}\right)

    with probability at least :math:`1 - 3 \delta - 2 e^{-cd/4}`, under :func:`theorem_2_condition`.
    Remark 2, for inputs of norm at most R and a loss in [-B, B], multiplies all by R B.
    """
    condition = theorem_2_condition(
        epsilon,
        pool_size=pool_size,
        delta=delta,
        n_inputs=n_inputs,
        dimension=dimension,
        diameter=diameter,
        c_prime=c_prime,
    )
    root, deviation = np.sqrt(n_samples), np.sqrt(-2 * np.log(delta))
    size = lipschitz * scale
    factor = 1.0 if radius is None else radius * loss_bound
    terms = {
        "statistical": 4 * size * np.sqrt(exact.sigma2(pool_size)) / root,
        "loss at zero": 2 * loss_at_zero / root,
        "confidence": 2 * deviation / root,
        "approximation": size * epsilon * (1 + deviation),
    }
    assumption = "m is as large as the published condition asks"
    return Bound(
        statement="maxout.theorem-2" if radius is None else "maxout.remark-2",
        form="printed",
        quantity=_RISK,
        terms=tuple(Term(k, factor * v) for k, v in terms.items()),
        probability=1 - 3 * delta - 2 * np.exp(-c * n_inputs / 4),
        assumptions=(
            _NORMAL,
            Assumption("no two inputs are farther apart than 2", diameter <= 2 + 2e-9),
            Assumption(assumption, n_features >= condition, f"{condition:.6g}"),
        ),
        trivial=1.0 if radius is None else loss_bound,
    )


def remark_2(*, radius: float, loss_bound: float, **others: float) -> Bound:
    """Evaluate Remark 2: `radius` times `loss_bound` times :func:`theorem_2` of the others."""
    return theorem_2(radius=radius, loss_bound=loss_bound, **others)  # type: ignore[arg-type]
