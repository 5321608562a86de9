"""Terms of the bounds for maxout features."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from typing import Any

from mehler.proofs_checks.maxout.risk import lemma_2, lemma_3, lemma_4, remark_2, theorem_2
from mehler.proofs_checks.maxout.risk import sharper_risk as sharper_risk

from mehler.bounds import Bound, Term, maxout
from tests.proofs_checks.mutations._row import Row, of_term

SIGNS = (
    "symmetrisation counts both signs of a deviation, and the step from the largest gap of the "
    "class to the excess of its minimiser keeps one of them; no instance is known in which both "
    "count"
)
HALF_NORMAL = (
    "the proof takes a size |g| for a 1-Lipschitz function of variance at most 1; it has "
    "1 - 2/pi, and no unit is known with more than 0.43 sigma^2(q)"
)
COVERING = "the covering of the inputs and the union over units pay more than they cost"
SHRUNK = (
    "the mean of a one-sided distance: wherever the distance concentrates about it, a function of "
    "the box is nearer than the Monte Carlo function of the proof"
)
MOMENTS = "Bernstein's moments (2 sigma + 1)^p p!/2 are above those of a normal variable"
TRUNCATED = (
    "M_delta alone is above all that happens: it grows with log(1/delta) as the deviation does"
)


def whole(statement: str, check: Any, bound: Callable[..., Bound], seen: float) -> Row:
    """A row of a bound by dimension as a whole, none of whose terms is seen alone."""

    def smaller(*sizes: Any, **options: Any) -> Bound:
        right = bound(*sizes, **options)
        terms = tuple(dataclasses.replace(one, value=seen * one.value) for one in right.terms)
        return dataclasses.replace(right, terms=terms)

    defect = {"by_dimension": smaller}
    change = f"times {seen:g}"
    return Row(statement=statement, term="by dimension", change=change, check=check, defect=defect)


def in_expectation(options: Mapping[str, Any]) -> bool:
    """Pick calls without a chance of failure."""
    return options.get("delta") is None


def with_probability(options: Mapping[str, Any]) -> bool:
    """Pick calls with a chance of failure."""
    return options.get("delta") is not None


def of_nearest(options: Mapping[str, Any]) -> bool:
    """Pick calls about the nearest function."""
    return with_probability(options) and "function" not in options


def of_monte_carlo(options: Mapping[str, Any]) -> bool:
    """Pick calls about the Monte Carlo function."""
    return options.get("function") == "monte-carlo"


def supremum(covering: float = 1.0, union: float = 1.0) -> Callable[..., Bound]:
    """Lemma 2 by dimension with other weights of what stands under its root."""

    def changed(**options: Any) -> Bound:
        right = maxout.supremum_by_dimension(**options)
        radius = options.get("radius", 1.0)
        under = (right["supremum"] / (4 * radius)) ** 2
        units = math.log(2 * options["n_features"] * options["pool_size"] / options["delta"])
        value = 4 * radius * math.sqrt(covering * (under - units) + union * units)
        return dataclasses.replace(right, terms=(Term("supremum", value),))

    return changed


def _supremum_rows() -> list[Row]:
    known = {"statement": "maxout.lemma-2", "check": lemma_2.on_subspheres}
    return [
        Row(
            **known,
            term="paper's shape: covering",
            change="deleted",
            defect={"by_dimension": supremum(covering=0.0)},
        ),
        Row(
            statement="maxout.lemma-2",
            term="paper's shape: covering",
            change="times 0.7",
            because=COVERING,
        ),
        Row(
            **known,
            term="paper's shape: union over units and weights",
            change="deleted",
            defect={"by_dimension": supremum(union=0.0)},
        ),
        Row(
            statement="maxout.lemma-2",
            term="paper's shape: union over units and weights",
            change="times 0.7",
            because=COVERING,
        ),
    ]


def _risk_rows(statement: str, check: Any, bound: Any) -> list[Row]:
    free = {"where": with_probability}
    return [
        *of_term(statement, "statistical", check, bound, least=0.1, because=SIGNS, **free),
        *of_term(statement, "confidence", check, bound, least=0.75, **free),
        *of_term(statement, "approximation", check, bound, least=0.5, because=HALF_NORMAL, **free),
    ]


T2 = "maxout.theorem-2"
SHARPER = "maxout.sharper-risk"
ROWS = [
    *_risk_rows(SHARPER, sharper_risk.risk, maxout.excess_risk),
    *(
        row
        for term, least, why in (
            # The confidence term, twice that of Theorem 2, covers a tenth of it in this instance.
            ("statistical", 0.01, SIGNS),
            ("confidence", 0.4, SIGNS + "; of the empirical complexity another half"),
            ("approximation", 0.5, HALF_NORMAL),
        )
        for row in of_term(
            SHARPER,
            term,
            sharper_risk.of_the_sample,
            maxout.excess_risk,
            least=least,
            because=why,
            label=f"{term}, by the sample's norms",
        )
    ),
    *of_term(
        SHARPER,
        "mean",
        sharper_risk.nearest,
        maxout.approximation,
        least=0.999,
        label="mean square of centred units",
        where=in_expectation,
    ),
    *_risk_rows(T2, theorem_2.tight, maxout.excess_risk),
    *of_term(
        T2,
        "statistical",
        theorem_2.tight,
        maxout.excess_risk,
        least=0.12,
        because=SIGNS,
        label="in expectation: statistical",
        where=in_expectation,
    ),
    *of_term(
        T2,
        "approximation",
        theorem_2.tight,
        maxout.excess_risk,
        least=0.24,
        because=HALF_NORMAL + "; the mean of its positive part is 0.40 of a deviation",
        label="in expectation: approximation",
        where=in_expectation,
    ),
    *of_term(
        T2,
        "statistical",
        theorem_2.tight_paper,
        maxout.excess_risk_by_dimension,
        least=0.1,
        because=SIGNS,
        label="paper's shape: statistical",
    ),
    *of_term(
        T2,
        "confidence",
        theorem_2.tight_paper,
        maxout.excess_risk_by_dimension,
        least=0.75,
        label="paper's shape: confidence",
    ),
    *of_term(
        T2,
        "approximation",
        theorem_2.tight_paper,
        maxout.excess_risk_by_dimension,
        least=0.009,
        because=COVERING,
        label="paper's shape: approximation",
    ),
    *_risk_rows("maxout.remark-2", remark_2.tight, maxout.excess_risk),
    *of_term("maxout.lemma-2", "mean", lemma_2.on_subspheres, maxout.supremum, least=0.96),
    *of_term("maxout.lemma-2", "confidence", lemma_2.on_subspheres, maxout.supremum, least=0.85),
    *of_term(
        "maxout.lemma-2",
        "supremum",
        lemma_2.on_subspheres,
        maxout.supremum_by_dimension,
        keyword="by_dimension",
        least=0.33,
        because="of the factor 4 the covering uses 2 and the tails of lengths sqrt(2)",
        label="paper's shape: supremum",
    ),
    *_supremum_rows(),
    *of_term("maxout.lemma-3", "mean", None, because=SHRUNK, label="nearest function: mean"),
    *of_term(
        "maxout.lemma-3",
        "confidence",
        lemma_3.tight,
        maxout.approximation,
        least=0.45,
        because=HALF_NORMAL,
        label="nearest function: confidence",
        where=of_nearest,
    ),
    *of_term(
        "maxout.lemma-3",
        "mean",
        lemma_3.tight,
        maxout.approximation,
        least=0.99,
        label="mean square",
        where=in_expectation,
    ),
    *of_term(
        "maxout.lemma-3",
        "deviation",
        lemma_3.tight,
        maxout.approximation,
        least=0.3,
        because=MOMENTS,
        label="Monte Carlo function: deviation",
        where=of_monte_carlo,
    ),
    *of_term(
        "maxout.lemma-3",
        "tail",
        lemma_3.bernstein,
        maxout.approximation,
        least=0.96,
        label="Monte Carlo function: tail",
    ),
    *of_term("maxout.lemma-3", "mean", None, because=TRUNCATED, label="paper's shape: mean"),
    *of_term(
        "maxout.lemma-3", "confidence", None, because=TRUNCATED, label="paper's shape: confidence"
    ),
    whole("maxout.lemma-3", lemma_3.tight, maxout.approximation_by_dimension, 0.035),
    *of_term("maxout.lemma-4", "mean", None, because=SHRUNK, label="mean"),
    *(
        row
        for term in ("mean", "confidence")
        for row in of_term(
            "maxout.lemma-4", term, None, because=TRUNCATED, label=f"by dimension: {term}"
        )
    ),
    whole("maxout.lemma-4", lemma_4.tight, maxout.approximation_risk_by_dimension, 0.011),
    *of_term(
        "maxout.lemma-4",
        "confidence",
        lemma_4.tight,
        maxout.approximation_risk,
        least=0.45,
        because=HALF_NORMAL,
        where=of_nearest,
    ),
    *of_term(
        "maxout.lemma-4",
        "mean",
        lemma_4.tight,
        maxout.approximation_risk,
        least=0.79,
        label="in expectation: mean",
        where=in_expectation,
    ),
    *of_term(
        "maxout.lemma-4",
        "deviation",
        lemma_4.tight,
        maxout.approximation_risk,
        least=0.3,
        because=MOMENTS,
        label="Monte Carlo function: deviation",
        where=of_monte_carlo,
    ),
    *of_term(
        "maxout.lemma-4",
        "tail",
        None,
        because="it is L times that of Lemma 3, which its inequality shows",
        label="Monte Carlo function: tail",
    ),
]
