"""What a map of ours declares, settled without chance: each is a function of draw and rows."""

import contextlib
import json
import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._arrays import Array, from_host, place_of, to_host
from mehler.verify.checks.structure._candidate import tolerance

SEED = 1234567


@dataclass(frozen=True)
class Case:
    """A map's draw, and rows of any library with their values on the host."""

    draw: Any
    X: Any

    @property
    def rows(self) -> Any:
        return np.asarray(to_host(self.X))

    def place(self, values: Array) -> Any:
        if isinstance(self.X, np.ndarray):
            return np.array(values)
        there = from_host(np.array(values), place_of(self.X))
        xp = place_of(self.X).xp
        return there if place_of(there).xp is xp else xp.asarray(there)

    def call(self, phi: Any, values: Array) -> Any:
        return np.asarray(to_host(phi(self.place(values))))


def require(fact: object, message: str):
    assert bool(fact), message


def close(a: Array, b: Array, terms: int) -> bool:
    """Whether arrays agree up to rounding of inner products of so many terms."""
    a, b = (np.asarray(to_host(value)) for value in (a, b))
    if a.shape != b.shape:
        return False
    wide, other = a.astype(np.float64), b.astype(np.float64)
    size = max(float(np.abs(wide).max()), float(np.abs(other).max()))
    return float(np.abs(wide - other).max()) <= tolerance(a, b, terms) * size


def parts(c: Case):
    """Require n_features, kernel, variance and recipe."""
    phi = c.draw(SEED)
    for name in ("kernel", "variance", "recipe"):
        require(callable(getattr(phi, name, None)), f"{type(phi).__name__} has no method {name}")
    m, width = c.call(phi, c.rows).shape[1], getattr(phi, "n_features", None)
    require(width == m, f"n_features is {width!r}, but there are {m} columns")


def dtypes(c: Case):
    """Require that features keep the precision of the rows, unless the map fixes a dtype."""
    phi = c.draw(SEED)
    z = c.call(phi, c.rows)
    if z.dtype.kind != "f" or c.rows.dtype.kind != "f" or getattr(phi, "dtype", None):
        return
    # Rows of another library may be on a device without float64.
    names = ("float32", "float64") if isinstance(c.X, np.ndarray) else (c.rows.dtype.name,)
    for name in names:
        kind = c.call(phi, c.rows.astype(name)).dtype
        require(kind == name, f"features of {name} rows are {kind}")


def gram(c: Case):
    """Require gram = Z Z^T, and products that average to it, where the map has them."""
    phi, rows = c.draw(SEED), c.place(c.rows)
    z = c.call(phi, c.rows)
    terms = c.rows.shape[1] + z.shape[1]
    whole = z @ z.T if z.dtype.kind == "f" else None
    if callable(getattr(phi, "gram", None)):
        gram = np.asarray(to_host(phi.gram(rows, rows)))
        require(whole is None or close(gram, whole, terms), "gram(X, X) is not phi(X) @ phi(X).T")
        whole = gram
    if whole is not None and callable(getattr(phi, "products", None)):
        means = np.asarray(to_host(phi.products(rows, rows))).mean(axis=1)
        kept = close(means, np.diag(whole), terms)
        require(kept, "the mean of products(X, X) is not its estimate")


def kernel(c: Case):
    """Require kernel(X) finite, symmetric, positive semi-definite, equal to kernel(X, X)."""
    rows, phi = c.rows.astype(np.float64), c.draw(SEED)
    k, n = np.asarray(to_host(phi.kernel(rows, rows)), dtype=np.float64), len(rows)
    require(k.shape == (n, n) and np.isfinite(k).all(), f"kernel(X, X) of shape {k.shape}")
    require(close(k, k.T, n), "kernel(X, X) is not symmetric")
    # A square root at rho = 1, as for codes, turns 1e-16 in rho into 1e-8 in the kernel.
    alone = np.abs(np.asarray(to_host(phi.kernel(rows))) - k).max() <= 1e-6 * np.abs(k).max()
    require(alone, "kernel(X) is not kernel(X, X)")
    least = float(np.linalg.eigvalsh(k).min())
    require(least >= -1e-6 * float(np.trace(k)), f"kernel(X, X) has eigenvalue {least:.3g}")
    cross = np.asarray(to_host(phi.kernel(rows, rows[:1])))
    require(cross.shape == (n, 1), f"kernel(X, Y) has shape {cross.shape}, not {(n, 1)}")


def variance(c: Case):
    """Require variance(X, Y) finite, of the right shape, nonnegative but for rounding."""
    rows = c.rows.astype(np.float64)
    v = np.asarray(to_host(c.draw(SEED).variance(rows, rows[:2])), dtype=np.float64)
    shape = (len(rows), len(rows[:2]))
    require(v.shape == shape and np.isfinite(v).all(), f"variance(X, Y) of shape {v.shape}")
    require(v.min() >= -1e-9 * max(1.0, float(v.max())), f"variance(X, Y) reaches {v.min():.3g}")


def bad_rows(c: Case):
    """Require ValueError or TypeError for NaN, infinity and a wrong width; (m,) for one row."""
    rows, phi = c.rows.astype(np.result_type(c.rows.dtype, np.float32)), c.draw(SEED)
    first = np.arange(rows.size).reshape(rows.shape) == 0
    bad = {
        "NaN": np.where(first, np.nan, rows),
        "infinity": np.where(first, np.inf, rows),
        "one column too many": np.hstack([rows, rows[:, :1]]),
    }
    for what, x in bad.items():
        try:
            # With Dask these are of NumPy: values of lazy rows are known only when computed.
            phi(from_host(x.astype(rows.dtype), place_of(c.X)))
        except (TypeError, ValueError):
            continue
        raise AssertionError(f"accepts {what}")
    m = c.call(phi, rows[:1]).shape[1]
    with contextlib.suppress(TypeError, ValueError):
        single = np.asarray(to_host(phi(c.place(rows[0]))))
        require(single.shape == (m,), f"features of a row (d,) have shape {single.shape}")


def recipe(c: Case):
    """Require a recipe that is valid JSON and unique to the seed."""
    ours, same, other = (c.draw(SEED + k).recipe() for k in (0, 0, 1))
    carried = json.loads(json.dumps(ours, allow_nan=False))
    require(carried == ours, "recipe() changes on its way through JSON: use plain values")
    require(same == ours, "recipe() of the same seed differs")
    require(other != ours, "recipe() does not tell seeds apart: put the seed into it")


def pickles(c: Case):
    """Require that a pickled map returns with the same features, on the host or moved by ``to``."""
    phi, rows = c.draw(SEED), c.place(c.rows)
    copy = pickle.loads(pickle.dumps(phi))
    if not isinstance(c.X, np.ndarray) and callable(getattr(copy, "to", None)):
        copy = copy.to(rows)
    same = np.array_equal(to_host(copy(rows)), to_host(phi(rows)))
    require(same, "a pickled map comes back with other features: keep its weights or its seed")


DECLARATIONS = {
    "parts": parts,
    "dtypes": dtypes,
    "gram": gram,
    "declared kernel": kernel,
    "declared variance": variance,
    "bad rows": bad_rows,
    "recipe": recipe,
    "pickle": pickles,
}


def broken(name: str, draw: Any, X: Any) -> str:
    """How a map breaks a declaration, or nothing."""
    try:
        DECLARATIONS[name](Case(draw, X))
    except Exception as error:  # whatever a map's own methods raise
        return f"{name}: {type(error).__name__}: {error}"
    return ""
