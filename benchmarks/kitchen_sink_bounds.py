"""Bounds for weighted sums of random features against what was drawn: violations and looseness.

The settings are those of the statements' checks at level full, at least 10^4 draws each. Run:
python benchmarks/kitchen_sink_bounds.py
"""

from __future__ import annotations

import _harness
from mehler.proofs_checks._comparisons import Case
from mehler.proofs_checks.kitchen_sinks import estimation_lemma, lemma_1, risk_lemma, theorem

from mehler.statements import Context
from mehler.verify import Ledger

SEED = 0
FALSE_ALARM = 1e-6  # of each interval for a share of violations


def context(statement: str) -> Context:
    return Context(ledger=Ledger(budget=1e-6), level="full", seed=SEED, statement=statement)


def families() -> dict[str, list[Case]]:
    of = {
        module: context(f"kitchen-sinks.{name}")
        for module, name in ((lemma_1, "lemma-1"), (risk_lemma, "risk-lemma"), (theorem, "theorem"))
    }
    return {
        "Lemma 1": lemma_1.average_cases(of[lemma_1]),
        "Lemma 1, C E b": lemma_1.divided_cases(of[lemma_1]),
        "risk lemma": risk_lemma.cases(of[risk_lemma]),
        "estimation lemma": estimation_lemma.cases(context("kitchen-sinks.estimation-lemma")),
        "theorem, box": theorem.cases(of[theorem], "box"),
        "theorem, ball": theorem.cases(of[theorem], "ball"),
    }


def row(name: str, case: Case) -> tuple[list[str], dict[str, object]]:
    held = case.held(FALSE_ALARM)
    high = held.violation_interval[1]
    where = dict(case.where)
    moments = ", moments known" if where.pop("moments", "") else ""
    raw = {
        "bound_of": name,
        **where,
        "moments_known": bool(moments),
        "draws": held.n_draws,
        "violations": held.violations,
        "share_at_most": high,
        "promised": held.promised,
        "quantile": held.quantile,
        "bound": held.bound,
        "looseness": held.ratio,
    }
    assert held.n_draws >= 10_000
    assert high < held.promised, raw
    cells = [
        name,
        f"{where['features']}{moments}",
        *(f"{where[key]:,}" if key in where else "" for key in ("d", "K", "N")),
        f"{where['delta']:g}",
        f"{held.n_draws:,}",
        f"{held.violations:,}",
        f"{held.promised:.2g}",
        f"{held.quantile:.3g}",
        f"{held.bound:.3g}",
        f"{held.ratio:.3g}",
    ]
    return cells, raw


def main():
    found = [row(name, case) for name, cases in families().items() for case in cases]
    _harness.save(
        "kitchen_sink_bounds",
        "Bounds of Rahimi and Recht with explicit constants against draws, C = 1",
        [
            "bound",
            "features",
            "d",
            "K",
            "N",
            "delta",
            "draws",
            "violations",
            "promised share",
            "quantile",
            "value",
            "ratio",
        ],
        [cells for cells, _ in found],
        [raw for _, raw in found],
    )


if __name__ == "__main__":
    main()
