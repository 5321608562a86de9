"""Probes of a diagnosis beyond the user's pairs: other sizes, and inputs on axes and diagonals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays import from_host, place_of
from mehler.verify._choice import choose_source
from mehler.verify._draws import Draws
from mehler.verify._pairs import Pairs, make_pairs
from mehler.verify._sources import estimate

SIZES = (64, 256)
_STREAM = 8
_LENGTHS = (0.3, 1.0, 2.2)
# Axes and diagonals that are looked at: enough to see, few enough to be quick.
_DIRECTIONS = 4


def shrinkage(
    resize: Callable[[int, int], Any], pairs: Pairs, n_draws: int, seed: int
) -> tuple[float, int, int] | None:
    """Return how many times the variance of the estimate falls between two sizes, and the sizes.

    The median over pairs; None where nothing varies or the sizes cannot be had.
    """
    spread, sizes = [], []
    for n_features in SIZES:
        # mypy infers no type for a lambda that binds a loop variable.
        draws = Draws(lambda s, n=n_features: resize(s, n), seed, stream=_STREAM)  # type: ignore[misc]
        m = choose_source(draws[0], pairs, False).n_features
        grams = [pairs.pick(estimate(draws[k], pairs, m)) / pairs.unit for k in range(n_draws)]
        spread.append(np.var(np.stack(grams), axis=0, ddof=1))
        sizes.append(m)
    # Pairs whose estimate is the same in every draw, as cos^2 + sin^2 is, tell nothing.
    varies = (spread[0] > 1e-12) & (spread[1] > 1e-12)
    if sizes[1] <= sizes[0] or not varies.any():
        return None
    return float(np.median(spread[0][varies] / spread[1][varies])), sizes[0], sizes[1]


def axes_and_diagonals(
    draws: Draws, kernel: Any, pairs: Pairs, n_draws: int
) -> tuple[float, float, float, float] | None:
    """Return the largest deviation on axes, in standard errors too, and the same on diagonals.

    None for kernels without a name, whose domain is not known, and in one dimension.
    """
    d = pairs.left.host.shape[1]
    if not hasattr(kernel, "nonnegative") or d < 2:
        return None
    signs = np.random.default_rng(draws.root).choice([-1.0, 1.0], size=(_DIRECTIONS, d))
    if kernel.nonnegative:
        signs = np.abs(signs)
    place = place_of(pairs.left.given)
    dtype = pairs.left.host.dtype
    found: list[float] = []
    for directions in (np.eye(d)[:_DIRECTIONS], signs / math.sqrt(d)):
        deviation, errors = 0.0, 0.0
        for direction in directions:
            rows = np.outer([kernel.length * length for length in _LENGTHS], direction)
            line = make_pairs(kernel, from_host(rows.astype(dtype), place), None)
            grams = np.stack([_at(draws[k], line) for k in range(n_draws)])
            error = np.maximum(grams.std(axis=0, ddof=1) / math.sqrt(n_draws), 1e-6)
            gap = np.abs(grams.mean(axis=0) - line.claim)
            deviation, errors = max(deviation, gap.max()), max(errors, (gap / error).max())
        found += [float(deviation), float(errors)]
    return found[0], found[1], found[2], found[3]


def _at(phi: Any, line: Pairs) -> Any:
    m = choose_source(phi, line, False).n_features
    return line.pick(estimate(phi, line, m)) / line.unit
