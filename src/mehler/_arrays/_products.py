"""Products of rows with pieces of weights, and what wins among them, in reused memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from mehler._arrays._gradients import differentiable
from mehler._arrays._namespace import (
    HOST,
    Array,
    dtype_name,
    is_numpy_array,
    is_on_accelerator,
    is_torch_array,
    place_of,
    standard_namespace,
)
from mehler._arrays._rows import slices

# Rows and columns of a tile on NumPy: one piece stays in the second cache, all in the last.
_TILE_ROWS, _TILE_COLUMNS = 128, 256


def maximum(xp: ModuleType, a: Array, b: Array) -> Array:
    """Return the elementwise maximum; in `a` where no derivative needs what was there."""
    in_hand = type(a) is np.ndarray or (
        is_torch_array(a) and is_torch_array(b) and not differentiable(a, b)
    )
    return xp.maximum(a, b, out=a) if in_hand else xp.maximum(a, b)


class Pieces(Iterator[Array]):
    """Products of rows (n, d) with q pieces of weights, in turn: q arrays (n, m).

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
        """Return the number of the piece that has the maximum, the first of equals, in `dtype`.

        By a running argmax: reductions over a short last axis cost three times as much.
        """
        xp, best = self.xp, next(self)
        code = xp.zeros(best.shape, dtype=dtype, device=place_of(best).device)
        for j, piece in enumerate(self, start=1):
            # j increases, so a strict maximum keeps the smaller index on ties.
            code = maximum(xp, code, xp.astype(piece > best, dtype) * j)
            best = maximum(xp, best, piece)
        return code

    def after_winner(self) -> Array:
        """Return the entry to the right of the winner, from the same piece: (n, m - 1)."""
        return _chosen(self.xp, ((piece[:, :-1], piece[:, 1:]) for piece in self))

    def at_winner(self, deciding: Any) -> Array:
        """Return the entry from the piece that wins in `deciding`, the first of equals: (n, m)."""
        return _chosen(self.xp, zip(deciding, self, strict=True))


def _chosen(xp: ModuleType, pairs: Iterator[tuple[Array, Array]]) -> Array:
    """Return what came with the largest first member."""
    best, chosen = next(pairs)
    for value, offered in pairs:
        chosen = xp.where(value > best, offered, chosen)
        best = xp.maximum(best, value)
    return chosen


def products(xp: ModuleType, rows: Array, weights: Array) -> Pieces:
    """Return products of rows (n, d) with the pieces of weights (q, d, m)."""
    if weights.shape[0] == 1:
        return Pieces(xp, (xp.matmul(rows, weights[0, :, :]),))
    if type(rows) is np.ndarray:
        return HostPieces(rows, weights)
    if is_on_accelerator(rows):
        return StackedPieces(xp, xp.matmul(rows, weights))
    if TorchPieces.serves(rows, weights):
        return TorchPieces(rows, weights)
    return Pieces(xp, (xp.matmul(rows, weights[j, :, :]) for j in range(weights.shape[0])))


def pooled(xp: ModuleType, rows: Array, pool: Array, members: Array) -> Pieces:
    """Return products of rows with q members of a pool (P, d) for each unit: members (q, m)."""
    projected = xp.matmul(pool, xp.matrix_transpose(rows))
    if is_on_accelerator(rows):
        # All pieces at once, (q, n, m): the rows (P, n) that each member names, transposed.
        taken = xp.take(projected, xp.reshape(members, (-1,)), axis=0)
        taken = xp.reshape(taken, (*members.shape, rows.shape[0]))
        return StackedPieces(xp, xp.matrix_transpose(taken))

    def in_turn() -> Iterator[Array]:
        piece = None
        for j in range(members.shape[0]):
            if j > 1 and is_numpy_array(projected):
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
        left, right = (
            StackedPieces(self.xp, half) for half in (self.array[:, :, :-1], self.array[:, :, 1:])
        )
        return right.at_winner(left)

    def at_winner(self, deciding: Any) -> Array:
        piece = self.xp.argmax(deciding.array, axis=0)
        return self.xp.take_along_axis(self.array, piece[None, :, :], axis=0)[0, :, :]


