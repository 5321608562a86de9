"""Causes that show in the features themselves: columns and rows of a few draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array, from_host, place_of
from mehler._plural import counted
from mehler.verify.diagnosis._fits import CALM, FAR, Cause, Means, kernel_at, rows_text
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows, Kernel, Pairs, call

# Elements of the sums over draws of each column's products.
_MOST_PRODUCTS = 1 << 22
# Draws whose rows or columns are changed, and columns of the rows that are.
_FEW, _MOST_COLUMNS = 8, 64
# Rows that the claim holds equal up to this correlation may have equal features.
_EQUAL = 0.999
# Relative changes of rows that no float64, or no float32, computation should blow up; the squared
# distance of features, in units of the claim, from which on digits are lost, and over the claim's.
_CHANGES, _LOST, _BEYOND = (2.0**-49, 2.0**-20), 1e-3, 100.0


@dataclass
class Columns:
    """What the features of all draws have in common, and the sums of each column's products.

    `products` are sums over the draws of either half, in units of the claim, shape (2, pairs, m).
    """

    pairs: Pairs
    products: Any = None
    counts: list[int] = field(default_factory=lambda: [0, 0])
    zero: Any = True
    ascending: bool = True
    equal: Any = True

    def add(self, left: Array, right: Array, half: int) -> None:
        """Add the features of a draw, shape (n, m) and (k, m)."""
        pairs, m = self.pairs, left.shape[1]
        self.zero &= (left == 0.0).all(axis=0) & (right == 0.0).all(axis=0)
        steps = np.diff(left, axis=1)
        self.ascending &= bool(m > 2 and ((steps >= 0.0).all() or (steps <= 0.0).all()))
        self.equal &= (left[pairs.first] == right[pairs.second]).all(axis=1)
        if pairs.n * m <= _MOST_PRODUCTS:
            if self.products is None:
                self.products = np.zeros((2, pairs.n, m))
            self.products[half] += left[pairs.first] * right[pairs.second] / pairs.unit[:, None]
            self.counts[half] += 1

    def causes(self, factor: Cause) -> list[Cause]:
        """Return what was the same in all draws and explains a deviation from the claim."""
        parts = (self._of_zeros(factor), self._of_order(), self._of_equal_rows())
        return [cause for cause in parts if cause][:1]

    def _of_zeros(self, factor: Cause) -> Cause | None:
        n, m = int(np.sum(self.zero)), np.size(self.zero)
        rest = 1.0 - n / m
        if not n or n == m or abs(factor.value - rest) > max(4.0 * factor.error, 0.02 * rest):
            return None
        text = (
            f"{n} of {counted(m, 'feature')} {'is' if n == 1 else 'are'} always 0: "
            f"estimate / exact is {factor.value:.2f} at every pair"
        )
        return Cause(kind="features", text=text, value=float(n))

    def _of_order(self) -> Cause | None:
        if not self.ascending or np.all(self.zero):
            return None
        return Cause(kind="features", text="the features of every row are sorted by their size")

    def _of_equal_rows(self) -> Cause | None:
        pairs = self.pairs
        apart = self.equal & (pairs.claim < _EQUAL)
        if pairs.same:
            apart &= pairs.first != pairs.second
        if not apart.any():
            return None
        k = int(np.argmin(np.where(apart, pairs.claim, np.inf)))
        text = (
            f"rows {pairs.first[k]} and {pairs.second[k]} have the same features in every draw, "
            f"where k(x, y) is {pairs.claim[k]:.3g} sqrt(k(x,x) k(y,y)); so at "
            f"{counted(int(apart.sum()), 'pair')}"
        )
        return Cause(kind="features", text=text, value=float(apart.sum()))

    def of_some(self, means: Means) -> list[Cause]:
        """Return columns as the cause without which the estimates agree with the claim.

        Columns are chosen by the draws of one half and left out in those of the other.
        """
        if self.products is None or min(self.counts) < 2 or means.farthest(self.pairs.claim) < FAR:
            return []
        chosen, tested = (self.products[k] / self.counts[k] for k in (0, 1))
        m = chosen.shape[1]
        # Half of the draws.
        error = means.error * math.sqrt(2.0)
        before = float(np.max(np.abs(tested.sum(axis=1) - self.pairs.claim) / error))
        for columns in _sets(chosen, m):
            kept = np.setdiff1d(np.arange(m), columns)
            without = tested[:, kept].sum(axis=1) * m / kept.size
            wider = math.sqrt(m / kept.size)
            gaps = np.abs(without - self.pairs.claim) / error / wider
            # A deviation of all columns alike would be significant without some of them too.
            if before >= 2.0 * CALM * wider and gaps.max() <= CALM and np.mean(gaps**2) <= 4.0:
                text = (
                    f"{_columns_text(columns)} of {m} {'is' if columns.size == 1 else 'are'} off, "
                    "and the others agree with the claim"
                )
                return [Cause(kind="features", text=text, value=float(columns.size))]
        return []


def _sets(products: NDArray[np.float64], m: int) -> Iterator[Any]:
    """Yield sets of columns that may be off, small ones first: at the ends, or standing out.

    Columns come one by one, or in pairs as cosine and sine do.
    """
    groupings = [np.arange(m)[None, :]]
    if m % 2 == 0:
        groupings += [np.arange(m).reshape(2, -1), np.arange(m).reshape(-1, 2).T]
    size = 1
    while size <= m // 2:
        for groups in groupings:
            count = size // len(groups)
            if count:
                yield np.sort(groups[:, :count].ravel())
                yield np.sort(groups[:, -count:].ravel())
                units = products[:, groups].sum(axis=1)
                apart = np.square(units - np.median(units, axis=1, keepdims=True)).sum(axis=0)
                yield np.sort(groups[:, np.argsort(-apart)[:count]].ravel())
        size = size + 1 if size < 8 else math.ceil(1.25 * size)


def _columns_text(columns: NDArray[np.int64]) -> str:
    if columns.size == 1:
        return f"column {columns[0]}"
    if columns[-1] - columns[0] == columns.size - 1:
        return f"columns {columns[0]} to {columns[-1]}"
    return f"column{rows_text(columns).removeprefix('row')}"


def of_unused_inputs(draws: Draws, means: Means, pairs: Pairs, kernel: Kernel) -> list[Cause]:
    """Return features that never depend on some input columns, if such weights fit the mean.

    Features l of a set of c depend on the other columns alone, so that the kernel is
    ((m - c) k + c k')/m with k' the kernel of rows that are 0 in those columns.
    """
    rows = pairs.left.values
    d = rows.shape[1]
    if not 2 <= d <= _MOST_COLUMNS:
        return []
    depends: Any = False
    for k in range(_FEW):
        phi = draws[k]
        plain = np.array(call(phi, pairs.left))
        changed = np.stack([_moved(phi, pairs.left, j) != plain for j in range(d)])
        depends = depends | changed.any(axis=1)
    m, model = depends.shape[1], pairs.claim.copy()
    patterns, counts = np.unique(depends, axis=1, return_counts=True)
    for pattern, count in zip(patterns.T, counts, strict=True):
        unused = np.flatnonzero(~pattern)
        if unused.size:
            other = kernel_at(kernel, pairs, partial(_zeroed, columns=unused))
            if other is None:
                return []
            model += count / m * (other - pairs.claim)
    if depends.all() or not means.agrees(model):
        return []
    off = np.flatnonzero(~depends.all(axis=0))
    inputs = np.flatnonzero(~depends.all(axis=1))
    some = f"{_columns_text(off)} of {m} never depend{'s' if off.size == 1 else ''}"
    if off.size == m:
        some = "no feature depends"
    text = f"{some} on input {_columns_text(inputs)}: weights are 0 there in every draw"
    return [Cause(kind="features", text=text, value=float((~depends).sum()))]


def _moved(phi: Callable[..., Any], rows: EvaluatedRows, j: int) -> Any:
    """Return the features of rows whose column j is another."""
    host = np.array(rows.host)
    size = np.abs(host[:, j]).max() or 1.0
    host[:, j] = 0.37 * size - 1.7 * host[:, j]
    return np.array(call(phi, _replaced(rows, host)))


def _zeroed(x: Array, columns: NDArray[np.int64]) -> Any:
    x = x.copy()
    x[:, columns] = 0.0
    return x


def _replaced(rows: EvaluatedRows, host: NDArray[np.float64]) -> EvaluatedRows:
    return EvaluatedRows(from_host(host, place_of(rows.given)), host, rows.unit, rows.square)


def of_lost_digits(draws: Draws, pairs: Pairs, kernel: Kernel, seed: int) -> list[Cause]:
    """Return lost digits as the cause if rows that differ by rounding have other features."""
    rows = pairs.left
    if not np.issubdtype(rows.host.dtype, np.floating):
        return []
    rng = np.random.default_rng(seed)
    for change in _CHANGES:
        if change < np.finfo(rows.host.dtype).eps:
            continue
        host = rows.host * (1.0 + change * rng.choice([-1.0, 1.0], size=rows.host.shape))
        near = _replaced(rows, host.astype(rows.host.dtype))
        value = np.asarray(kernel(rows.values, near.values), dtype=np.float64)
        claimed = np.mean(2.0 * np.abs(1.0 - np.diag(value) / rows.unit**2))
        distances = []
        for k in range(_FEW):
            gap = np.array(call(draws[k], rows), dtype=np.float64) - call(draws[k], near)
            distances.append(np.mean(np.square(gap).sum(axis=1) / rows.unit**2))
        distance = float(np.median(distances))
        if distance >= _LOST and distance >= _BEYOND * claimed:
            text = (
                f"rows that differ by {change:.0e} of themselves have features that differ by "
                f"{math.sqrt(distance):.2g} of their length: digits cancel, or features depend on "
                "more than the values of a row"
            )
            return [Cause(kind="digits", text=text, value=math.sqrt(distance))]
    return []
