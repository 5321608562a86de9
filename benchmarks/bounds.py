"""How far the proved maxout bounds are above what happens: every setting of the full level.

Excess risks, distances and suprema are drawn 20,000 times in each setting, and the bound that is
promised for them is divided by their quantile at the bound's own probability. Run:
python benchmarks/bounds.py
"""

from __future__ import annotations

import _harness
import numpy as np

from mehler.bounds import maxout
from mehler.statements import Context
from mehler.verify import Ledger, intervals
from proofs_checks.maxout import _risk_cases, lemma_2, lemma_3, lemma_4, remark_2, theorem_2

FALSE_ALARM = 1e-6


def context_of(statement):
    return Context(
        ledger=Ledger(budget=1e-6), level="full", seed=4, statement=statement.STATEMENT.id
    )


def families():
    """(statement, shape, cases) for every proved bound that holds with a probability."""
    yield "Lemma 2", "paper", lemma_2.suprema_cases(context_of(lemma_2), lemma_2.of_paper)
    yield (
        "Lemma 2",
        "dimension-free",
        lemma_2.suprema_cases(context_of(lemma_2), lemma_2.concentrated),
    )
    for shape, evaluate in (
        ("paper", lemma_3.paper_bound),
        ("dimension-free, Monte Carlo", lemma_3.monte_carlo_bound),
        ("dimension-free, nearest", lemma_3.nearest_bound),
    ):
        yield "Lemma 3", shape, lemma_3.distance_cases(context_of(lemma_3), evaluate)
    for shape, evaluate in (("paper", lemma_4.paper_bound), ("dimension-free", lemma_4.free_bound)):
        yield "Lemma 4", shape, lemma_4.added_cases(context_of(lemma_4), evaluate)
    for name, module, bound in (
        ("Theorem 2", theorem_2, maxout.theorem_2),
        ("Remark 2", remark_2, maxout.remark_2),
    ):
        draws = module.draws_of(context_of(module))
        for shape, evaluate in (
            ("paper", _risk_cases.paper_bound),
            ("dimension-free", _risk_cases.free_bound),
        ):
            yield name, shape, _risk_cases.risk_cases(draws, evaluate, bound)


def corners(cases):
    """Of each (d, q), the smallest and the largest sizes, at the smallest chance of failure."""
    kept = {}
    for case in cases:
        key = (case.where["d"], case.where["q"])
        size = (case.where["m"], case.where.get("N", 0))
        kept.setdefault(key, {}).setdefault(size, []).append(case)
    for sizes in kept.values():
        for size in sorted({min(sizes), max(sizes)}):
            yield min(sizes[size], key=lambda case: case.promised)


def main():
    rows, raw = [], []
    for statement, shape, cases in families():
        for case in corners(cases):
            drawn = np.asarray(case.drawn, dtype=float)
            _, high = intervals.binomial(case.violations, drawn.size, FALSE_ALARM)
            quantile = float(np.quantile(drawn, case.bound.probability))
            n = case.where.get("N")
            raw.append(
                {
                    "statement": statement,
                    "shape": shape,
                    **case.where,
                    "failure": case.promised,
                    "draws": drawn.size,
                    "violations": case.violations,
                    "upper": high,
                    "quantile": quantile,
                    "bound": case.bound.value,
                    "looseness": case.looseness,
                }
            )
            rows.append(
                [
                    statement,
                    shape,
                    *(f"{case.where[name]}" for name in ("d", "q", "m")),
                    "" if n is None else f"{n:,}",
                    f"{case.promised:.2g}",
                    f"{drawn.size:,}",
                    f"{case.violations} (at most {high:.2g})",
                    f"{quantile:.3g}",
                    f"{case.bound.value:.3g}",
                    f"{case.looseness:.3g}",
                ]
            )
    _harness.save(
        "bounds",
        "Proved maxout bounds against draws",
        [
            "statement",
            "shape",
            "d",
            "q",
            "m",
            "N",
            "chance of failure",
            "draws",
            f"violations (share, error rate {FALSE_ALARM:g})",
            "observed quantile",
            "bound",
            "bound / quantile",
        ],
        rows,
        raw,
    )


if __name__ == "__main__":
    main()
