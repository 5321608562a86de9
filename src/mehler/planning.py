"""Plan the number of features for a target accuracy of the kernel and of the risk."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from mehler import MaxoutFeatures, _arrays, bounds, doubling, exact
from mehler._random import require_seed
from mehler._text import Listed
from mehler._validate import (
    LEAST_PROBABILITY,
    require_flag,
    require_integer,
    require_not_negative,
    require_positive,
    require_probability,
    require_reals,
)
from mehler.bounds import kernel_error, maxout
from mehler.verify import features_needed, intervals

__all__ = ["Plan", "Row", "plan"]

RowKind = Literal["measured", "asymptotic", "proved"]
Floats: TypeAlias = NDArray[np.float64]
# Features per measured draw, and the confidence of the quantile's interval.
FEATURES, _CONFIDENCE = 512, 0.99
# Products of a measurement, which take half a minute.
_MOST_PRODUCTS = 4e11
# Limits of delta, which bounds divide by pairs and events, and of eps, whose square is a float.
_LEAST_DELTA, _LARGEST_EPS = 1e-280, 1e100


@dataclass(frozen=True, kw_only=True)
class Row:
    """The number of features by one bound, limit or measurement.

    Parameters
    ----------
    quantity : str
        The quantity kept below eps, the target accuracy; rows of one quantity are a group.
    name : str
        Source: a theorem and its method, the central limit theorem, a measurement.
    kind : {"measured", "asymptotic", "proved"}
        A measurement on draws, a limit without guarantee, or a bound proved with all constants.
    features : int or None
        The least number of features; None if no number is enough, or none could be found.
    interval : (int, int), optional
        Of a measurement, as `note` says; `features` is its upper end.
    statement : str
        Id of the statement evaluated; empty for a measurement.
    probability : float
        The quantity stays below eps with at least this probability.
    vacuous : bool
        Whether no number is enough, or the quantity never exceeds eps.
    assumptions : tuple of str
        Assumptions of the row.
    note : str
        How it was measured, or why there is no number.
    """

    quantity: str
    name: str
    kind: RowKind
    features: int | None = None
    interval: tuple[int, int] | None = None
    statement: str = ""
    probability: float
    vacuous: bool = False
    assumptions: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class Plan(Listed):
    """Numbers of features for an accuracy, by measurement, central limit theorem and bound.

    Parameters
    ----------
    setting : mapping
        The arguments, given or computed from the data.
    rows : tuple of Row
        In groups of one quantity; in each measured, asymptotic, proved by increasing number.
    notes : tuple of str
        Treatment of the data, and defaults assumed.
    """

    setting: Mapping[str, Any]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        places = {row.quantity: i for i, row in reversed(list(enumerate(self.rows)))}

        def order(row: Row) -> tuple[int, int, float]:
            kind = get_args(RowKind).index(row.kind)
            return places[row.quantity], kind, row.features or math.inf

        object.__setattr__(self, "rows", tuple(sorted(self.rows, key=order)))

    @property
    def groups(self) -> dict[str, tuple[Row, ...]]:
        """Rows by the quantity they bound, in order."""
        grouped = itertools.groupby(self.rows, key=lambda row: row.quantity)
        return {quantity: tuple(rows) for quantity, rows in grouped}

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as JSON-able values, with the keys "setting", "notes" and "rows"."""
        return asdict(self)

    def __str__(self) -> str:
        """Return the table, a block per quantity, and the notes."""
        facts = self.setting
        of = facts.get("map") or f"pool size {facts['pool_size']}"
        confidence = 100 * (1 - facts["delta"])
        lines = [f"features for eps = {facts['eps']:g} at confidence {confidence:g} %, {of}"]
        counts = ["none" if row.features is None else f"{row.features:,}" for row in self.rows]
        kinds = [f"{row.kind}, vacuous" if row.vacuous else row.kind for row in self.rows]
        wide, wider = (max(map(len, column)) for column in (counts, kinds))
        for row, count, kind in zip(self.rows, counts, kinds):
            if row.quantity not in lines:
                lines += ["", row.quantity]
            note = f" ({row.note})" if row.note else ""
            lines.append(f"  {count:>{wide}}  {kind:<{wider}}  {row.name}{note}")
        return "\n".join([*lines, "", *self.notes])


