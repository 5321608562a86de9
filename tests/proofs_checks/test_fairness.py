"""Old accusations that did not stand: each of these tests goes red if one comes back."""

from __future__ import annotations

import re

import numpy as np
import pytest
from mehler.proofs_checks.group_invariant.finite import theorem_2
from mehler.proofs_checks.group_invariant.kernel import remark_3, remark_4
from mehler.proofs_checks.group_invariant.risk import theorem_3
from mehler.proofs_checks.kitchen_sinks import lemma_1
from mehler.proofs_checks.leverage import algorithm_1, example_1, limits
from mehler.proofs_checks.leverage import corollary_5 as scores
from mehler.proofs_checks.leverage import theorem_2 as gram_of_rows
from mehler.proofs_checks.leverage._instances import pool
from mehler.proofs_checks.leverage.theorem_2 import ENOUGH, lemma_3
from mehler.proofs_checks.maxout.risk import lemma_2, remark_2
from mehler.proofs_checks.maxout.risk import lemma_3 as lemma_3_of_maxout
from mehler.proofs_checks.maxout.risk import theorem_2 as theorem_2_of_maxout

from mehler.bounds import kitchen_sinks
from mehler.proofs_checks import STATEMENTS
from mehler.statements import RESTORED_HOLDS, RESTORED_REFUTED
from tests.proofs_checks.conftest import BY_ID


def accused(statement, context):
    """The checks of what is printed, or restored, that refute it."""
    claims = [one for one in statement.checks if one.form != "proved"]
    return {one.name for one in claims if one.run(context(statement)).status == "refuted"}


@pytest.mark.parametrize(
    "identifier",
    [
        "group-invariant.remark-3",
        "group-invariant.remark-4",
        "group-invariant.orbit-distance",
        "leverage.limits",
        "leverage.corollary-5",
        "leverage.example-1",
        "kitchen-sinks.lemma-1",
    ],
)
def test_nothing_is_accused_any_more(identifier, context):
    statement = BY_ID[identifier]
    assert "refuted" not in statement.expected
    assert statement.sections.get("What is wrong", "Nothing").startswith("Nothing")
    assert accused(statement, context) == set()


def test_remark_4_is_checked_with_unit_templates_in_the_papers_window(context):
    t = remark_4.any_law(np.random.default_rng(0), 100)
    assert np.abs(np.linalg.norm(t, axis=1) - 1).max() < 1e-12
    assert abs(t.mean(axis=0)).max() > 0.1  # a law with a mean: no symmetry is used
    assert remark_4._WINDOW > 1 >= np.abs(t).max()
    assert remark_4._UNIT["window"] == remark_4._WINDOW
    assert remark_4._UNIT.get("templates", "sphere") == "sphere"
    # Longer templates leave the window: there the restored integral is not the kernel.
    assert remark_4.restored(context("group-invariant.remark-4"), length=2.0).status == "refuted"


def test_remark_3_is_checked_on_a_subset_with_its_inverses():
    elements = {tuple(one) for one in remark_3.SUBSET.elements().tolist()}
    inverses = {tuple(np.argsort(one).tolist()) for one in elements}
    assert inverses == elements
    products = {tuple(np.asarray(a)[list(b)].tolist()) for a in elements for b in elements}
    assert not products <= elements  # a subset, no group
    rows = np.random.default_rng(0).standard_normal((6, 6))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    gap = remark_3.of_elements(rows, rows) - remark_3.of_inverses(rows, rows)
    assert np.abs(gap).max() < 1e-14


def test_no_list_without_inverses_is_held_against_remark_3():
    proved = {one.run for one in BY_ID["group-invariant.remark-3"].checks if one.form == "proved"}
    assert {remark_3.any_list, remark_3.without_inverses} <= proved


