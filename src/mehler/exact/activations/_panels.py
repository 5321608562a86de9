"""Panels on which a function is smooth: bisected at kinks, split where it jumps.

A panel is resolved when the polynomial through its points meets the function at the finer ones,
in the mean square that its Gaussian mass gives it. Bisection finds a jump to the last digit; then
what lies between jumps is tried whole, which takes two panels instead of fifty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler.exact.activations import _rules

# values(scale index, g): the function at s g and at -s g, over the function's size at that scale.
Sample = Callable[[Any, Any], tuple[Any, Any]]

# Of the root mean square of the function: its rounding, times Lebesgue's constant of the points.
TOLERANCE = 2.0**-46
# Panels no wider than so many neighbouring numbers hold a jump, if they are not resolved; near 0,
# where numbers are dense, what is narrower has no mass.
_ADJACENT = 8 * float(np.finfo(np.float64).eps)
_NEAR = 2.0**-10
_LEVELS = 110
# Panels of one scale that are bisected at a time: more teeth than a comb of step 0.01 has.
_MOST = 4096
_LEAST = 256
_BUDGET = 1 << 16
# Of the function's largest value: what may be rounding of lower precision.
_NOISE = 2.0**-20
# Narrower than this, a run of panels closes in on one place.
_NARROW = _rules.PANEL * 2.0**-20


@dataclass(frozen=True)
class Panels:
    """Panels [low, high] of scales: (n,) each, with deviation from a polynomial and what it is."""

    scale: Any
    low: Any
    high: Any
    off: Any
    jump: Any

    def chosen(self, which: Any) -> Panels:
        """Some of them."""
        parts = (self.scale, self.low, self.high, self.off, self.jump)
        return Panels(*(part[which] for part in parts))

    @property
    def mass(self) -> Any:
        """Gaussian mass of both signs, to a few per cent where it matters."""
        middle = 0.5 * (self.low + self.high)
        density = np.exp(-0.5 * middle * middle) / np.sqrt(2 * np.pi)
        return 2.0 * density * (self.high - self.low)


def joined(parts: list[Panels]) -> Panels:
    """All of them, in the order of scales and places."""
    names = ("scale", "low", "high", "off", "jump")
    columns = [np.concatenate([getattr(one, name) for one in parts]) for name in names]
    order = np.lexsort((columns[1], columns[0]))
    return Panels(*(column[order] for column in columns))


def deviation(sample: Sample, scale: Any, low: Any, high: Any) -> Any:
    """How far the function is from its polynomial at the finer points, (n,)."""
    off = np.zeros(low.shape)
    step = 1 << 14
    for start in range(0, low.size, step):
        some = slice(start, start + step)
        width = (high - low)[some, None]
        coarse = sample(scale[some], low[some, None] + width * _rules.points(_rules.POINTS)[0])
        fine = sample(scale[some], low[some, None] + width * _rules.points(_rules.FINER)[0])
        for have, want in zip(coarse, fine, strict=True):
            np.maximum(
                off[some],
                np.max(np.abs(have @ _rules.interpolation() - want), axis=1),
                out=off[some],
            )
    return off


def refined(sample: Sample, scale: Any, low: Any, high: Any, size: Any) -> Panels:
    """Split panels that are not resolved; `size` is the root mean square at each scale."""
    leaves = _bisected(sample, scale, low, high, size)
    which = _cores(leaves)
    if not np.any(which):
        return leaves
    core = _merged(leaves.chosen(which))
    between = _gaps(scale, low, high, core)
    return joined([core, _bisected(sample, *between, size)])


def _bisected(sample: Sample, scale: Any, low: Any, high: Any, size: Any) -> Panels:
    """Bisect until resolved, or as narrow as a jump, or in noise, or out of budget."""
    found = []
    before: Any = None
    most = min(_MOST, max(_LEAST, _BUDGET // max(1, np.unique(scale).size)))
    for level in range(_LEVELS):
        off = deviation(sample, scale, low, high)
        jump = high - low <= _ADJACENT * np.maximum(high, _NEAR)
        panels = Panels(scale, low, high, off, jump)
        open_ = (off * np.sqrt(panels.mass) > TOLERANCE * size[scale]) & ~jump
        if level > 0:
            open_ &= ~_noisy(off, before)
        spent = np.bincount(scale[open_], minlength=size.size) > most
        open_ &= ~spent[scale]
        if level == _LEVELS - 1:
            open_ &= False
        panels = Panels(scale, low, high, off, jump & (off > TOLERANCE * size[scale]))
        found.append(panels.chosen(~open_))
        if not np.any(open_):
            break
        scale, low, high, before = scale[open_], low[open_], high[open_], off[open_]
        middle = 0.5 * (low + high)
        scale = np.concatenate([scale, scale])
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
    return joined(found)


def _noisy(off: Any, before: Any) -> Any:
    """Where halves are both as far off as the whole was, by little: a function of fewer digits.

    A jump is in one half, and what is smooth comes closer; float32 is where it is.
    """
    better = np.minimum(*np.split(off, 2)) < before / 8
    return np.tile((before < _NOISE) & ~better, 2)


def _cores(leaves: Panels) -> Any:
    """The narrowest of each run of narrow panels: where the function jumps or bends."""
    width = leaves.high - leaves.low
    # A panel at 0 is narrow because it is near 0, if the function is sharp there.
    narrow = (width < _NARROW) & (width < 2.0**-20 * leaves.high)
    touching = np.zeros(narrow.shape, dtype=bool)
    touching[1:] = (
        narrow[1:]
        & narrow[:-1]
        & (leaves.scale[1:] == leaves.scale[:-1])
        & (leaves.low[1:] <= leaves.high[:-1])
    )
    run = np.cumsum(narrow & ~touching) - 1
    if not np.any(narrow):
        return narrow
    least = np.full(run.max() + 1, np.inf)
    np.minimum.at(least, run[narrow], width[narrow])
    core = narrow.copy()
    core[narrow] = width[narrow] <= 2.0 * least[run[narrow]]
    return core


def _merged(core: Panels) -> Panels:
    """Cores that touch as one; with a jump, a little wider, so that it is at no end of a gap."""
    touching = (core.scale[1:] == core.scale[:-1]) & (core.low[1:] <= core.high[:-1])
    first = np.flatnonzero(np.concatenate([[True], ~touching]))
    last = np.concatenate([first[1:], [core.scale.size]]) - 1
    scale, low, high = core.scale[first], core.low[first], core.high[last]
    jump = np.logical_or.reduceat(core.jump, first)
    start = _rules.PANEL * np.floor(0.5 * (low + high) / _rules.PANEL)
    before, after = start.copy(), start + _rules.PANEL
    # Half of the way to the next core, at most.
    same = scale[1:] == scale[:-1]
    middle = 0.5 * (low[1:] + high[:-1])
    before[1:][same] = np.maximum(before[1:], middle)[same]
    after[:-1][same] = np.minimum(after[:-1], middle)[same]
    room = np.where(jump, high - low, 0.0)
    low, high = np.maximum(low - room, before), np.minimum(high + room, after)
    return Panels(scale, low, high, np.maximum.reduceat(core.off, first), jump)


def _gaps(scale: Any, low: Any, high: Any, core: Panels) -> tuple[Any, Any, Any]:
    """What the cores leave of the panels that they lie in."""
    found: list[tuple[int, float, float]] = []
    order = np.lexsort((low, scale))
    cores = zip(core.scale.tolist(), core.low.tolist(), core.high.tolist(), strict=True)
    ahead = next(cores, None)
    for i in order.tolist():
        own, start, stop = int(scale[i]), float(low[i]), float(high[i])
        while ahead is not None and ahead[0] == own and ahead[2] <= stop:
            if ahead[1] > start:
                found.append((own, start, ahead[1]))
            start = ahead[2]
            ahead = next(cores, None)
        if stop > start:
            found.append((own, start, stop))
    columns = np.array(found)
    return columns[:, 0].astype(np.int64), columns[:, 1], columns[:, 2]
