"""A bound at one setting, beside independent draws of what it bounds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mehler._validate import require_instance, require_mapping, require_real
from mehler.verify import intervals

_SHOWN = (
    *("n_draws", "violations", "frequency", "violation_interval", "promised", "bound"),
    *("quantile", "quantile_interval", "ratio", "ratio_interval", "lower", "ratio_to_lower"),
)


@dataclass(frozen=True, kw_only=True)
class BoundCase:
    r"""A bound that holds with a probability, beside draws: violations and looseness.

    Each interval misses with probability at most the `false_alarm` of `from_draws`. The ratio's
    lower end is at least 1 if the violations' upper end is at most the promise, and only then.

    Parameters
    ----------
    where : mapping
        The setting.
    n_draws, violations : int
        Independent draws, and those that exceed the bound.
    violation_interval : (float, float)
        Clopper-Pearson interval for the probability of a violation.
    promised : float
        The largest probability of a violation that the bound allows.
    bound : float
        Value of the bound.
    quantile : float
        The sample quantile at ``1 - promised``.
    quantile_interval : (float, float)
        Interval for the quantile, by order statistics.
    lower : float, optional
        A proved lower bound of the same quantile, which no valid bound is under.

    See Also
    --------
    BoundCase.from_draws : From the draws themselves.
    Evidence : Has one for each setting of its check.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = np.abs(np.random.default_rng(0).standard_normal(20_000))
    >>> case = BoundCase.from_draws(drawn, bound=3.0, probability=0.95, false_alarm=1e-3)
    >>> case.violations, round(case.ratio, 2), [round(end, 2) for end in case.ratio_interval]
    (55, 1.54, [1.51, 1.58])
    """

    where: Mapping[str, Any] = field(default_factory=dict)
    n_draws: int
    violations: int
    violation_interval: tuple[float, float]
    promised: float
    bound: float
    quantile: float
    quantile_interval: tuple[float, float]
    lower: float | None = None

    @classmethod
    def from_draws(
        cls,
        drawn: Any,
        *,
        bound: float,
        probability: float,
        false_alarm: float,
        lower: float | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> BoundCase:
        """Count violations and measure the quantile.

        Parameters
        ----------
        drawn : array, shape (n,)
            Independent draws of what is bounded, over all that the probability is over.
        bound, probability : float
            The bound, and the least probability with which it holds.
        false_alarm : float
            Largest probability that an interval misses, of each of the two.
        lower, where
            As in the class.

        Returns
        -------
        BoundCase
            With a sample quantile that is interpolated between draws.

        Raises
        ------
        TypeError, ValueError
            If the draws are not a vector of finite numbers, or a number is out of range.
        """
        values, at = np.asarray(drawn, dtype=float), dict(require_mapping("where", where or {}))
        if not np.all(np.isfinite(values)):
            raise ValueError(f"a draw at {at} is not finite")
        limit = require_real("bound", bound)
        ends = intervals.quantile(values, probability, false_alarm)
        violations = int(np.sum(values > limit))
        return cls(
            where=at,
            n_draws=values.size,
            violations=violations,
            violation_interval=intervals.binomial(violations, values.size, false_alarm),
            promised=1 - probability,
            bound=limit,
            quantile=float(np.quantile(values, probability)),
            quantile_interval=ends,
            lower=None if lower is None else require_real("lower", lower),
        )

    @property
    def frequency(self) -> float:
        """Share of draws that exceed the bound."""
        return self.violations / self.n_draws

    @property
    def ratio(self) -> float:
        """The bound over the sample quantile at its own probability."""
        return _over(self.bound, self.quantile)

    @property
    def ratio_interval(self) -> tuple[float, float]:
        """The bound over the ends of the quantile's interval."""
        low, high = self.quantile_interval
        return _over(self.bound, high), _over(self.bound, low)

    @property
    def ratio_to_lower(self) -> float | None:
        """The bound over the lower bound; None where none is known."""
        return None if self.lower is None else _over(self.bound, self.lower)

    def to_dict(self) -> dict[str, Any]:
        """Return fields and ratios, as they are in ``report.json``."""
        found = {name: getattr(self, name) for name in _SHOWN}
        return {"where": dict(self.where), **found}


def bound_cases(values: tuple[Any, ...]) -> tuple[BoundCase, ...]:
    """Return the cases, or raise TypeError for what is none."""
    return tuple(require_instance(f"cases[{i}]", one, BoundCase) for i, one in enumerate(values))


def _over(bound: float, value: float) -> float:
    """Return bound/value; of no deviation at all 1, infinity or 0: as large, larger or less."""
    if value > 0:
        return bound / value
    return 1.0 if bound == value else math.inf if bound > value else 0.0
