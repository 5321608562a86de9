"""An allotment: evaluations that are paid for in advance, counted, and never refused."""

import numpy as np
import pytest

from mehler import verify
from mehler.verify import BudgetExceeded, Ledger


def coin(p, *, seed, false_alarm, claim=0.5, n=4000, name="coin"):
    """A check of a coin of probability p against a claim."""
    flips = np.random.default_rng(seed).random(n) < p
    return verify.check_mean(
        flips, claim, binary=True, resolution=0.2, false_alarm=false_alarm, name=name
    )


def test_an_allotment_counts_until_the_first_alarm():
    looks = Ledger().allot("coin", examples=5)
    for seed in range(3):
        assert looks.assert_holds(coin, 0.5, seed=seed).holds
    assert (looks.taken, looks.looks, looks.alarmed) == (3, 5, False)
    with pytest.raises(AssertionError, match="coin: refuted"):
        looks.assert_holds(coin, 0.9, seed=3)
    assert (looks.taken, looks.alarmed) == (4, True)
    for seed in range(50):
        looks.assert_holds(coin, 0.5, seed=seed)
    assert (looks.taken, looks.looks) == (4, 5)


def test_looks_beyond_the_allotment_are_added_to_the_ledger_and_never_refused():
    ledger = Ledger(budget=2e-9)
    looks = ledger.allot("coin", examples=2)
    for seed in range(4):
        looks.assert_holds(coin, 0.5, seed=seed)
    assert ledger.looks == 4
    assert ledger.spent == pytest.approx(4e-9)
    assert ledger.left == 0.0
    with pytest.raises(BudgetExceeded):
        ledger.spend("more", 1e-12)


def test_an_allotment_is_bought_once_and_before_the_looks():
    ledger = Ledger(budget=1e-8)
    assert ledger.allot("a", examples=6) is ledger.allot("a", examples=6)
    with pytest.raises(BudgetExceeded, match="'b' would spend 6e-09"):
        ledger.allot("b", examples=6)
    assert ledger.looks == 6
