"""A bound that holds with a probability, held against draws: how often is it violated?"""

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
    """Independent draws of a quantity beside the bound that is promised for it.

    Parameters
    ----------
    drawn : numpy.ndarray, shape (n,)
        The bounded quantity in independent draws of all that the bound's probability is over.
    bound : mehler.bounds.Bound
    where : mapping
        The setting, such as ``{"d": 3, "q": 8, "m": 50}``.
    """

    drawn: Any
    bound: Bound
    where: Mapping[str, Any] = field(default_factory=dict)

    @property
    def promised(self) -> float:
        """The largest share of violations that the bound allows."""
        return 1 - self.bound.probability

    @property
    def violations(self) -> int:
        """How many draws exceed the bound."""
        return int(np.sum(np.asarray(self.drawn) > self.bound.value))

    @property
    def looseness(self) -> float:
        """The bound over the quantile of what was drawn, at the bound's own probability."""
        quantile = np.quantile(np.asarray(self.drawn, dtype=float), self.bound.probability)
        return float(self.bound.value / quantile)


def hold_bounds(
    cases: Sequence[Case],
    *,
    form: Form,
    check: str,
    claim: str,
    false_alarm: float,
    n_features: int,
    plots: tuple[Plot, ...] = (),
) -> Evidence:
    """Compare the violations of each case with what its bound promises, by binomial intervals.

    Parameters
    ----------
    cases : sequence of Case
    false_alarm : float
        Chance that all this refutes true bounds; split evenly over the cases.
    n_features : int
        Features drawn for the worst case, to be reported.
    form, check, claim, plots
        For `Evidence`.

    Returns
    -------
    Evidence
        Refuted when one case violates its bound more often than promised, inconclusive when one
        leaves it open, else it holds; reported at the case whose promise is nearest.
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
        check=check,
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
