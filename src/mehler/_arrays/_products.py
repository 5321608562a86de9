"""Products of rows with weights, their maxima, cosines, counts, and distances and erf of arrays.

A piece is the product of rows with one of q matrices of weights; maxout takes maxima over pieces,
decoupled maxout the entry to their right, `after_winner`. Counts are of values up to thresholds.
NumPy's float64 cosine is five to ten times slower than our polynomial. That takes angles in turns,
radians over 2 pi: whole turns are then integers, subtracted without loss. The other libraries take
radians. `angle_unit` returns the factor from radians, best folded into the weights.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import _namespace as ns
from mehler._arrays._host import differentiable, host_threads, to_host
from mehler._arrays._namespace import Array
from mehler._arrays._rows import slices

# Up to so many inputs and pieces, passes over products cost as much as they do, and tiles of so
# many numbers a piece, and bytes, stay in the second cache; other products want larger tiles.
_NARROW, _FEW = 64, 32
_SMALL_TILE, _LARGE_TILE = (1 << 14, 1 << 20), (1 << 18, 1 << 24)


def maximum(xp: ModuleType, a: Array, b: Array) -> Array:
    """Return the elementwise maximum, written over `a` where no derivative needs that."""
    tensors = ns.is_torch_array(a) and ns.is_torch_array(b)
    in_hand = type(a) is np.ndarray or (tensors and not differentiable(a, b))
    return xp.maximum(a, b, out=a) if in_hand else xp.maximum(a, b)


def replaced(where: Array, values: Array, function: Callable[..., Array], *at: Array) -> Array:
    """Return `values`, ours to overwrite, with ``function(*at)`` at the few that a mask marks."""
    if type(values) is not np.ndarray:
        return ns.standard_namespace(values).where(where, function(*at), values)
    if where.any():
        values[where] = function(*(array[where] for array in at))
    return values


class Pieces(Iterator[Array]):
    """Products of rows (n, d) with q pieces of weights, each (d, m), in turn: q arrays (n, m).

    The caller owns the first. Each later one is valid until the next, which may overwrite it. Of
    the methods one may be called, once.
    """

    def __init__(self, xp: ModuleType, arrays: Iterable[Array]) -> None:
        self.xp = xp
        self._rest = iter(arrays)

    def __next__(self) -> Array:
        return next(self._rest)

    def largest(self) -> Array:
        """Return the maximum over the pieces: the block of maxima stays in cache."""
        out = next(self)
        for piece in self:
            out = maximum(self.xp, out, piece)
        return out

    def winner(self, dtype: Any) -> Array:
        """Return the number of the piece that has the maximum, the first of equals, in `dtype`."""
        xp, best = self.xp, next(self)
        code = xp.zeros(best.shape, dtype=dtype, device=ns.place_of(best).device)
        for j, piece in enumerate(self, start=1):
            # j increases, so a strict maximum keeps the smaller index on ties.
            code = maximum(xp, code, xp.astype(piece > best, dtype) * j)
            best = maximum(xp, best, piece)
        return code

    def after_winner(self) -> Array:
        """Return the entry to the right of the winner, from the same piece: (n, m - 1)."""
        return _entries_of_largest(self.xp, ((piece[:, :-1], piece[:, 1:]) for piece in self))

    def at_winner(self, deciding: Any) -> Array:
        """Return the entry from the piece that wins in `deciding`, the first of equals: (n, m)."""
        return _entries_of_largest(self.xp, zip(deciding, self, strict=True))


def _entries_of_largest(xp: ModuleType, pairs: Iterator[tuple[Array, Array]]) -> Array:
    """Return, entry by entry, the second member of the pair whose first is largest."""
    best, entry = next(pairs)
    for value, offered in pairs:
        entry = xp.where(value > best, offered, entry)
        best = xp.maximum(best, value)
    return entry


def power_distances(x: Array, y: Array, degree: int) -> Any:
    """Return sums of abs(x_i - y_j)^degree, 1 or 2, by SciPy where it takes the rows; else None."""
    if type(x) is not np.ndarray or x.dtype != np.float64:
        return None
    from scipy.spatial import distance

    return distance.cdist(x, y, "sqeuclidean" if degree == 2 else "cityblock")


def products(xp: ModuleType, rows: Array, weights: Array) -> Pieces:
    """Return products of rows (n, d) with the pieces of weights (q, d, m)."""
    if weights.shape[0] == 1:
        return Pieces(xp, (xp.matmul(rows, weights[0, :, :]),))
    if type(rows) is np.ndarray:
        return HostPieces(xp, rows, weights)
    if ns.is_on_accelerator(rows):
        return StackedPieces(xp, xp.matmul(rows, weights))
    if ns.is_torch_array(rows) and ns.is_torch_array(weights) and rows.shape[0] > 0:
        from mehler._arrays._torch import overwritable

        if overwritable(rows) and overwritable(weights):
            return HostPieces(xp, rows, weights)
    return Pieces(xp, (xp.matmul(rows, weights[j, :, :]) for j in range(weights.shape[0])))


def pooled(xp: ModuleType, rows: Array, pool: Array, members: Array) -> Pieces:
    """Return products of rows with q members of a pool (P, d) for each unit: members (q, m)."""
    projected = xp.matmul(pool, xp.matrix_transpose(rows))
    if ns.is_on_accelerator(rows):
        # All pieces at once, (q, n, m): the rows (P, n) that each member names, transposed.
        stack = xp.take(projected, xp.reshape(members, (-1,)), axis=0)
        stack = xp.reshape(stack, (*members.shape, rows.shape[0]))
        return StackedPieces(xp, xp.matrix_transpose(stack))

    def in_turn() -> Iterator[Array]:
        piece = None
        for j in range(members.shape[0]):
            if j > 1 and ns.is_numpy_array(projected):
                # mode="raise" would buffer the output; members are in range.
                np.take(projected, members[j], axis=0, out=piece, mode="clip")
            else:
                piece = xp.take(projected, members[j, :], axis=0)
            yield xp.matrix_transpose(piece)

    return Pieces(xp, in_turn())


class StackedPieces(Pieces):
    """Pieces (q, n, m) in one array, for a GPU: a maximum over them is one launch, not q."""

    def __init__(self, xp: ModuleType, array: Array) -> None:
        super().__init__(xp, (array[j, :, :] for j in range(array.shape[0])))
        self.array = array

    def largest(self) -> Array:
        return self.xp.max(self.array, axis=0)

    def winner(self, dtype: Any) -> Array:
        return self.xp.astype(self.xp.argmax(self.array, axis=0), dtype)

    def after_winner(self) -> Array:
        deciding = StackedPieces(self.xp, self.array[:, :, :-1])
        return StackedPieces(self.xp, self.array[:, :, 1:]).at_winner(deciding)

    def at_winner(self, deciding: Any) -> Array:
        piece = self.xp.argmax(deciding.array, axis=0)
        return self.xp.take_along_axis(self.array, piece[None, :, :], axis=0)[0, :, :]


class HostPieces(Pieces):
    """Pieces in tiles that stay in cache: of NumPy, or of PyTorch on a CPU without derivatives."""

    def __init__(self, xp: ModuleType, rows: Array, weights: Array) -> None:
        super().__init__(xp, _in_turn(xp, rows, weights))  # a method of ours would be a cycle
        self.rows, self.weights = rows, weights

    @property
    def _are_narrow(self) -> bool:
        q, d, _ = self.weights.shape  # products of small tiles are those of one thread
        return d <= _NARROW and q <= _FEW and host_threads() <= 2

    def largest(self) -> Any:
        n, m = self.rows.shape[0], self.weights.shape[2]
        if n * m <= _SMALL_TILE[0] or not self._are_narrow:
            return super().largest()
        out = np.empty((n, m), ns.dtype_name(self.rows.dtype))
        for rows, columns, products in self._tiles(0):
            out[rows, columns] = np.maximum.reduce(products, axis=0)
        return self.xp.asarray(out, device=self.rows.device)

    def winner(self, dtype: Any) -> Array:
        out = np.empty((len(self.rows), self.weights.shape[2]), ns.dtype_name(dtype))
        for rows, columns, products in self._tiles(0):
            out[rows, columns] = len(products) - 1 - _last_winner(products)[0]
        return self.xp.asarray(out, device=self.rows.device)

    def after_winner(self) -> Any:
        return self._gathered(((tile, tile) for tile in self._tiles(1)), 1)

    def at_winner(self, deciding: Any) -> Any:
        return self._gathered(zip(deciding._tiles(0), self._tiles(0)), 0)

    def _gathered(self, pairs: Iterator[Any], right: int) -> Any:
        """Return the entries that far right of the winners in the first of two tiles each."""
        n, m = len(self.rows), self.weights.shape[2]
        out = np.empty((n, m - right), ns.dtype_name(self.rows.dtype))
        for (rows, columns, deciding), (_, _, products) in pairs:
            winner, entries = _last_winner(deciding)
            at = winner * np.int32(winner.size)  # a tile has no more than 2^24 bytes
            at += np.arange(right, right + at.size, dtype=np.int32).reshape(at.shape)
            np.take(products.reshape(-1), at, out=entries, mode="clip")
            out[rows, columns] = entries[:, : entries.shape[1] - right]
        return self.xp.asarray(out, device=self.rows.device)

    def _tiles(self, right: int) -> Iterator[tuple[slice, slice, Any]]:
        """Yield the products of tiles (q, rows, columns + right), last piece first."""
        whole, weights = to_host(self.rows), to_host(self.weights)[::-1]
        (q, _, width), n = weights.shape, len(whole)
        numbers, most = _SMALL_TILE if self._are_narrow else _LARGE_TILE
        numbers = max(1, min(numbers, most // (q * whole.itemsize)))
        height = min(n, 1 << (math.isqrt(numbers).bit_length() - 1))
        m, wide = width - right, numbers // height
        memory = np.empty(q * height * (min(m, wide) + right), whole.dtype)
        for columns in slices(m, wide):
            tile = weights[:, :, columns.start : columns.stop + right]
            for rows in slices(n, height):
                size = q * (rows.stop - rows.start) * tile.shape[2]
                products = memory[:size].reshape(q, -1, tile.shape[2])
                yield rows, columns, np.matmul(whole[rows], tile, out=products)


def _in_turn(xp: Any, rows: Array, weights: Array) -> Iterator[Any]:
    """Yield products, each after the second in the memory of the one before."""
    yield rows @ weights[0, :, :]
    piece = None
    for j in range(1, weights.shape[0]):
        yield (piece := xp.matmul(rows, weights[j, :, :], out=piece))


def _last_winner(products: Any) -> tuple[Any, Any]:
    """Return the last piece of products (q, n, m) with the maximum, 0 for NaN, and the maxima."""
    q = len(products)
    largest = np.maximum.reduce(products, axis=0)
    wins = np.equal(products, largest).view(np.uint8)
    numbers = np.arange(q, dtype=np.min_scalar_type(q - 1))[:, None, None]
    return np.maximum.reduce(wins * numbers, axis=0), largest


# Elements at a time: five float64 temporaries, 640 KiB, stay in L2; half as many take 1.15 times.
_TILE = 1 << 14

# sin(2 pi u)/u in powers of u^2, highest first. |u| <= 1/4, where the next term is below 2e-18.
_SINE = tuple((-1.0) ** k * (2.0 * math.pi) ** (2 * k + 1) / math.factorial(2 * k + 1)
              for k in range(10, -1, -1))  # fmt: skip


def angle_unit(x: Array) -> float:
    """Return the factor from radians to the unit of `cosine` and `cosine_and_sine` for `x`."""
    return 1.0 / (2.0 * math.pi) if _takes_turns(x) else 1.0


def cosine(xp: ModuleType, angles: Array, gain: float) -> Array:
    """Return `gain` times the cosines of `angles` (n, k), in the unit of `angle_unit`."""
    if type(angles) is not np.ndarray:
        return gain * xp.cos(angles)
    return _waves(angles, gain, 1)


def cosine_and_sine(xp: ModuleType, angles: Array, gain: float) -> Array:
    """Return `gain` times cosines, then sines, of `angles` (n, k): (n, 2 k)."""
    if type(angles) is not np.ndarray:
        return gain * xp.concat((xp.cos(angles), xp.sin(angles)), axis=1)
    return _waves(angles, gain, 2)


def _takes_turns(x: Array) -> bool:
    return type(x) is np.ndarray and x.dtype != np.float32


def _waves(angles: Array, gain: float, n: int) -> Any:
    """Return one or both functions side by side; transposed angles give a transposed result."""
    is_transposed = angles.flags.f_contiguous and not angles.flags.c_contiguous
    angles = angles.T if is_transposed else angles
    rows, columns = angles.shape
    shape = (n * rows, columns) if is_transposed else (rows, n * columns)
    out = np.empty(shape, dtype=angles.dtype)
    halves = np.split(out, n, axis=0 if is_transposed else 1)
    if _takes_turns(angles):
        for part in slices(rows, max(1, _TILE // columns)):
            _turns(angles[part], gain, [half[part] for half in halves])
    else:
        for wave, half in zip((np.cos, np.sin), halves):
            wave(angles, out=half)
        out *= angles.dtype.type(gain)
    return out.T if is_transposed else out


def _turns(angles: NDArray[np.float64], gain: float, out: list[Any]) -> None:
    """Write cosines (and sines) of angles in turns, by a polynomial."""
    turns = angles - np.rint(angles)
    u = np.abs(turns)
    np.subtract(0.25, u, out=u)
    values = np.empty_like(u)
    _sine(u, values)
    np.multiply(values, gain, out=out[0])
    if len(out) == 2:
        np.abs(u, out=u)
        np.subtract(0.25, u, out=u)
        np.copysign(u, turns, out=u)
        _sine(u, values)
        np.multiply(values, gain, out=out[1])


def _sine(u: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Write sin(2 pi u), |u| <= 1/4, to `out`."""
    square = u * u
    np.multiply(square, _SINE[0], out=out)
    for coefficient in _SINE[1:-1]:
        out += coefficient
        out *= square
    out += _SINE[-1]
    out *= u


