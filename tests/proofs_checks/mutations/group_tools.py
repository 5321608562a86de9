"""Terms of Theorem 1's parts and of the tools of the group-invariant paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mehler.bounds import Bound, group_invariant
from proofs_checks.group_invariant.kernel import theorem_1, theorem_1_limit, theorem_1_positive
from proofs_checks.group_invariant.risk import lemma_7, ridge_gain, theorem_5
from tests.proofs_checks.mutations._row import Check, Row, of_term, scaled

G = "group-invariant"


def of_gain(check: Check, risk: Callable[..., Bound], terms: tuple[str, str]) -> Iterator[Row]:
    """Both terms of an exact risk, for each place of the average."""
    for average in ("none", "after", "before"):

        def where(options: Mapping[str, Any], average: str = average) -> bool:
            return bool(options["average"] == average)

        for term in terms:
            yield from of_term(
                f"{G}.ridge-gain",
                term,
                check,
                risk,
                least=0.999,
                label=f"{term}, average {average}",
                where=where,
                keyword="risk",
            )


ROWS: list[Row] = [
    Row(
        statement=f"{G}.theorem-1-limit",
        term="rate of the deltas, 1/16",
        change="times 1.3",
        check=theorem_1_limit.vanish,
        defect={"rate": 1.3 / 16},
    ),
    Row(
        statement=f"{G}.theorem-1-limit",
        term="rate of the gap: the power d/2",
        change="times 1.1",
        check=theorem_1_limit.rate,
        defect={"power": 1.1},
    ),
    Row(
        statement=f"{G}.theorem-1-limit",
        term="rate of the gap: 1/(p sqrt(pi d))",
        change="times 0.51",
        check=theorem_1_limit.rate,
        defect={"factor": 0.51},
    ),
    Row(
        statement=f"{G}.theorem-1-limit",
        term="rate of the gap: 1/(p sqrt(pi d))",
        change="times 0.7",
        because="the proof compares d and d + 2 degrees of freedom, and d + 1 lies half way",
    ),
    Row(
        statement=f"{G}.theorem-1-positive",
        term="the sign of the distance",
        change="changed",
        check=theorem_1_positive.eigenvalues,
        defect={"kernels": (theorem_1.claimed("redraw", slope=-1.0),)},
    ),
    Row(
        statement=f"{G}.theorem-1-positive",
        term="least constant 4/pi",
        change="times 0.9999",
        check=theorem_1_positive.least_constant,
        defect={"factor": 0.9999},
    ),
    *of_term(f"{G}.lemma-7", "mean", lemma_7.tight, lemma_7.mean_bound, least=0.89),
    *of_term(f"{G}.lemma-7", "confidence", lemma_7.tight, lemma_7.mean_bound, least=0.84),
    *of_term(
        f"{G}.lemma-7",
        "mean",
        lemma_7.tight_moments,
        lemma_7.mean_bound,
        least=0.89,
        label="mean, the variance known",
    ),
    *of_term(
        f"{G}.theorem-5",
        "statistical",
        theorem_5.tight,
        theorem_5.class_bound,
        least=0.49,
        because="symmetrisation counts both signs of a deviation, labels by a coin one",
    ),
    *of_term(f"{G}.theorem-5", "confidence", theorem_5.tight, theorem_5.class_bound, least=0.96),
    Row(
        statement=f"{G}.ridge-gain",
        term="known lower bound",
        change="times 1.001",
        check=ridge_gain.known,
        defect={"bound": scaled(ridge_gain.of_kernel, 1.001)},
    ),
    *of_gain(ridge_gain.enumerated, group_invariant.ridge_risk, ("bias", "variance")),
    *of_gain(ridge_gain.least_squares, group_invariant.least_squares_risk, ("signal", "noise")),
    Row(
        statement=f"{G}.ridge-gain",
        term="spectrum of whole orbits",
        change="times 0.999",
        check=ridge_gain.whole_orbits,
        defect={"gain": scaled(ridge_gain.split_spectrum, 0.999)},
    ),
]
