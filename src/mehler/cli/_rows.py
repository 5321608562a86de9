"""The rows of a verification, at random or the user's, and what a map makes of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from mehler._arrays import dense_host
from mehler._validate import require_integer
from mehler.statements import Plot, Series

if TYPE_CHECKING:
    from mehler.report import DataMatrix

# Number of rows, which give 210 pairs with the diagonal, and most columns of them: 160 MB.
N_ROWS, _MOST_COLUMNS = 20, 10**6
_CORRELATIONS, _LENGTHS = (0.99, 0.9, 0.5, 0.0, -0.5), (0.3, 0.7, 1.2)


def random_rows(d: int, kernel: Callable[..., Any], rng: np.random.Generator) -> np.ndarray:
    """Return 20 rows in random directions, off the axes, with partners at set correlations.

    Lengths are in units of the kernel's own length scale, so that its values cover 0 to 1. A
    `NamedKernel` declares its length, metric and whether entries must be nonnegative.
    """
    require_integer("inputs", d, most=_MOST_COLUMNS)
    base = rng.standard_normal((N_ROWS // 4, d))
    base /= np.linalg.norm(base, axis=1)[:, None]
    rows = []
    for i, u in enumerate(base):
        partners = (_CORRELATIONS[(3 * i + k) % len(_CORRELATIONS)] for k in range(3))
        rows += [u, *(_partner(u, rho, rng) for rho in partners)]
    # 3 lengths over groups of 4 rows, so that partners differ in length too.
    lengths = np.array([_LENGTHS[i % 3] for i in range(N_ROWS)]) * getattr(kernel, "length", 1.0)
    stacked = np.stack(rows) * lengths[:, None]
    if getattr(kernel, "metric", "") == "cityblock":
        # |u|_1 of a random direction is about sqrt(2 d / pi).
        stacked /= math.sqrt(2.0 * d / math.pi) if d > 1 else 1.0
    # Kernels of rows without negative entries scale with entries, not with row norms.
    return math.sqrt(d) * np.abs(stacked) if getattr(kernel, "nonnegative", False) else stacked


def data_rows(loaded: DataMatrix) -> tuple[np.ndarray, str]:
    """Return at most 20 of the user's rows, evenly spaced in the file, and a description."""
    n = loaded.values.shape[0]
    words = f"{loaded.n_rows} rows that are not zero, evenly spaced"
    chosen = np.unique(np.linspace(0, n - 1, min(n, N_ROWS)).round().astype(int))
    return np.ascontiguousarray(loaded.values[chosen]), f"{loaded.name}: {chosen.size} of {words}"


def _partner(u: np.ndarray, rho: float, rng: np.random.Generator) -> np.ndarray:
    """Return a unit vector at correlation rho with u; in one dimension only u and -u exist."""
    if u.size == 1:
        return u if rho >= 0.0 else -u
    v = rng.standard_normal(u.size)
    v -= (v @ u) * u
    return rho * u + math.sqrt(1.0 - rho * rho) * v / np.linalg.norm(v)


def gram(phi: Any, X: np.ndarray) -> tuple[np.ndarray, float]:
    """Return a map's estimates of the kernel at all pairs of rows, and their rounding error.

    Of a map with ``products``, they are the means of the products.
    """
    if callable(getattr(phi, "products", None)):
        i, j = np.indices((len(X), len(X))).reshape(2, -1)
        z, eps = dense_host(phi.products(X[i], X[j]))
        estimate = z.mean(axis=1, dtype=float).reshape(len(X), -1)
    else:
        z, eps = dense_host(phi(X))
        estimate = z.astype(float) @ z.astype(float).T
    # As in check_kernel: rounding of an inner product grows like the root of its length.
    return estimate, 8.0 * math.sqrt(X.shape[1] + z.shape[1]) * (eps or 2.0**-52)


def normalised(kernel: Any, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return k(x, y) and sqrt(k(x,x) k(y,y)) at all pairs of rows, 1 in the place of 0."""
    exact = np.asarray(dense_host(kernel(X, X))[0], dtype=float)
    unit = np.sqrt(np.abs(np.outer(np.diag(exact), np.diag(exact))))
    return exact, np.where(unit == 0.0, 1.0, unit)


def estimates(
    draw: Callable[[int], Any],
    kernel: Any,
    X: np.ndarray,
    seed: int,
    n_draws: int,
    seconds: float | None,
) -> Plot:
    """Plot the mean of `n_draws` draws, of two after some seconds, with 3 standard errors."""
    above = np.triu_indices(len(X))
    exact, unit = (each[above] for each in normalised(kernel, X))
    grams: list[np.ndarray] = []
    start = monotonic()
    for child in np.random.SeedSequence((seed, n_draws)).generate_state(n_draws):
        if len(grams) < 2 or seconds is None or monotonic() - start < seconds:
            grams.append(gram(draw(int(child) >> 1), X)[0][above] / unit)
    claim, mean, n = exact / unit, np.mean(grams, axis=0), len(grams)
    error = 3.0 * np.std(grams, axis=0, ddof=min(1, n - 1)) / math.sqrt(n)
    ends = [float(claim.min()), float(claim.max())]
    points = Series(
        label="measured", x=claim, y=mean, y_low=mean - error, y_high=mean + error, kind="points"
    )
    made = f"the mean of {n} draws with 3 standard errors" if n > 1 else "the map is fixed"
    return Plot(
        title="Estimates against the claimed kernel",
        x_label="claimed k(x, y) / sqrt(k(x,x) k(y,y))",
        y_label="mean estimate",
        series=(Series(label="claimed", x=ends, y=ends), points),
        caption=f"A point is a pair of rows: {made}.",
    )
