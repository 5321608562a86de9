"""How far the proved maxout bounds are above what happens: every setting of the full level.

Excess risks, distances and suprema are drawn 20,000 times in each setting, and the bound that is
promised for them is divided by their quantile at the bound's own probability. Run:
python benchmarks/bounds.py
"""

from __future__ import annotations

import _harness
from mehler.proofs_checks.maxout.risk import (
    _risks,
    lemma_2,
    lemma_3,
    lemma_4,
    remark_2,
    theorem_2,
)

from mehler.bounds import maxout
from mehler.statements import Context
from mehler.verify import Ledger

FALSE_ALARM = 1e-6


def context_of(name):
    return Context(ledger=Ledger(budget=1e-6), level="full", seed=4, statement=f"maxout.{name}")


def families():
    """(what is drawn, cases of the paper's shape, cases of the dimension-free one)."""
    sup = context_of("lemma-2")
    yield (
        "Lemma 2",
        lemma_2.suprema_cases(sup, lemma_2.of_paper, maxout.supremum),
        lemma_2.suprema_cases(sup, lemma_2.concentrated, maxout.supremum),
    )
    near = context_of("lemma-3")
    yield (
        "Lemma 3, Monte Carlo",
        lemma_3.distance_cases(near, lemma_3.paper_bound, maxout.approximation),
        lemma_3.distance_cases(near, lemma_3.monte_carlo_bound, maxout.approximation),
    )
    nearest = lemma_3.distance_cases(near, lemma_3.nearest_bound, maxout.approximation)
    yield "Lemma 3, nearest", [None] * len(nearest), nearest
    added = context_of("lemma-4")
    yield (
        "Lemma 4",
        lemma_4.added_cases(added, lemma_4.paper_bound, maxout.approximation_risk),
        lemma_4.added_cases(added, lemma_4.free_bound, maxout.approximation_risk),
    )
    covered, free = maxout.excess_risk, maxout.excess_risk
    for name, module in (("Theorem 2", theorem_2), ("Remark 2", remark_2)):
        draws = module.draws_of(context_of(module))
        yield (
            name,
            _risks.risk_cases(draws, _risks.paper_bound, covered),
            _risks.risk_cases(draws, _risks.free_bound, free),
        )


def corners(paper, free):
    """Of each (d, q), the smallest and the largest sizes, at the smallest chance of failure."""
    kept = {}
    for pair in zip(paper, free, strict=True):
        where = pair[1].where
        size = (where["m"], where.get("N", 0))
        kept.setdefault((where["d"], where["q"]), {}).setdefault(size, []).append(pair)
    for sizes in kept.values():
        for size in sorted({min(sizes), max(sizes)}):
            yield min(sizes[size], key=lambda pair: pair[1].promised)


def measured(name, shape, case):
    held = case.evaluate(FALSE_ALARM)
    return {
        "statement": name,
        "shape": shape,
        **held.where,
        "failure": held.promised,
        "draws": held.n_draws,
        "violations": held.violations,
        "upper": held.violation_interval[1],
        "quantile": held.quantile,
        "bound": held.bound,
        "looseness": held.ratio,
    }


def main():
    rows, raw = [], []
    for name, paper, free in families():
        for pair in corners(paper, free):
            both = [
                case and measured(name, shape, case)
                for shape, case in zip(("paper", "dimension-free"), pair)
            ]
            found = both[1]
            raw += [one for one in both if one]
            rows.append(
                [
                    name,
                    *(str(found[key]) for key in ("d", "q", "m")),
                    f"{found['N']:,}" if "N" in found else "",
                    f"{found['failure']:.2g}",
                    f"{found['quantile']:.3g}",
                    *(
                        f"{one['bound']:.3g} ({one['looseness']:.3g})" if one else ""
                        for one in reversed(both)
                    ),
                    " and ".join(str(one["violations"]) for one in reversed(both) if one),
                ]
            )
    _harness.save(
        "bounds",
        "Proved maxout bounds against 20,000 draws of each setting",
        [
            "drawn",
            "d",
            "q",
            "m",
            "N",
            "failure",
            "quantile",
            "dimension-free (ratio)",
            "paper's shape (ratio)",
            "violations",
        ],
        rows,
        raw,
    )


if __name__ == "__main__":
    main()