def test_theorem_3_is_refuted_by_what_it_says_and_not_by_an_equality(context):
    statement = BY_ID["group-invariant.theorem-3"]
    assert statement.expected == RESTORED_REFUTED
    restored = {one.run for one in statement.checks if one.form == "restored"}
    assert restored == {theorem_3.one_orbit, theorem_3.not_negative}
    found = theorem_3.one_orbit(context(statement))
    assert found.observed == pytest.approx(5.71e-9, rel=1e-2)
    assert found.exact == pytest.approx(3e-10)
    # No projection leaves the window, and V(0) of the other loss keeps it linear.
    assert theorem_3.ORBIT_WINDOW > (1 + theorem_3.ORBIT_EPSILON) ** 0.5
    assert theorem_3.largest_value() >= theorem_3.ORBIT_WINDOW


def test_theorem_2_holds_with_a_constant_in_the_condition_on_bins(context):
    statement = BY_ID["group-invariant.theorem-2"]
    assert statement.expected == RESTORED_HOLDS
    restored = [one.run for one in statement.checks if one.form == "restored"]
    assert restored == [theorem_2.constants]
    assert theorem_2.constants(context(statement)).status == "holds"
    # The constant 1 of the words is not enough, by half of one per cent.
    evidence = theorem_2.redraw(context(statement))
    assert evidence.observed == pytest.approx(0.33496, abs=5e-6)
    assert evidence.exact == pytest.approx(1 / 3)
    assert "0.33496" in statement.ground
    assert "Remark 1" in statement.ground


def test_a_name_is_not_refuted():
    assert BY_ID["group-invariant.orbit-distance"].expected == "holds"


def test_limits_are_checked_where_the_inverse_exists(context):
    checked = context("leverage.limits")
    phi = pool(checked.rng("tall"), 30, 11, 6.0)
    assert np.linalg.matrix_rank(phi.T @ phi) == 11
    # Where it does not exist the paper claims nothing.
    assert {one.run for one in BY_ID["leverage.limits"].checks if one.form == "printed"} == {
        limits.no_ridge,
        limits.large_ridge,
    }
    place = BY_ID["leverage.limits"].place
    assert "II-D" in place
    assert "Section V" in place
    assert "inverse" in BY_ID["leverage.limits"].hypotheses


def test_corollary_5_is_not_empty_where_scores_differ(context):
    found = scores.far_from_plain(context("leverage.corollary-5"))
    assert found.observed == pytest.approx(0.238, abs=5e-4)
    gram, ridge = scores.two_sizes()
    tau = gram / (gram + ridge)
    # Features are at most 1; a bound of sqrt 2 for them costs its square root of 2.
    options = {"smallest": gram.min(), "ridge": ridge, "degrees_of_freedom": tau.sum()}
    loose = scores.corollary_5(10**8, delta=0.05, **options).value
    assert loose == pytest.approx(0.337, abs=5e-4)
    assert tau.max() / tau.min() > 9
    assert ridge <= gram.max()  # the ridge is at most the norm of G
    statement = BY_ID["leverage.corollary-5"]
    texts = " ".join([*statement.sections.values(), statement.note])
    assert "at *fixed* $\\Delta$" in texts
    assert "empty" not in texts
    assert BY_ID["leverage.theorem-1"].expected == "not computable"


def test_corollary_5_is_checked_at_a_spread_that_the_paper_allows():
    for rows in ENOUGH:
        assert lemma_3(rows, ridge=0.05, degrees_of_freedom=16, delta=0.2).value <= 0.5


def test_algorithm_1_is_read_as_its_plain_case_says(context):
    statement = BY_ID["leverage.algorithm-1"]
    assert statement.expected == RESTORED_HOLDS
    # By the reading that the text excludes, a uniform draw is no random kitchen sinks.
    reading = {"weights": algorithm_1.by_probability}
    assert algorithm_1.plain(context(statement), **reading).status == "refuted"
    assert algorithm_1.normalisation(context(statement), **reading).status == "refuted"
    assert "density" in statement.hypotheses


def test_norms_of_the_slides_are_read_as_norms_of_functions():
    statement = BY_ID["kitchen-sinks.norms"]
    assert statement.expected == "holds with constant"
    assert "minima" in statement.hypotheses


