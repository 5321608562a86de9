"""Declarations of a map: its width, kernel, variance and recipe, and rows that it refuses."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays import from_host, place_of, to_host
from mehler.verify.checks.structure._same import tolerance
from mehler.verify.checks.structure._subject import Finding, Subject, reason_of


class _Broken(Exception):
    """A declaration that is not kept."""


def _require(fact: Any, message: str) -> None:
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


def _close(a: Any, b: Any, terms: int) -> bool:
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
    names = ("float32", "float64") if isinstance(subject.given, np.ndarray) else ()
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
            phi(from_host(x.astype(rows.dtype), place_of(subject.given)))
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
    if not isinstance(subject.given, np.ndarray) and callable(getattr(copy, "to", None)):
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
