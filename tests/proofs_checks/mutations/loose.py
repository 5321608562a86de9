"""Constants whose checks draw, or compare, at a distance: what is seen of them, and why no more."""

import math
from collections.abc import Callable
from typing import Any

from mehler.proofs_checks.group_invariant.risk import lemma_5, lemma_6
from mehler.proofs_checks.leverage import bach, lemma_4

from tests.proofs_checks.mutations._row import Check, Row, blind, red
from tests.proofs_checks.mutations.other_bounds import CHERNOFF

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


ROWS = [
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
