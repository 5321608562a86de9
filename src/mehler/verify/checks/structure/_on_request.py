"""Rows that run on request: extreme rows, rounded weights, other libraries, declarations."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import betainc

from mehler._arrays import (
    Array,
    from_host,
    has_float64,
    installed_namespaces,
    place_of,
    resolve_place,
    to_host,
)
from mehler._plural import counted
from mehler.verify.checks.structure._comparisons import PIECES, ULPS, tolerance
from mehler.verify.checks.structure._subject import Finding, Subject, reason_of
from mehler.verify.sampling._pairs import EvaluatedRows
from mehler.verify.sampling._sources import call

# Fraction of draws that fail, which are missed with at most the error rate of the row.
_SELDOM = 0.1


def check_finite(subject: Subject) -> list[Finding]:
    """Call maps on extreme finite rows: features must be finite, and nothing raised.

    The largest rows have the fourth root of the largest number as their length (3e77 in float64,
    4e9 in float32), at which <phi(x), phi(x)> of any map of degree 2 is finite. Correct maps never
    fail, so a false alarm is impossible.
    """
    blocks = extreme_rows(subject.rows)
    draws = math.ceil(math.log(subject.rate) / math.log1p(-_SELDOM))
    seeds = subject.seeds(0)
    for k in range(draws):
        if subject.clock.over:
            subject.notes.skip(f"extreme rows in more than {counted(k, 'draw')}", "time")
            break
        seed = seeds.seed(k)
        phi = subject.map(seed)
        for label, rows in blocks.items():
            where = {"row": label, "seed": seed}
            try:
                z = subject.call(phi, rows)
            except (ArithmeticError, ValueError) as error:
                cause = f"raises {type(error).__name__} at a finite row ({label}): {error}"
                return [Finding(cause=cause, check="finite", where=where)]
            if not np.isfinite(z).all():
                cause = f"features of a finite row ({label}) are not finite"
                return [Finding(cause=cause, check="finite", where=where)]
    return []


@np.errstate(under="ignore")
def extreme_rows(rows: Array) -> dict[str, Any]:
    """Return named blocks of extreme rows, in the dtype of the given ones or in float64."""
    host = rows if rows.dtype.kind == "f" else rows.astype(np.float64)
    d, info = host.shape[1], np.finfo(host.dtype)
    top = float(info.max) ** 0.25
    norms = np.linalg.norm(host.astype(np.float64), axis=1, keepdims=True)
    unit = host / np.where(norms > 0.0, norms, 1.0)
    blocks = {
        "ordinary": host,
        "zero": np.zeros((1, d)),
        "negative zero": -np.zeros((1, d)),
        "zero among ordinary": np.vstack([host[:1], np.zeros((1, d))]),
        "denormal": np.full((1, d), float(info.smallest_subnormal)),
        "tiny": unit * float(info.tiny),
        "huge": unit * top,
        "huge and tiny": np.resize(np.array([top / math.sqrt(d), float(info.tiny)]), d)[None, :],
        "constant": np.ones((1, d)),
        "axis": np.eye(1, d),
    }
    return {label: np.asarray(block, dtype=host.dtype) for label, block in blocks.items()}


# Rounding in ulps of a weight times the map's constant, divided by ours.
_STEPS = 8
# Spacing of float32 numbers in ulps of float64, 53 - 24 bits.
_CELL = 2**29
# Coordinate vectors used, and entries needed; of 1000 a handful of hits is proof.
_AXES, _ENTRIES = 64, 1000


def coincidence_probability() -> float:
    r"""Return a bound on the probability that a true float64 weight looks like a float32 one.

    .. math:: p_0 = \frac{2 (2 \cdot 8 + 1)}{2^{29}} = 6.4 \cdot 10^{-8}

    Between two neighbouring float32 numbers lie 2^29 float64 steps; 8 on either side of a float32
    number and itself count as a hit. The factor 2 allows the density to vary by as much across
    one such gap, 2^-23 relative: for a maximum of q Gaussians it varies by less than 10^-4.
    """
    return 2.0 * (2 * _STEPS + 1) / _CELL


def check_weights(subject: Subject) -> list[Finding]:
    """Look for entries that are float32 numbers times 1/sqrt(n_features).

    At a coordinate vector every projection is a single weight, so where the features are one
    projection over sqrt(n_features), as of linear, maxout and signed maps, they are weights over
    it. With another factor nothing is seen. Equal entries, as from shared pools, count once. Of
    1,000 float64 entries 4 coincide with probability 1e-18: a thousandth of rounded ones is seen.
    """
    entries, n_draws = np.empty(0), 0
    while entries.size < _ENTRIES and n_draws < _ENTRIES and not subject.clock.over:
        weights = _single_weights(subject, n_draws)
        if weights is None:
            return []
        if not weights.size:
            break
        entries, n_draws = np.unique(np.concatenate([entries, weights])), n_draws + 1
    if entries.size < _ENTRIES:
        subject.notes.skip("rounded weights", f"{counted(entries.size, 'distinct value')}")
        return []
    # Change by rounding to float32, in ulps of float64.
    rounded = entries.astype(np.float32).astype(np.float64)
    hits = int((np.abs(entries - rounded) <= _STEPS * np.spacing(np.abs(entries))).sum())
    subject.n_tests += 1
    # P(Binomial(n, p) >= hits)
    n, p = entries.size, coincidence_probability()
    if not hits or float(betainc(hits, n - hits + 1, p)) > subject.rate:
        return []
    cause = f"weights are rounded to float32: {hits} of {counted(n, 'distinct value')} of features"
    assumed = "at a coordinate vector a feature is one weight of smooth density over a constant"
    return [Finding(cause=cause, check="weights", where={"hits": hits}, assumes=(assumed,))]


def _single_weights(subject: Subject, k: int) -> Any:
    """Return the distinct weights of draw k at coordinate vectors; None if they need not be."""
    n_inputs = subject.rows.shape[1]
    axes = np.random.default_rng([subject.seed, k]).permutation(n_inputs)[:_AXES]
    rows = np.zeros((axes.size, n_inputs))
    rows[np.arange(axes.size), axes] = 1.0
    z = subject.call(subject.map(subject.seeds(0).seed(k)), rows)
    if z.dtype != np.float64:
        subject.notes.skip("rounded weights", f"features are {z.dtype}, as their weights may be")
        return None
    values = np.unique(z * math.sqrt(z.shape[1]))
    return values[np.isfinite(values) & (values != 0.0)]


_SEEDS, _DTYPES = 3, ("float32", "float64")


def check_libraries(subject: Subject) -> list[Finding]:
    r"""Draw maps for rows of each library, in float32 and float64, by ``redraw``.

    .. math:: |\phi_{\text{there}}(x)_l - \phi_{\text{NumPy}}(x)_l|
              \le 64 \sqrt{d}\,\epsilon \max_l |\phi(x)_l|

    with eps of the rows, except at the few entries within rounding of a jump of the feature (a
    sign, an argmax of q values), with probability at most 8 max(16, q) sqrt(d) eps each: by the
    binomial tail one or two in float64. A library that refuses the rows is a finding.
    """
    others = {name: xp for name, xp in installed_namespaces().items() if name != "numpy"}
    rate = subject.rate / max(1, len(others) * len(_DTYPES) * _SEEDS)
    for k in range(_SEEDS):
        seed = subject.seeds(0).seed(k)
        for dtype in _DTYPES:
            values = subject.rows.astype(dtype)
            reference = _features_there(subject, seed, values, values)
            for name, xp in others.items():
                place = resolve_place(xp)
                if dtype == "float64" and not has_float64(place.xp, place.device):
                    continue
                there = from_host(values, place)
                if place_of(there).xp is not place.xp:
                    there = place.xp.asarray(there)  # Dask takes NumPy's arrays as constants
                try:
                    cause = _difference(
                        _features_there(subject, seed, values, there), reference, values, rate
                    )
                except Exception as error:  # whatever a third party raises there
                    cause = f"{type(error).__name__}: {error}"
                if cause:
                    where = {"place": name, "dtype": dtype, "seed": seed}
                    cause = f"features on {name} are not NumPy's: {cause}"
                    return [Finding(cause=cause, check="libraries", where=where)]
    subject.notes.remark(f"features equal NumPy's to rounding on {', '.join(others) or 'nothing'}")
    return []


def _features_there(subject: Subject, seed: int, values: Array, array: Array) -> Any:
    assert subject.redraw is not None
    subject.n_draws += 1
    phi = subject.redraw(seed, array, None)
    return np.array(call(phi, EvaluatedRows(array, values, np.ones(values.shape[0]))))


def _difference(z: Array, reference: Array, values: Array, rate: float) -> str:
    """Return how features differ by more than rounding and chance allow, or nothing."""
    if z.shape != reference.shape:
        return f"shape {z.shape}, not {reference.shape}"
    rounding = math.sqrt(values.shape[1]) * float(np.finfo(values.dtype).eps)
    wide = reference.astype(np.float64)
    if reference.dtype.kind == "f":
        size = np.abs(wide).max(axis=1, keepdims=True)
        wrong = ~(np.abs(z.astype(np.float64) - wide) <= ULPS * rounding * size)
        pieces = PIECES
    else:
        wrong, pieces = z != reference, max(PIECES, float(wide.max()) + 1.0)
    # scipy.stats takes half a second to import, and few checks compare libraries.
    from scipy.stats import binom

    allowed = int(binom.isf(rate, wrong.size, min(0.5, 8.0 * pieces * rounding)))
    if int(wrong.sum()) <= allowed:
        return ""
    return f"{int(wrong.sum())} of {counted(wrong.size, 'feature')} differ by more than rounding"


class _Broken(Exception):
    """A declaration that is not kept."""


def _require(fact: object, message: str) -> None:
    if not bool(fact):
        raise _Broken(message)


def _row(name: str, test: Callable[[Subject], None]) -> Callable[[Subject], list[Finding]]:
    def check(subject: Subject) -> list[Finding]:
        try:
            test(subject)
        except _Broken as broken:
            return [Finding(cause=str(broken), check=name)]
        except Exception as error:  # whatever a map's own methods raise
            return [Finding(cause=f"{name}: {reason_of(error)}", check=name)]
        return []

    return check


def _close(a: Array, b: Array, terms: int) -> bool:
    """Whether arrays agree up to rounding of inner products of so many terms."""
    a, b = (np.asarray(to_host(value)) for value in (a, b))
    if a.shape != b.shape:
        return False
    wide, other = a.astype(np.float64), b.astype(np.float64)
    size = max(float(np.abs(wide).max()), float(np.abs(other).max()))
    return float(np.abs(wide - other).max()) <= tolerance(a, b, terms) * size


def _parts(subject: Subject) -> None:
    """Require n_features, kernel, variance and recipe."""
    phi = subject.map(subject.first)
    for name in ("kernel", "variance", "recipe"):
        _require(
            callable(getattr(phi, name, None)),
            f"{type(phi).__name__} has no method {name}: a map without it is not done",
        )
    m = subject.call(phi, subject.rows).shape[1]
    width = getattr(phi, "n_features", None)
    _require(width == m, f"n_features is {width!r}, but there are {m} columns")


def _dtypes(subject: Subject) -> None:
    """Require that features keep the precision of the rows, unless the map fixes a dtype."""
    phi = subject.map(subject.first)
    z = np.asarray(to_host(phi(subject.place(subject.rows))))
    if z.dtype.kind != "f" or subject.rows.dtype.kind != "f" or getattr(phi, "dtype", None):
        return
    # Rows of another library may be on a device without float64.
    names = ("float32", "float64") if isinstance(subject.X, np.ndarray) else ()
    for name in names or (subject.rows.dtype.name,):
        kind = np.asarray(to_host(phi(subject.place(subject.rows.astype(name))))).dtype
        _require(kind == name, f"features of {name} rows are {kind}: a map keeps the precision")


def _gram(subject: Subject) -> None:
    """Require gram = Z Z^T, and products that average to it, where the map has them."""
    phi, rows = subject.map(subject.first), subject.place(subject.rows)
    z = subject.call(phi, subject.rows)
    terms = subject.rows.shape[1] + z.shape[1]
    whole = z @ z.T if z.dtype.kind == "f" else None
    if callable(getattr(phi, "gram", None)):
        gram = np.asarray(to_host(phi.gram(rows, rows)))
        _require(whole is None or _close(gram, whole, terms), "gram(X, X) is not phi(X) @ phi(X).T")
        whole = gram
    if whole is not None and callable(getattr(phi, "products", None)):
        means = np.asarray(to_host(phi.products(rows, rows))).mean(axis=1)
        kept = _close(means, np.diag(whole), terms)
        _require(kept, "the mean of products(X, X) is not its estimate")


def _kernel(subject: Subject) -> None:
    """Require kernel(X) finite, symmetric, positive semi-definite, equal to kernel(X, X)."""
    rows, phi = subject.rows.astype(np.float64), subject.map(subject.first)
    k, n = np.asarray(to_host(phi.kernel(rows, rows)), dtype=np.float64), len(rows)
    _require(k.shape == (n, n), f"kernel(X, X) has shape {k.shape}, not {(n, n)}")
    _require(np.isfinite(k).all(), "kernel(X, X) is not finite")
    _require(_close(k, k.T, n), "kernel(X, X) is not symmetric")
    # A square root at rho = 1, as for codes, turns 1e-16 in rho into 1e-8 in the kernel.
    alone = np.abs(np.asarray(to_host(phi.kernel(rows))) - k).max() <= 1e-6 * np.abs(k).max()
    _require(alone, "kernel(X) is not kernel(X, X)")
    least = float(np.linalg.eigvalsh(k).min())
    _require(
        least >= -1e-6 * float(np.trace(k)),
        f"kernel(X, X) has eigenvalue {least:.3g}: an expected Gram matrix is semi-definite",
    )
    cross = np.asarray(to_host(phi.kernel(rows, rows[:1])))
    _require(cross.shape == (n, 1), f"kernel(X, Y) has shape {cross.shape}, not {(n, 1)}")


def _variance(subject: Subject) -> None:
    """Require variance(X, Y) finite, of the right shape, nonnegative."""
    rows = subject.rows.astype(np.float64)
    phi = subject.map(subject.first)
    v = np.asarray(to_host(phi.variance(rows, rows[:2])), dtype=np.float64)
    shape = (len(rows), len(rows[:2]))
    _require(v.shape == shape, f"variance(X, Y) has shape {v.shape}, not {shape}")
    _require(np.isfinite(v).all(), "variance(X, Y) is not finite")
    # Exact zeros may be rounded below 0.
    _require(v.min() >= -1e-9 * max(1.0, float(v.max())), f"variance(X, Y) reaches {v.min():.3g}")


def _bad_rows(subject: Subject) -> None:
    """Require ValueError or TypeError for NaN, infinity and a wrong width; (m,) for one row."""
    rows = subject.rows.astype(np.result_type(subject.rows.dtype, np.float32))
    first = np.arange(rows.size).reshape(rows.shape) == 0
    bad = {
        "NaN": np.where(first, np.nan, rows),
        "infinity": np.where(first, np.inf, rows),
        "one column too many": np.hstack([rows, rows[:, :1]]),
    }
    phi = subject.map(subject.first)
    for what, x in bad.items():
        try:
            # With Dask these are of NumPy: values of lazy rows are known only when computed.
            phi(from_host(x.astype(rows.dtype), place_of(subject.X)))
        except (TypeError, ValueError):
            continue
        raise _Broken(f"accepts {what}: raise ValueError before any work")
    m = np.asarray(to_host(phi(subject.place(rows[:1])))).shape[1]
    try:
        single = np.asarray(to_host(phi(subject.place(rows[0]))))
    except (TypeError, ValueError):
        return
    _require(
        single.shape == (m,),
        f"features of a row (d,) have shape {single.shape}: give {(m,)}, or raise ValueError",
    )


def _recipe(subject: Subject) -> None:
    """Require a recipe that is valid JSON and unique to the seed."""
    ours, same, other = (subject.map(subject.seeds(0).seed(k)).recipe() for k in (0, 0, 1))
    try:
        carried = json.loads(json.dumps(ours, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise _Broken(f"recipe() does not go through JSON: {error}") from error
    _require(carried == ours, "recipe() changes on its way through JSON: use plain values")
    _require(same == ours, "recipe() of the same seed differs")
    _require(other != ours, "recipe() does not tell seeds apart: put the seed into it")


def _pickle(subject: Subject) -> None:
    """Require that a pickled map returns with the same features, on the host or moved by ``to``."""
    phi, rows = subject.map(subject.first), subject.place(subject.rows)
    try:
        copy = pickle.loads(pickle.dumps(phi))  # noqa: S301  # our own bytes, a line above
    except Exception as error:  # a foreign __reduce__ may raise anything
        raise _Broken(f"the map does not pickle: {error}") from error
    if not isinstance(subject.X, np.ndarray) and callable(getattr(copy, "to", None)):
        copy = copy.to(rows)
    same = np.array_equal(to_host(copy(rows)), to_host(phi(rows)))
    _require(same, "a pickled map comes back with other features: keep its weights or its seed")


DECLARATIONS = {
    name: _row(name, test)
    for name, test in {
        "parts": _parts,
        "dtypes": _dtypes,
        "gram": _gram,
        "declared kernel": _kernel,
        "declared variance": _variance,
        "bad rows": _bad_rows,
        "recipe": _recipe,
        "pickle": _pickle,
    }.items()
}