class Route(NamedTuple):
    """A bound to solve for m: names of the facts that it `takes`, and events that share delta."""

    quantity: str
    name: str
    bound: Any
    takes: str
    options: Mapping[str, Any] = {}
    events: int = 1


_ONE = "error of the kernel, one pair of rows"
_PAIRS = "largest error of the kernel, all pairs of {rows}"
_PART = "excess risk, the part that more features reduce"
_EXCESS = "excess risk over the best function of the class, {n_samples} samples"
_METHODS = {
    "chernoff": "exact law of two units",
    "sub-gamma": "sub-gamma constants",
    "chebyshev": "Chebyshev, exact variance",
}
_SHAPE, _UNITS = "dimension diameter n_inputs", "scale lipschitz delta pool_size loss_bound"
_LIMIT, _PAIR = kernel_error.normal_quantile, "pool_size delta"

ONE_PAIR = [
    Route(_ONE, "central limit, exact variance", _LIMIT, f"{_PAIR} n_pairs"),
    *(
        Route(_ONE, name, kernel_error.one_pair, _PAIR, {"method": method})
        for method, name in _METHODS.items()
    ),
]
ALL_PAIRS = [
    Route(_PAIRS, "central limit, exact variance, union over pairs", _LIMIT, f"{_PAIR} n_pairs"),
    *(
        entry._replace(quantity=_PAIRS, bound=kernel_error.all_pairs, takes=f"{_PAIR} n_rows")
        for entry in ONE_PAIR[1:]
    ),
]
UNIFORM = [
    Route(_PAIRS, "doubling dimension", kernel_error.uniform, f"{_PAIR} dimension diameter"),
]
RISK = [
    Route(quantity, f"Theorem 2, {name}", bound, f"{_UNITS} {takes}", options, events + more)
    for quantity, bound, samples, more in (
        (_PART, maxout.approximation_risk, "", 0),
        (_EXCESS, maxout.excess_risk, "n_samples", 2),
    )
    for name, takes, options, events in (
        ("dimension-free", samples, {}, 1),
        ("centred units", samples, {"centred": True}, 1),
        ("doubling dimension", f"{samples} {_SHAPE}", {}, 2),
    )
]


