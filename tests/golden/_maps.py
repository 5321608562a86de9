"""Golden values of maps: features, kernel and variance of every kind, on seven rows of length 3.

A map is kept as its recipe, which later versions can read, and the recipe as what it draws.

The rows are two ordinary ones, the first again, its opposite, zero, and two that are scaled by
1e-3 and 1e3.
"""

import hashlib
from typing import Any

import numpy as np

import mehler
from mehler import _arrays
from tests.golden._store import plain
from tests.verify.map_kinds import DRAWS

_ORDINARY = np.random.default_rng(26).standard_normal((4, 3))
ROWS = np.stack(
    [
        _ORDINARY[0],
        _ORDINARY[1],
        _ORDINARY[0],
        -_ORDINARY[0],
        np.zeros(3),
        1e-3 * _ORDINARY[2],
        1e3 * _ORDINARY[3],
    ]
)
DTYPES = ("float64", "float32")
QUANTITIES = ("features", "kernel", "variance")
EPS = {"float32": 2.0**-23, "float64": 2.0**-52}

# Twelve features, or twice the columns of a template, or of the block of a frequency.
N_FEATURES = {
    **{kind: 16 for kind in DRAWS if kind.startswith("invariant")},
    "invariant-paper": 18,
    "not-invariant": 16,
    "localised": 18,
}

# Drawn by linear algebra, by SciPy's sequences, or by functions of NumPy that are right to the last
# digit but one: the same to rounding alone, as `mehler.features.projections` says.
ROUNDED = ("orthogonal", "hadamard", "sobol", "laplacian", "sphere", "maps")
# What chooses and weights columns by scores is linear algebra too.
SCORED = ("leverage", "top-leverage", "plain-sampling")
# What is kept has the products of its features as its kernel.
KEPT = ("top-leverage",)
# Collision probabilities are square roots at the correlations +1 and -1: `FeatureMap.kernel` states
# an accuracy of 1e-8 there, twice which covers a change from one side to the other.
COLLIDING = ("codes", "next", "fresh")


def draw(kind: str, like: Any = None) -> Any:
    """Draw the golden map of a kind, as users do."""
    return DRAWS[kind](n_features=N_FEATURES.get(kind, 12), seed=26, like=like)


def value(phi: Any, quantity: str, dtype: str) -> np.ndarray:
    """Compute features, kernel or variance of the rows, on NumPy."""
    rows = ROWS.astype(dtype)
    return phi(rows) if quantity == "features" else getattr(phi, quantity)(rows)


def is_rounded(kind: str) -> bool:
    """Whether the weights of a kind are the same to rounding, and not to the last bit."""
    return kind in SCORED or any(part in ROUNDED for part in kind.split("-"))


def weights(kind: str, phi: Any) -> dict[str, list[Any]]:
    """Describe the weights of each dtype: digests of their bits, or some of their numbers.

    Both are of sorted numbers, so that the order of axes is the map's own business; the features
    say what is where.
    """
    describe = _first if is_rounded(kind) else _digest
    return {
        dtype: [describe(np.sort(_arrays.to_host(part), axis=None)) for part in phi._weights(dtype)]
        for dtype in DTYPES
    }


def _digest(numbers: np.ndarray) -> str:
    digest = hashlib.sha256(numbers.astype(numbers.dtype.newbyteorder("<")).tobytes())
    return f"{numbers.dtype.name} {numbers.size} {digest.hexdigest()}"


def _first(numbers: np.ndarray) -> list[float]:
    """Return at most 12 of sorted numbers, which move by no more than the numbers do."""
    return plain(numbers[:: max(1, numbers.size // 12)][:12])


def drawn(row: dict[str, Any], like: Any = None) -> Any:
    """Draw a map from its golden recipe."""
    return mehler.from_recipe(row["recipe"], like=like)


def tolerance(kind: str, quantity: str, dtype: str, maps: dict[str, Any]) -> np.ndarray:
    """Return the accuracy of each entry, in the arithmetic of `dtype`.

    Features: a projection of d numbers is wrong by less than 8 eps sum |x_i w_i|, and weights are
    below 25 here (as in tests/features/test_places.py), so that features of functions with slopes
    up to their size differ by 200 d eps max(|x|, 1) times the largest feature of the row.

    Kernels and variances: correlations carry some eps (`FeatureMap.kernel`), 200 eps of
    sqrt(K(x, x) K(y, y)) in all. A variance is compared with the second moment of the product.
    """
    eps = EPS[dtype]
    features = np.asarray(maps[f"{kind}/features/float64"], dtype=float)
    lengths = np.maximum(np.linalg.norm(ROWS, axis=1), 1.0)
    of_features = 200 * ROWS.shape[1] * eps * lengths * np.max(np.abs(features), axis=1)
    if quantity == "features":
        return of_features[:, None]
    diagonal = np.sqrt(np.abs(np.diagonal(maps[f"{kind}/kernel/float64"])))
    size = np.outer(diagonal, diagonal)
    if quantity == "variance":
        variance = np.abs(np.asarray(maps[f"{kind}/variance/float64"]))
        spread = np.sqrt(np.diagonal(variance))
        size = size**2 + variance + np.outer(spread, spread)
    if kind.partition("-")[0] in COLLIDING:
        return (200 * eps + 2 * np.sqrt(eps) * _parallel()) * size
    if kind in KEPT:
        products = np.outer(of_features, np.sum(np.abs(features), axis=1))
        return 200 * eps * size + products + products.T
    return 200 * eps * size


def _parallel() -> np.ndarray:
    """Return which pairs of rows are equal or opposite, up to a factor."""
    lengths = np.linalg.norm(ROWS, axis=1)
    cosines = ROWS @ ROWS.T / np.maximum(np.outer(lengths, lengths), 1e-300)
    return np.abs(np.abs(cosines) - 1.0) < 1e-9
