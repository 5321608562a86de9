"""Terms of the bounds for maxout features."""

import dataclasses
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mehler.proofs_checks.maxout.risk import lemma_2, lemma_3, lemma_4, remark_2, theorem_2
from mehler.proofs_checks.maxout.risk import sharper_risk as sharper_risk

from mehler.bounds import Bound, Term, maxout
from tests.proofs_checks.mutations._row import Row, of_term, of_terms, red, unseen

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
        terms = tuple(dataclasses.replace(term, value=seen * term.value) for term in right.terms)
        return dataclasses.replace(right, terms=terms)

    defect = {"by_dimension": smaller}
    change = f"times {seen:g}"
    return red(statement, "by dimension", change, check, **defect)


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
        right = maxout.supremum(**options)
        radius = options.get("radius", 1.0)
        under = (right["supremum"] / (4 * radius)) ** 2
        units = math.log(2 * options["n_features"] * options["pool_size"] / options["delta"])
        value = 4 * radius * math.sqrt(covering * (under - units) + union * units)
        return dataclasses.replace(right, terms=(Term("supremum", value),))

    return changed


def _supremum_rows() -> Iterator[Row]:
    for term, part in (("covering", "covering"), ("union over units and weights", "union")):
        fields = {"statement": "maxout.lemma-2", "term": f"paper's shape: {term}"}
        defect = {"by_dimension": supremum(**{part: 0.0})}
        yield Row(**fields, change="deleted", check=lemma_2.on_subspheres, defect=defect)
        yield Row(**fields, change="times 0.7", because=COVERING)


def _risk_rows(statement: str, check: Any) -> Iterator[Row]:
    return of_terms(
        statement,
        check,
        maxout.excess_risk,
        ("statistical", 0.1, "", SIGNS),
        ("confidence", 0.75),
        ("approximation", 0.5, "", HALF_NORMAL),
        where=with_probability,
    )


T2, L2, L3, L4 = "maxout.theorem-2", "maxout.lemma-2", "maxout.lemma-3", "maxout.lemma-4"
SHARPER = "maxout.sharper-risk"
NORMS = "by the sample's norms"
SHAPE = "paper's shape"
MEAN = "in expectation"
SUM = "Monte Carlo function"
ROWS = [
    *_risk_rows(SHARPER, sharper_risk.risk),
    *of_terms(
        SHARPER,
        sharper_risk.of_the_sample,
        maxout.excess_risk,
        # The confidence term, twice that of Theorem 2, covers a tenth of it in this instance.
        ("statistical", 0.01, f"statistical, {NORMS}", SIGNS),
        (
            *("confidence", 0.4, f"confidence, {NORMS}"),
            SIGNS + "; of the empirical complexity another half",
        ),
        ("approximation", 0.5, f"approximation, {NORMS}", HALF_NORMAL),
    ),
    *of_terms(SHARPER, sharper_risk.nearest, maxout.approximation, ("mean", 0.999,
        "mean square of centred units", "", in_expectation)),
    *_risk_rows(T2, theorem_2.tight),
    *of_terms(T2, theorem_2.tight, maxout.excess_risk, ("statistical", 0.12, f"{MEAN}: statistical",
        SIGNS), (*("approximation", 0.24, f"{MEAN}: approximation"),
        HALF_NORMAL + "; the mean of its positive part is 0.40 of a deviation"),
        where=in_expectation),
    *of_terms(T2, theorem_2.tight_paper, maxout.excess_risk, ("statistical", 0.1,
        f"{SHAPE}: statistical", SIGNS), ("confidence", 0.75, f"{SHAPE}: confidence"),
        ("approximation", 0.009, f"{SHAPE}: approximation", COVERING)),
    *_risk_rows("maxout.remark-2", remark_2.tight),
    *of_terms(L2, lemma_2.on_subspheres, maxout.supremum, ("mean", 0.96), ("confidence", 0.85)),
    *of_term(L2, "supremum", lemma_2.on_subspheres, maxout.supremum, keyword="by_dimension",
        least=0.33, because="of the factor 4 the covering uses 2 and the tails of lengths sqrt(2)",
        label=f"{SHAPE}: supremum"),
    *_supremum_rows(),
    *unseen(L3, SHRUNK, {"mean": "nearest function: mean"}),
    *of_terms(L3, lemma_3.tight, maxout.approximation, ("confidence", 0.45,
        "nearest function: confidence", HALF_NORMAL, of_nearest), ("mean", 0.99, "mean square", "",
        in_expectation), ("deviation", 0.3, f"{SUM}: deviation", MOMENTS, of_monte_carlo)),
    *of_terms(L3, lemma_3.bernstein, maxout.approximation, ("tail", 0.96, f"{SUM}: tail")),
    *unseen(L3, TRUNCATED, {"mean": f"{SHAPE}: mean", "confidence": f"{SHAPE}: confidence"}),
    whole(L3, lemma_3.tight, maxout.approximation, 0.035),
    *unseen(L4, SHRUNK, {"mean": "mean"}),
    *unseen(L4, TRUNCATED, {"mean": "by dimension: mean",
        "confidence": "by dimension: confidence"}),
    whole(L4, lemma_4.tight, maxout.approximation_risk, 0.011),
    *of_terms(L4, lemma_4.tight, maxout.approximation_risk, ("confidence", 0.45, "", HALF_NORMAL,
        of_nearest), ("mean", 0.79, f"{MEAN}: mean", "", in_expectation), ("deviation", 0.3,
        f"{SUM}: deviation", MOMENTS, of_monte_carlo)),
    *unseen(L4, "it is L times that of Lemma 3, which its inequality shows",
        {"tail": f"{SUM}: tail"}),
]  # fmt: skip
