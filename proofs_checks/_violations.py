"""Compare a bound that holds with a probability with the rate of violations in draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mehler.bounds import Bound
from mehler.statements import Evidence, Plot
from mehler.statements._evidence import Form
from mehler.verify import intervals


@dataclass(frozen=True, kw_only=True)
class Case:
    """Independent draws (n,) of a bounded quantity, with its bound and the setting `where`.

    Each draw is over all that the bound's probability is over.
    """

    drawn: Any
    bound: Bound
    where: Mapping[str, Any] = field(default_factory=dict)

    @property
    def promised(self) -> float:
        """Largest violation rate that the bound allows."""
        return 1 - self.bound.probability

    @property
    def violations(self) -> int:
        """Number of draws that exceed the bound."""
        return int(np.sum(np.asarray(self.drawn) > self.bound.value))

    @property
    def looseness(self) -> float:
        """Ratio of the bound to the sample quantile at the bound's own probability."""
        quantile = np.quantile(np.asarray(self.drawn, dtype=float), self.bound.probability)
        return float(self.bound.value / quantile)


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
    share = false_alarm / len(cases)
    found = []
    for case in cases:
        drawn = np.asarray(case.drawn, dtype=float)
        if not np.all(np.isfinite(drawn)):
            raise ValueError(f"a draw at {dict(case.where)} is not finite")
        found.append((case, *intervals.binomial(case.violations, drawn.size, share)))
    # The refuted ones first; among the others the one whose interval comes nearest its promise.
    refuted = [one for one in found if one[0].promised < one[1]]
    worst, low, high = min(refuted or found, key=lambda one: one[0].promised - one[2])
    loose = [case.looseness for case in cases]
    return Evidence.bound_comparison(
        form=form,
        claim=(
            f"{claim}; {len(cases)} settings, bound over observed quantile "
            f"{min(loose):.3g} to {max(loose):.3g}"
        ),
        observed=worst.violations / np.size(worst.drawn),
        interval=(low, high),
        upper=worst.promised,
        false_alarm=false_alarm,
        n_features=n_features,
        method=f"Clopper-Pearson interval for violations in {np.size(worst.drawn)} draws",
        assumptions=("draws are independent",),
        plots=plots,
    )
