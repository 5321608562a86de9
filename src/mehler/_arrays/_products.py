"""Products of rows with pieces of weights, and maxima over them, in reused memory."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np

from mehler._arrays._gradients import differentiable
from mehler._arrays._namespace import Array, is_numpy_array, is_on_accelerator, is_torch_array
from mehler._arrays._rows import slices


def _overwritten(*arrays: Array) -> bool:
    """Whether results may be written into memory in hand: no derivative needs what was there."""
    if all(map(is_torch_array, arrays)):
        return not differentiable(*arrays)
    return is_numpy_array(arrays[0])


def maximum(xp: ModuleType, a: Array, b: Array) -> Array:
    """Return the elementwise maximum; NumPy and PyTorch overwrite `a`."""
    if _overwritten(a, b):
        return xp.maximum(a, b, out=a)
    return xp.maximum(a, b)


def take_rows(xp: ModuleType, a: Array, index: Array, spare: Array | None) -> Array:
    """Return ``a[index]`` along the first axis, on NumPy in the memory of `spare`.

    Indices must be in range: NumPy would clip them silently.
    """
    if spare is not None and is_numpy_array(a):
        # mode="raise" would buffer the output.
        return np.take(a, index, axis=0, out=spare, mode="clip")
    return xp.take(a, index, axis=0)


def running_argmax(
    xp: ModuleType, best: Array, chosen: Array, value: Array, offered: Array
) -> tuple[Array, Array]:
    """Return the larger of `best` and `value`, and its index: one step of a running argmax.

    Ties keep `best`. NumPy overwrites `best` and `chosen`, which must not share memory. It selects
    by a mask at a tenth of its arithmetic's pace, so the sign of best - value is spread instead.
    """
    if not is_numpy_array(best):
        return xp.maximum(best, value), xp.where(value > best, offered, chosen)
    bits = np.int32 if best.dtype == np.float32 else np.int64
    with np.errstate(over="ignore"):  # an overflowing difference keeps its sign
        wins = (best - value).view(bits)
    wins >>= 8 * wins.itemsize - 1  # all ones where value is larger
    wins &= chosen.view(bits) ^ offered.view(bits)
    own = chosen.view(bits)
    own ^= wins
    return np.maximum(best, value, out=best), chosen


def products(xp: ModuleType, rows: Array, weights: Array) -> Iterator[Array]:
    """Return products of rows (n, d) with the pieces of weights (q, d, m), piece by piece."""
    if weights.shape[0] == 1:
        return iter((xp.matmul(rows, weights[0, :, :]),))
    if is_on_accelerator(rows):
        return StackedProducts(xp.matmul(rows, weights))
    if is_numpy_array(rows):
        return HostProducts(rows, weights)
    if ReusedBuffer.serves(rows, weights):
        return ReusedBuffer(rows, weights)
    return (xp.matmul(rows, weights[j, :, :]) for j in range(weights.shape[0]))


class HostProducts(Iterator[Array]):
    """Products of NumPy rows (n, d) with the pieces of weights (q, d, m).

    An iterator over the pieces, of which each but the first is overwritten by the next one.
    """

    def __init__(self, rows: Array, weights: Array) -> None:
        self.rows, self.weights = rows, weights
        self._pieces = self._in_turn()

    def __next__(self) -> Any:
        return next(self._pieces)

    def _in_turn(self) -> Iterator[Any]:
        yield self.rows @ self.weights[0]
        piece: Any = None
        for weights in self.weights[1:]:
            piece = np.matmul(self.rows, weights, out=piece)
            yield piece

    def after_winner(self) -> Any:
        """Return the entry to the right of the winner, from the same piece: (n, m - 1)."""
        return self._gathered(self, 1)

    def at_winner(self, deciding: HostProducts) -> Any:
        """Return the entry from the piece that wins in `deciding`, the first of equals: (n, m)."""
        return self._gathered(deciding, 0)

    def _gathered(self, deciding: HostProducts, right: int) -> Any:
        """Keep the products of a tile, find the winners, and take their entries at once.

        A selection by masks, piece by piece, would cost three times the products.
        """
        q, _, width = self.weights.shape
        n, m, dtype = len(self.rows), width - right, self.rows.dtype
        out = np.empty((n, m), dtype)
        memory = np.empty(q * min(n, _TILE_ROWS) * (min(m, _TILE_COLUMNS) + right), dtype)
        for columns in slices(m, _TILE_COLUMNS):
            wide = slice(columns.start, columns.stop + right)
            for rows in slices(n, _TILE_ROWS):
                size = (rows.stop - rows.start) * (wide.stop - wide.start)
                kept = memory[: q * size].reshape(q, rows.stop - rows.start, -1)
                for weights, piece in zip(self.weights, kept, strict=True):
                    np.matmul(self.rows[rows], weights[:, wide], out=piece)
                pieces = iter(kept)
                if deciding is not self:
                    pieces = deciding._pieces_of(rows, wide)
                at = _winner(pieces, q).astype(np.intp)
                at *= size
                at += np.arange(size).reshape(at.shape)
                at = at[:, : m if not right else -right] + right
                np.take(memory, at, out=out[rows, columns], mode="clip")
        return out

    def _pieces_of(self, rows: slice, columns: slice) -> Iterator[Any]:
        """Yield the products of a tile, each overwriting the one before."""
        piece = None
        for weights in self.weights:
            piece = np.matmul(self.rows[rows], weights[:, columns], out=piece)
            yield piece


def _winner(pieces: Iterator[Any], q: int) -> Any:
    """Return the number of the piece that has the maximum, the first of equals."""
    best = next(pieces).copy()
    code = np.zeros(best.shape, np.uint8 if q < 256 else np.int32)
    larger = np.empty(best.shape, np.bool_)
    wins = larger.view(np.uint8) if q < 256 else np.empty_like(code)
    for j, piece in enumerate(pieces, start=1):
        # j increases, so that the last win is the largest.
        np.greater(piece, best, out=larger)
        np.multiply(larger.view(np.uint8), code.dtype.type(j), out=wins)
        np.maximum(code, wins, out=code)
        np.maximum(best, piece, out=best)
    return code


class StackedProducts(Iterator[Array]):
    """Pieces (q, n, m) in one array, for a GPU: a maximum over them is one launch, not q.

    An iterator over the pieces too, like those that are made one by one in a CPU's cache.
    """

    def __init__(self, array: Array) -> None:
        self.array = array
        self._rest = iter(range(array.shape[0]))

    def __next__(self) -> Array:
        return self.array[next(self._rest), :, :]

    def largest(self, xp: ModuleType) -> Array:
        """Return the maximum over the pieces, (n, m)."""
        return xp.max(self.array, axis=0)

    def winner(self, xp: ModuleType) -> Array:
        """Return the piece that has the maximum, the first of equals, (n, m)."""
        return xp.argmax(self.array, axis=0)

    def chosen(self, xp: ModuleType, piece: Array) -> Array:
        """Return the entries of the pieces that `piece` (n, m) names."""
        return xp.take_along_axis(self.array, piece[None, :, :], axis=0)[0, :, :]


# Bytes of one result: four of them stay in the second cache of a core.
_TILE = 1 << 19
# Rows and columns of a tile on NumPy: one piece stays in the second cache, all in the last.
_TILE_ROWS, _TILE_COLUMNS = 128, 256


class ReusedBuffer(Iterator[Array]):
    """Products of rows (n, d) with the pieces of weights (q, d, m), of which no derivative is due.

    An iterator over the pieces, of which each but the first is overwritten by the next one.
    """

    def __init__(self, rows: Array, weights: Array) -> None:
        self.rows = rows
        self.weights = weights
        self._pieces = _products(rows, weights)

    @staticmethod
    def serves(rows: Array, weights: Array) -> bool:
        """Whether PyTorch may overwrite products of these, of which there are some, and look."""
        if not (is_torch_array(rows) and is_torch_array(weights)):
            return False
        from mehler._arrays import _torch_gradients

        both = (rows, weights)
        return all(_torch_gradients.overwritable(part) for part in both) and rows.shape[0] > 0

    def __next__(self) -> Array:
        return next(self._pieces)

    def largest(self, xp: ModuleType) -> Array:
        """Return the maximum over the pieces, (n, m)."""
        maximum, out = _torch().maximum, self._empty(self.weights.shape[2])
        for _, pieces in self._tiles(out):
            best = next(pieces)
            for piece in pieces:
                maximum(best, piece, out=best)
        return out

    def winner(self, xp: ModuleType) -> Array:
        """Return the piece that has the maximum, the first of equals, (n, m), in their dtype."""
        torch, out = _torch(), self._empty(self.weights.shape[2])
        for some, pieces in self._tiles():
            best, code = next(pieces), out[some].zero_()
            wins = torch.empty_like(best)
            for j, piece in enumerate(pieces, start=1):
                # j increases, so that the last win is the largest.
                torch.gt(piece, best, out=wins).mul_(j)
                torch.maximum(code, wins, out=code)
                torch.maximum(best, piece, out=best)
        return out

    def after_winner(self) -> Array:
        """Return the entry to the right of the winner, from the same piece: (n, m - 1)."""
        out = self._empty(self.weights.shape[2] - 1)
        for some, pieces in self._tiles():
            _select(((piece[:, :-1], piece[:, 1:]) for piece in pieces), out[some])
        both = ((piece[:, :-1], piece[:, 1:]) for piece in self)
        return out if _has_no_nan(out) else _plain(both, out)

    def at_winner(self, deciding: ReusedBuffer) -> Array:
        """Return the entry from the piece that wins in `deciding`: (n, m)."""
        out = self._empty(self.weights.shape[2])
        for (some, pieces), (_, offers) in zip(deciding._tiles(), self._tiles(), strict=True):
            _select(zip(pieces, offers, strict=True), out[some])
        return out if _has_no_nan(out) else _plain(zip(deciding, self, strict=True), out)

    def _empty(self, n_columns: int) -> Array:
        return self.rows.new_empty((self.rows.shape[0], n_columns))

    def _tiles(self, out: Array | None = None) -> Iterator[tuple[slice, Iterator[Array]]]:
        """Yield slices of the rows with their products, the first one in the memory of `out`."""
        _, d, m = self.weights.shape
        n = self.rows.shape[0]
        # Wide rows get more: a product of few packs its weights again and again.
        rows = max(256 if d >= 256 else 64, _TILE // (m * self.rows.itemsize))
        tiles = max(1, round(n / (rows * _torch().get_num_threads())))
        for some in slices(n, -(-n // tiles)):
            yield some, _products(self.rows[some], self.weights, None if out is None else out[some])


def _products(rows: Array, weights: Array, out: Array | None = None) -> Iterator[Array]:
    """Yield products; each after the second overwrites the one before."""
    first, *others = weights.unbind()
    out = rows.new_empty((rows.shape[0], first.shape[1])) if out is None else out
    mm = _torch().mm
    yield mm(rows, first, out=out)
    piece = _torch().empty_like(out) if others else None
    for other in others:
        yield mm(rows, other, out=piece)


def _select(pairs: Iterator[tuple[Array, Array]], chosen: Array) -> None:
    """Write what came with the largest first member into `chosen`: NaN where differences overflow.

    Interpolation with weights of 0 and 1 is exact, and ten times as fast as PyTorch's `where`.
    """
    torch = _torch()
    value, offered = next(pairs)
    # Value and offered may share memory.
    best = value.contiguous()
    chosen.copy_(offered)
    wins = torch.empty_like(best)
    for value, offered in pairs:
        torch.gt(value, best, out=wins)
        torch.lerp(chosen, offered, wins, out=chosen)
        torch.maximum(best, value, out=best)


def _has_no_nan(x: Array) -> bool:
    return bool(x.max() == x.max())


def _plain(pairs: Iterator[tuple[Array, Array]], chosen: Array) -> Array:
    """Select by a mask."""
    best, kept = (part.clone() for part in next(pairs))
    for value, offered in pairs:
        kept = _torch().where(value > best, offered, kept)
        best = _torch().maximum(best, value)
    return chosen.copy_(kept)


def _torch() -> Any:
    import torch

    return torch
