"""Angles of rows, computed so that their rounding stays small against a turn.

A float of size A is rounded by eps A/2. An angle <w, x> of many turns so loses the part that
cosines see: rows of 64-bit numbers have angles that are wrong by radians.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.features._correlation import lengths as norms
from mehler.features._turns import largest_of, turns_of

# Largest root mean square of the error of an angle, in radians. Errors e, e' of the angles of two
# rows change a feature product's mean by a factor of at least 1 - (e^2 + e'^2)/2 = 1 - 2^-12.
LIMIT = 2.0**-6

# A bound of the entries of the rows in this call, where one was found before the first block.
_LARGEST: ContextVar[float | None] = ContextVar("_LARGEST", default=None)


class Phases:
    """The projection of a map, the scale of its weights, and the largest harmonic of its waves.

    The harmonic is 0 if the activation has no period. Weights begin with `before` arrays that are
    not the projection's, the first of which are the lengths of the frequencies if `mixed`. `own`
    entries are not standard normal numbers.
    """

    def __init__(
        self,
        projection: Any,
        scale: float,
        *,
        before: int = 0,
        mixed: bool = False,
        own: bool = False,
        harmonic: int = 1,
    ) -> None:
        self.projection, self.scale = projection, scale
        self.before, self.mixed, self.own, self.harmonic = before, mixed, own, harmonic
        self._seen: tuple[Any, float] = None, 0.0

    def __call__(self, xp: Any, rows: _arrays.Array, unit: float, *weights: Any) -> _arrays.Array:
        """Compute angles (n, m) in radians times `unit`, exactly reduced where they are many turns.

        Where values cannot be looked at, in traced code, angles are rounded as floats are.
        """
        far = None if _traced(rows, weights) else self._far(xp, rows, rows.dtype, weights)
        if far is None:
            return self._rounded(xp, rows, unit, weights)
        place, n = _arrays.place_of(rows), rows.shape[0]
        index = np.flatnonzero(np.asarray(_arrays.to_host(far))).astype(np.int32)
        order = np.arange(n, dtype=np.int32)
        order[index] = np.arange(n, n + len(index))
        near = self._rounded(xp, xp.where(far[:, None], xp.zeros_like(rows), rows), unit, weights)
        rest = xp.take(rows, _arrays.from_host(index, place), axis=0)
        with np.errstate(all="ignore"):
            turns = self._reduced(xp, rest, weights)
        rest = xp.astype(turns * (math.tau * unit), rows.dtype, copy=False)
        return xp.take(xp.concat((near, rest), axis=0), _arrays.from_host(order, place), axis=0)

    def reaches(self, xp: Any, rows: _arrays.Array, dtype: Any, *weights: Any) -> bool:
        """Whether rounding in `dtype` could make angles of some row wrong by more than `LIMIT`."""
        return not _traced(rows, weights) and self._far(xp, rows, dtype, weights) is not None

    def _far(self, xp: Any, rows: _arrays.Array, dtype: Any, weights: Any) -> Any | None:
        """Return which rows have such angles, (n,), or None if no row has."""
        if not self.harmonic:
            return None
        d = rows.shape[1]
        # Products are rounded, and the partial sums of d of them, each of at most the angle's
        # variance over draws: independent errors of eps/2 add up to this root mean square.
        each = 0.5 * float(xp.finfo(dtype).eps) * math.sqrt(d + 3) * self.harmonic
        most = LIMIT / each / self._reach(xp, weights)
        known = _LARGEST.get()
        if (largest_of(xp, rows) if known is None else known) * math.sqrt(d) <= most:
            return None
        with np.errstate(all="ignore"):
            wide = _arrays.widest_float(xp, _arrays.place_of(rows).device)
            far = ~(norms(xp, xp.astype(rows, wide))[:, 0] <= most)
        return far if bool(xp.any(far)) else None

    def _reach(self, xp: Any, weights: Any) -> float:
        """Return the root mean square of an angle over the norm of its row, mean over units.

        The error of a Gram entry is at most the mean of the errors of its angles.
        """
        at = self.before if self.own else 0
        if not (self.own or self.mixed):
            return self.scale
        if self._seen[0] is not weights[at]:
            w = np.asarray(_arrays.to_host(weights[at]), dtype=np.float64)
            with np.errstate(all="ignore"):
                # (1, d, m) entries, or m lengths.
                size = norms(np, w[0].T)[:, 0] / math.sqrt(w.shape[1]) if self.own else np.abs(w)
            self._seen = weights[at], self.scale * float(np.mean(size))
        return self._seen[1]

    def _rounded(self, xp: Any, rows: Any, unit: float, weights: Any) -> _arrays.Array:
        (angles,) = self.projection.pieces(xp, rows * (self.scale * unit), *weights[self.before :])
        return angles * weights[0] if self.mixed else angles

    def _reduced(self, xp: Any, rows: _arrays.Array, weights: Any) -> _arrays.Array:
        """Compute angles in turns, less whole turns, in the widest float."""
        device = _arrays.place_of(rows).device
        wide = _arrays.widest_float(xp, device)
        narrow = rows.dtype != wide
        rows = xp.astype(rows, wide, copy=False)
        weights = tuple(
            xp.astype(w, wide, copy=False) if xp.isdtype(w.dtype, "real floating") else w
            for w in weights
        )
        if narrow and self._far(xp, rows, wide, weights) is None:
            turns = self._rounded(xp, rows, 1.0 / math.tau, weights)
            return turns - xp.round(turns)
        d = rows.shape[1]
        axes = xp.eye(d, dtype=wide, device=device)
        return turns_of(xp, rows, self._rounded(xp, axes, 1.0, weights))


@contextmanager
def seen_once(waves: bool, x: _arrays.Array, check_finite: bool) -> Iterator[bool]:
    """Let the host wait once for a GPU in a call; yield whether rows still need a check.

    The largest entry says both whether all are finite and whether any is far. Without a check none
    is taken for far.
    """
    if not (waves and _is_matrix_on_accelerator(x)):
        yield check_finite
        return
    largest = 0.0
    if check_finite:
        xp = _arrays.array_namespace(x)
        rows = _arrays.without_gradient(x)
        largest = float(xp.maximum(xp.max(rows), -xp.min(rows)))
    token = _LARGEST.set(largest)
    try:
        yield not math.isfinite(largest)
    finally:
        _LARGEST.reset(token)


def _is_matrix_on_accelerator(x: Any) -> bool:
    if not _arrays.is_array(x) or _arrays.is_lazy(x) or not _arrays.is_on_accelerator(x):
        return False
    xp = _arrays.array_namespace(x)
    return x.ndim == 2 and 0 not in x.shape and bool(xp.isdtype(x.dtype, "real floating"))


def _traced(rows: _arrays.Array, weights: Any) -> bool:
    return any(_arrays.is_lazy(one) for one in (rows, *weights))


def phases_of(block: Any) -> Phases | None:
    """Return the phases of a block function, which maps wrap in functions of their own."""
    if isinstance(block, functools.partial):
        return next((found for one in block.args if (found := phases_of(one))), None)
    return block if isinstance(block, Phases) else None


def cast(block: Any, xp: Any, rows: _arrays.Array, dtype: Any, weights: Any) -> _arrays.Array:
    """Return rows in the dtype that the map computes in; ValueError if angles lose their phase."""
    if rows.dtype == dtype:
        return rows
    phases = phases_of(block)
    if phases is not None and loses(xp, rows, dtype) and phases.reaches(xp, rows, dtype, *weights):
        raise_rounded("X", rows, dtype)
    return xp.astype(rows, dtype, copy=False)


def loses(xp: Any, rows: _arrays.Array, dtype: Any) -> bool:
    """Whether numbers of the rows' dtype can be beyond the precision of `dtype`."""
    if not xp.isdtype(rows.dtype, "real floating"):
        return bool(xp.isdtype(rows.dtype, "integral"))
    return float(xp.finfo(rows.dtype).eps) < float(xp.finfo(dtype).eps)


def require_exact(name: str, xp: Any, rows: _arrays.Array, dtype: Any, scale: float) -> None:
    """Raise ValueError if rounding to `dtype` moves rows by more than `LIMIT` over `scale`."""
    if _arrays.is_lazy(rows) or not loses(xp, rows, dtype):
        return
    each = 0.5 * float(xp.finfo(dtype).eps) * scale
    if largest_of(xp, rows) * math.sqrt(rows.shape[1]) * each > LIMIT:
        raise_rounded(name, rows, dtype)


def raise_rounded(name: str, rows: _arrays.Array, dtype: Any) -> None:
    """Refuse rows that are rounded by too much."""
    here, there = _arrays.dtype_name(rows.dtype), _arrays.dtype_name(dtype)
    remedy = "" if there == "float64" else "; or draw the map with dtype='float64'"
    raise ValueError(
        f"{name} has numbers of {here} that are rounded to {there}, which changes angles <w, x> by "
        f"more than {LIMIT:.2g} radians: subtract a common number from the columns first, or scale "
        f"them, or take a larger length scale{remedy}"
    )