class HostPieces(Pieces):
    """Products of NumPy rows (n, d) with the pieces of weights (q, d, m)."""

    def __init__(self, rows: Array, weights: Array) -> None:
        super().__init__(HOST, self._of_tile(slice(None), slice(None)))
        self.rows, self.weights = rows, weights

    def winner(self, dtype: Any) -> Array:
        return _winner(self, len(self.weights)).astype(dtype, copy=False)

    def after_winner(self) -> Any:
        return self._gathered(self, 1)

    def at_winner(self, deciding: Any) -> Any:
        return self._gathered(deciding, 0)

    def _gathered(self, deciding: HostPieces, right: int) -> Any:
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
                pieces = iter(kept) if deciding is self else deciding._of_tile(rows, wide)
                at = _winner(pieces, q).astype(np.intp)
                at *= size
                at += np.arange(size).reshape(at.shape)
                at = at[:, : m if not right else -right] + right
                np.take(memory, at, out=out[rows, columns], mode="clip")
        return out

    def _of_tile(self, rows: slice, columns: slice) -> Iterator[Any]:
        """Yield the products of a tile, each after the second in the memory of the one before."""
        yield self.rows[rows] @ self.weights[0, :, columns]
        piece = None
        for weights in self.weights[1:]:
            piece = np.matmul(self.rows[rows], weights[:, columns], out=piece)
            yield piece


def _winner(pieces: Iterator[Any], q: int) -> Any:
    """Return the number of the piece that has the maximum, the first of equals."""
    best = next(pieces).copy()
    code = np.zeros(best.shape, np.uint8 if q < 256 else np.int32)
    larger = np.empty(best.shape, np.bool_)
    wins = larger.view(np.uint8) if q < 256 else np.empty_like(code)
    for j, piece in enumerate(pieces, start=1):
        np.greater(piece, best, out=larger)
        np.multiply(larger.view(np.uint8), code.dtype.type(j), out=wins)
        np.maximum(code, wins, out=code)
        np.maximum(best, piece, out=best)
    return code


class TorchPieces(Pieces):
    """Products of PyTorch's rows on a CPU, of which no derivative is due.

    Winners are found by NumPy, in the same memory.
    """

    def __init__(self, rows: Array, weights: Array) -> None:
        super().__init__(standard_namespace(rows), _in_turn(rows, weights))
        self.rows, self.weights = rows, weights

    @staticmethod
    def serves(rows: Array, weights: Array) -> bool:
        """Whether PyTorch may overwrite products of these, of which there are some, and look."""
        if not (is_torch_array(rows) and is_torch_array(weights)):
            return False
        from mehler._arrays._torch import overwritable

        return overwritable(rows) and overwritable(weights) and rows.shape[0] > 0

    def winner(self, dtype: Any) -> Array:
        return _torch().from_numpy(self._on_host().winner(dtype_name(dtype)))

    def after_winner(self) -> Array:
        return _torch().from_numpy(self._on_host().after_winner())

    def at_winner(self, deciding: Any) -> Array:
        return _torch().from_numpy(self._on_host().at_winner(deciding._on_host()))

    def _on_host(self) -> HostPieces:
        return HostPieces(*(part.detach().numpy() for part in (self.rows, self.weights)))


def _in_turn(rows: Array, weights: Array) -> Iterator[Array]:
    """Yield products, each after the second in the memory of the one before."""
    first, *others = weights.unbind()
    yield (product := rows @ first)
    piece = _torch().empty_like(product)
    for other in others:
        yield _torch().mm(rows, other, out=piece)


def _torch() -> Any:
    import torch

    return torch
