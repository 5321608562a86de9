"""Rows of known rank: columns repeated with powers of two. As a program, fails at wrong answers."""

import numpy as np

from mehler import learn
from tests.learn.ridge_audit import Table

# Rows, columns, rank: one of few rows, and one in which a decomposition has much to add.
SHAPES = ((50, 3, 1), (300, 40, 1), (400, 60, 7), (40, 60, 5))
TINY = (1e-30, 1e-20)


def repeated(seed, n, m, rank, offset=0.0):
    """Features (n, m) of that rank, the distinct columns among them, and targets."""
    rng = np.random.default_rng(seed)
    base = rng.standard_normal((n, rank)) + offset
    which = np.concatenate([np.arange(rank), rng.integers(rank, size=m - rank)])
    factors = np.concatenate([np.ones(rank), rng.choice([1.0, -1.0, 2.0, 0.5], size=m - rank)])
    y = np.sin(base.sum(axis=1)) + 0.1 * rng.standard_normal(n)
    return base[:, which] * factors, base, y


def by_distinct_columns(base, y, intercept):
    """Predictions of unpenalised least squares, by QR of the distinct columns."""
    columns = np.hstack([base, np.ones((len(base), 1))]) if intercept else base
    return columns @ np.linalg.lstsq(columns, y, rcond=None)[0]


def furthest(dtype, shape, *, intercept=True, offset=0.0):
    """How far the predictions of all routes are from those of the distinct columns."""
    z, base, y = repeated(1, *shape, offset)
    # Rounded alike, so that repeated columns stay repeated.
    z, base = z.astype(dtype), base.astype(dtype)
    expected = by_distinct_columns(base.astype(np.float64), y, intercept)
    sums = learn.RidgeSums(Table()).add(z, y.astype(dtype))
    fits = [sums.solve(lam, intercept=intercept)[0] for lam in TINY]
    fits += sums.solve(TINY, intercept=intercept)
    fits += [learn.ridge(Table(), z, y.astype(dtype), lambdas=TINY, intercept=intercept)]
    return max(float(np.abs(fit.predict(z) - expected).max()) for fit in fits)


def main():
    for shape in SHAPES:
        assert furthest("float64", shape) <= 1e-6, shape
        assert furthest("float64", shape, intercept=False, offset=3.0) <= 1e-6, shape
        assert furthest("float32", shape) <= 1e-3, shape


if __name__ == "__main__":
    main()
