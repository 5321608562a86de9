"""Group-invariant features (Mroueh, Voinea, Poggio 2015).

One file a statement: what is printed, what is proved, the checks of both. Worlds, rows and draws
that statements share are in the files that begin with an underscore.
"""

from mehler.statements import Statement

from .finite import elements, lemma_2, lemma_3, theorem_2, theorem_4
from .kernel import (
    corollary_1,
    energy_quotient,
    expectation,
    invariance,
    orbit_distance,
    remark_3,
    remark_4,
    rotations,
    theorem_1,
    theorem_1_limit,
    theorem_1_positive,
)
from .permutations import experiment
from .risk import (
    lemma_1,
    lemma_4,
    lemma_5,
    lemma_6,
    lemma_7,
    ridge_gain,
    sample_complexity,
    theorem_3,
    theorem_5,
)

# In the order of the paper.
STATEMENTS: tuple[Statement, ...] = tuple(
    module.STATEMENT
    for module in (
        expectation,
        invariance,
        theorem_1,
        theorem_1_limit,
        theorem_1_positive,
        lemma_2,
        lemma_3,
        orbit_distance,
        energy_quotient,
        remark_3,
        remark_4,
        theorem_2,
        elements,
        rotations,
        corollary_1,
        theorem_4,
        sample_complexity,
        ridge_gain,
        lemma_1,
        lemma_4,
        lemma_5,
        lemma_6,
        theorem_3,
        lemma_7,
        theorem_5,
        experiment,
    )
)

__all__ = ["STATEMENTS"]
