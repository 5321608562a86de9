"""Plan the features for an error of the kernel or of the risk, from rows or from numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mehler import MaxoutFeatures, _arrays, doubling, exact
from mehler._random import require_seed
from mehler._validate import (
    require_flag,
    require_integer,
    require_not_negative,
    require_positive,
    require_probability,
    require_reals,
)
from mehler.bounds import kitchen_sinks
from mehler.planning import _table
from mehler.planning._plan import Plan, Row
from mehler.verify import features_needed, intervals

# Rows whose exact kernel is decomposed, which costs the cube.
MOST_ROWS = 6000
# Features per measured draw, and the confidence of the quantile's interval.
FEATURES = 512
_CONFIDENCE = 0.99
# In units of the kernel, whose squares are floats.
_LARGEST_EPS = 1e100
# Of an event that `features_needed` takes.
_LEAST_CHANCE = 1e-300
# Bounds split delta between pairs and events.
_LEAST_DELTA = 1e-280


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
        Rows, in any library and on any device, none of zeros; they are divided by their norms.
        Without them pass some of the numbers below.
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
        Prints as a table; `to_dict` returns it as data.

    Notes
    -----
    At delta = 0.01 a measurement takes 689 draws of 512 features of `max_rows` rows.

    References
    ----------
    :doc:`/planning` explains the rows, the pages of :doc:`/theorems/index` prove them.

    Examples
    --------
    >>> from mehler.planning import plan
    >>> planned = plan(n_inputs=784, n_samples=60_000, eps=0.1, measure=False)
    >>> for row in planned.groups["error of the kernel, one pair of rows"]:
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
        "seed": require_seed(seed),
    }
    max_rows = require_integer("max_rows", max_rows)
    if facts["delta"] < _LEAST_DELTA:
        raise ValueError(f"delta={delta!r} must be at least {_LEAST_DELTA:g}")
    if diameter is not None and facts["diameter"] > 2:
        raise ValueError(f"diameter={diameter!r} exceeds 2, that of the unit sphere")
    if data is None and n_inputs is None and n_samples is None and dimension is None:
        raise ValueError(
            "there is nothing to plan for: give data, or some of n_inputs, n_samples, dimension"
        )
    if group_order is not None:
        facts["group_order"] = require_integer("group_order", group_order)
        if data is None and (n_inputs is None or n_samples is None):
            raise ValueError(f"group_order={group_order} needs data, or n_inputs and n_samples")
    if ridge is not None:
        facts["ridge"] = require_positive("ridge", ridge)
        if data is None:
            raise ValueError(f"ridge={ridge!r} needs data: the spectrum is that of your rows")
    rows = None if data is None else on_sphere(data)
    notes = _complete(facts, rows)
    setting = dict(facts)
    table = _kernel_rows(facts, rows, max_rows if measure else 0, notes)
    if facts["n_inputs"] is not None:
        facts["feature_scale"] = kitchen_sinks.feature_scale_maxout(
            facts["n_inputs"], facts["pool_size"], radius=1.0, by="longest"
        )
    table += _table.rows_of(_table.RISK, facts)
    if rows is not None and ridge is not None:
        table += _table.rows_of(_table.SPECTRUM, _spectrum(facts, rows, notes))
    if group_order is not None:
        table += _table.rows_of(_table.ELEMENTS, {**facts, "n_rows": facts["n_samples"]})
    return Plan(setting=setting, rows=tuple(table), notes=tuple(notes))


def on_sphere(data: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rows divided by their norms, shape (n, d), on the host."""
    if not _arrays.is_array(data):
        data = np.asarray(data)
    _arrays.require_matrix(data, name="data")
    if data.ndim == 2:
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


def sample(rows: NDArray[np.float64], most: int, seed: int) -> NDArray[np.float64]:
    """Return the rows, or `most` of them at random, in their order."""
    if len(rows) <= most:
        return rows
    rng = np.random.Generator(np.random.Philox(seed))
    return rows[np.sort(rng.choice(len(rows), size=most, replace=False))]


def largest_singular_value(rows: NDArray[np.float64]) -> float:
    """Return the largest singular value, from the smaller of two Gram matrices."""
    n, d = rows.shape
    return math.sqrt(np.linalg.eigvalsh(rows.T @ rows if d < n else rows @ rows.T)[-1])


