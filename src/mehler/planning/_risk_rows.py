"""Plan rows on the risk: features for which box-constrained weights do well, by each theorem."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

from mehler.bounds import Bound, kitchen_sinks, maxout, printed, solve
from mehler.planning._data import Known
from mehler.planning._plan import Row

# Failure probability of each theorem, in units of its own delta.
_TIMES = {"dimension-free": 3, "paper": 4}
_CENTRED = "Theorem 2, centred units"
_KITCHEN = "Rahimi and Recht, units divided by their longest weight"


def risk_rows(
    known: Known,
    *,
    pool_size: int,
    eps: float,
    delta: float,
    lipschitz: float,
    scale: float,
    loss_bound: float,
    c_prime: float | None,
    c: float | None,
) -> list[Row]:
    """Return rows on the whole excess risk at N samples, and on its part due to the features."""
    loss: dict[str, Any] = {"lipschitz": lipschitz, "scale": scale}
    maxouts = {"pool_size": pool_size, "loss_bound": loss_bound, **loss}
    rows = _approximation(known, eps, delta, maxouts, loss, c_prime)
    if known.n_samples is not None:
        rows += _excess(known, known.n_samples, eps, delta, maxouts, loss, c)
    return rows


def _shapes(known: Known) -> list[tuple[Any, str, dict[str, Any]]]:
    """Return the variants of Theorem 2 that the known numbers allow, with names and numbers."""
    found: list[tuple[Any, str, dict[str, Any]]] = [
        ("dimension-free", "Theorem 2, dimension-free", {}),
        ("dimension-free", _CENTRED, {"centred": True}),
    ]
    if None not in (known.n_inputs, known.dimension, known.diameter):
        numbers = {
            "n_inputs": known.n_inputs,
            "dimension": known.dimension,
            "diameter": known.diameter,
        }
        found.append(("paper", "Theorem 2, doubling dimension", numbers))
    return found


def _approximation(
    known: Known,
    eps: float,
    delta: float,
    maxouts: dict[str, Any],
    loss: dict[str, Any],
    c_prime: float | None,
) -> list[Row]:
    quantity = "excess risk, the part that more features reduce"
    shared: dict[str, Any] = {"probability": 1 - delta, "vacuous": eps >= maxouts["loss_bound"]}
    rows = []
    for shape, name, numbers in _shapes(known):
        # Without the data's part, the dimension-free variant fails once, the paper's twice.
        free = shape == "dimension-free"
        own = delta / (1 if free else 2)
        added = maxout.approximation_risk if free else maxout.approximation_risk_by_dimension
        rows.append(
            _row(
                quantity,
                name,
                partial(
                    solve, added, at_most=eps, n_features=None, delta=own, **maxouts, **numbers
                ),
                statement="maxout.lemma-4",
                **shared,
            )
        )
    if known.n_inputs is not None:
        rows.append(
            _row(
                quantity,
                _KITCHEN,
                lambda: solve(
                    kitchen_sinks.approximation,
                    at_most=eps / loss["lipschitz"],
                    n_features=None,
                    scale=loss["scale"],
                    delta=delta,
                    feature_scale=_divisor(known, maxouts),
                ),
                statement="kitchen-sinks.risk-lemma",
                **shared,
            )
        )
    shape, _, numbers = _shapes(known)[-1]
    if c_prime is not None and shape == "paper":
        rows.append(_printed_condition(quantity, eps, delta, maxouts, numbers, c_prime))
    return rows


def _printed_condition(
    quantity: str,
    eps: float,
    delta: float,
    maxouts: dict[str, Any],
    numbers: dict[str, Any],
    c_prime: float,
) -> Row:
    # Set the print's last term, L C epsilon (1 + sqrt(2 log(1/delta))), to eps.
    size = maxouts["lipschitz"] * maxouts["scale"] * (1 + math.sqrt(2 * math.log(1 / delta)))
    own = min(eps / size, 1 - 1e-9)
    asked = printed.maxout.theorem_2_condition(
        own,
        pool_size=maxouts["pool_size"],
        delta=delta,
        c_prime=c_prime,
        **numbers,
    )
    return Row(
        quantity=quantity,
        name=f"Theorem 2 as printed, C' = {c_prime:g}",
        kind="printed",
        features=max(1, math.ceil(asked)),
        statement="maxout.theorem-2",
        probability=1 - delta,
        note="the print is not proved, and its constants are yours",
    )


def _excess(
    known: Known,
    n: int,
    eps: float,
    delta: float,
    maxouts: dict[str, Any],
    loss: dict[str, Any],
    c: float | None,
) -> list[Row]:
    quantity = f"excess risk over the best function of the class, {n} samples"
    shared: dict[str, Any] = {"probability": 1 - delta, "vacuous": eps >= maxouts["loss_bound"]}
    rows = []
    for shape, name, numbers in _shapes(known):
        free = shape == "dimension-free"
        own = delta / _TIMES[shape]
        bound = maxout.excess_risk if free else maxout.excess_risk_by_dimension
        options = {"delta": own, "n_samples": n, **maxouts, **numbers}
        rows.append(
            _row(
                quantity,
                name,
                partial(solve, bound, at_most=eps, n_features=None, **options),
                at=partial(
                    lambda bound, options, m: bound(n_features=m, **options), bound, options
                ),
                statement="maxout.theorem-2",
                **shared,
            )
        )
    if known.n_inputs is not None:
        divided = {**loss, "delta": delta / 2, "feature_scale": _divisor(known, maxouts)}
        rows.append(
            _row(
                quantity,
                _KITCHEN,
                lambda: solve(
                    kitchen_sinks.excess_risk, at_most=eps, n_features=None, n_samples=n, **divided
                ),
                at=lambda m: kitchen_sinks.excess_risk(m, n, **divided),
                statement="kitchen-sinks.theorem",
                **shared,
            )
        )
    if c is not None:
        rows.append(_printed_theorem(quantity, n, eps, delta, loss, c))
    return rows


def _printed_theorem(
    quantity: str, n: int, eps: float, delta: float, loss: dict[str, Any], c: float
) -> Row:
    """Solve c L C (N^(-1/2) + m^(-1/2)) sqrt(log(1/delta)) = eps for m."""
    size = c * loss["lipschitz"] * loss["scale"] * math.sqrt(math.log(1 / delta))
    left = eps / size - n**-0.5
    return Row(
        quantity=quantity,
        name=f"Rahimi and Recht as printed, c = {c:g}",
        kind="printed",
        features=math.ceil(left**-2) if left > 0 else None,
        statement="kitchen-sinks.theorem",
        probability=1 - delta,
        vacuous=left <= 0,
        note="for features of at most 1, which maxout units are not",
    )


def _divisor(known: Known, maxouts: dict[str, Any]) -> float:
    assert known.n_inputs is not None
    return kitchen_sinks.feature_scale_maxout(
        known.n_inputs, maxouts["pool_size"], radius=1.0, by="longest"
    )


def _row(
    quantity: str,
    name: str,
    find: Callable[[], int],
    *,
    statement: str,
    probability: float,
    vacuous: bool,
    at: Callable[[int], Bound] | None = None,
) -> Row:
    """Return one row, with a note if no number of features is enough."""
    features: int | None
    try:
        features, note = find(), ""
    except ValueError as error:
        # Arguments were validated before, so the remaining error is an unattainable eps.
        features, note = None, str(error).replace("at_most=", "eps=")
    assumptions: tuple[str, ...] = ()
    if at is not None:
        bound = at(1 if features is None else features)
        assumptions = tuple(one.text for one in bound.assumptions)
    return Row(
        quantity=quantity,
        name=name,
        kind="proved",
        features=features,
        statement=statement,
        probability=probability,
        vacuous=vacuous or features is None,
        assumptions=assumptions,
        note=note,
    )
