"""Deterministic requirements: shapes, dtypes, purity, declarations, identity."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import to_host
from mehler.verify._failure import is_failure
from mehler.verify.conformance._requirement import Subject, require

__tracebackhide__, __unittest = is_failure, True

# Two computations of one number differ by the rounding of inner products of d and m terms, about
# sqrt(d + m) units; 64 covers the constants.
_SLACK = 64.0


def _close(a: Any, b: Any, terms: int) -> bool:
    a, b = (np.asarray(to_host(v)) for v in (a, b))
    if a.shape != b.shape:
        return False
    kinds = [v.dtype for v in (a, b) if v.dtype.kind == "f"]
    eps = max((float(np.finfo(kind).eps) for kind in kinds), default=0.0)
    size = max(float(np.abs(a.astype(float)).max()), float(np.abs(b.astype(float)).max()))
    gap = float(np.abs(a.astype(float) - b.astype(float)).max())
    return gap <= _SLACK * eps * np.sqrt(terms) * size


def _floating(features: Any) -> bool:
    return bool(features.dtype.kind == "f")


def _elsewhere(subject: Subject) -> bool:
    """Whether the caller's rows are in another library than NumPy."""
    return subject.X is not None and not isinstance(subject.X, np.ndarray)


def _beside(subject: Subject, rows: Any) -> Any:
    """Return host rows in the library, device and precision of the caller's."""
    if not _elsewhere(subject):
        return rows
    dtype = subject.X.dtype if _floating(np.asarray(to_host(subject.X))) else None
    return _arrays.from_host(rows, _arrays.place_of(subject.X), dtype)


def has_its_parts(subject: Subject) -> None:
    """Require n_features, kernel, variance, recipe, and a callable map."""
    phi = subject.map()
    require(callable(phi), f"{type(phi).__name__} is not callable: define __call__(X) -> Z")
    for name in ("kernel", "variance", "recipe"):
        require(
            callable(getattr(phi, name, None)),
            f"{type(phi).__name__} has no method {name}: a map without it is not done",
        )
    require(
        getattr(phi, "n_features", None) == subject.n_features,
        f"n_features is {getattr(phi, 'n_features', None)!r} after asking for {subject.n_features}",
    )


def keeps_shape_and_dtype(subject: Subject) -> None:
    """Require (n, n_features), float64 for float64; float32 stays unless the map fixes a dtype."""
    rows, m = np.asarray(to_host(subject.rows)), subject.n_features
    z = subject.features(subject.rows)
    require(z.shape == (len(rows), m), f"phi(X) has shape {z.shape}, not {(len(rows), m)}")
    one = subject.features(subject.rows[:1, :])
    require(one.shape == (1, m), f"phi of one row has shape {one.shape}, not {(1, m)}")
    if not _floating(z) or not _floating(rows) or getattr(subject.map(), "dtype", None):
        return
    # Given rows may be on a device without float64.
    names = ("float32", "float64") if subject.X is None else (rows.dtype.name,)
    for name in names:
        given = rows.astype(name) if subject.X is None else subject.X
        found = subject.features(given).dtype
        require(found == name, f"phi of {name} rows is {found}: a map keeps the precision")


def leaves_its_input_alone(subject: Subject) -> None:
    """Require that rows are not written to; read-only and strided ones give the same features."""
    rows = np.array(to_host(subject.rows))
    if _elsewhere(subject):
        # Arrays of other libraries have no read-only flag; compare their values.
        subject.features(subject.X)
        require(np.array_equal(to_host(subject.X), rows), "phi(X) changed X: copy before you write")
        return
    before = rows.copy()
    plain = subject.features(rows)
    require(np.array_equal(rows, before), "phi(X) changed X: copy before you write")
    locked = rows.copy()
    locked.flags.writeable = False
    try:
        again = subject.features(locked)
    except ValueError as error:
        raise AssertionError(f"phi refuses read-only rows ({error}): do not write to X") from error
    require(np.array_equal(again, plain), "read-only rows have other features")
    strided = np.repeat(rows, 2, axis=1)[:, ::2]
    terms = rows.shape[1] + subject.n_features
    require(_close(subject.features(strided), plain, terms), "strided rows have other features")


def maps_each_row_alone(subject: Subject) -> None:
    """Require that a row's features depend on neither the other rows nor its position."""
    rows = subject.rows
    whole = subject.features(rows)
    terms = rows.shape[1] + subject.n_features
    for i in range(rows.shape[0]):
        alone = subject.features(rows[i : i + 1, :])
        require(
            _close(alone, whole[i : i + 1], terms),
            f"row {i} has other features alone than with the others: map each row by itself",
        )


