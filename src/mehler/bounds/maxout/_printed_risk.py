"""Theorem 2 as printed, with its condition on the number of features."""

from __future__ import annotations

import math
from typing import Any

from mehler import exact
from mehler.bounds._bound import Assumption, Bound, Term, require_probability
from mehler.bounds.maxout._arguments import (
    InputSet,
    require_constants,
    require_not_negative,
    root_log,
)

QUANTITY = "excess risk of the empirical minimiser over the infinite class"


def printed_condition(
    inputs: InputSet, pool_size: int, delta: float, epsilon: float, c_prime: Any
) -> float:
    """Compute C' (k log(D sqrt(d)/delta) + log(q+1)) / epsilon^2, which may be negative."""
    return float(c_prime) * inputs.printed_complexity(pool_size, delta) / epsilon**2


def printed_theorem(
    inputs: InputSet,
    counts: tuple[int, int, int],
    loss: tuple[float, float, Any, Any],
    delta: Any,
    c_prime: Any,
    c: Any,
) -> Bound:
    """Evaluate Theorem 2 as printed.

    `counts` are m, N and q; `loss` is C, L, |V(0)| and epsilon.
    """
    m, n_samples, pool_size = counts
    scale, lipschitz, loss_at_zero, epsilon = loss
    require_constants(c_prime=c_prime, c=c)
    if lacking := [
        name for name, v in (("loss_at_zero", loss_at_zero), ("epsilon", epsilon)) if v is None
    ]:
        raise ValueError(f"the printed form needs {', '.join(lacking)}")
    require_not_negative(loss_at_zero=loss_at_zero)
    require_probability(epsilon=epsilon)
    needed = printed_condition(inputs, pool_size, delta, epsilon, c_prime)
    root = math.sqrt(n_samples)
    deviation = root_log(delta)
    sigma = math.sqrt(exact.sigma2(pool_size))
    return Bound(
        statement="maxout.theorem-2",
        form="printed",
        quantity=QUANTITY,
        terms=(
            Term("statistical", 4 * lipschitz * scale * sigma / root, r"4LC\sigma(q)/\sqrt N"),
            Term("loss at zero", 2 * loss_at_zero / root, r"2|V(0)|/\sqrt N"),
            Term("confidence", 2 * deviation / root, r"2\sqrt{2\log(1/\delta)/N}"),
            Term(
                "approximation",
                lipschitz * scale * epsilon * (1 + deviation),
                r"LC\varepsilon(1 + \sqrt{2\log(1/\delta)})",
            ),
        ),
        probability=1 - 3 * delta - 2 * math.exp(-float(c) * inputs.n_inputs / 4),
        assumptions=(
            *inputs.assumptions,
            Assumption("m is as large as the printed condition asks", m >= needed, f"{needed:.6g}"),
            *drawn(lipschitz, 1.0),
        ),
        trivial=1.0,
    )


def drawn(lipschitz: float, loss_bound: float) -> tuple[Assumption, ...]:
    """Return the assumptions on the loss and on the draws."""
    return (
        loss_assumption(lipschitz, loss_bound),
        Assumption("samples are independent, and weights independent standard normal"),
    )


def loss_assumption(lipschitz: float, loss_bound: float) -> Assumption:
    """Return the assumption on the loss."""
    return Assumption(
        f"the loss is {lipschitz:g}-Lipschitz in y f(x), with values in [0, {loss_bound:g}]"
    )
