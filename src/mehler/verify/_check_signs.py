"""Signs of comparisons that independent draws make plus as likely as minus: fair coins, exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.verify._check_columns import Finding, Met, in_common, in_place
from mehler.verify._draws import Draws
from mehler.verify._pairs import Rows
from mehler.verify._sources import call
from mehler.verify.intervals import binomial

NEAR, FAR = "consecutive seeds", "distant seeds"
_SUMS = ("sum of features", "random sum of features", "sum of squares")
SUMMARIES = [(pattern, each) for pattern in (NEAR, FAR) for each in _SUMS]
SHARED = (NEAR, "columns in common")
PLACED = [(pattern, "columns in place") for pattern in (NEAR, FAR)]


class Signs:
    """How often each comparison came out plus, and how often without a tie.

    Parameters
    ----------
    alike : bool
        The units of a draw are independent and alike, so that columns may be compared in place.
    """

    def __init__(self, draws: Draws, rows: Rows, alike: bool) -> None:
        self._draws, self._rows, self._alike = draws, rows, alike
        self.looks = [*SUMMARIES, SHARED, *(PLACED if alike else [])]
        self.agree = np.zeros(len(self.looks))
        self.decided = np.zeros(len(self.looks))
        self.made = self.n_draws = self.n_features = 0
        self._met = Met()
        self._weights: Any = None

    @property
    def moving(self) -> Any:
        """Which looks say something: those at columns, and summaries that ever differed."""
        columns = np.arange(len(self.looks)) >= len(SUMMARIES)
        return columns | (self.decided > 0)

    def take(self, quads: int) -> Finding | None:
        """Compare `quads` times six draws; return the finding if two draws share features."""
        used: set[int] = set()
        k = 0
        for made in range(2 * quads):
            # With ties more comparisons are made; signs do not depend on where ties fall. A
            # summary that never moves, as the squares of signs, says nothing.
            summaries = self.decided[: len(SUMMARIES)]
            if made >= quads and ((summaries >= quads) | (summaries == 0)).all():
                break
            bases: list[int] = []
            while len(bases) < 4:
                # Even, so that neighbours never meet another comparison's seeds.
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
                found = self._met.meet(each, z)
                if found is not None:
                    return found
                drawn.append(z)
            signs = np.sign(self._compare(drawn))
            self.agree += signs > 0
            self.decided += signs != 0
            self.made += 1
        return None

    def _compare(self, drawn: list[Any]) -> Any:
        t = [self._summaries(z) for z in drawn]
        near, far = (t[0] - t[2]) * (t[1] - t[3]), (t[0] - t[2]) * (t[4] - t[5])
        pairs = [(drawn[0], drawn[1]), (drawn[4], drawn[5])]
        shared = [in_common(*pair) for pair in pairs]
        placed = [in_place(*pair) for pair in pairs] if self._alike else []
        return np.concatenate([near, far, [shared[0] - shared[1]], placed])

    def _summaries(self, z: Any) -> Any:
        z = z.astype(np.float64)
        if self._weights is None:
            self._weights = np.random.default_rng(self._draws.root).standard_normal(z.shape)
        return np.array([z.sum(), (z * self._weights).sum(), (z * z).sum()])

    def tau(self, look: int, rate: float) -> tuple[float, tuple[float, float]]:
        """Return P(+) - P(-), estimated, and its interval: of summaries where they differ.

        Of columns of all comparisons: what they may say, given a difference, times the largest
        share of differences. Either way it excludes 0 when the signs exclude a fair coin.
        """
        k, n = int(self.agree[look]), int(self.decided[look])
        low, high = binomial(k, n, 0.5 * rate) if n else (0.0, 1.0)
        value = 2.0 * k / n - 1.0 if n else 0.0
        if look < len(SUMMARIES):
            return value, (2.0 * low - 1.0, 2.0 * high - 1.0)
        share = binomial(n, self.made, 0.5 * rate)[1] if self.made else 1.0
        ends = ((2.0 * low - 1.0) * share, (2.0 * high - 1.0) * share)
        return value * n / max(1, self.made), ends


def quads_for(resolution: float, rate: float) -> int:
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