def agrees_with_its_gram(subject: Subject) -> None:
    """Require gram = Z Z^T and products averaging to it, where the map has them."""
    phi, rows = subject.map(), subject.rows
    z = np.asarray(to_host(phi(rows)))
    terms = rows.shape[1] + subject.n_features
    whole = z @ z.T if _floating(z) else None
    if callable(getattr(phi, "gram", None)):
        gram = np.asarray(to_host(phi.gram(rows, rows)))
        require(whole is None or _close(gram, whole, terms), "gram(X, X) is not phi(X) @ phi(X).T")
        whole = gram
    if whole is not None and callable(getattr(phi, "products", None)):
        means = np.asarray(to_host(phi.products(rows, rows))).mean(axis=1)
        require(
            _close(means, np.diag(whole), terms), "the mean of products(X, X) is not its estimate"
        )


def declares_a_kernel(subject: Subject) -> None:
    """Require kernel(X) finite, symmetric, positive semi-definite, equal to kernel(X, X)."""
    rows = np.asarray(to_host(subject.rows), dtype=np.float64)
    phi = subject.map()
    k = np.asarray(to_host(phi.kernel(rows, rows)), dtype=np.float64)
    n = len(rows)
    require(k.shape == (n, n), f"kernel(X, X) has shape {k.shape}, not {(n, n)}")
    require(np.isfinite(k).all(), "kernel(X, X) is not finite")
    require(_close(k, k.T, n), "kernel(X, X) is not symmetric")
    # A square root at rho = 1, as for codes, turns 1e-16 in rho into 1e-8 in the kernel.
    require(
        np.abs(np.asarray(phi.kernel(rows)) - k).max() <= 1e-6 * np.abs(k).max(),
        "kernel(X) is not kernel(X, X)",
    )
    least = float(np.linalg.eigvalsh(k).min())
    require(
        least >= -1e-6 * float(np.trace(k)),
        f"kernel(X, X) has eigenvalue {least:.3g}: an expected Gram matrix is semi-definite",
    )
    cross = np.asarray(phi.kernel(rows, rows[:1]))
    require(cross.shape == (n, 1), f"kernel(X, Y) has shape {cross.shape}, not {(n, 1)}")


def declares_a_variance(subject: Subject) -> None:
    """Require variance(X, Y) finite, of the right shape, nonnegative."""
    rows = np.asarray(to_host(subject.rows), dtype=np.float64)
    v = np.asarray(to_host(subject.map().variance(rows, rows[:2])), dtype=np.float64)
    require(v.shape == (len(rows), 2), f"variance(X, Y) has shape {v.shape}, not {(len(rows), 2)}")
    require(np.isfinite(v).all(), "variance(X, Y) is not finite")
    # Exact zeros may be rounded below 0.
    require(v.min() >= -1e-9 * max(1.0, float(v.max())), f"variance(X, Y) reaches {v.min():.3g}")


def refuses_bad_rows(subject: Subject) -> None:
    """Require ValueError or TypeError for NaN, infinity and a wrong width; (m,) for one row."""
    rows = np.array(to_host(subject.rows), dtype=np.float64)
    bad = {
        "NaN": np.where(np.arange(rows.size).reshape(rows.shape) == 1, np.nan, rows),
        "infinity": np.where(np.arange(rows.size).reshape(rows.shape) == 1, np.inf, rows),
        "one column too many": np.hstack([rows, rows[:, :1]]),
    }
    phi = subject.map()
    for what, x in bad.items():
        try:
            phi(_beside(subject, x))
        except (TypeError, ValueError):
            continue
        raise AssertionError(f"phi accepts {what}: raise ValueError before any work")
    m = np.asarray(to_host(phi(_beside(subject, rows[:1])))).shape[1]
    try:
        single = np.asarray(to_host(phi(_beside(subject, rows[0]))))
    except (TypeError, ValueError):
        return
    require(
        single.shape == (m,),
        f"phi(x) of a row (d,) has shape {single.shape}: give {(m,)}, or raise ValueError",
    )


def has_a_recipe(subject: Subject) -> None:
    """Require a recipe that is valid JSON and unique to the seed."""
    ours, other = subject.map(0).recipe(), subject.map(1).recipe()
    try:
        carried = json.loads(json.dumps(ours, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise AssertionError(f"recipe() does not go through JSON: {error}") from error
    require(carried == ours, "recipe() changes on its way through JSON: use plain values")
    require(subject.map(0).recipe() == ours, "recipe() of the same seed differs")
    require(other != ours, "recipe() does not tell seeds apart: put the seed into it")


def travels(subject: Subject) -> None:
    """Require that a pickled map returns with the same features, on the host or moved by ``to``."""
    rows = subject.rows
    phi = subject.map()
    try:
        copy = pickle.loads(pickle.dumps(phi))  # noqa: S301  # our own bytes, a line above
    except Exception as error:  # a foreign __reduce__ may raise anything
        raise AssertionError(f"the map does not pickle: {error}") from error
    if _elsewhere(subject) and callable(getattr(copy, "to", None)):
        copy = copy.to(rows)
    same = np.array_equal(to_host(copy(rows)), to_host(phi(rows)))
    require(same, "a pickled map comes back with other features: keep its weights or its seed")
