"""Published forms: their formulas, evaluated by another route, and what is never clipped."""

import importlib
import json
import math
from pathlib import Path

import numpy as np
import pytest
from mehler.proofs_checks.leverage import _published as scores

from mehler.statements import discover
from tests.bounds.formulas import group_invariant as of_groups
from tests.bounds.formulas import kitchen_sinks as of_sinks
from tests.bounds.formulas import leverage as of_scores
from tests.bounds.formulas import maxout as of_maxout
from tests.bounds.latex import evaluate

# LaTeX of each term, by branch, as the pages have it.
FORMULAS = json.loads((Path(__file__).parent / "published.json").read_text())
SPACE = "n_inputs dimension diameter"
COVERED = f"n_features pool_size scale delta {SPACE} c1 c"
RISK = (
    f"n_features n_samples pool_size scale lipschitz delta {SPACE} loss_at_zero epsilon c_prime c"
)
SCORES = "n_scored ridge degrees_of_freedom delta feature_bound"
BALL = "n_features ridge degrees_of_freedom delta largest_ratio norm"
NEAR = "n_templates n_bins window scale delta n_elements"
WHOLE = {"n_elements": None}
ROWS = {
    "maxout.lemma_2": of_maxout.row(f"pool_size delta {SPACE} c1 c"),
    "maxout.lemma_3": of_maxout.row(COVERED),
    "maxout.lemma_4": of_maxout.row(f"lipschitz loss_bound {COVERED}"),
    "maxout.theorem_2": of_maxout.row(RISK),
    "maxout.remark_2": of_maxout.row(f"{RISK} radius loss_bound"),
    "leverage.proposition_6": of_scores.row(
        BALL, {"n_features": 10**7}, {"largest_ratio": None}, {"n_features": 3}
    ),
    "leverage.lemma_3": of_scores.row(SCORES, {}, {"n_scored": 2}),
    "leverage.corollary_5": of_scores.row(f"{SCORES} smallest", {}, {"n_scored": 2}),
    "kitchen_sinks.estimation_lemma": of_sinks.row("n_samples scale lipschitz delta loss_at_zero"),
    "kitchen_sinks.theorem": of_sinks.row("n_features n_samples scale lipschitz delta c"),
    "kitchen_sinks.greedy": of_sinks.row("n_features total_weight c"),
    "group_invariant.theorem_1": of_groups.row_of_bias(
        "n_inputs epsilon", {"side": "above"}, {"side": "below"}
    ),
    "group_invariant.theorem_2": of_groups.row(
        "n_templates n_bins n_rows delta window c1 n_elements c2",
        {},
        {"n_elements": None, "c2": None},
        {"n_templates": 10**9, "n_elements": 10**9},
    ),
    "group_invariant.lemma_4": of_groups.row(NEAR, {}, WHOLE),
    "group_invariant.theorem_3": of_groups.row_of_risk(
        f"n_samples lipschitz loss_at_zero {NEAR}", {}, WHOLE
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_formulas_are_the_values(name):
    paper, _, form = name.partition(".")
    function = getattr(importlib.import_module(f"mehler.proofs_checks.{paper}._published"), form)
    rng = np.random.default_rng(len(name))
    statements = {statement.id for statement in discover()}
    for branch, formulas in zip(ROWS[name].branches, FORMULAS[name], strict=True):
        for _ in range(8):
            arguments = {**ROWS[name].draw(rng), **branch}
            bound = function(**arguments)
            assert bound.statement in statements
            assert bound.form == "printed"
            assert {term.name for term in bound.terms} == formulas.keys()
            for term in bound.terms:
                formula, symbols = formulas[term.name], {**ROWS[name].symbols(arguments)}
                # Where a formula has cases, one of them.
                values = [evaluate(f, symbols) for f in ([formula], formula)[type(formula) is list]]
                expected = pytest.approx(term.value, rel=1e-9, nan_ok=True)
                assert any(value == expected for value in values), formula


def test_proposition_6_is_infinite_for_fewer_features():
    numbers = {"degrees_of_freedom": 6.0, "delta": 1e-3}
    size = scores.features_of_proposition_6(**numbers)
    assert size == math.ceil(30 * math.log(96e3))
    values = scores.proposition_6([size - 1, size], ridge=0.02, norm=3.0, **numbers).value
    assert values.tolist() == [math.inf, pytest.approx(0.72, rel=1e-14)]
