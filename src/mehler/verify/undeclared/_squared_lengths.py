"""Bets on squared lengths of sums and differences of features, draw by draw."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler.verify._certificate import Statistics
from mehler.verify.intervals._excess import Excess, Found
from mehler.verify.sampling._pairs import Pairs
from mehler.verify.sampling._sources import estimate_and_lengths

_FORMS = ("|u + v|^2", "|u - v|^2")
_WHERE = "u = phi(x)/sqrt(k(x,x)), v = phi(y)/sqrt(k(y,y))"


def whole(phi: Any, pairs: Pairs, n_features: int) -> tuple[Any, Any, Any]:
    """Return <u, v> at the pairs and |u|^2 of the rows of either side, in units of the claim."""
    gram, left, right = estimate_and_lengths(phi, pairs, n_features)
    return pairs.pick(gram) / pairs.unit, left / pairs.left.unit**2, right / pairs.right.unit**2


class SquaredLengths:
    """Bets on |u + v|^2 and |u - v|^2 at every pair; at x = y the first is 4 |u|^2.

    `rounding` is how far rounding may move a product, in units of the claim.
    """

    def __init__(self, pairs: Pairs, rounding: float) -> None:
        self._pairs = pairs
        whole, cross = pairs.squares, 2.0 * pairs.claim
        claim = np.concatenate([whole + cross, whole - cross])
        self._claim = np.maximum(claim, 0.0)
        # For equal rows the difference is 0 up to rounding.
        self._bets = Excess(self._claim + 4.0 * rounding)
        self._sound = True

    def add(self, cross: Any, left: Any, right: Any) -> None:
        """Bet on one draw: <u, v> at the pairs and squared lengths of the rows of either side."""
        pairs = self._pairs
        both_sides = left[pairs.first] + right[pairs.second]
        forms = np.concatenate([both_sides + 2.0 * cross, both_sides - 2.0 * cross])
        slack = 4.0 * (self._bets.claims - self._claim) + 1e-9 * np.abs(np.tile(both_sides, 2))
        # A map's own gram need not be an inner product; then these bets are invalid.
        self._sound = self._sound and bool((forms >= -slack).all())
        self._bets.add(np.maximum(forms, 0.0))

    def found(self, level: float, floor: float) -> Found | None:
        """Return the direction of most wealth if it reached exp(level) and is off by `floor`.

        The deviation of a form is twice that of a kernel entry.
        """
        if not self._sound or not self._bets.n:
            return None
        wealth = self._bets.log_wealth
        off = 0.5 * (self._bets.mean - self._claim)
        reached = (wealth >= level) & (off >= floor)
        if not reached.any():
            return None
        best = int(np.argmax(np.where(reached, wealth, -np.inf)))
        pair = best % self._pairs.n
        return Found(
            pair=pair,
            form=f"{_FORMS[best // self._pairs.n]}, {_WHERE}",
            observed=float(self._bets.mean[best]),
            claim=float(self._claim[best]),
            low=float(self._bets.lower_ends(level)[best]),
        )

    def statistics(self, floor: float) -> tuple[Statistics, ...]:
        """Return the direction of most wealth among those off by `floor`, if bets are valid."""
        if not self._sound or not self._bets.n:
            return ()
        off = 0.5 * (self._bets.mean - self._claim) >= floor
        best = int(np.argmax(np.where(off, self._bets.log_wealth, -np.inf)))
        pair = [best % self._pairs.n]
        tests = {
            "pair": np.stack([self._pairs.first[pair], self._pairs.second[pair]]),
            "sign": [1 if best < self._pairs.n else -1],
            "claim": self._claim[[best]],
            **self._bets.statistics([best]),
        }
        return (Statistics("squared lengths", {"count": self.n_bets, "shared": True}, tests),)

    @property
    def n_bets(self) -> int:
        """Number of directions that share the error rate."""
        return 2 * self._pairs.n
