"""check_reproducible: same seed, same features; different seeds, independent ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._arrays import Array
from mehler.verify._check_counts import Rates, rates
from mehler.verify._check_rows import plain_rows
from mehler.verify._draws import Draws
from mehler.verify._ledger import Ledger
from mehler.verify._pairs import Rows
from mehler.verify._sources import call
from mehler.verify._verdict import Status, Verdict
from mehler.verify.intervals import binomial

# Seeds that are drawn twice.
_TWICE = 8
# Features of discrete maps (sketches, signs) may coincide by chance, a few at a time. Half of
# eight or more, all different within their draws, is no chance.
_LEAST_COLUMNS = 8
_SUMS = ("sum of features", "random sum of features", "sum of squares")
_PATTERNS = ("consecutive seeds", "distant seeds")
_CLAIM = "the same seed gives the same features, different seeds independent ones"


def check_reproducible(
    draw: Callable[[int], Any],
    X: Array,
    *,
    false_alarm: float = 1e-9,
    resolution: float = 0.5,
    max_draws: int | None = None,
    seed: int = 0,
    ledger: Ledger | None = None,
    miss: float = 1e-6,
    name: str | None = None,
) -> Verdict:
    r"""Check that a seed determines the features, and that other seeds tell nothing about them.

    Same seed: equal bits, also with other draws in between. Different seeds: no two draws with
    half of their columns in common, and for summaries T of a draw and seeds s, u

    .. math:: P\big[(T_s - T_u)(T_{s+1} - T_{u+1}) > 0\big] = \tfrac12,

    exactly, whatever the law of T, if the four draws are independent and alike: Kendall's tau of
    neighbouring seeds is 0. The same for distant seeds.

    Parameters
    ----------
    draw : callable
        seed -> map.
    X : array, shape (n, d)
        Rows to look at.
    resolution : float
        Width of the intervals for Kendall's tau, which lies in [-1, 1]: seeds whose tau is
        farther from 0 hold with probability at most `false_alarm`.
    max_draws : int, optional
        Most draws.
    false_alarm, seed, ledger, miss, name
        As for `check_kernel`.

    Returns
    -------
    Verdict
        ``observed`` is the tau of the worst summary, ``exact`` 0.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls: a resolution of 2 or more.
    BudgetExceeded
        If the ledger cannot pay.

    Notes
    -----
    Six intervals, of Clopper and Pearson, share `false_alarm`. Ties count for neither side.
    Equal columns count only where features are floating, eight or more, and all different within
    every draw, and then only by the half: discrete maps may share a few by chance.

    References
    ----------
    M. G. Kendall, A new measure of rank correlation, Biometrika 30 (1938).

    Examples
    --------
    >>> import numpy as np
    >>> def draw(seed):
    ...     w = np.random.default_rng(seed).standard_normal((3, 20))
    ...     return lambda X: X @ w / np.sqrt(20)
    >>> check_reproducible(draw, np.eye(3)).status
    'holds'
    >>> check_reproducible(lambda seed: draw(seed // 2), np.eye(3)).status
    'refuted'
    """
    asked = rates(
        false_alarm,
        resolution,
        miss,
        name or "reproducible",
        None,
        below=2.0,
        because="Kendall's tau lies in [-1, 1]",
    )
    draws, rows = Draws(draw, seed), plain_rows(X)
    if ledger is not None:
        ledger.spend(asked.name, asked.false_alarm)
    looks = len(_SUMS) * len(_PATTERNS)
    rate = asked.false_alarm / looks
    quads = _quads_for(asked.resolution, rate)
    if max_draws is not None:
        quads = max(1, min(quads, max_draws // 6))
    with np.errstate(all="ignore"):
        broken = _same_seed(draws, rows)
        found = None
        seen = _Seen(draws, rows)
        if broken is None:
            found = seen.take(quads)
            if found is None and not seen.decided.any() and quads >= _TWICE:
                found = "No summary of the features differs between seeds.", {"seeds": "all"}
    n_draws = seen.n_draws + (2 * _TWICE)
    features = n_draws * seen.n_features
    if broken is not None or found is not None:
        reason, where = broken or found or ("", {})
        return _verdict(
            asked,
            "refuted",
            (1.0, 0.0),
            (1.0, 1.0),
            n_draws,
            features,
            looks,
            1.0,  # draws that agree entirely
            where,
            seed,
            reason,
        )
    # Summaries that are the same in every draw are neither for nor against.
    live = np.flatnonzero(seen.decided) if seen.decided.any() else np.arange(looks)
    agree, decided = seen.agree[live], seen.decided[live]
    taus, ends = [], []
    for k, n in zip(agree, decided):
        low, high = binomial(int(k), int(n), rate) if n else (0.0, 1.0)
        taus.append(2.0 * k / n - 1.0 if n else 0.0)
        ends.append((2.0 * low - 1.0, 2.0 * high - 1.0))
    halves = [0.5 * (high - low) for low, high in ends]
    excess = [max(low, -high) for low, high in ends]
    worst = int(np.argmax([abs(t) / h for t, h in zip(taus, halves)]))
    status: Status = "holds"
    reason = ""
    if max(excess) > 0.0:
        worst = int(np.argmax(excess))
        status = "refuted"
        reason = "Draws of different seeds are not independent."
    elif max(2.0 * h for h in halves) > asked.resolution:
        worst = int(np.argmax(halves))
        status = "inconclusive"
        reason = (
            f"{int(decided[worst])} comparisons without ties were made: "
            f"{_quads_for(asked.resolution, rate)} would decide."
        )
    pattern, summary = divmod(int(live[worst]), len(_SUMS))
    where = {"seeds": _PATTERNS[pattern], "summary": _SUMS[summary]}
    least = int(min(decided))
    reach = math.inf
    if least:
        centre = least // 2
        ends_seen = [binomial(centre, least, r) for r in (rate, asked.miss)]
        reach = sum(high - low for low, high in ends_seen)
    return _verdict(
        asked,
        status,
        (taus[worst], 0.0),
        ends[worst],
        n_draws,
        features,
        looks,
        reach,
        where,
        seed,
        reason,
    )


def _verdict(
    asked: Rates,
    status: Status,
    values: tuple[float, float],
    interval: tuple[float, float],
    n_draws: int,
    n_features: int,
    looks: int,
    detectable: float,
    where: dict[str, Any],
    seed: int,
    reason: str,
) -> Verdict:
    return Verdict(
        status=status,
        check=asked.name,
        claim=_CLAIM,
        observed=values[0],
        exact=values[1],
        interval=interval,
        n_features=n_features,
        n_draws=n_draws,
        n_looks=looks,
        false_alarm=asked.false_alarm,
        resolution=asked.resolution,
        detectable=detectable,
        miss=asked.miss,
        method="equality of bits and columns; binomial (Kendall's tau of draws)",
        assumptions=(
            "draws whose columns all differ do not share half of them by chance",
            "one law for all seeds",
        ),
        where=where,
        seeds={"seed": seed},
        reason=reason,
    )


def _quads_for(resolution: float, rate: float) -> int:
    """Return the least n at which the interval for tau is no wider than `resolution`."""
    n = 1
    while 2.0 * np.subtract(*binomial(n // 2, n, rate)[::-1]) > resolution:
        n *= 2
    low = n // 2
    while n - low > 1:
        middle = (low + n) // 2
        wide = 2.0 * np.subtract(*binomial(middle // 2, middle, rate)[::-1]) > resolution
        low, n = (middle, n) if wide else (low, middle)
    return n


def _same_seed(draws: Draws, rows: Rows) -> tuple[str, dict[str, Any]] | None:
    """Draw a few seeds, then all of them again: the same bits each time."""
    seeds = [draws.seed(k) for k in range(_TWICE)]
    first = [call(draws.draw(s), rows) for s in seeds]
    for s, z in zip(seeds, first):
        again = call(draws.draw(s), rows)
        if again.shape != z.shape or not np.array_equal(again, z, equal_nan=True):
            return f"Seed {s} gave different features the second time.", {"seed": s}
    return None


class _Seen:
    """Signs of agreement between draws, and the columns met so far."""

    def __init__(self, draws: Draws, rows: Rows) -> None:
        self._draws, self._rows = draws, rows
        self.agree = np.zeros(len(_SUMS) * len(_PATTERNS))
        self.decided = np.zeros_like(self.agree)
        self.n_draws = self.n_features = 0
        self._columns: dict[bytes, int] = {}
        self._weights: Any = None
        self._distinct = True

    def take(self, quads: int) -> tuple[str, dict[str, Any]] | None:
        """Compare `quads` times six draws; return the finding if two draws share features."""
        met: set[int] = set()
        k = 0
        for made in range(2 * quads):
            # With ties more comparisons are made; signs do not depend on where ties fall. A
            # summary that never moves, as the squares of signs, says nothing.
            if made >= quads and ((self.decided >= quads) | (self.decided == 0)).all():
                break
            bases: list[int] = []
            while len(bases) < 4:
                # Even, so that neighbours never meet another comparison's seeds.
                base = self._draws.seed(k) & ~1
                k += 1
                if base not in met:
                    met.add(base)
                    bases.append(base)
            s, u, v, w = bases
            used = [s, s + 1, u, u + 1, v, w]
            values = []
            for each in used:
                z = call(self._draws.draw(each), self._rows)
                found = self._meet(each, z)
                if found is not None:
                    return found
                values.append(self._summaries(z))
            near = (values[0] - values[2]) * (values[1] - values[3])
            far = (values[0] - values[2]) * (values[4] - values[5])
            signs = np.sign(np.concatenate([near, far]))
            self.agree += signs > 0
            self.decided += signs != 0
        return None

    def _summaries(self, z: Any) -> Any:
        z = z.astype(np.float64)
        if self._weights is None:
            self._weights = np.random.default_rng(self._draws.root).standard_normal(z.shape)
        return np.array([z.sum(), (z * self._weights).sum(), (z * z).sum()])

    def _meet(self, seed: int, z: Any) -> tuple[str, dict[str, Any]] | None:
        self.n_draws += 1
        self.n_features = z.shape[1]
        if z.dtype.kind != "f":
            return None
        columns = [c.tobytes() for c in np.ascontiguousarray(z.T) if c.any()]
        if len(set(columns)) < len(columns):
            self._distinct = False
        if not self._distinct or len(columns) < _LEAST_COLUMNS:
            return None
        shared: Counter[int] = Counter()
        for column in columns:
            other = self._columns.setdefault(column, seed)
            if other != seed:
                shared[other] += 1
        for other, n in shared.most_common(1):
            if n == len(columns):
                return f"Seeds {other} and {seed} gave the same features.", {"seeds": (other, seed)}
            if 2 * n >= len(columns):
                return (
                    f"Seeds {other} and {seed} share {n} of {len(columns)} features bit for bit.",
                    {"seeds": (other, seed)},
                )
        return None
