"""The ledger never lets a run spend more than its budget, whatever the order or the threads."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mehler.statements import BoundCase
from mehler.verify import (
    BudgetExceeded,
    Ledger,
    check_convergence,
    check_distribution,
    check_invariance,
    check_kernel,
    check_mean,
    check_same,
    check_structure,
    check_variance,
)
from tests.verify.toys import Maxout, maxout2_kernel, points


def test_a_draw_at_the_bound_does_not_exceed_it():
    case = BoundCase.from_draws(np.ones(400), bound=1.0, probability=0.95, false_alarm=1e-3)
    assert (case.violations, case.ratio) == (0, 1.0)


def test_rates_are_added_as_they_are_written():
    """In binary three times 1e-8 are 3.0000000000000004e-08, 1 - 0.95 is 0.050000000000000044."""
    ledger = Ledger(budget=1e-6)
    for _ in range(3):
        ledger.spend("thrice", 1e-8)
    ledger.spend("ten at once", 1e-9, looks=10)
    assert ledger.spent == 4e-8
    assert ledger.to_dict()["left"] == 9.6e-7
    case = BoundCase.from_draws(np.zeros(400), bound=1.0, probability=0.95, false_alarm=1e-3)
    assert case.promised == 0.05


@given(
    st.lists(st.tuples(st.floats(1e-12, 0.4), st.integers(1, 50)), max_size=30),
    st.floats(1e-6, 0.9),
)
def test_what_is_spent_never_exceeds_the_budget(looks, budget):
    ledger = Ledger(budget)
    for rate, n in looks:
        before = ledger.spent
        try:
            ledger.spend("look", rate, looks=n)
        except BudgetExceeded:
            assert ledger.spent == before
            assert before + rate * n > budget
    # One part in 1e9 is the slack for sums of floats that the ledger states.
    assert ledger.spent <= budget * (1 + 1e-9)


def test_threads_cannot_spend_the_same_rest():
    ledger, messages = Ledger(budget=0.5), []

    def spend():
        for _ in range(100):
            try:
                ledger.spend("look", 0.01)
            except BudgetExceeded:
                messages.append(1)

    threads = [threading.Thread(target=spend) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ledger.entries) == 50
    assert len(messages) == 750


def test_checks_pay_before_they_look():
    ledger, looks = Ledger(budget=2.5e-3), []

    def draw(seed):
        looks.append(seed)
        return Maxout(seed)

    check_kernel(
        draw, maxout2_kernel, points(2, 6), false_alarm=1e-3, resolution=0.5, ledger=ledger
    )
    check_mean([0.0] * 100, 0.0, variance=1.0, false_alarm=1e-3, resolution=9.0, ledger=ledger)
    assert [entry.label for entry in ledger.entries] == ["kernel", "mean"]
    n = len(looks)
    for check in (
        lambda: check_kernel(draw, maxout2_kernel, points(2, 6), false_alarm=1e-3, ledger=ledger),
        lambda: check_structure(draw, points(3, 6), false_alarm=1e-3, ledger=ledger),
        lambda: check_invariance(draw, np.negative, X, false_alarm=1e-3, ledger=ledger),
        lambda: check_variance(draw, None, X, false_alarm=1e-3, ledger=ledger),
        lambda: check_mean([0.0] * 100, 0.0, false_alarm=1e-3, resolution=9.0, ledger=ledger),
    ):
        with pytest.raises(BudgetExceeded, match="raise the budget or lower false_alarm"):
            check()
    assert len(looks) == n


X = points(2, 6)
SAMPLES = np.random.default_rng(0).standard_normal((100, 2))
FEW = {"max_features": 100_000}
CHECKS = {
    "kernel": lambda **o: check_kernel(Maxout, maxout2_kernel, X, **FEW, **o),
    "variance": lambda **o: check_variance(Maxout, None, X, **FEW, **o),
    "convergence": lambda **o: check_convergence(lambda s, m: Maxout(s, m=m), X, **FEW, **o),
    "distribution": lambda **o: check_distribution(Maxout, lambda x, t: 0.5 + 0 * t, X, **FEW, **o),
    "invariance": lambda **o: check_invariance(Maxout, np.negative, X, **o),
    "same": lambda **o: check_same(Maxout, Maxout, X, **o),
    "mean": lambda **o: check_mean(SAMPLES, [0.0, 0.0], resolution=0.1, **o),
    "mean of products": lambda **o: check_mean(SAMPLES, np.eye(2), resolution=0.1, **o),
}


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_pays_once(name):
    ledger = Ledger()
    CHECKS[name](ledger=ledger)
    label = name.partition(" ")[0]
    assert [(entry.label, entry.false_alarm) for entry in ledger.entries] == [(label, 1e-9)]


def test_the_budget_cannot_be_set():
    """One that rises after alarms bounds nothing."""
    with pytest.raises(AttributeError):
        Ledger(1e-3).budget = 0.1
