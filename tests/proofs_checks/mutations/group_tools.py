"""Terms of Theorem 1's parts and of the tools of the group-invariant paper."""

from __future__ import annotations

from proofs_checks.group_invariant.kernel import theorem_1, theorem_1_limit, theorem_1_positive
from proofs_checks.group_invariant.risk import lemma_7, theorem_5
from tests.proofs_checks.mutations._row import Row, of_term

G = "group-invariant"
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
]
