"""Dual ridge regression, for fewer rows than features: by the rows' inner products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mehler import _arrays
from mehler._arrays import Array
from mehler.learn._arguments import feature_blocks, require_no_overflow, shape_of, work_place
from mehler.learn._ridge._path import Origin, Path, spectrum_of_rows


def is_wide(phi: Callable[[Array], Array], x: Array) -> bool:
    """Return whether rows are in memory and fewer than features."""
    return not _arrays.is_chunked(x) and x.shape[0] < shape_of(phi, x)[0]


def solve_dual(
    phi: Callable[[Array], Array],
    x: Array,
    y: Array,
    lambdas: tuple[float, ...],
    intercept: bool,
    index: Any = None,
) -> Path:
    """Solve by the inner products of all rows, or of those that `index` names."""
    n = x.shape[0] if index is None else index.shape[0]
    dtype = shape_of(phi, x)[1]
    home = _arrays.place_of(x)
    place = work_place(home)
    xp = place.xp
    targets = y if y.ndim == 2 else y[:, None]
    blocks = [(xp.astype(z, xp.float64), t) for z, t in feature_blocks(phi, x, targets, index)]
    rows, off = (xp.concat(parts, axis=0) for parts in zip(*blocks, strict=True))
    squares = xp.sum(rows * rows)
    require_no_overflow(float(squares + xp.sum(off * off)))
    share = (1.0 if intercept else 0.0) / n
    mean, target_mean = (share * xp.sum(part, axis=0) for part in (rows, off))
    rows, off = rows - mean[None, :], off - target_mean[None, :]
    spectrum = spectrum_of_rows(xp, rows, off, dtype, squares)
    return Path(
        origin=Origin(phi=phi, home=home, dtype=dtype, flat=y.ndim == 1),
        place=place,
        lambdas=lambdas,
        n_rows=n,
        intercept=intercept,
        mean=mean,
        target_mean=target_mean,
        weights=spectrum.weights(xp, lambdas, n),
        spectrum=spectrum,
    )
