"""Every statement comes out as expected, and each piece of evidence says what it rests on."""

import dataclasses
import math
from typing import Literal

import numpy as np
import pytest
from mehler.proofs_checks.maxout.kernel import q1_linear, theorem_1_kernel

from mehler import exact, report
from mehler.proofs_checks import STATEMENTS
from mehler.statements import Context, Evidence, Statement, verdict_of
from mehler.verify import BudgetExceeded, Ledger
from tests.places import CPU
from tests.proofs_checks.conftest import BY_ID

every_statement = pytest.mark.parametrize("statement", STATEMENTS, ids=list(BY_ID))


def run(statement: Statement, level: Literal["quick", "full"] = "quick") -> list[Evidence]:
    """Return the evidence of all checks, which the ledger was charged for."""
    ledger = Ledger(budget=1e-6)
    context = Context(ledger=ledger, statement=statement.id, seed=1, level=level)
    evidence = [check(context) for check in statement.checks]
    assert ledger.spent == pytest.approx(sum(piece.false_alarm for piece in evidence))
    return evidence


@every_statement
@pytest.mark.sampled(3)
def test_comes_out_as_expected_on_the_stand_in(cupy, statement):
    done = report.run([statement], backend="cupy", with_data=False, seed=1)
    assert done.exit_status == 0, done


@every_statement
@pytest.mark.sampled(40)
def test_comes_out_as_expected(statement):
    """A report runs all of them: the sample says where a change went wrong before that."""
    evidence = run(statement)
    assert verdict_of(evidence) == statement.expected, evidence
    assert [piece.form for piece in evidence] == [check.form for check in statement.checks]
    for piece in evidence:
        require_whole(piece)


def require_whole(piece: Evidence) -> None:
    """Fail unless evidence says what was seen, how, and at what cost."""
    assert piece.claim, piece
    assert piece.method, piece
    assert piece.check, piece
    assert piece.exact is not None, piece
    assert piece.interval is not None, f"evidence needs an interval: {piece}"
    low, high = piece.interval
    assert low <= piece.observed <= high, piece
    assert 0 < piece.detectable < math.inf, piece
    # What was measured used features and was paid for; what was computed did neither.
    assert (piece.false_alarm > 0) == (piece.n_features > 0), piece
    for plot in piece.plots:
        assert plot.caption, piece
        for series in plot.series:
            for values in (series.x, series.y, series.y_low, series.y_high):
                assert values is None or all(map(math.isfinite, values)), plot.caption


@pytest.mark.full
@every_statement
def test_comes_out_as_expected_at_the_full_level(statement):
    evidence = run(statement, "full")
    assert verdict_of(evidence) == statement.expected, evidence


@pytest.mark.parametrize("id", ["maxout.theorem-1-kernel", "maxout.locality", "maxout.figure-1"])
@pytest.mark.sampled(1)
def test_repairs_are_drawn_over_what_was_measured(id):
    assert any(piece.plots for piece in run(BY_ID[id]) if piece.form == "proved")


def test_theorem_1_is_measured_to_one_per_cent(context):
    """The printed kernel is refuted, the proved one confirmed, within 1 % of K at pools of 32."""
    setting = context("maxout.theorem-1-kernel")
    evidence = theorem_1_kernel.measured_kernel(setting)
    width = np.asarray(evidence.high) - evidence.low
    truth = evidence.claimed(exact.maxout_kernel)
    assert width.size == 10
    assert np.all(width < theorem_1_kernel.width(setting, evidence.pool_size) * truth)
    assert {0.01, 0.02} == {*theorem_1_kernel.width(setting, evidence.pool_size)}
    printed = evidence.claimed(exact.locally_linear_kernel)
    inside = zip(evidence.low, printed, evidence.high, strict=True)
    assert not any(low <= value <= high for low, value, high in inside)


def test_same_seed_sees_the_same(context):
    first, again = (q1_linear.measured_kernel(context("maxout.q1-linear")) for _ in range(2))
    assert first == again
    reseeded = dataclasses.replace(context("maxout.q1-linear"), seed=2)
    assert q1_linear.measured_kernel(reseeded).observed != first.observed


@every_statement
@pytest.mark.sampled(8)
def test_no_look_without_budget(statement):
    poor = Context(ledger=Ledger(budget=1e-12), statement=statement.id)
    looks = 0
    for check in statement.checks:
        try:
            looks += check(poor).false_alarm > 0
        except BudgetExceeded:
            continue
    assert looks == 0


OTHERS = sorted({place.name.partition(":")[0] for place in CPU} & {"torch", "jax", "dask"})


@pytest.mark.parametrize("backend", OTHERS)
def test_other_backends_come_to_the_same_verdict(context, backend):
    evidence = q1_linear.measured_kernel(context("maxout.q1-linear", backend=backend))
    assert evidence.status == "holds"
    here = q1_linear.measured_kernel(context("maxout.q1-linear"))
    # Same weights up to rounding to float32, whose unit is 6e-8; products are sums of a few.
    assert evidence.observed == pytest.approx(here.observed, abs=1e-5)