def test_theorem_2_of_the_scores_has_the_term_that_the_paper_drops(context):
    statement = BY_ID["leverage.theorem-2"]
    assert statement.expected == RESTORED_HOLDS
    assert gram_of_rows.without_d(context(statement)).observed > 0.99
    assert "drops" in statement.hypotheses


def test_example_1_is_held_against_pairs():
    restored = [one.run for one in BY_ID["leverage.example-1"].checks if one.form == "restored"]
    assert restored == [example_1.pairs]


def test_the_paper_on_leverage_scores_is_of_2019():
    for one in STATEMENTS:
        if one.id.startswith("leverage."):
            assert "Kolouri (2019)" in one.source


def test_lemma_1_of_the_slides_is_checked_on_bounded_features(context):
    statement = BY_ID["kitchen-sinks.lemma-1"]
    assert statement.expected == "holds"
    assert [one.run for one in statement.checks if one.form == "printed"] == [lemma_1.averages]
    cases = lemma_1._printed_cases(context(statement), kitchen_sinks.approximation)
    # Cosines, and constants of random sign: at most 1.
    assert {case.where["features"] for case in cases} == {"cosines", "signs"}
    assert r"\sup|\phi| \le 1" in statement.hypotheses


@pytest.mark.parametrize(
    "bound",
    [
        lemma_2.printed_at_near_points(),
        lemma_3_of_maxout.printed_at_near_points(),
        lemma_3_of_maxout.printed_at_near_points(0.5, 0.5),
        theorem_2_of_maxout.printed_at_near_points(),
        remark_2.printed_remark(
            radius=1e-6, loss_bound=1.0, delta=1e-4, m=10**10, n=10**4, scale=5e5
        ),
        remark_2.printed_remark(
            radius=1.0, loss_bound=1e-3, delta=0.01, m=200, n=10**12, scale=0.5
        ),
    ],
    ids=str,
)
def test_counterexamples_to_maxout_bounds_meet_the_printed_conditions(bound):
    assert bound.form == "printed"
    assert bound.unmet == ()
    assert 0 <= bound.value < bound.trivial
    assert bound.probability > 0
    assert lemma_2.POOL > 1  # the proof of Lemma 2 is for q > 1


def test_theorem_2_of_maxout_stands_over_the_box(context):
    statement = BY_ID["maxout.theorem-2"]
    assert theorem_2_of_maxout.over_the_box(context(statement)).status == "holds"
    assert "over the box, as stated" not in accused(statement, context)
    assert "Appendix B" in statement.ground


def test_the_distances_of_figure_1_are_ours_and_what_is_seen_is_true():
    texts = BY_ID["maxout.figure-1"]
    assert texts.expected == "holds"
    assert "a formula of ours" in texts.sections["What is wrong"]
    assert "What one sees is true" in texts.ground


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda one: one.id)
def test_every_statement_says_where_it_stands_and_what_it_assumes(statement):
    for text in (statement.place, statement.hypotheses, statement.ground):
        assert len(text) > 10
    printed = statement.copy == "printed"
    assert printed <= bool(re.search("source text, line", statement.place))
    assert (statement.copy == "none") == statement.place.startswith(("Ours", "A known", "Known"))


def test_what_is_lost_is_judged_as_restored():
    for one in STATEMENTS:
        forms = {check.form for check in one.checks}
        lost = one.copy == "lost" and bool(one.checks)
        assert ("restored" in forms) == lost
        assert lost == (one.expected in (RESTORED_HOLDS, RESTORED_REFUTED))
        assert bool(one.fails) == bool(one.cause) == (one.expected == RESTORED_REFUTED)
        assert bool(one.restored) == (one.copy == "lost")


def test_refutations_of_restored_forms_have_three_causes():
    causes = {one.cause for one in STATEMENTS if one.expected == RESTORED_REFUTED}
    assert len(causes) == 3
    thin = {one.id for one in STATEMENTS if one.thin}
    assert {"group-invariant.lemma-6", "group-invariant.theorem-5"} <= thin
