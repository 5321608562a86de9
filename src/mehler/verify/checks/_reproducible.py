"""check_reproducible: are seeds used, and draws of different seeds independent?

Sign tests on comparisons are exactly fair coins for independent draws. Columns of continuous
features never coincide by chance. Codes do, at an unknown rate; but i.i.d. draws coincide as often
as any other two, and i.i.d. units as often with each other's as with their own.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

import numpy as np

from mehler._arrays import Array
from mehler._plural import counted
from mehler.verify._arguments import CheckOptions, DrawOptions, require_options
from mehler.verify._budget import accepts
from mehler.verify._certificate import Statistics
from mehler.verify._verdict import Status, Verdict
from mehler.verify.intervals import binomial
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows, rows_without_claim
from mehler.verify.sampling._sources import call, units_of

# Least number of continuous columns, all different within draws, of which half in common counts.
_LEAST = 8

Finding = tuple[str, dict[str, Any]]


class SeenColumns:
    """The columns of continuous maps seen so far, of any seed."""

    def __init__(self) -> None:
        self._seeds: dict[bytes, int] = {}
        self._distinct = True

    def add(self, seed: int, z: Any) -> Finding | None:
        """Add a draw; return a finding if it shares half of its columns with another one."""
        if z.dtype.kind != "f":
            return None
        columns = [c.tobytes() for c in np.ascontiguousarray(z.T) if c.any()]
        if len(set(columns)) < len(columns):
            self._distinct = False
        if not self._distinct or len(columns) < _LEAST:
            return None
        shared: Counter[int] = Counter()
        for column in columns:
            other = self._seeds.setdefault(column, seed)
            if other != seed:
                shared[other] += 1
        for other, n in shared.most_common(1):
            if n == len(columns):
                return f"Seeds {other} and {seed} gave the same features.", {"seeds": (other, seed)}
            if 2 * n >= len(columns):
                return (
                    f"Seeds {other} and {seed} share {n} of "
                    f"{counted(len(columns), 'feature')} bit for bit.",
                    {"seeds": (other, seed)},
                )
        return None


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


NEAR, FAR = "consecutive seeds", "distant seeds"
_SUMS = ("sum of features", "random sum of features", "sum of squares")
SUMMARIES = [(pattern, each) for pattern in (NEAR, FAR) for each in _SUMS]
SHARED = (NEAR, "columns in common")
PLACED = [(pattern, "columns in place") for pattern in (NEAR, FAR)]


class SignTests:
    """Counts of each comparison's plus signs, and of its comparisons without a tie.

    `alike`: units of a draw are i.i.d., so that columns may be compared in place; `false_alarm` is
    shared by all tests; `resolution` is the width wanted of the intervals.
    """

    def __init__(
        self, draws: Draws, rows: EvaluatedRows, alike: bool, false_alarm: float, resolution: float
    ) -> None:
        self._draws, self._rows, self._alike = draws, rows, alike
        self.tests = [*SUMMARIES, SHARED, *(PLACED if alike else [])]
        self.rate, self.resolution = false_alarm / len(self.tests), resolution
        self.quadruples = quadruples_for(resolution, self.rate)
        self.agree = np.zeros(len(self.tests))
        self.decided = np.zeros(len(self.tests))
        self.made = self.n_draws = self.n_features = 0
        self._seen = SeenColumns()
        self._weights: Any = None

    @property
    def moving(self) -> Any:
        """Mask of the tests with evidence: those at columns, and summaries that ever differed."""
        columns = np.arange(len(self.tests)) >= len(SUMMARIES)
        return columns | (self.decided > 0)

    def take(self, quadruples: int) -> Finding | None:
        """Compare `quadruples` times six draws; return a finding if two draws share features."""
        used: set[int] = set()
        k = 0
        for made in range(2 * quadruples):
            # Ties call for more comparisons; signs do not depend on where ties fall.
            if made >= quadruples and self._enough(quadruples):
                break
            bases: list[int] = []
            while len(bases) < 4:
                # Even, so that neighbours never collide with another comparison's seeds.
                base = self._draws.seed(k) & ~1
                k += 1
                if base not in used:
                    used.add(base)
                    bases.append(base)
            s, u, v, w = bases
            drawn = []
            for each in (s, s + 1, u, u + 1, v, w):
                z = call(self._draws.draw(each), self._rows)
                self.n_draws, self.n_features = self.n_draws + 1, z.shape[1]
                found = self._seen.add(each, z)
                if found is not None:
                    return found
                drawn.append(z)
            signs = np.sign(self._compare(drawn))
            self.agree += signs > 0
            self.decided += signs != 0
            self.made += 1
        return None

    def _enough(self, quadruples: int) -> bool:
        # A constant summary, such as the squares of signs, is no evidence.
        summaries = self.decided[: len(SUMMARIES)]
        if not ((summaries >= quadruples) | (summaries == 0)).all():
            return False
        ends = (self.tau(test)[1] for test in range(len(SUMMARIES), len(self.tests)))
        return quadruples < self.quadruples or all(
            high - low <= self.resolution for low, high in ends
        )

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
            self._weights = np.random.default_rng(self._draws.root).standard_normal(z.shape)
        terms = np.stack([z, z * self._weights, z * z])
        return np.stack([terms.sum(axis=(1, 2)), 64.0 * eps * np.abs(terms).sum(axis=(1, 2))])

    def tau(self, test: int) -> tuple[float, tuple[float, float]]:
        """Return the estimate of P(+) - P(-), given that summaries differ, and its interval.

        For columns, given a difference, scaled by the largest fraction of differences. Either way
        it excludes 0 when the signs exclude a fair coin.
        """
        k, n = int(self.agree[test]), int(self.decided[test])
        value = 2.0 * k / n - 1.0 if n else 0.0
        low, high, share = self._ends(test)
        if test >= len(SUMMARIES):
            value *= n / max(1, self.made)
        return value, ((2.0 * low - 1.0) * share, (2.0 * high - 1.0) * share)

    def _ends(self, test: int) -> tuple[float, float, float]:
        """Return the ends for the share of plus signs, and an upper end for that of no ties."""
        k, n, rate = int(self.agree[test]), int(self.decided[test]), self.rate
        ends = binomial(k, n, 0.5 * rate) if n else (0.0, 1.0)
        if test < len(SUMMARIES) or not self.made:
            return *ends, 1.0
        return *ends, binomial(n, self.made, 0.5 * rate)[1]

    def statistics(self) -> Statistics:
        """Return the counts of the tests with evidence, and their endpoints."""
        moving = np.flatnonzero(self.moving)
        low, high, share = np.array([self._ends(int(test)) for test in moving]).T
        tests = {
            "n": self.decided[moving].astype(int),
            "count": self.agree[moving].astype(int),
            "made": np.where(moving < len(SUMMARIES), 0, self.made),
            "claim": 0.5,
            "low": low,
            "high": high,
            "relative_to": 0.5 / np.minimum(1.0, share * (1.0 + 1e-9)),
        }
        return Statistics("signs", {"count": len(self.tests)}, tests)


def _beyond_rounding(a: Any, b: Any) -> Any:
    """Return the difference of summaries, or 0, a tie, where it may be rounding.

    For example, squares of cosine and sine add up to 1 in every draw, up to the last bits.
    """
    gap = a[0] - b[0]
    return np.where(np.abs(gap) > np.maximum(a[1], b[1]), gap, 0.0)


def quadruples_for(resolution: float, rate: float) -> int:
    """Return the least n at which the interval for tau is no wider than `resolution`."""

    def wide(n: int) -> bool:
        low, high = binomial(n // 2, n, 0.5 * rate)
        return 2.0 * (high - low) > resolution

    high = 1
    while wide(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if wide(middle) else (low, middle)
    return high


# Seeds that are drawn twice.
_TWICE = 8
_CLAIM = "the same seed gives the same features, different seeds independent ones"


@accepts("seed")
def check_reproducible(
    draw: Callable[[int], Any],
    X: Array,
    *,
    independent_features: bool | None = None,
    resolution: float = 0.5,
    max_draws: int | None = None,
    **options: Unpack[DrawOptions],
) -> Verdict:
    r"""Check that a seed determines the features, and that different seeds are independent.

    Same seed: bitwise equal features, also with other draws in between. Different seeds: no two
    draws share half of their columns, and for summaries T of a draw and seeds s, u

    .. math:: P\big[(T_s - T_u)(T_{s+1} - T_{u+1}) > 0\big] = \tfrac12,

    exactly, whatever the law of T, if the four draws are i.i.d.: Kendall's tau of neighbouring
    seeds is 0, and so is that of distant seeds. Codes of different seeds coincide by chance. For
    them two further comparisons are exactly fair coins: whether neighbouring seeds or distant ones
    share more columns, and, for i.i.d. units, whether more columns agree in place or with those of
    their neighbour.

    Parameters
    ----------
    draw : callable
        seed -> map.
    X : array, shape (n, d)
        Rows at which features are compared.
    independent_features : bool, optional
        Whether the columns of one draw are i.i.d.; default the map's own ``independent_units``.
        Needed to tell shared features from chance where columns coincide by chance.
    resolution : float
        Width of the intervals for Kendall's tau, which lies in [-1, 1]: seeds whose tau is
        farther from 0 hold with probability at most `false_alarm`.
    max_draws : int, optional
        Largest number of draws.
    **options : DrawOptions
        false_alarm, miss, ledger, name; seed.

    Returns
    -------
    Verdict
        ``observed`` is the tau of the worst summary, ``exact`` 0.

    Raises
    ------
    ValueError, TypeError
        For bad input and vacuous calls: a resolution of 2 or more.

    See Also
    --------
    check_structure : Also looks at single bits of the seed and at global state.
    check_backends : Equal features in every library.

    Notes
    -----
    Up to nine Clopper-Pearson intervals share `false_alarm`; ties count for neither side. If there
    are eight or more floating-point features, all different within every draw, half of them in
    common is a finding by itself, since continuous columns do not coincide by chance.

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
    asked = require_options("reproducible", options, resolution)
    asked.require_below(2.0, "Kendall's tau lies in [-1, 1]")
    draws, rows = Draws(draw, asked.seed), rows_without_claim(X)
    asked.pay()
    with np.errstate(all="ignore"):
        alike = independent_features
        if alike is None:
            m = call(draws[0], rows).shape[1]
            alike = units_of(draws[0], m) == m  # columns of one unit are not alike
        signs = SignTests(draws, rows, alike, asked.false_alarm, asked.resolution)
        quadruples = signs.quadruples
        if max_draws is not None:
            quadruples = max(1, min(quadruples, max_draws // 6))
        found = _same_seed(draws, rows) or signs.take(quadruples)
    moving = np.flatnonzero(signs.moving)
    if found is None and quadruples >= _TWICE and not (moving < len(SUMMARIES)).any():
        found = "No summary of the features differs between seeds.", {"seeds": "all"}
    report = partial(_verdict, asked, signs, asked.seed)
    if found is not None:
        # Draws that agree entirely.
        return report("refuted", 1.0, (1.0, 1.0), 1.0, found[1], found[0])
    # Constant summaries are no evidence either way.
    taus, ends = zip(*(signs.tau(int(test)) for test in moving))
    halves = [0.5 * (high - low) for low, high in ends]
    excess = [max(low, -high) for low, high in ends]
    worst = int(np.argmax([abs(t) / h for t, h in zip(taus, halves)]))
    status: Status = "holds"
    reason = ""
    if max(excess) > 0.0:
        worst = int(np.argmax(excess))
        status = "refuted"
        reason = "Draws of different seeds are not independent."
        if moving[worst] >= len(SUMMARIES):
            reason = "Draws of different seeds have more columns in common than chance gives."
    elif max(2.0 * h for h in halves) > asked.resolution:
        worst = int(np.argmax(halves))
        status = "inconclusive"
        reason = (
            f"{int(signs.decided[moving[worst]])} comparisons without ties were made: "
            f"{signs.quadruples} would decide."
        )
    pattern, summary = signs.tests[int(moving[worst])]
    compared = signs.decided[moving[moving < len(SUMMARIES)]]
    reach = math.inf
    if compared.size:
        least = int(compared.min())
        seen = [binomial(least // 2, least, r) for r in (0.5 * signs.rate, asked.miss)]
        reach = sum(high - low for low, high in seen)
    where = {"seeds": pattern, "summary": summary}
    verdict = report(status, taus[worst], ends[worst], reach, where, reason)
    return replace(verdict, statistics=(signs.statistics(),))


def _verdict(
    asked: CheckOptions,
    signs: SignTests,
    seed: int,
    status: Status,
    observed: float,
    interval: tuple[float, float],
    detectable: float,
    where: dict[str, Any],
    reason: str,
) -> Verdict:
    n_draws = signs.n_draws + 2 * _TWICE
    return asked.verdict(
        status=status,
        claim=_CLAIM,
        observed=observed,
        exact=0.0,
        interval=interval,
        n_features=n_draws * signs.n_features,
        n_draws=n_draws,
        n_intervals=len(signs.tests),
        detectable=detectable,
        method="equality of bits and columns; binomial (Kendall's tau of draws, columns shared)",
        assumptions=(
            "draws whose columns all differ do not share half of them by chance",
            "one law for all seeds",
            *(["the units of a draw are independent and alike"] if len(signs.tests) > 7 else []),
        ),
        where=where,
        seeds={"seed": seed},
        reason=reason,
    )


def _same_seed(draws: Draws, rows: EvaluatedRows) -> Finding | None:
    """Draw a few seeds, then all of them again, and compare the bits."""
    seeds = [draws.seed(k) for k in range(_TWICE)]
    first = [call(draws.draw(s), rows) for s in seeds]
    for s, z in zip(seeds, first):
        again = call(draws.draw(s), rows)
        if again.shape != z.shape or not np.array_equal(again, z, equal_nan=True):
            return f"Seed {s} gave different features the second time.", {"seed": s}
    return None
