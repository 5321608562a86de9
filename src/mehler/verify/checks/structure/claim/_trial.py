"""Trials: draws of one configuration, and bets that forms are larger than claimed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mehler.verify.checks.structure._subject import Subject
from mehler.verify.checks.structure.claim._claims import Claims, clusters_of, gram_of
from mehler.verify.intervals._excess import Excess

# Draws of the first test, extended while it is suspicious; of the base trial; and of any trial.
_PILOT, _BASE, MOST = (12, 24, 48), 36, 384
# Most seconds for the kernel of a dozen rows; slower kernels are not evaluated again.
_SLOW, _DOZEN = 0.2, 12
# Columns of the maps at other lengths and numbers of inputs, if sizes can be chosen.
MIDDLE = 128
_BASE_STREAM = 99
ASSUMED_OF_BETS = (
    "draws from different seeds are independent; squared lengths are not negative: no tail is "
    "assumed"
)
# A trial goes on if mean forms exceed the claim by _LARGER and log wealth grows by _GROWTH per
# draw, beyond the cost _MIXED of mixing stakes. Odds of 1e12 are then reached within MOST draws.
_LARGER, _GROWTH, _MIXED = 1.08, 0.1, 2.4
# Ratio to the claimed length below which a trial's draws are suspicious.
_SMALLER = 0.87


@dataclass
class Trial:
    """Draws of one configuration, and bets against its claims.

    `n_features` None is the width of a draw; `fitted` are the rows that maps are drawn for, if
    others.
    """

    subject: Subject
    claims: Claims
    n_features: int | None
    stream: int
    dtype: Any
    fitted: Any = None
    n: int = 0
    columns: int = 0
    lengths: list[float] = field(default_factory=list)
    bets: Excess = field(init=False)

    def __post_init__(self) -> None:
        self.bets = Excess(self.claims.means)

    def run(self, n: int) -> None:
        """Draw until there are n draws; exceptions of the map propagate."""
        seeds = self.subject.seeds(self.stream)
        rows = self.claims.rows.astype(self.dtype)
        drawn_for = rows if self.fitted is None else self.fitted
        with np.errstate(all="ignore"):
            while self.n < n:
                phi = self.subject.map_for(seeds.seed(self.n), drawn_for, self.n_features)
                given = self.subject.place(rows)
                z_before = self.subject.n_features
                gram = self.subject.gram(phi, rows, given)
                self.columns = self.subject.n_features - z_before
                self.n += 1
                if np.isfinite(gram).all():
                    self.bets.add(self.claims.forms(gram))
                    self.lengths.append(self.claims.lengths(gram))

    @property
    def odds(self) -> float:
        """Log of the wealth averaged over directions, whose expectation is at most 1."""
        if not self.bets.n:
            return -math.inf
        wealth = self.bets.log_wealth
        return float(np.logaddexp.reduce(wealth)) - math.log(wealth.size)

    @property
    def promising(self) -> bool:
        """Whether going on may refute: some form exceeds its claim, and wealth grows."""
        if not self.bets.n:
            return False
        ratio = self.bets.mean / self.bets.claims
        grows = self.bets.log_wealth > _GROWTH * self.bets.n - _MIXED
        return bool((grows & (ratio > _LARGER)).any())

    @property
    def short(self) -> bool:
        """Whether most draws are shorter than claimed; a map fitted to other rows may be."""
        if self.subject.fitted:
            return False
        return bool(self.lengths) and float(np.median(self.lengths)) < _SMALLER

    @property
    def infinite(self) -> bool:
        """Whether no draw had finite features."""
        return self.n > 0 and not self.lengths

    @property
    def suspicious(self) -> bool:
        """Whether the first test calls for more draws."""
        return self.promising or self.short or self.infinite

    def pilot(self) -> None:
        """Take a first test, extended while it is suspicious."""
        for n in _PILOT:
            self.run(n)
            if not self.suspicious:
                return

    def decide(self, level: float) -> bool:
        """Go on while promising; return whether the wealth reached exp(level)."""
        n = self.n
        while self.promising and n < MOST and not self.subject.clock.over:
            if self.odds >= level:
                return True
            n = min(MOST, n + max(8, n // 2))
            self.run(n)
        return self.odds >= level


def trial_at(subject: Subject, d: int, norm: float, n_features: int | None, stream: int) -> Trial:
    """Return a trial at rows of d columns and length `norm`; ValueError if nothing is claimed."""
    _require_quick(subject)
    rng = np.random.default_rng([subject.seed, stream])
    rows, clusters = clusters_of(subject.kernel, subject.domain, d, norm, rng)
    # Use numbers that single precision represents exactly.
    rows = rows.astype(np.float32).astype(np.float64)
    claims = Claims.of(subject.kernel, rows, clusters, 0.25 * subject.resolution)
    dtype = subject.rows.dtype
    return Trial(subject, claims, n_features, stream, dtype)


def _require_quick(subject: Subject) -> None:
    """Refuse to evaluate a slow kernel, meant for a few rows, at thousands of pairs."""
    if subject.seconds is None:
        start = subject.spent
        gram_of(subject.kernel, subject.rows[:_DOZEN], positive=False)
        subject.seconds = subject.spent - start
    if subject.seconds > _SLOW:
        raise ValueError(f"the kernel of {_DOZEN} rows takes {subject.seconds:.2g} s")


def base_of(subject: Subject) -> Trial:
    """Return a trial at the given rows, with a longer test."""
    if subject.base is None:
        _require_quick(subject)
        rows = subject.rows.astype(np.float32).astype(np.float64)
        rows = rows[np.diag(gram_of(subject.kernel, rows, positive=False)) > 0.0]
        alike = np.zeros(len(rows), dtype=int)
        claims = Claims.of(subject.kernel, rows, alike, 0.25 * subject.resolution)
        size = MIDDLE if subject.resizable else None
        subject.base = Trial(subject, claims, size, _BASE_STREAM, subject.rows.dtype)
        subject.base.run(_BASE)
    return subject.base


def trial_like(
    base: Trial, n_features: int | None, stream: int, dtype: Any = None, fitted: Any = None
) -> Trial:
    """Return a trial at the base's rows, of another size, precision, or fit."""
    kind = base.dtype if dtype is None else dtype
    return Trial(base.subject, base.claims, n_features, stream, kind, fitted)
