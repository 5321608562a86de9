"""Sampling random features by leverage scores (Shahrampour, Kolouri 2019; Bach 2017).

One file a statement: what is printed, what is proved, the checks of both. Worlds in which leverage
has a closed form are in the files that begin with an underscore.
"""

from mehler.statements import Statement

from . import (
    algorithm_1,
    bach,
    definition_1,
    example_1,
    lemma_4,
    lemma_7,
    limits,
    score_identity,
    theorem_1,
    theorem_2,
)

# In the order of the paper.
STATEMENTS: tuple[Statement, ...] = tuple(
    module.STATEMENT
    for module in (
        definition_1,
        score_identity,
        algorithm_1,
        limits,
        theorem_1,
        example_1,
        theorem_2,
        lemma_4,
        bach,
        lemma_7,
    )
)

__all__ = ["STATEMENTS"]
