"""Two stages: an alarm needs fresh draws to confirm it, and the price is the second stage's."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from mehler import verify
from mehler.verify import BudgetExceeded, Ledger, confirm


def coin(p, *, seed, false_alarm, claim=0.5, n=4000, name="coin"):
    """A check of a coin of probability p against a claim."""
    flips = np.random.default_rng(seed).random(n) < p
    return verify.check_mean(
        flips,
        claim,
        binary=True,
        resolution=0.2,
        false_alarm=false_alarm,
        name=name,
    )


class Spy:
    """A check that records how it was called and alarms in the stages it is told to."""

    def __init__(self, *alarms):
        self.alarms, self.calls = alarms, []

    def __call__(self, *, seed, false_alarm):
        stage = len(self.calls)
        self.calls.append((seed, false_alarm))
        verdict = coin(0.5, seed=seed, false_alarm=false_alarm)
        status = self.alarms[stage] if stage < len(self.alarms) else "holds"
        return dataclasses.replace(verdict, status=status)


def test_a_correct_claim_is_looked_at_once_at_the_cheap_rate():
    check = Spy("holds")
    verdict = confirm(check, seed=3, false_alarm=1e-9)
    assert verdict.holds
    assert check.calls == [(3, 1e-4)]
    assert "probability at most 1e-09" in verdict.reason


def test_an_alarm_is_confirmed_on_other_draws_at_the_rate_that_was_asked_for():
    check = Spy("refuted", "refuted")
    verdict = confirm(check, seed=3, false_alarm=1e-9)
    (first, early), (second, late) = check.calls
    assert verdict.status == "refuted"
    assert (first, early, late) == (3, 1e-4, 1e-9)
    assert second != first
    assert verdict.false_alarm == 1e-9
    assert "Confirms on fresh draws a first alarm at rate 0.0001" in verdict.reason


def test_an_alarm_that_is_not_confirmed_is_none_but_is_told():
    verdict = confirm(Spy("refuted", "holds"), seed=3)
    assert verdict.holds
    assert "do not confirm a first alarm" in verdict.reason


def test_the_price_is_paid_once_before_the_first_stage():
    ledger, check = Ledger(budget=1.5e-9), Spy("refuted", "refuted")
    confirm(check, ledger=ledger, name=None)
    assert [(e.label, e.false_alarm, e.looks) for e in ledger.entries] == [("check", 1e-9, 1)]
    with pytest.raises(BudgetExceeded):
        confirm(check, ledger=ledger)
    assert len(check.calls) == 2


@pytest.mark.slow
def test_calibration_of_both_stages_together():
    """At 1e-1 and 2e-2, 4000 correct coins alarm at most 2e-2 of the time.

    The count of alarms is at most Binomial(4000, 0.02), of mean 80 and variance 78.4, which exceeds
    80 + 68 with probability below exp(-68^2 / (2 (78.4 + 68/3))) < 1e-9 (Bernstein). One stage
    alone, at 1e-1, would give some 300.
    """
    alarms = sum(
        confirm(coin, 0.5, seed=seed, false_alarm=2e-2, first=1e-1, n=200).status == "refuted"
        for seed in range(4000)
    )
    assert alarms <= 148


def test_an_allotment_counts_until_the_first_alarm():
    looks = Ledger().allot("coin", examples=5)
    for seed in range(3):
        assert looks.confirm(coin, 0.5, seed=seed).holds
    assert (looks.taken, looks.looks, looks.alarmed) == (3, 5, False)
    looks.confirm(coin, 0.9, seed=3)
    assert (looks.taken, looks.alarmed) == (4, True)
    for seed in range(50):
        looks.confirm(coin, 0.5, seed=seed)
    assert (looks.taken, looks.looks) == (4, 5)


def test_looks_beyond_the_allotment_are_added_to_the_ledger_and_never_refused():
    ledger = Ledger(budget=2e-9)
    looks = ledger.allot("coin", examples=2)
    for seed in range(4):
        looks.confirm(coin, 0.5, seed=seed)
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
