"""Plan the features for an error of the kernel or of the risk, from rows or from numbers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

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
FEATURES, _CONFIDENCE = 512, 0.99
# Of a measurement: products, and weights, in all and at once.
_MOST_PRODUCTS, _MOST_WEIGHTS, _BLOCK = 4e11, 4e9, 1 << 24
# In units of the kernel, whose squares are floats.
_LARGEST_EPS = 1e100
# Of an event that `features_needed` takes.
_LEAST_CHANCE = 1e-300
# Bounds split delta between pairs and events.
_LEAST_DELTA = 1e-280


def plan(
    data: Any = None,
    *,
    map: Any = None,
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
        Rows, in any library and on any device; they are divided by their norms, and those of
        zeros left out. Without them pass some of the numbers below.
    map : FeatureMap or fitted sampler, optional
        Plan this map on the rows as they are, by :func:`plan_map`, which uses `eps`, `delta` and
        `n_samples`. Default maxout features of `pool_size`.
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

    See :doc:`/planning` for the rows.

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
    if map is not None:
        return plan_map(map, data, eps=eps, delta=delta, n_samples=n_samples)
    facts: dict[str, Any] = {"pool_size": require_integer("pool_size", pool_size)}
    for name, count in {"n_inputs": n_inputs, "n_samples": n_samples}.items():
        facts[name] = None if count is None else require_integer(name, count)
    facts["dimension"] = None if dimension is None else require_not_negative("dimension", dimension)
    facts["diameter"] = None if diameter is None else require_positive("diameter", diameter)
    numbers = {"eps": eps, "lipschitz": lipschitz, "scale": scale, "loss_bound": loss_bound}
    facts |= {name: require_positive(name, value) for name, value in numbers.items()}
    facts |= {"delta": require_probability("delta", delta), "seed": require_seed(seed)}
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
    notes: list[str] = []
    rows = None if data is None else on_sphere(data, notes)
    _complete(facts, rows, notes)
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


def on_sphere(data: ArrayLike, notes: list[str]) -> NDArray[np.float64]:
    """Return the rows divided by their norms, shape (n, d), on the host, but those of zeros."""
    data = data if _arrays.is_array(data) else require_reals("data", data)
    _arrays.require_matrix(data, name="data")
    _arrays.require_small(data, name="data", reason="a plan is made of all rows at once")
    rows = np.asarray(_arrays.to_host(data), dtype=np.float64)
    # Divide by the largest entry first, since squares of entries may overflow or vanish.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    kept = largest[:, 0] > 0
    if not kept.any():
        raise ValueError("data has rows of zeros alone, which have no direction")
    notes.append("Rows were divided by their norms.")
    if not kept.all():
        notes.append(
            f"{len(rows) - kept.sum()} of the {len(rows)} rows are zeros, which have no direction, "
            "and were left out: homogeneous features are 0 there, without error."
        )
    scaled = rows[kept] / largest[kept]
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


def _complete(facts: dict[str, Any], rows: NDArray[np.float64] | None, notes: list[str]) -> None:
    """Add to the facts what rows determine, and to the notes how."""
    if rows is None:
        if facts["dimension"] is not None and facts["diameter"] is None:
            facts["diameter"] = 2.0
            notes.append("The diameter is taken to be 2, that of the unit sphere.")
        return
    n, d = rows.shape
    if facts["n_inputs"] not in (None, d):
        raise ValueError(
            f"n_inputs={facts['n_inputs']} contradicts data, which has {d} columns: leave it out"
        )
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
    n = min(most, max(200, math.ceil(times * least)))
    row = Row(quantity=quantity, name="no draws", kind="measured", probability=1 - delta)
    if least > most:
        note = f"a quantile of {delta:g} needs more than {most} draws: give a larger delta"
        return replace(row, note=note)
    errors = _errors_of_equal_rows(n, facts) if len(rows) == 1 else _errors(rows, n, facts)
    if errors is None:
        note = f"{n} draws of pools of {pool_size} would take minutes: give fewer max_rows"
        return replace(row, note=note)
    ends = intervals.quantile(errors, 1 - delta, 2 * (1 - _CONFIDENCE))
    # Errors are not negative; there is an upper end, since there are enough draws.
    low, features = (math.ceil(FEATURES * (max(end, 0.0) / eps) ** 2) for end in ends)
    note = (
        f"at least {low:,}; each end at confidence {100 * _CONFIDENCE:g} %, scaled by m^(-1/2) "
        f"from {FEATURES} features"
    )
    return replace(row, name=f"{n} draws", features=features, interval=(low, features), note=note)


def _errors_of_equal_rows(n: int, facts: dict[str, Any]) -> NDArray[np.float64]:
    """Draw errors of n means of squared units at one row of norm 1.

    A unit is the largest of q standard normal numbers, whose distribution function is that of one
    to the power q: a uniform number for each unit, whatever the pool.
    """
    pool_size = facts["pool_size"]
    rng = np.random.Generator(np.random.Philox(np.random.SeedSequence([facts["seed"], 0])))
    errors, exact_value = np.empty(n), float(exact.sigma2(pool_size))
    for draws in _arrays.slices(n, 2048):
        uniform = 1.0 - rng.random((draws.stop - draws.start, FEATURES))
        units = special.ndtri_exp(np.log(uniform) / pool_size)
        errors[draws] = np.abs(np.mean(units * units, axis=1) - exact_value)
    return errors


def _errors(rows: NDArray[np.float64], n: int, facts: dict[str, Any]) -> NDArray[np.float64] | None:
    """Draw largest errors of n Gram matrices of unit rows, or None if that takes minutes."""
    pool_size = facts["pool_size"]
    # Units depend on inner products of rows only, so rotate the rows into their span.
    turned = np.asarray(np.linalg.qr(rows.T, mode="r")).T
    weights = FEATURES * pool_size * turned.shape[1]
    if n * weights * len(rows) > _MOST_PRODUCTS or n * weights > _MOST_WEIGHTS:
        return None
    rho = np.clip(turned @ turned.T, -1.0, 1.0)
    np.fill_diagonal(rho, 1.0)
    kernel = exact.maxout_kernel(rho, pool_size)
    # The rounding of float32 is 1e-5 of the errors measured.
    turned = np.ascontiguousarray(turned, dtype=np.float32)
    errors = np.empty(n)
    # Draws are made as one map and then split, to save calls.
    size = max(1, min(4096 // len(rows), _BLOCK // weights))
    for block, draws in enumerate(_arrays.slices(n, size)):
        units = (draws.stop - draws.start) * FEATURES
        key = np.random.SeedSequence([facts["seed"], 1, block])
        seed = int(key.generate_state(1, np.uint64)[0])
        phi = MaxoutFeatures.draw(turned.shape[1], units, pool_size, seed=seed, dtype="float32")
        # Undo the normalisation by sqrt(units).
        Z = np.asarray(phi(turned)) * math.sqrt(units / FEATURES)
        parts = Z.reshape(len(rows), -1, FEATURES).transpose(1, 0, 2)
        errors[draws] = np.abs(parts @ parts.transpose(0, 2, 1) - kernel).max(axis=(1, 2))
    return errors


def plan_map(
    phi: Any, X: ArrayLike, *, eps: float = 0.1, delta: float = 0.01, n_samples: int | None = None
) -> Plan:
    r"""Plan how many features a map needs for its Gram matrix to be within eps on all pairs.

    .. math:: m = V \Big(\frac{\Phi^{-1}(1 - \delta / 2P)}{\epsilon}\Big)^2, \qquad
              V = \max_{x, y} \frac{m \operatorname{Var}\langle\phi(x), \phi(y)\rangle}
                  {k(x,x)\,k(y,y)}, \qquad P = \tfrac{N(N+1)}2

    Parameters
    ----------
    phi : FeatureMap or fitted sampler
        Any map with ``kernel`` and ``gram_variance``, or a sampler of `mehler.sklearn` that has
        one; its own number of features does not matter.
    X : array, shape (n, d)
        Rows at whose pairs, the diagonal included, the variance is computed; those of
        k(x, x) = 0 are left out.
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
        estimate in the place of their mean (:func:`mehler.verify.features_needed`).

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
    # Of a fitted sampler of `mehler.sklearn` its map.
    phi = getattr(phi, "map_", phi)
    X = X if _arrays.is_array(X) else require_reals("X", X)
    _arrays.require_matrix(X, name="X")
    X = np.asarray(_arrays.to_host(X))
    n = require_integer("n_samples", X.shape[0] if n_samples is None else n_samples)
    for part in ("kernel", "gram_variance"):
        if not callable(getattr(phi, part, None)):
            raise TypeError(f"phi is {type(phi).__name__}, which has no {part}(X): pass a map")
    rows, notes = np.asarray(X, dtype=np.float64), []
    length = np.diag(np.asarray(phi.kernel(rows)))
    kept = length > 0
    if not kept.any():
        raise ValueError("k(x, x) = 0 at all rows of X: errors are relative to it")
    if not kept.all():
        rows, length = rows[kept], length[kept]
        notes.append(
            f"{np.sum(~kept)} of the {len(kept)} rows, at which k(x, x) = 0, were left out: "
            "features are 0 there, without error."
        )
    # gram_variance knows of units that depend on each other. One that is 0 up to rounding needs
    # some features all the same.
    spread = phi.n_features * np.asarray(phi.gram_variance(rows)) / np.outer(length, length)
    variance, pairs = max(float(np.max(spread)), 1e-12), n * (n + 1) // 2
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
    return Plan(setting=setting, rows=(replace(limit, statement=""), proved), notes=tuple(notes))
