"""Terms of the bounds for any map."""

from __future__ import annotations

from mehler.bounds import spectral
from proofs_checks.features import gram_error
from tests.proofs_checks.mutations._row import of_term

GRAM = "features.gram-error"

ROWS = [
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
]
