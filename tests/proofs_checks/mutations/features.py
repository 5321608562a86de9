"""Terms of the bounds for any map."""

from __future__ import annotations

from typing import Any

from mehler.bounds import lower as lowest
from mehler.bounds import ridge as risks
from mehler.bounds import spectral
from proofs_checks.features import gram_error, lower, ridge
from tests.proofs_checks.mutations._row import Check, Row, of_term, times

GRAM, RIDGE = "features.gram-error", "features.ridge"

LOWER = "features.lower"


def larger(term: str, label: str, factor: float, check: Check, bound: Any) -> Row:
    """A lower bound that is too large."""
    return Row(
        statement=LOWER,
        term=label,
        change=f"times {factor:g}",
        check=check,
        defect={"bound": times(bound, term, factor)},
    )


ROWS = [
    larger("deviation", "one pair", 1.01, lower.one_pair, lowest.one_pair),
    larger("deviation", "all pairs", 1.1, lower.all_pairs, lowest.all_pairs),
    larger("deviation", "a set", 1.2, lower.uniform, lowest.uniform),
    larger("statistical", "the risk", 1.01, lower.risk, lowest.risk),
    larger("rank", "the spectral error", 1.01, lower.rank, lowest.gram_error),
    larger("approximation", "the nearest function", 1.1, lower.nearest, lowest.lemma_3),
    *of_term(
        GRAM,
        "deviation",
        gram_error.tight,
        spectral.gram_error,
        least=0.95,
        label="deviation, one feature for each row",
        where=lambda options: "leverage" in options,
    ),
    *of_term(
        GRAM,
        "deviation",
        gram_error.tight,
        spectral.gram_error,
        least=0.97,
        label="deviation, by sup",
        where=lambda options: "sup" in options,
    ),
    *of_term(
        GRAM,
        "deviation",
        gram_error.tight_without_bound,
        spectral.operator_error,
        least=0.65,
        because="a square is told there as the square of 1 and a normal length together",
        label="deviation, by lipschitz",
        where=lambda options: "lipschitz" in options,
    ),
    *of_term(
        GRAM,
        "deviation",
        gram_error.tight_without_bound,
        spectral.operator_error,
        least=0.99,
        label="deviation, by variance",
        where=lambda options: "variance" in options,
    ),
    *(
        row
        for term in ("bias", "variance", "features")
        for row in of_term(
            RIDGE,
            term,
            ridge.tight,
            risks.excess_risk,
            least=0.99,
            label=f"{term}, at the rows",
            where=lambda options: "design" not in options,
        )
    ),
    *of_term(
        RIDGE,
        "bias",
        ridge.tight,
        risks.excess_risk,
        least=0.99,
        label="bias, left out",
        where=lambda options: "design" in options,
    ),
    *of_term(
        RIDGE,
        "variance",
        ridge.tight,
        risks.excess_risk,
        least=0.38,
        because="1/(1 - h) is taken at the largest leverage h that one row alone may have",
        label="variance, left out",
        where=lambda options: "design" in options,
    ),
    Row(
        statement=RIDGE,
        term="features, left out",
        change="deleted",
        because="it is the product of a factor and an integral that are seen apart",
    ),
]