def plan(
    data: Any = None,
    *,
    map: Any = None,
    n_inputs: int | None = None,
    n_samples: int | None = None,
    dimension: float | None = None,
    pool_size: int = 4,
    eps: float = 0.1,
    delta: float = 0.01,
    lipschitz: float = 1.0,
    scale: float = 1.0,
    loss_bound: float = 1.0,
    seed: int = 0,
    max_rows: int = 128,
    measure: bool = True,
) -> Plan:
    r"""Plan the number of features for an accuracy, by measurement, CLT and proved bounds.

    Of maxout features, unless there is a `map`: then for its Gram matrix to be within eps on all
    pairs of N rows, in units of sqrt(k(x,x) k(y,y)). The asymptotic row is

    .. math:: m = V \Big(\frac{\Phi^{-1}(1 - \delta / N(N+1))}{\epsilon}\Big)^2, \qquad
              V = \max_{x, y} \frac{m \operatorname{Var}\langle\phi(x), \phi(y)\rangle}
                  {k(x,x)\,k(y,y)},

    the proved one is for Catoni's estimate in the place of the mean
    (:func:`mehler.verify.features_needed`).

    Parameters
    ----------
    data : array, shape (n, d), optional
        Rows, in any library and on any device; they are divided by their norms, and those of
        zeros left out. Without them pass some of the numbers below.
    map : FeatureMap or fitted sampler, optional
        Plan this map, with ``kernel`` and ``gram_variance`` and of any size, on the rows as they
        are; only `eps`, `delta` and `n_samples` are used.
    n_inputs, n_samples : int, optional
        d and N; default the shape of the data.
    dimension : float, optional
        An upper bound on the doubling dimension of the set of unit rows; default of the data.
    pool_size : int
        Projections per unit, q.
    eps : float
        Target error of kernel values at unit vectors, and of the risk.
    delta : float
        Failure probability, per table row.
    lipschitz, scale, loss_bound : float
        L, C and B of the risk theorems: an L-Lipschitz loss in [0, B], weights of at most C/m.
    seed : int
        Seed of all random numbers.
    max_rows : int
        Largest number of rows to measure on, chosen at random.
    measure : bool
        Whether to draw features and measure.

    Returns
    -------
    Plan
        Prints as a table, whose rows are on :doc:`/planning`; `to_dict` returns it as data.

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
    numbers = {"eps": eps, "lipschitz": lipschitz, "scale": scale, "loss_bound": loss_bound}
    facts: dict[str, Any] = {"pool_size": require_integer("pool_size", pool_size)}
    for name, count in {"n_inputs": n_inputs, "n_samples": n_samples}.items():
        facts[name] = None if count is None else require_integer(name, count)
    facts["dimension"] = None if dimension is None else require_not_negative("dimension", dimension)
    facts["diameter"] = None if dimension is None else 2.0  # unit rows are at most 2 apart
    facts |= {name: require_positive(name, value) for name, value in numbers.items()}
    facts |= {"delta": require_probability("delta", delta), "seed": require_seed(seed)}
    max_rows = require_integer("max_rows", max_rows)
    if facts["delta"] < _LEAST_DELTA or facts["eps"] > _LARGEST_EPS:
        limits = f"eps must be at most {_LARGEST_EPS:g}, delta at least {_LEAST_DELTA:g}"
        raise ValueError(f"eps={eps!r}, delta={delta!r}: {limits}")
    if isinstance(data, str):
        raise TypeError(f"data={data!r} is a path: pass mehler.report.load_rows(path).values")
    if data is not None or map is not None:
        data = data if _arrays.is_array(data) else require_reals("data", data)
        _arrays.require_matrix(data, name="data")
        _arrays.require_small(data, name="data", reason="a plan is made of all rows at once")
        data = np.asarray(_arrays.to_host(data), dtype=np.float64)
    if map is not None:
        return _plan_map(map, data, facts)
    if data is None and n_inputs is None and n_samples is None and dimension is None:
        raise ValueError(
            "there is nothing to plan for: give data, or some of n_inputs, n_samples, dimension"
        )
    notes: list[str] = []
    rows = None if data is None else _on_sphere(facts, data, notes)
    table = _kernel_table(facts, rows, max_rows if measure else 0, notes) + table_rows(RISK, facts)
    return Plan(setting=facts, rows=tuple(table), notes=tuple(notes))


def table_rows(routes: Iterable[Route], facts: Mapping[str, Any]) -> list[Row]:
    """Return the rows of those routes whose facts are known."""
    rows = []
    for route in routes:
        arguments: dict[str, Any] = {name: facts.get(name) for name in route.takes.split()}
        if None in arguments.values():
            continue
        arguments |= {**route.options, "delta": facts["delta"] / route.events}
        proved, features = route.bound is not _LIMIT, None
        note = "" if proved else "a limit, no guarantee at a finite number of features"
        try:
            features = bounds.solve(route.bound, at_most=facts["eps"], n_features=None, **arguments)
        except ValueError as error:
            note = str(error).replace("at_most", "eps")
        row = Row(
            quantity=route.quantity.format_map(facts),
            name=route.name,
            kind="proved" if proved else "asymptotic",
            features=features,
            statement=route.bound.statement,
            probability=1 - route.events * arguments["delta"],
            note=note,
        )
        if proved:
            at = route.bound(**arguments, n_features=features or 1)
            vacuous = features is None or bool(at.vacuous) or facts["eps"] >= at.trivial
            texts = tuple(assumption.text for assumption in at.assumptions)
            row = replace(row, vacuous=vacuous, assumptions=texts)
        rows.append(row)
    return rows


def _with_length(rows: Floats, length: Floats, notes: list[str]) -> tuple[Floats, Floats]:
    """Return the rows of a length above 0, and these lengths."""
    nonzero = length > 0
    if not nonzero.any():
        raise ValueError("data has rows of length 0 alone: features are 0 there, without error")
    if not nonzero.all():
        left_out = f"{np.sum(~nonzero)} of the {len(rows)} rows have length 0, and were left out"
        notes.append(f"{left_out}: features are 0 there, without error.")
    return rows[nonzero], length[nonzero]


def _on_sphere(facts: dict[str, Any], rows: Floats, notes: list[str]) -> Floats:
    """Return the rows divided by their norms; add to the facts what they determine."""
    # Divide by the largest entry first, since squares of entries may overflow or vanish.
    rows, largest = _with_length(rows, np.abs(rows).max(axis=1), notes)
    rows = rows / largest[:, None]
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    notes.append("Rows were divided by their norms.")
    n, d = rows.shape
    if facts["n_inputs"] not in (None, d):
        raise ValueError(
            f"n_inputs={facts['n_inputs']} contradicts data, which has {d} columns: leave it out"
        )
    facts |= {"n_inputs": d, "n_samples": facts["n_samples"] or n}
    if facts["dimension"] is None:
        interval = doubling.doubling_dimension(rows)
        facts["dimension"] = float(interval.high)
        notes.append(f"The rows have {interval}: {interval.high} is used.")
    # Any positive number bounds the diameter of a single direction.
    facts["diameter"] = min(2.0, max(float(doubling.diameter(rows)), 1e-12))
    notes.append(f"The diameter of the rows is {facts['diameter']:.6g}.")
    return rows


def _kernel_table(
    facts: dict[str, Any], rows: Floats | None, max_rows: int, notes: list[str]
) -> list[Row]:
    """Return rows on the kernel error at one pair, all pairs of the measured and of all rows."""
    n, table = facts["n_samples"], table_rows(ONE_PAIR, {**facts, "n_pairs": 1})
    sample = rows if max_rows else None
    if sample is not None and len(sample) > max_rows:
        part = f"{max_rows} of the {len(sample)} rows, chosen at random, were measured"
        notes.append(f"{part}; the error of all rows is no smaller.")
        rng = np.random.Generator(np.random.Philox(facts["seed"]))
        sample = sample[np.sort(rng.choice(len(sample), size=max_rows, replace=False))]
    of: dict[str, Any] = {"rows": "the set"}
    sizes = (n if sample is None else len(sample), n)
    for size in dict.fromkeys(size for size in sizes if size is not None):
        of = {"rows": f"{size} rows", "n_rows": size, "n_pairs": size * (size + 1) // 2}
        table += table_rows(ALL_PAIRS, {**facts, **of})
        if sample is not None and size == len(sample):
            table.append(measured_row(sample, _PAIRS.format_map(of), facts))
    return table + table_rows(UNIFORM, {**facts, **of})


def measured_row(rows: Floats, quantity: str, facts: Mapping[str, Any]) -> Row:
    """Measure the largest error of the Gram matrix of unit rows over draws, rescaled to eps."""
    eps, delta, pool_size = facts["eps"], facts["delta"], facts["pool_size"]
    # The largest of n draws is below the 1 - delta quantile with probability (1 - delta)^n. More
    # draws than make that small bring the order statistics closer to the quantile.
    n = max(200, math.ceil(1.5 * math.log(1 - _CONFIDENCE) / math.log1p(-delta)))
    row = Row(quantity=quantity, name=f"{n} draws", kind="measured", probability=1 - delta)
    # Units depend on inner products of rows only, so rotate the rows into their span.
    coordinates = np.asarray(np.linalg.qr(rows.T, mode="r")).T
    # A weight takes as long as a hundred products.
    if n * FEATURES * pool_size * coordinates.shape[1] * (100 + len(coordinates)) > _MOST_PRODUCTS:
        note = "would take minutes: give a larger delta, or fewer max_rows"
        return replace(row, note=note)
    rho = np.clip(coordinates @ coordinates.T, -1.0, 1.0)
    np.fill_diagonal(rho, 1.0)
    kernel = exact.maxout_kernel(rho, pool_size)
    # The rounding of float32 is 1e-5 of the errors measured.
    coordinates, errors = coordinates.astype(np.float32), np.empty(n)
    seeds = np.random.Generator(np.random.Philox([facts["seed"], 1])).integers(2**63, size=n)
    for i, seed in enumerate(seeds):
        phi = MaxoutFeatures.draw(
            coordinates.shape[1], FEATURES, pool_size, seed=int(seed), dtype="float32"
        )
        errors[i] = np.abs(phi.gram(coordinates) - kernel).max()
    ends = intervals.quantile(errors, 1 - delta, 2 * (1 - _CONFIDENCE))
    # Errors are not negative; there is an upper end, since there are enough draws.
    low, features = (math.ceil(FEATURES * (max(end, 0.0) / eps) ** 2) for end in ends)
    confidence = f"each end at confidence {100 * _CONFIDENCE:g} %"
    note = f"at least {low:,}; {confidence}, scaled by m^(-1/2) from {FEATURES} features"
    return replace(row, features=features, interval=(low, features), note=note)


def _plan_map(phi: Any, X: Floats, facts: dict[str, Any]) -> Plan:
    """Plan for the Gram matrix of a map, from its variance at all pairs of rows."""
    notes: list[str] = []
    # Of a fitted sampler of `mehler.sklearn` its map.
    phi = getattr(phi, "map_", phi)
    for part in ("kernel", "gram_variance"):
        if isinstance(phi, type) or not callable(getattr(phi, part, None)):
            name = getattr(phi, "__name__", type(phi).__name__)
            text = "pass a map that was drawn, or a fitted sampler of mehler.sklearn"
            raise TypeError(f"map is {name}, which has no {part}(X): {text}")
    rows, length = _with_length(X, np.diag(np.asarray(phi.kernel(X))), notes)
    # A variance that is 0 up to rounding needs some features all the same.
    spread = phi.n_features * np.asarray(phi.gram_variance(rows)) / np.outer(length, length)
    variance = max(float(np.max(spread)), 1e-12)
    n = facts["n_samples"] or len(X)
    setting = {"n_samples": n, "variance": variance, "map": type(phi).__name__}
    setting |= {name: facts[name] for name in ("eps", "delta")}
    n_pairs = n * (n + 1) // 2
    # Half each for an interval that misses the truth, and for one that is too wide.
    fraction = facts["delta"] / n_pairs / 2
    if fraction < LEAST_PROBABILITY:
        raise ValueError(f"delta={facts['delta']!r} is too small for {n_pairs} pairs")
    quantity = f"largest error of the Gram matrix over sqrt(k(x,x) k(y,y)), {n} rows"
    route = Route(quantity, "central limit, union over pairs", _LIMIT, "delta n_pairs variance")
    (limit,) = table_rows([route], {**setting, "n_pairs": n_pairs})
    assumption = ("the variance is nowhere larger than at the rows given",)
    limit = replace(limit, statement="", assumptions=assumption)
    if variance > facts["eps"] ** 2 * 2.0**48:
        at = f"the variance of a product is {variance:.3g} in units of k(x,x) k(y,y)"
        raise ValueError(f"eps={facts['eps']:g} needs over 10^14 features, as {at}: scale the rows")
    proved = replace(
        limit,
        name="Catoni's estimate, union over pairs",
        kind="proved",
        features=features_needed(variance, 2 * facts["eps"], fraction, fraction),
        note="for Catoni's estimate of the mean product",
    )
    return Plan(setting=setting, rows=(limit, proved), notes=tuple(notes))