def erf(_: Any, t: Array) -> Array:
    """Compute the error function elementwise, by the library or by SciPy on the host."""
    if ns.is_torch_array(t):
        return t.erf()
    name = ns.namespace_name(ns.standard_namespace(t))
    if home := {"jax.numpy": "jax.scipy", "cupy": "cupyx.scipy"}.get(name):
        return importlib.import_module(f"{home}.special").erf(t)
    from scipy.special import erf as on_host

    return ns.of_chunks(
        lambda chunk: ns.from_host(on_host(to_host(chunk)), ns.place_of(chunk)), t, t.dtype
    )


_MOST = 255  # zeros and ones that a sum in uint8 holds without overflow


def ecdf_at(
    xp: ModuleType, pieces: Iterable[tuple[slice, Array]], thresholds: Array, scale: Array
) -> Array:
    """Return empirical distribution functions, counts times `scale`: (rows, groups * K).

    `pieces` yields slices of the groups, in order, with their values (groups, counted, rows). Those
    at or below `thresholds`, (K,) or (groups, K), are counted.
    """
    counted = []
    for part, values in pieces:
        levels = thresholds[None, :] if thresholds.ndim == 1 else thresholds[part, :]
        if ns.is_on_accelerator(values):  # where each threshold would be two launches
            below = values[:, None, :, :] <= levels[:, :, None, None]
            counted.append(xp.sum(below, axis=2, dtype=xp.int32))
        else:
            if ns.is_numpy_array(values) and values.shape[2] < 64:  # sums then add whole planes
                values = np.ascontiguousarray(values.swapaxes(0, 1)).swapaxes(0, 1)
            columns = (levels[:, k][:, None, None] for k in range(levels.shape[1]))
            counted.append(xp.stack([_count(xp, values <= t) for t in columns], axis=1))
    counts = xp.concat(counted, axis=0) if len(counted) > 1 else counted[0]
    counts = xp.permute_dims(counts, (2, 0, 1))
    return xp.astype(xp.reshape(counts, (-1, scale.shape[0])), scale.dtype) * scale


def _count(xp: ModuleType, mask: Array) -> Array:
    """Count true entries along the middle axis."""
    ones = mask.view(np.uint8) if ns.is_numpy_array(mask) else xp.astype(mask, xp.uint8)
    parts = [xp.sum(ones[:, s, :], axis=1, dtype=xp.uint8) for s in slices(ones.shape[1], _MOST)]
    return parts[0] if len(parts) == 1 else sum(xp.astype(part, xp.int32) for part in parts)
