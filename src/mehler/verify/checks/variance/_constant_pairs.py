"""Pairs of declared variance 0, at which products must be constant."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.verify.sampling._draw_groups import GROUP
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import Pairs
from mehler.verify.sampling._sources import Source


def has_variance(declared: Any, probe: Any, source: Source, pairs: Pairs) -> Any:
    """Return a mask of the pairs whose declared variance exceeds rounding.

    Rounding of products, and at equal rows of the correlation 1, off by eps: a square root there
    turns eps into sqrt(eps).
    """
    square = np.abs(probe).max(axis=0) ** 2 * source.n_features / source.per_draw
    floor = (2.0**10 * source.eps) ** 2 * square
    if (declared < -floor).any():
        raise ValueError(f"variance(X, Y) reaches {declared.min():.6g}: variances are not negative")
    equal = (pairs.left.values[pairs.first] == pairs.right.values[pairs.second]).all(axis=1)
    return declared > np.where(equal, 64.0 * np.sqrt(np.finfo(float).eps) * square, floor)


def is_constant(source: Source, draws: Draws, still: Any) -> bool:
    """Return whether products at pairs of zero variance are constant over a few draws."""
    if not still.size:
        return True
    x = np.concatenate([source.samples(draws[k], still) for k in range(GROUP)])
    return bool((np.ptp(x, axis=0) <= 2.0**10 * source.eps * np.abs(x).max(axis=0)).all())