def _complete(facts: dict[str, Any], rows: NDArray[np.float64] | None) -> list[str]:
    """Add to the facts what rows determine, and return notes."""
    if rows is None:
        if facts["dimension"] is None or facts["diameter"] is not None:
            return []
        facts["diameter"] = 2.0
        return ["The diameter is taken to be 2, that of the unit sphere."]
    n, d = rows.shape
    if facts["n_inputs"] not in (None, d):
        raise ValueError(
            f"n_inputs={facts['n_inputs']} contradicts data, which has {d} columns: leave it out"
        )
    notes = ["Rows were divided by their norms."]
    facts["n_inputs"] = d
    facts["n_samples"] = facts["n_samples"] or n
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
    pool_size, n = facts["pool_size"], facts["n_samples"]
    table = _table.rows_of(_table.ONE_PAIR, facts)
    quantity = table[0].quantity
    table.append(_table.normal_row(quantity, facts, 1, pool_size=pool_size))
    if max_rows:
        # Equal rows: features are functions of inner products, so that they need no data.
        table.append(measured(np.ones((1, 1)), quantity, facts))
        notes.append("One pair is measured at equal rows, whose variance is the largest.")
    chosen = sample(rows, max_rows, facts["seed"]) if rows is not None and max_rows else None
    if chosen is not None and rows is not None and len(chosen) < len(rows):
        notes.append(
            f"{len(chosen)} of the {len(rows)} rows, chosen at random, were measured; the "
            "error of all rows is no smaller."
        )
    sizes = (n if chosen is None else len(chosen), n)
    of: dict[str, Any] = {"rows": "the set"}
    for size in dict.fromkeys(size for size in sizes if size is not None):
        of = {"rows": f"{size} rows", "n_rows": size}
        pairs = _table.rows_of(_table.ALL_PAIRS, {**facts, **of})
        table += pairs
        quantity, n_pairs = pairs[0].quantity, size * (size + 1) // 2
        table.append(_table.normal_row(quantity, facts, n_pairs, pool_size=pool_size))
        if chosen is not None and size == len(chosen):
            table.append(measured(chosen, quantity, facts))
    return table + _table.rows_of(_table.UNIFORM, {**facts, **of})


def _spectrum(facts: dict[str, Any], rows: NDArray[np.float64], notes: list[str]) -> dict[str, Any]:
    """Return the facts of the Gram matrix at a ridge."""
    chosen = sample(rows, MOST_ROWS, facts["seed"])
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
    mu = np.maximum(np.linalg.eigvalsh(np.asarray(phi.kernel(chosen))), 0.0)
    freedom = float(np.sum(mu / (mu + n * ridge)))
    notes.append(f"At lambda = {ridge:.4g} the {n} rows have d(lambda) = {freedom:.1f}.")
    return {
        **facts,
        "n_rows": n,
        "norm": facts["scale"],
        "ridge": n * ridge,
        "eigenvalues": mu,
        "variance": np.asarray(phi.variance(chosen)),
        "lipschitz": largest_singular_value(chosen),
    }


