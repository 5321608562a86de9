"""Sign tests of independence: comparisons between draws that are fair coins if seeds are unrelated.

Columns of codes coincide at an unknown rate; but i.i.d. draws coincide as often as any other two,
and i.i.d. units as often with each other's as with their own.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._plural import counted
from mehler.verify.checks.structure._subject import Finding, Subject
from mehler.verify.intervals import binomial
from mehler.verify.sampling._sources import units_of

_STREAM = 41
_NEAR, _FAR = "consecutive seeds", "distant seeds"
_SUMS = ("sum of features", "random sum of features", "sum of squares")
SUMMARIES = [(pattern, each) for pattern in (_NEAR, _FAR) for each in _SUMS]
SHARED = (_NEAR, "columns in common")
PLACED = [(pattern, "columns in place") for pattern in (_NEAR, _FAR)]
# Kendall's tau that is refuted except with the error rate of the row.
_TAU = 0.5


def check_seeds(subject: Subject) -> list[Finding]:
    r"""Compare draws of neighbouring seeds, and of distant ones, by fair coins.

    For summaries T of a draw and seeds s, u

    .. math:: P\big[(T_s - T_u)(T_{s+1} - T_{u+1}) > 0\big] = \tfrac12,

    exactly, whatever the law of T, if the four draws are i.i.d.: Kendall's tau of neighbouring
    seeds is 0, and so is that of distant seeds. Two further comparisons are for codes: whether
    neighbouring seeds or distant ones share more columns, and, for i.i.d. units, whether more
    columns agree in place or with those of their neighbour. Up to nine Clopper-Pearson intervals
    share the error rate; a tau beyond 1/2 is missed with at most that probability.
    """
    first = subject.map(subject.first)
    m = subject.call(first, subject.rows).shape[1]
    coins = _Coins(subject, alike=units_of(first, m) == m)  # columns of one unit are not alike
    rate = subject.rate / len(coins.names)
    wanted = comparisons_for(_TAU, rate)
    coins.take(wanted)
    subject.n_tests += len(coins.names)
    for name, plus, n in zip(coins.names, coins.plus.tolist(), coins.decided.tolist()):
        low, high = binomial(int(plus), int(n), rate) if n else (0.0, 1.0)
        if low > 0.5 or high < 0.5:
            pattern, summary = name
            cause = f"draws of {pattern} are not independent: {summary}"
            alike = ("the units of a draw are independent and alike",)
            assumed = ("one law for all seeds", *(alike if name in PLACED else ()))
            where = {"seeds": pattern, "summary": summary, "tau": round(2.0 * plus / n - 1.0, 3)}
            return [Finding(cause=cause, check="seeds", where=where, assumes=assumed)]
    if coins.made < wanted:
        subject.notes.skip(f"seeds in more than {counted(coins.made, 'comparison')}", "time")
    return []


class _Coins:
    """Counts of each comparison's plus signs, and of its comparisons without a tie."""

    def __init__(self, subject: Subject, *, alike: bool) -> None:
        self._subject, self._alike, self._weights = subject, alike, None
        self.names = [*SUMMARIES, SHARED, *(PLACED if alike else [])]
        self.plus, self.decided = np.zeros((2, len(self.names)))
        self.made = 0

    def take(self, comparisons: int) -> None:
        """Compare six draws at a time, up to twice as often where comparisons tie."""
        far, used, k = self._subject.seeds(_STREAM), set[int](), 0
        while self.made < 2 * comparisons and not self._subject.clock.over:
            summaries = self.decided[: len(SUMMARIES)]
            # A constant summary, such as the squares of signs, is no evidence.
            if self.made >= comparisons and ((summaries >= comparisons) | (summaries == 0)).all():
                return
            bases: list[int] = []
            while len(bases) < 4:
                # Even, so that neighbours never collide with another comparison's seeds.
                base, k = far.seed(k) & ~1, k + 1
                if base not in used:
                    used.add(base)
                    bases.append(base)
            s, u, v, w = bases
            drawn = [self._subject.features(each) for each in (s, s + 1, u, u + 1, v, w)]
            signs = np.sign(self._compare(drawn))
            self.plus += signs > 0
            self.decided += signs != 0
            self.made += 1

    def _compare(self, drawn: list[Any]) -> Any:
        t = [self._summaries(z) for z in drawn]
        left = _beyond_rounding(t[0], t[2])
        near, far = (left * _beyond_rounding(t[a], t[b]) for a, b in ((1, 3), (4, 5)))
        pairs = [(drawn[0], drawn[1]), (drawn[4], drawn[5])]
        shared = [in_common(*pair) for pair in pairs]
        placed = [in_place(*pair) for pair in pairs] if self._alike else []
        return np.concatenate([near, far, [shared[0] - shared[1]], placed])

    def _summaries(self, z: Any) -> Any:
        """Return the summaries of a draw, and the rounding error of each."""
        eps = np.finfo(z.dtype if z.dtype.kind == "f" else np.float64).eps
        z = z.astype(np.float64)
        if self._weights is None:
            self._weights = np.random.default_rng(self._subject.seed).standard_normal(z.shape)
        terms = np.stack([z, z * self._weights, z * z])
        return np.stack([terms.sum(axis=(1, 2)), 64.0 * eps * np.abs(terms).sum(axis=(1, 2))])


def _beyond_rounding(a: Any, b: Any) -> Any:
    """Return the difference of summaries, or 0, a tie, where it may be rounding.

    For example, squares of cosine and sine add up to 1 in every draw, up to the last bits.
    """
    gap = a[0] - b[0]
    return np.where(np.abs(gap) > np.maximum(a[1], b[1]), gap, 0.0)


def in_common(a: Any, b: Any) -> int:
    """Return the number of columns that two draws share, in any position."""
    kind = np.dtype((np.void, a.dtype.itemsize * a.shape[0]))
    both = np.concatenate([np.ascontiguousarray(z.T).view(kind).ravel() for z in (a, b)])
    index = np.unique(both, return_inverse=True)[1].ravel()
    counts = [
        np.bincount(part, minlength=index.max() + 1) for part in np.split(index, [a.shape[1]])
    ]
    return int(np.minimum(*counts).sum())


def in_place(a: Any, b: Any) -> int:
    """Return the columns that agree in place, less those that agree after swapping neighbours.

    Swapping units 2l and 2l + 1 of one draw flips the sign of the result. For i.i.d. units and
    independent draws that leaves its law unchanged, so either sign is equally likely.
    """
    swapped = np.arange(b.shape[1])
    even = 2 * (b.shape[1] // 2)
    swapped[:even] ^= 1
    own, other = ((a == each).all(axis=0).sum() for each in (b, b[:, swapped]))
    return int(own) - int(other)


def comparisons_for(tau: float, rate: float) -> int:
    """Return the least n at which the interval for Kendall's tau is no wider than `tau`."""

    def wide(n: int) -> bool:
        low, high = binomial(n // 2, n, rate)
        return 2.0 * (high - low) > tau

    high = 1
    while wide(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if wide(middle) else (low, middle)
    return high
