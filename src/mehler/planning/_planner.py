"""plan: numbers of features from data or from numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import MaxoutFeatures, _arrays, doubling
from mehler._random import require_seed
from mehler._validate import (
    require_flag,
    require_integer,
    require_not_negative,
    require_positive,
    require_probability,
)
from mehler.bounds import kitchen_sinks
from mehler.planning import _table
from mehler.planning._measured import measured_all_pairs, measured_one_pair
from mehler.planning._plan import Plan, Row

# Rows whose exact kernel is decomposed, which costs the cube.
MOST_ROWS = 6000


def plan(
    data: Any = None,
    *,
    n_inputs: int | None = None,
    n_samples: int | None = None,
    dimension: float | None = None,
    diameter: float | None = None,
    pool_size: int = 4,
    eps: float = 0.1,
    delta: float = 0.01,
    lipschitz: float = 1.0,
    scale: float = 1.0,
    loss_bound: float = 1.0,
    ridge: float | None = None,
    group_order: int | None = None,
    seed: int = 0,
    max_rows: int = 128,
    measure: bool = True,
) -> Plan:
    """Plan the number of maxout features for an accuracy, by measurement, CLT and proved bounds.

    Parameters
    ----------
    data : array, shape (n, d), optional
        Rows, in any library and on any device; they are divided by their norms. Without them pass
        the numbers below.
    n_inputs, n_samples : int, optional
        d and N; default the shape of the data.
    dimension, diameter : float, optional
        An upper bound on the doubling dimension of the set of unit rows, and its diameter; default
        computed from the data.
    pool_size : int
        Projections per unit, q.
    eps : float
        Target error of kernel values at unit vectors, and of the risk.
    delta : float
        Failure probability, per table row.
    lipschitz, scale, loss_bound : float
        L, C and B of the risk theorems: an L-Lipschitz loss in [0, B], weights of at most C/m.
    ridge : float, optional
        lambda of :func:`mehler.learn.ridge`; with it, and with data, the spectral error of the Gram
        matrix relative to K + N lambda is planned too, and the mean square distance from the
        features to all functions of norm C.
    group_order : int, optional
        Order of a finite group of orthogonal maps; with it, and with d and N, the elements that
        group-invariant features sample are planned too.
    seed : int
        Seed of all random numbers.
    max_rows : int
        Largest number of rows to measure on, chosen at random.
    measure : bool
        Whether to draw features and measure.

    Returns
    -------
    Plan
        Prints as a table; `to_dict` returns it as data. Rows on the same quantity are together:
        measured, asymptotic, proved by increasing number.

    Raises
    ------
    ValueError
        If neither data nor numbers are given, or the data have a row of zeros.

    Notes
    -----
    At delta = 0.01 a measurement takes 689 draws of 512 features of `max_rows` rows.

    References
    ----------
    :doc:`/planning` explains the rows, the pages of :doc:`/theorems/index` prove them.

    Examples
    --------
    >>> from mehler.planning import plan
    >>> made = plan(n_inputs=784, n_samples=60_000, eps=0.1, measure=False)
    >>> for row in made.groups["error of the kernel, one pair of rows"]:
    ...     print(row.features, row.kind, row.name)
    1981 asymptotic central limit, exact variance
    3309 proved exact law of two units
    17759 proved sub-gamma constants
    29848 proved Chebyshev, exact variance
    """
    require_flag("measure", measure)
    facts: dict[str, Any] = {
        "eps": require_positive("eps", eps),
        "delta": require_probability("delta", delta),
        "pool_size": require_integer("pool_size", pool_size),
        "n_inputs": None if n_inputs is None else require_integer("n_inputs", n_inputs),
        "n_samples": None if n_samples is None else require_integer("n_samples", n_samples),
        "dimension": None if dimension is None else require_not_negative("dimension", dimension),
        "diameter": None if diameter is None else require_positive("diameter", diameter),
        "lipschitz": require_positive("lipschitz", lipschitz),
        "scale": require_positive("scale", scale),
        "loss_bound": require_positive("loss_bound", loss_bound),
        "group_order": None if group_order is None else require_integer("group_order", group_order),
        "seed": require_seed(seed),
    }
    max_rows = require_integer("max_rows", max_rows)
    if facts["diameter"] is not None and facts["diameter"] > 2:
        raise ValueError(f"diameter={diameter!r} exceeds 2, that of the unit sphere")
    if data is None and n_inputs is None and n_samples is None and dimension is None:
        raise ValueError(
            "there is nothing to plan for: give data, or some of n_inputs, n_samples, dimension"
        )
    if group_order is not None and data is None and (n_inputs is None or n_samples is None):
        raise ValueError(f"group_order={group_order} needs data, or n_inputs and n_samples")
    if ridge is not None:
        facts["ridge"] = require_positive("ridge", ridge)
        if data is None:
            raise ValueError(f"ridge={ridge!r} needs data: the spectrum is that of your rows")
    rows = None if data is None else on_sphere(data)
    notes = _complete(facts, rows)
    setting = {name: value for name, value in facts.items() if name != "group_order" or value}
    table = _kernel_rows(facts, rows, max_rows if measure else 0, notes)
    if facts["n_inputs"] is not None:
        facts["feature_scale"] = kitchen_sinks.feature_scale_maxout(
            facts["n_inputs"], facts["pool_size"], radius=1.0, by="longest"
        )
    table += _table.rows_of(_table.RISK, facts)
    if rows is not None and ridge is not None:
        spectrum = _spectrum(facts, rows, notes)
        table += _table.rows_of(_table.SPECTRUM, spectrum)
    if group_order is not None:
        table += _table.rows_of(_table.ELEMENTS, {**facts, "n_rows": facts["n_samples"]})
    return Plan(setting=setting, rows=tuple(table), notes=tuple(notes))


def on_sphere(data: Any) -> NDArray[np.float64]:
    """Return the rows divided by their norms, shape (n, d), on the host."""
    if not _arrays.is_array(data):
        data = np.asarray(data)
    _arrays.require_matrix(data, name="data")
    if _arrays.is_array(data) and data.ndim == 2:
        _arrays.require_small(data, name="data", reason="a plan is made of all rows at once")
    rows = np.asarray(_arrays.to_host(data), dtype=np.float64)
    # Divide by the largest entry first, since squares of entries may overflow or vanish.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    zero = np.flatnonzero(largest[:, 0] == 0)
    if zero.size:
        raise ValueError(
            f"data has rows of zeros, {zero.size} in all and the first is row {zero[0]}; they "
            "have no direction: remove them"
        )
    scaled = rows / largest
    return scaled / np.linalg.norm(scaled, axis=1, keepdims=True)


def some(rows: NDArray[np.float64], most: int, seed: int) -> NDArray[np.float64]:
    """Return the rows, or `most` of them at random, in their order."""
    if len(rows) <= most:
        return rows
    rng = np.random.Generator(np.random.Philox(seed))
    return rows[np.sort(rng.choice(len(rows), size=most, replace=False))]


def stretch_of(rows: NDArray[np.float64]) -> float:
    """Return the largest singular value, from the smaller of two Gram matrices."""
    n, d = rows.shape
    return math.sqrt(np.linalg.eigvalsh(rows.T @ rows if d < n else rows @ rows.T)[-1])


def spectrum_of(kernel: NDArray[np.float64], shift: float) -> tuple[NDArray[np.float64], float]:
    """Return the eigenvalues of a kernel, and d(lambda), the effective dimension at N lambda."""
    mu = np.maximum(np.linalg.eigvalsh(kernel), 0.0)
    return mu, float(np.sum(mu / (mu + shift)))


def _complete(facts: dict[str, Any], rows: NDArray[np.float64] | None) -> list[str]:
    """Add what the rows tell to the facts, and return notes."""
    if rows is None:
        if facts["dimension"] is not None and facts["diameter"] is None:
            facts["diameter"] = 2.0
            return ["The diameter is taken to be 2, that of the unit sphere."]
        return []
    n, d = rows.shape
    if facts["n_inputs"] not in (None, d):
        raise ValueError(
            f"n_inputs={facts['n_inputs']} contradicts data, which has {d} columns: leave it out"
        )
    notes = ["Rows were divided by their norms."]
    facts["n_inputs"] = d
    if facts["n_samples"] is None:
        facts["n_samples"] = n
    if facts["dimension"] is None:
        interval = doubling.doubling_dimension(rows)
        facts["dimension"] = float(interval.high)
        notes.append(f"The rows have {interval}: {interval.high} is used.")
    if facts["diameter"] is None:
        # Any positive number bounds the diameter of a single direction.
        facts["diameter"] = min(2.0, max(float(doubling.diameter(rows)), 1e-12))
        notes.append(f"The diameter of the rows is {facts['diameter']:.6g}.")
    return notes


def _kernel_rows(
    facts: dict[str, Any], rows: NDArray[np.float64] | None, max_rows: int, notes: list[str]
) -> list[Row]:
    """Return rows on the kernel error at one pair, all pairs of the measured and of all rows."""
    pool = {"pool_size": facts["pool_size"]}
    draws = {name: facts[name] for name in ("pool_size", "eps", "delta", "seed")}
    table = _table.rows_of(_table.ONE_PAIR, facts)
    quantity = table[0].quantity
    table.append(_table.normal_row(quantity, facts, 1, **pool))
    if max_rows:
        table.append(measured_one_pair(quantity=quantity, **draws))
        notes.append("One pair is measured at equal rows, whose variance is the largest.")
    n = facts["n_samples"]
    of: dict[str, Any] = {"rows": "the set"}
    chosen = some(rows, max_rows, facts["seed"]) if rows is not None and max_rows else None
    if chosen is not None and rows is not None and len(chosen) < len(rows):
        notes.append(
            f"{len(chosen)} of the {len(rows)} rows, chosen at random, were measured; the "
            "error of all rows is no smaller."
        )
    for size in dict.fromkeys((n if chosen is None else len(chosen), n)):
        if size is None:
            continue
        of = {"rows": f"{size} rows", "n_rows": size}
        pairs = _table.rows_of(_table.ALL_PAIRS, {**facts, **of})
        table += pairs
        quantity = pairs[0].quantity
        table.append(_table.normal_row(quantity, facts, size * (size + 1) // 2, **pool))
        if chosen is not None and size == len(chosen):
            table.append(measured_all_pairs(chosen, quantity=quantity, **draws))
    return table + _table.rows_of(_table.UNIFORM, {**facts, **of})


def _spectrum(facts: dict[str, Any], rows: NDArray[np.float64], notes: list[str]) -> dict[str, Any]:
    """Return the facts of the Gram matrix at a ridge."""
    chosen = some(rows, MOST_ROWS, facts["seed"])
    if len(chosen) < len(rows):
        notes.append(
            f"The spectral error is that of {len(chosen)} of the {len(rows)} rows, chosen at "
            "random."
        )
    n, ridge = len(chosen), facts["ridge"]
    if not 1e-100 <= n * ridge * facts["eps"] <= 1e100:
        raise ValueError(
            f"ridge={ridge!r}: N ridge eps = {n * ridge * facts['eps']:.3g}, give another"
        )
    phi = MaxoutFeatures.draw(facts["n_inputs"], 1, facts["pool_size"], seed=0)
    mu, freedom = spectrum_of(np.asarray(phi.kernel(chosen)), n * ridge)
    notes.append(f"At lambda = {ridge:.4g} the {n} rows have d(lambda) = {freedom:.1f}.")
    return {
        **facts,
        "n_rows": n,
        "norm": facts["scale"],
        "shift": n * ridge,
        "eigenvalues": mu,
        "variances": np.asarray(phi.variance(chosen)),
        "stretch": stretch_of(chosen),
    }