def measured(rows: NDArray[np.float64], quantity: str, facts: dict[str, Any]) -> Row:
    """Measure the largest error of the Gram matrix of unit rows over draws, rescaled to eps."""
    eps, delta, pool_size = facts["eps"], facts["delta"], facts["pool_size"]
    # The largest of n draws is below the 1 - delta quantile with probability (1 - delta)^n. More
    # draws than make that small bring the order statistics closer to the quantile.
    most, times = (10_000, 4.0) if len(rows) == 1 else (1_000, 1.5)
    least = math.ceil(math.log(1 - _CONFIDENCE) / math.log1p(-delta))
    if least > most:
        return Row(
            quantity=quantity,
            name="no draws",
            kind="measured",
            features=None,
            probability=1 - delta,
            note=f"a quantile of {delta:g} needs more than {most} draws: give a larger delta",
        )
    n = min(most, max(200, math.ceil(times * least)))
    # Units depend on inner products of rows only, so rotate the rows into their span.
    turned = np.asarray(np.linalg.qr(rows.T, mode="r")).T
    rho = np.clip(turned @ turned.T, -1.0, 1.0)
    np.fill_diagonal(rho, 1.0)
    kernel = exact.maxout_kernel(rho, pool_size)
    # The rounding of float32 is 1e-5 of the errors measured.
    turned = np.ascontiguousarray(turned, dtype=np.float32)
    errors = np.empty(n)
    # Draws are made as one map and then split, to save calls.
    for block, draws in enumerate(_arrays.slices(n, max(1, 4096 // len(rows)))):
        units = (draws.stop - draws.start) * FEATURES
        key = np.random.SeedSequence([facts["seed"], int(len(rows) > 1), block])
        seed = int(key.generate_state(1, np.uint64)[0])
        phi = MaxoutFeatures.draw(turned.shape[1], units, pool_size, seed=seed, dtype="float32")
        # Undo the normalisation by sqrt(units).
        Z = np.asarray(phi(turned)) * math.sqrt(units / FEATURES)
        parts = Z.reshape(len(rows), -1, FEATURES).transpose(1, 0, 2)
        errors[draws] = np.abs(parts @ parts.transpose(0, 2, 1) - kernel).max(axis=(1, 2))
    ends = intervals.quantile(errors, 1 - delta, 2 * (1 - _CONFIDENCE))
    # Errors are not negative; there is an upper end, since there are enough draws.
    low, features = (math.ceil(FEATURES * (max(end, 0.0) / eps) ** 2) for end in ends)
    return Row(
        quantity=quantity,
        name=f"{n} draws",
        kind="measured",
        features=features,
        interval=(low, features),
        probability=1 - delta,
        note=(
            f"at least {low:,}; each end at confidence {100 * _CONFIDENCE:g} %, scaled by "
            f"m^(-1/2) from {FEATURES} features"
        ),
    )


def plan_map(
    phi: Any, X: ArrayLike, *, eps: float = 0.1, delta: float = 0.01, n_samples: int | None = None
) -> Plan:
    r"""Plan how many features a map needs for its Gram matrix to be within eps on all pairs.

    .. math:: m = V \Big(\frac{\Phi^{-1}(1 - \delta / 2P)}{\epsilon}\Big)^2, \qquad
              V = \max_{x, y} \frac{m \operatorname{Var}\langle\phi(x), \phi(y)\rangle}
                  {k(x,x)\,k(y,y)}, \qquad P = \tfrac{N(N+1)}2

    Parameters
    ----------
    phi : FeatureMap
        Any map with ``kernel`` and ``variance``; its own number of features does not matter.
    X : array, shape (n, d)
        Rows at whose pairs, the diagonal included, the variance is computed; k(x, x) > 0.
    eps : float
        Error of the Gram matrix, in units of sqrt(k(x,x) k(y,y)).
    delta : float
        Probability of a larger error at any pair.
    n_samples : int, optional
        Rows N that are planned for; default n.

    Returns
    -------
    Plan
        An asymptotic row, for the inner products themselves, and a proved one, for Catoni's
        estimate in the place of their mean (:func:`mehler.verify.features_needed`), which holds at
        every size.

    Notes
    -----
    V is exact or an upper bound, as the map declares, but that of `X` alone: give rows that are
    like those planned for. Cost: one kernel and one variance matrix, n by n.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> phi = mehler.FourierFeatures.draw(2, 10, gamma=0.5, seed=0)
    >>> X = np.random.default_rng(0).standard_normal((50, 2))
    >>> for row in mehler.planning.plan_map(phi, X, eps=0.1).rows:
    ...     print(row.kind, row.features)
    asymptotic 1998
    proved 2720
    """
    facts = {"eps": require_positive("eps", eps), "delta": require_probability("delta", delta)}
    if facts["eps"] > _LARGEST_EPS:
        raise ValueError(f"eps={eps!r} must be at most {_LARGEST_EPS:g}")
    X = np.asarray(_arrays.to_host(X)) if _arrays.is_array(X) else require_reals("X", X)
    _arrays.require_matrix(X, name="X")
    n = require_integer("n_samples", X.shape[0] if n_samples is None else n_samples)
    variance, pairs = _relative_variance(phi, X), n * (n + 1) // 2
    quantity = f"largest error of the Gram matrix over sqrt(k(x,x) k(y,y)), {n} rows"
    declared = ("the variance is nowhere larger than at the rows given",)
    limit = _table.normal_row(quantity, facts, pairs, variance=variance)
    # Half each for an interval that misses the truth, and for one that is too wide.
    fraction = facts["delta"] / pairs / 2
    if fraction < _LEAST_CHANCE:
        raise ValueError(f"delta={delta!r} is too small for {pairs} pairs: give a larger one")
    proved = Row(
        quantity=quantity,
        name="Catoni's estimate, union over pairs",
        kind="proved",
        features=features_needed(variance, 2 * facts["eps"], fraction, fraction),
        probability=1 - facts["delta"],
        assumptions=declared,
        note="for Catoni's estimate of the mean product",
    )
    limit = replace(limit, name="central limit, union over pairs", assumptions=declared)
    setting = {**facts, "map": type(phi).__name__, "n_samples": n, "variance": variance}
    return Plan(setting=setting, rows=(replace(limit, statement=""), proved))


def _relative_variance(phi: Any, X: NDArray[np.float64]) -> float:
    """Return the largest m Var<phi(x), phi(y)> / (k(x,x) k(y,y)) at the pairs of some rows."""
    for part in ("kernel", "gram_variance"):
        if not callable(getattr(phi, part, None)):
            raise TypeError(f"phi is {type(phi).__name__}, which has no {part}(X): pass a map")
    rows = np.asarray(X, dtype=np.float64)
    length = np.diag(np.asarray(phi.kernel(rows)))
    if not (length > 0).all():
        raise ValueError(
            f"k(x, x) = {length.min():.6g} at row {int(np.argmin(length))} of X: errors are "
            "relative to it, so leave such rows out"
        )
    # gram_variance knows of units that depend on each other.
    spread = phi.n_features * np.asarray(phi.gram_variance(rows))
    # A variance that is 0 up to rounding needs some features all the same.
    return max(float(np.max(spread / np.outer(length, length))), 1e-12)
