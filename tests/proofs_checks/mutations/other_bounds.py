"""Terms of the bounds for kitchen sinks, group-invariant features and leverage scores."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from mehler.proofs_checks.group_invariant.finite import elements, theorem_2, theorem_4
from mehler.proofs_checks.group_invariant.risk import lemma_4 as nearest
from mehler.proofs_checks.group_invariant.risk import lemma_5, lemma_6, theorem_3
from mehler.proofs_checks.kitchen_sinks import (
    estimation_lemma,
    greedy,
    lemma_1,
    risk_lemma,
    theorem,
)
from mehler.proofs_checks.leverage import algorithm_1, bach, corollary_5, lemma_4
from mehler.proofs_checks.maxout.risk import remark_2

from mehler.bounds import group_invariant, kitchen_sinks, leverage
from tests.proofs_checks.mutations._row import (
    Check,
    Row,
    blind,
    of_terms,
    red,
    scaled,
    unseen,
)
from tests.proofs_checks.mutations.maxout_bounds import SIGNS

HALVES = (
    "the proof takes a distance in a Hilbert space, of diameter 2 s C, for what is one-sided and "
    "varies by half of it"
)
BINS = (
    "weights that are means over cells err by this much on one side only, and the box then holds "
    "a nearer function: half as far from two rows that share a cell"
)
ONE_STEP = (
    "McDiarmid's steps are as long as if an element changed every maximum by all of its range; "
    "half of them is what a line has"
)
CHERNOFF = "the matrix Chernoff bound counts dimensions, and both Loewner orders"


def templates(law: str) -> Callable[[Mapping[str, Any]], bool]:
    """Pick calls with the Lipschitz form and this law of templates."""
    return lambda options: options.get("n_inputs") is not None and options["templates"] == law


def from_the_range(options: Mapping[str, Any]) -> bool:
    """Pick calls that know nothing but the range."""
    return options.get("n_inputs") is None


DRAWN_SLOWLY = "the proof bounds the worst function and loss; those drawn are not near them"


def fewer(features: Callable[..., int], factor: float) -> Callable[..., int]:
    """A share of the features that the proposition asks for."""
    return lambda **options: max(1, math.ceil(factor * features(**options)))


def seen(
    statement: str, term: str, change: str, check: Check, because: str, **defect: Any
) -> list[Row]:
    """A row for what is seen, and one for a change by 0.7."""
    return [
        red(statement, term, change, check, **defect),
        blind(statement, term, "times 0.7", because),
    ]


K, G, L = "kitchen-sinks", "group-invariant", "leverage"
ROWS: list[Row] = [
    *(blind(f"{G}.theorem-1", f"distance from s - d_G: {term}", "deleted",
        "the checks compare the exact kernel; its distance at the worst d_G is held by "
        "tests/bounds/test_group_invariant.py") for term in ("slope", "mass")),
    red(f"{L}.algorithm-1", "variance: 1/eta", "times 0.97", algorithm_1.second_moment,
        factor=lambda mix: 0.97 / mix),
    red("maxout.remark-2", "published factor: a loss of range 2 B", "times 1.05",
        remark_2.factor_is_enough, loss_range=2.1),
    red("maxout.remark-2", "second part: log of the number of points", "another power",
        remark_2.finite_sets, dimension=math.sqrt),
    red("maxout.remark-2", "second part: sigma^2 N features", "times 0.7", remark_2.by_the_repair,
        features=lambda n, q: 0.7 * remark_2.features_by_the_repair(n, q)),
    *of_terms(f"{K}.lemma-1", lemma_1.tight, kitchen_sinks.approximation, ("mean", 0.89),
        ("confidence", 0.84)),
    *of_terms(f"{K}.risk-lemma", risk_lemma.tight, kitchen_sinks.approximation_risk,
        ("approximation", 0.9)),
    *of_terms(f"{K}.estimation-lemma", estimation_lemma.tight, kitchen_sinks.generalisation_gap,
        (*("statistical", 0.34, ""),
        "symmetrisation counts both signs of a deviation, labels by a coin one"), ("confidence",
        0.76)),
    *unseen(f"{K}.theorem",
        "functions of the class are at most C, so that the confidence term, which is "
        "stated with it, is above what any number of features memorises, 0.12 of the statistical "
        "term in the mean; " + SIGNS, {"statistical": "statistical"}),
    *of_terms(f"{K}.theorem", theorem.tight, kitchen_sinks.excess_risk, ("confidence", 0.8),
        (*("approximation", 0.42, ""),
        "the proof bounds features in [-C, C]; a box falls short only where their sizes "
        "vary, by C/2 at most")),
    red(f"{K}.greedy", "approximation", "times 0.7", greedy.rate,
        bound=scaled(kitchen_sinks.approximation_greedy, 0.7, "approximation")),
    *of_terms(
        f"{G}.elements",
        elements.tight,
        group_invariant.kernel_change_elements,
        (
            *("elements", 0.999, "elements, in the mean", ""),
            lambda options: options.get("delta") is None,
        ),
        # In the instance of 10^-250: 2 normal tails, z^2 over 2 log(2/delta), 0.99.
        (
            *("elements", 0.99, "elements, independent", ""),
            lambda options: options.get("delta") and options.get("group_order") is None,
        ),
        (
            *("elements", 0.88, "elements, distinct, by the range", ""),
            lambda options: options.get("delta") and options.get("group_order"),
        ),
        (
            *("elements", 0.73, "elements, distinct, by the spread", ""),
            lambda options: options.get("radius", 1.0) > 1.0,
        ),
    ),
    *of_terms(f"{G}.theorem-2", theorem_2.tight, group_invariant.kernel_error, ("binning", 0.99, "",
        "", lambda options: options.get("rule", "paper") == "paper"), (*("binning", 0.99,
        "binning, midpoints", ""), lambda options: options.get("rule") == "midpoint"), ("templates",
        0.95, "templates, from the range", "", from_the_range), ("templates", 0.95,
        "templates, Lipschitz, sphere", "", templates("sphere")), ("templates", 0.95,
        "templates, Lipschitz, gaussian", "", templates("gaussian"))),
    red(f"{G}.theorem-2", "elements", "deleted", theorem_2.tight,
        bound=scaled(group_invariant.kernel_error, 0.0, "elements")),
    *of_terms(f"{G}.theorem-2", theorem_2.given_templates, group_invariant.kernel_error,
        (*("elements", 0.65, "elements, independent, given templates", ONE_STEP),
        lambda options: options.get("group_order") is None), (*("elements", 0.63,
        "elements, distinct, given templates", ONE_STEP),
        lambda options: options.get("group_order") is not None)),
    *unseen(f"{G}.theorem-3",
        "functions of the class lie in a range that the confidence term pays for, 0.08 of "
        "the statistical term in the mean on one orbit; " + SIGNS, {"statistical": "statistical"}),
    *of_terms(f"{G}.theorem-3", theorem_3.tight, group_invariant.excess_risk, (*("confidence", 0.46,
        ""), "functions are bounded by 2 s C; those of the instance reach s C"), ("templates", 0.48,
        "", HALVES), ("elements", 0.12, "",
        HALVES + "; and the risk on the whole space is paid for apart"), ("binning", 0.49, "",
        BINS)),
    *of_terms(f"{G}.theorem-4", theorem_4.tight, group_invariant.cdf_error, ("confidence", 0.99)),
    *of_terms(f"{G}.lemma-4", nearest.tight, group_invariant.approximation, ("templates", 0.48, "",
        HALVES), ("elements", 0.48, "", HALVES), ("binning", 0.49, "", BINS)),
    *of_terms(f"{L}.bach", bach.tight, leverage.approximation, ("approximation", 0.99)),
    red(f"{L}.bach", "number of features, proved", "times 0.98", bach.tight, bound=lambda m,
        **known: leverage.approximation(round(m / 0.98), **known)),
    *of_terms(f"{L}.corollary-5", corollary_5.tight_scores, leverage.score_error, ("estimation",
        0.4, "error of the scores", CHERNOFF), keyword="error"),
    *of_terms(f"{L}.corollary-5", corollary_5.tight_probabilities, leverage.probability_error,
        (*("estimation", 0.09, "error of the probabilities"),
        CHERNOFF + "; the sum over the pool takes the worst sign for each score"), keyword="error"),
    *unseen(f"{L}.corollary-5",
        "Theorem D joins Bach's proposition twice and symmetrisation; each has rows "
        "of its own, and no instance is computed for the sum",
        {"approximation": "risk: approximation", "statistical": "risk: statistical"}),
    red("leverage.bach", "number of features, proved, at 4 ridge", "times 0.2", bach.proved,
        features=fewer(bach.as_proved, 0.2)),
    *seen("leverage.bach", "number of features, restored", "times 0.1", bach.restored,
        CHERNOFF + "; the proved number is smaller already", features=fewer(bach.as_restored, 0.1)),
    *seen("leverage.lemma-4", "the last step", "times 2", lemma_4.last_step,
        "the step is a chain of inequalities of which one is an equality at a time", factor=2.0),
    *seen("group-invariant.lemma-5", "risk over distance", "times 3", lemma_5.risks, DRAWN_SLOWLY,
        factor=3.0),
    *seen("group-invariant.lemma-6", "Rademacher complexity", "times 0.1", lemma_6.rademacher,
        DRAWN_SLOWLY, window=lemma_6.WINDOW / 10),
]  # fmt: skip
