"""Every statement comes out as expected, and each piece of evidence says what it rests on."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from mehler.proofs_checks.maxout.kernel import q1_linear, theorem_1_kernel

from mehler import exact
from mehler.proofs_checks import STATEMENTS
from mehler.statements import Context, verdict_of
from mehler.verify import BudgetExceeded, Ledger
from tests.places import CPU
from tests.proofs_checks.conftest import BY_ID


@pytest.fixture(scope="module")
def evidence(request):
    """Run all checks of one statement at the quick level, as the report does."""
    statement = BY_ID[request.param]
    ledger = Ledger(budget=1e-6)
    context = Context(ledger=ledger, statement=statement.id, seed=1)
    found = [check(context) for check in statement.checks]
    return statement, found, ledger


every_statement = pytest.mark.parametrize("evidence", list(BY_ID), indirect=True)


@every_statement
def test_comes_out_as_expected(evidence):
    statement, found, _ = evidence
    assert verdict_of(found) == statement.expected, found


@every_statement
def test_forms_agree_with_checks(evidence):
    statement, found, _ = evidence
    assert [one.form for one in found] == [check.form for check in statement.checks]


@every_statement
def test_evidence_says_what_was_seen(evidence):
    _, found, _ = evidence
    for one in found:
        assert one.claim
        assert one.method
        assert one.check
        assert one.observed is not None
        assert one.exact is not None
        low, high = one.interval
        assert low <= one.observed <= high
        assert math.isfinite(one.detectable)
        assert one.detectable > 0
        # What was measured used features and was paid for; what was computed did neither.
        assert (one.false_alarm > 0) == (one.n_features > 0)


@every_statement
def test_ledger_was_charged_for_every_look(evidence):
    _, found, ledger = evidence
    assert ledger.spent == pytest.approx(sum(one.false_alarm for one in found))


@every_statement
def test_plots_are_finite(evidence):
    _, found, _ = evidence
    for one in found:
        for plot in one.plots:
            assert plot.caption
            for series in plot.series:
                for values in (series.x, series.y, series.y_low, series.y_high):
                    assert values is None or all(map(math.isfinite, values))


@pytest.mark.full
@pytest.mark.parametrize("statement", STATEMENTS, ids=list(BY_ID))
def test_comes_out_as_expected_at_the_full_level(statement):
    context = Context(ledger=Ledger(budget=1e-6), statement=statement.id, seed=1, level="full")
    found = [check(context) for check in statement.checks]
    assert verdict_of(found) == statement.expected, found


@pytest.mark.parametrize(
    "evidence",
    ["maxout.theorem-1-kernel", "maxout.locality", "maxout.figure-1"],
    indirect=True,
)
def test_repairs_are_drawn_over_what_was_measured(evidence):
    _, found, _ = evidence
    assert any(one.plots for one in found if one.form == "proved")


def test_theorem_1_is_measured_to_one_per_cent(context):
    """The printed kernel is refuted, the proved one confirmed, within 1 % of K at pools of 32."""
    given = context("maxout.theorem-1-kernel")
    measured = theorem_1_kernel.measured_kernel(given)
    width = np.asarray(measured.high) - measured.low
    truth = measured.claimed(exact.maxout_kernel)
    assert width.size == 10
    assert np.all(width < theorem_1_kernel.width(given, measured.pool_size) * truth)
    assert {0.01, 0.02} == {*theorem_1_kernel.width(given, measured.pool_size)}
    printed = measured.claimed(exact.locally_linear_kernel)
    inside = zip(measured.low, printed, measured.high, strict=True)
    assert not any(low <= value <= high for low, value, high in inside)


def test_same_seed_sees_the_same(context):
    first, again = (q1_linear.measured_kernel(context("maxout.q1-linear")) for _ in range(2))
    assert first == again
    other = dataclasses.replace(context("maxout.q1-linear"), seed=2)
    assert q1_linear.measured_kernel(other).observed != first.observed


@pytest.mark.parametrize("statement", STATEMENTS, ids=list(BY_ID))
@pytest.mark.sampled(12)
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
    found = q1_linear.measured_kernel(context("maxout.q1-linear", backend=backend))
    assert found.status == "holds"
    here = q1_linear.measured_kernel(context("maxout.q1-linear"))
    # Same weights up to rounding to float32, whose unit is 6e-8; products are sums of a few.
    assert found.observed == pytest.approx(here.observed, abs=1e-5)
