"""Sign tests on comparisons that correct maps win with probability 1/2, whatever their law."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from scipy.special import bdtrc


def all_won(signs: Iterable[int], rate: float, ties: int = 4) -> int:
    """Return the number of comparisons won in a row, or 0 if they are too few.

    A correct map wins n times without a loss with probability at most 2^-n. The first loss, or more
    than `ties` ties, ends the test: only defects that show nearly always are sought.
    """
    needed = math.ceil(-math.log2(rate))
    won = tied = 0
    for sign in signs:
        if sign < 0:
            return 0
        won += sign > 0
        tied += sign == 0
        if tied > ties:
            return 0
        if won >= needed:
            return won
    return 0


def mostly(won: Callable[[int], bool], chance: float, rate: float, n: int = 80) -> bool:
    """Whether n comparisons are won too often for a win probability of `chance`.

    Stops as soon as too many are lost.
    """
    most = 0
    while bdtrc(n - most - 2, n, chance) <= rate:
        most += 1
    if bdtrc(n - 1, n, chance) > rate:
        raise ValueError(f"{n} comparisons at {chance} never reach {rate:.3g}: make more")
    lost = 0
    for k in range(n):
        lost += not won(k)
        if lost > most:
            return False
    return True
