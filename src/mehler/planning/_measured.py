"""Measured numbers of features: quantiles of the error over independent draws, rescaled."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler import MaxoutFeatures, _arrays, exact
from mehler.planning._plan import Row
from mehler.verify import intervals

# Features per measured draw, and the confidence of the quantile's interval.
_FEATURES = 512
_CONFIDENCE = 0.99
# Most draws, for one pair and for a Gram matrix, which costs more.
_MOST_ONE, _MOST_ALL = 10_000, 1_000
# Draws made as one map and then split, to save calls.
_DRAWS = 32


def measured_one_pair(*, quantity: str, pool_size: int, eps: float, delta: float, seed: int) -> Row:
    """Measure the error at equal rows, where the variance is largest; needs no data."""
    n = _draws(delta, _MOST_ONE, times=4)
    if n is None:
        return _too_rare(quantity, delta, _MOST_ONE)
    errors = np.empty(n)
    row, truth = np.ones((1, 1)), exact.sigma2(pool_size)
    for block, drawn in enumerate(_arrays.slices(n, 32 * _DRAWS)):
        units = (drawn.stop - drawn.start) * _FEATURES
        phi = MaxoutFeatures.draw(1, units, pool_size, seed=_seed(seed, 0, block))
        means = np.asarray(phi.products(row, row)).reshape(-1, _FEATURES).mean(axis=1)
        errors[drawn] = np.abs(means - truth)
    return _row(errors, quantity, eps, delta)


def measured_all_pairs(
    rows: Any, *, quantity: str, pool_size: int, eps: float, delta: float, seed: int
) -> Row:
    """Measure the largest error of the Gram matrix of unit rows."""
    n = _draws(delta, _MOST_ALL, times=1.5)
    if n is None:
        return _too_rare(quantity, delta, _MOST_ALL)
    # Units depend on inner products of rows only, so rotate the rows into their span.
    turned = np.asarray(np.linalg.qr(rows.T, mode="r")).T
    rho = np.clip(turned @ turned.T, -1.0, 1.0)
    np.fill_diagonal(rho, 1.0)
    kernel = exact.maxout_kernel(rho, pool_size)
    # The rounding of float32 is 1e-5 of the errors measured.
    turned = np.ascontiguousarray(turned, dtype=np.float32)
    errors = np.empty(n)
    for block, drawn in enumerate(_arrays.slices(n, _DRAWS)):
        units = (drawn.stop - drawn.start) * _FEATURES
        phi = MaxoutFeatures.draw(
            turned.shape[1], units, pool_size, seed=_seed(seed, 1, block), dtype="float32"
        )
        # Undo the normalisation by sqrt(units).
        features = np.asarray(phi(turned)) * math.sqrt(units / _FEATURES)
        parts = features.reshape(len(rows), -1, _FEATURES).transpose(1, 0, 2)
        gram = parts @ parts.transpose(0, 2, 1)
        errors[drawn] = np.abs(gram - kernel).max(axis=(1, 2))
    return _row(errors, quantity, eps, delta)


def _draws(delta: float, most: int, *, times: float) -> int | None:
    """Return the number of draws, or None if `most` are too few.

    The largest of n draws is below the 1 - delta quantile with probability (1 - delta)^n. `times`
    as many draws as make that small bring the order statistics closer to the quantile.
    """
    least = math.ceil(math.log(1 - _CONFIDENCE) / math.log1p(-delta))
    return None if least > most else min(most, max(200, math.ceil(times * least)))


def _row(errors: Any, quantity: str, eps: float, delta: float) -> Row:
    n = errors.size
    ends = intervals.quantile(errors, 1 - delta, 2 * (1 - _CONFIDENCE))
    # Errors are not negative; there is an upper end, as `_draws` sees to it.
    least, features = (math.ceil(_FEATURES * (max(end, 0.0) / eps) ** 2) for end in ends)
    return Row(
        quantity=quantity,
        name=f"{n} draws",
        kind="measured",
        features=features,
        interval=(least, features),
        probability=1 - delta,
        note=(
            f"at least {least:,}; each end at confidence {100 * _CONFIDENCE:g} %, scaled by "
            f"m^(-1/2) from {_FEATURES} features"
        ),
    )


def _too_rare(quantity: str, delta: float, most: int) -> Row:
    return Row(
        quantity=quantity,
        name="no draws",
        kind="measured",
        features=None,
        probability=1 - delta,
        note=f"a quantile of {delta:g} needs more than {most} draws: give a larger delta",
    )


def _seed(seed: int, purpose: int, block: int) -> int:
    """Return the seed of a block, the same on every machine."""
    return int(np.random.SeedSequence([seed, purpose, block]).generate_state(1, np.uint64)[0])
