"""Compare a bound that holds with a probability with the rate of violations in draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mehler.bounds import Bound
from mehler.statements import BoundCase, Evidence, Plot
from mehler.statements._evidence import Form


@dataclass(frozen=True, kw_only=True)
class Case:
    """Independent draws (n,) of a bounded quantity, with its bound and the setting `where`.

    Each draw is over all that the bound's probability is over. `lower` bounds the same quantile
    from below, where that is known.
    """

    drawn: Any
    bound: Bound
    where: Mapping[str, Any] = field(default_factory=dict)
    lower: Bound | None = None

    @property
    def promised(self) -> float:
        """Largest violation rate that the bound allows."""
        return 1 - self.bound.probability

    def held(self, false_alarm: float) -> BoundCase:
        """Return violations and looseness, with intervals."""
        return BoundCase.from_draws(
            self.drawn,
            bound=self.bound.value,
            probability=self.bound.probability,
            false_alarm=false_alarm,
            lower=None if self.lower is None else self.lower.value,
            where=self.where,
        )


def hold_bounds(
    cases: Sequence[Case],
    *,
    form: Form,
    claim: str,
    false_alarm: float,
    n_features: int,
    plots: tuple[Plot, ...] = (),
) -> Evidence:
    """Compare each case's violations with the promise of its bound, by binomial intervals.

    `false_alarm` is split evenly over the cases. Refuted if one violates its bound too often,
    inconclusive if one is open, else it holds; reported at the case nearest to its promise.
    """
    compared = [case.held(false_alarm / len(cases)) for case in cases]
    # The refuted ones first; among the others the one whose interval comes nearest its promise.
    refuted = [row for row in compared if row.promised < row.violation_interval[0]]
    worst = min(refuted or compared, key=lambda row: row.promised - row.violation_interval[1])
    loose = [row.ratio for row in compared]
    evidence = Evidence.bound_comparison(
        form=form,
        claim=(
            f"{claim}; {len(cases)} settings, bound over observed quantile "
            f"{min(loose):.3g} to {max(loose):.3g}"
        ),
        observed=worst.frequency,
        interval=worst.violation_interval,
        upper=worst.promised,
        false_alarm=false_alarm,
        n_features=n_features,
        method=f"Clopper-Pearson interval for violations in {worst.n_draws} draws",
        assumptions=("draws are independent",),
        plots=plots,
    )
    return replace(evidence, where=worst.where, cases=tuple(compared))
