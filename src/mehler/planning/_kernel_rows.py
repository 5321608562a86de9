"""Plan rows on the kernel error, at one pair, all pairs of some rows and all pairs of all rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.bounds import kernel_error, solve
from mehler.planning._data import Known
from mehler.planning._measured import measured_all_pairs, measured_one_pair
from mehler.planning._plan import Row

_ROUTES = ("chernoff", "sub-gamma", "chebyshev")
_NAMES = {
    "chernoff": "exact law of two units",
    "sub-gamma": "sub-gamma constants",
    "chebyshev": "Chebyshev, exact variance",
    "chaining": "doubling dimension, chaining",
    "net": "doubling dimension, net",
}
_NORMAL = "central limit, exact variance"


def kernel_rows(
    known: Known,
    *,
    pool_size: int,
    eps: float,
    delta: float,
    seed: int,
    max_rows: int,
    measure: bool,
) -> tuple[list[Row], list[str]]:
    """Return all rows on the kernel error, and notes."""
    asked: dict[str, Any] = {"pool_size": pool_size, "delta": delta}
    one = "error of the kernel, one pair of rows"
    rows = _one_pair(one, eps, asked)
    notes = []
    measured: dict[str, Any] = {"pool_size": pool_size, "eps": eps, "delta": delta, "seed": seed}
    if measure:
        rows.append(measured_one_pair(quantity=one, **measured))
        notes.append("One pair is measured at equal rows, whose variance is the largest.")
    if known.n_samples is not None:
        rows += _groups(known, eps, asked, max_rows if measure else 0, measured)
    elif known.dimension is not None:
        rows += _uniform("largest error of the kernel, all pairs of the set", known, eps, asked)
    if known.rows is not None and measure and known.rows.shape[0] > max_rows:
        notes.append(
            f"{max_rows} of the {known.rows.shape[0]} rows, chosen at random, were measured; the "
            "error of all rows is no smaller."
        )
    return rows, notes


def _one_pair(quantity: str, eps: float, asked: dict[str, Any]) -> list[Row]:
    rows = _by_routes("one_pair", quantity, _ROUTES, eps, asked)
    return [*rows, _normal(quantity, eps, asked, 1)]


def _groups(
    known: Known, eps: float, asked: dict[str, Any], max_rows: int, measured: dict[str, Any]
) -> list[Row]:
    """Return the group of the measured rows, and that of all rows if there are more."""
    n = known.n_samples
    assert n is not None
    rows: list[Row] = []
    if known.rows is not None and max_rows:
        present = known.rows.shape[0]
        looked = min(present, max_rows)
        chosen = known.rows
        if looked < present:
            rng = np.random.Generator(np.random.Philox(measured["seed"]))
            chosen = known.rows[np.sort(rng.choice(present, size=looked, replace=False))]
        quantity = f"largest error of the kernel, all pairs of {looked} rows"
        rows.append(measured_all_pairs(chosen, quantity=quantity, **measured))
        rows += _all_pairs(quantity, looked, eps, asked)
        if looked == n:
            return rows + _uniform(quantity, known, eps, asked)
    quantity = f"largest error of the kernel, all pairs of {n} rows"
    rows += _all_pairs(quantity, n, eps, asked)
    return rows + _uniform(quantity, known, eps, asked)


def _all_pairs(quantity: str, n: int, eps: float, asked: dict[str, Any]) -> list[Row]:
    rows = _by_routes("all_pairs", quantity, _ROUTES, eps, {**asked, "n_rows": n})
    return [*rows, _normal(quantity, eps, asked, n * (n + 1) // 2)]


def _uniform(quantity: str, known: Known, eps: float, asked: dict[str, Any]) -> list[Row]:
    if known.dimension is None or known.diameter is None:
        return []
    routes = ("chaining",) if known.n_inputs is None else ("chaining", "net")
    shape: dict[str, Any] = {
        "dimension": known.dimension,
        "diameter": known.diameter,
        "n_inputs": known.n_inputs,
        **asked,
    }
    return _by_routes("uniform", quantity, routes, eps, shape)


def _by_routes(
    bound: str, quantity: str, routes: tuple[str, ...], eps: float, given: dict[str, Any]
) -> list[Row]:
    """Return a row for each way to prove a bound of `mehler.bounds.kernel_error`."""
    rows = []
    for route in routes:
        function = getattr(kernel_error, bound)
        features = solve(function, at_most=eps, n_features=None, method=route, **given)
        found = function(features, method=route, **given)
        rows.append(
            Row(
                quantity=quantity,
                name=_NAMES[route],
                kind="proved",
                features=features,
                statement=found.statement,
                probability=found.probability,
                vacuous=found.vacuous,
                assumptions=tuple(one.text for one in found.assumptions),
            )
        )
    return rows


def _normal(quantity: str, eps: float, asked: dict[str, Any], pairs: int) -> Row:
    return Row(
        quantity=quantity,
        name=_NORMAL if pairs == 1 else f"{_NORMAL}, union over pairs",
        kind="asymptotic",
        features=solve(
            kernel_error.normal_quantile, at_most=eps, n_features=None, n_pairs=pairs, **asked
        ),
        statement="maxout.kernel-error",
        probability=1 - asked["delta"],
        assumptions=("units are independent", "there are enough of them"),
        note="a limit, no promise at any number of features",
    )
