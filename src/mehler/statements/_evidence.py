"""Evidence: the measurement of one form of a statement, its status, and bounds beside draws."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from mehler._validate import (
    require_choice,
    require_instance,
    require_integer,
    require_iterable,
    require_mapping,
    require_real,
)
from mehler.statements._plot import Plot
from mehler.verify import intervals

if TYPE_CHECKING:
    from mehler.verify import Verdict

Form = Literal["printed", "restored", "proved"]
Status = Literal["holds", "refuted", "inconclusive", "error"]
Relation = Literal["=", ">=", "<="]
FORMS = ("printed", "restored", "proved")
STATUSES = ("holds", "refuted", "inconclusive", "error")
RELATIONS = ("=", ">=", "<=")
_OF_VERDICT = (
    *("status", "observed", "exact", "interval", "n_features", "false_alarm", "method"),
    *("assumptions", "where", "reason"),
)
# What is shown of a bound beside draws, in this order.
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


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The result of one check.

    A measured interval contains the truth with probability at least ``1 - false_alarm``, a
    computed one for certain (``false_alarm = 0``). The claim is refuted if the interval excludes
    ``exact``, the value claimed by the form.

    Parameters
    ----------
    form, check : str, optional
        The form of the statement, ``"printed"``, ``"restored"`` or ``"proved"``, and the name of
        the check, both set by the `Check`. ``"restored"`` is a formula that the copy which was read
        has lost, and its reconstruction.
    status : {"holds", "refuted", "inconclusive", "error"}
        The outcome; ``"error"`` if the check raised.
    claim : str
        The claim in one sentence, plain text or with ``$math$``.
    observed, exact : float, optional
        The measured and the claimed value, at the worst point.
    relation : {"=", ">=", "<="}
        Relation of the truth to `exact` in the claim.
    interval : (float, float), optional
        Confidence interval, or computed enclosure, of the truth.
    n_features : int
        Feature products used; 0 for a computation.
    false_alarm : float
        Probability that this check refutes a true claim.
    resolution : float, optional
        The smallest deviation that must not be missed.
    detectable : float, optional
        The smallest deviation that would have been detected.
    method : str
        Name of the interval's construction.
    assumptions : tuple of str
        Assumptions under which the interval is valid.
    seed : int, optional
        Seed of the run, set by the runner.
    replay : str
        The command that repeats the check, set by the runner.
    where : mapping
        The worst point: row indices, correlation, pool size.
    reason : str
        Why an inconclusive check is undecided.
    plots : tuple of Plot
        Plots for the page.
    cases : tuple of BoundCase
        Of a bound that was compared with draws: violations and looseness, one for each setting.
    verdict : Verdict, optional
        The verdict that was converted, for its certificate; not part of the JSON.

    Examples
    --------
    >>> evidence = Evidence(form="proved", check="a", status="holds", claim="x is 1",
    ...                     observed=1.01, exact=1.0, interval=(0.98, 1.04))
    >>> round(evidence.margin, 6)
    0.02
    """

    form: Form | Literal[""] = ""
    check: str = ""
    status: Status
    claim: str
    observed: float | None = None
    exact: float | None = None
    relation: Relation = "="
    interval: tuple[float, float] | None = None
    n_features: int = 0
    false_alarm: float = 0.0
    resolution: float | None = None
    detectable: float | None = None
    method: str = ""
    assumptions: tuple[str, ...] = ()
    seed: int | None = None
    replay: str = ""
    where: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    plots: tuple[Plot, ...] = ()
    cases: tuple[BoundCase, ...] = ()
    verdict: Verdict | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_choice("form", self.form, (*FORMS, ""))
        require_choice("status", self.status, STATUSES)
        require_choice("relation", self.relation, RELATIONS)
        for name in ("observed", "exact", "resolution", "detectable"):
            value = getattr(self, name)
            object.__setattr__(self, name, None if value is None else require_real(name, value))
        if self.interval is not None:
            object.__setattr__(self, "interval", _ends(self.interval))
        object.__setattr__(
            self, "n_features", require_integer("n_features", self.n_features, least=0)
        )
        object.__setattr__(self, "false_alarm", require_real("false_alarm", self.false_alarm))
        object.__setattr__(self, "assumptions", require_iterable("assumptions", self.assumptions))
        object.__setattr__(self, "plots", require_iterable("plots", self.plots))
        object.__setattr__(self, "cases", bound_cases(require_iterable("cases", self.cases)))

    @property
    def margin(self) -> float | None:
        """Distance of the interval from contradicting the claim; negative if it contradicts it.

        For a claimed value, its distance to the nearer end of the interval; for a claimed bound,
        the distance of the whole interval from the bound.
        """
        if self.interval is None or self.exact is None:
            return None
        low, high = self.interval
        room = {
            "=": min(self.exact - low, high - self.exact),
            ">=": low - self.exact,
            "<=": self.exact - high,
        }[self.relation]
        return room if math.isfinite(room) else None

    @classmethod
    def from_verdict(
        cls,
        verdict: Verdict,
        *,
        form: Form | Literal[""] = "",
        check: str | None = None,
        claim: str | None = None,
        plots: tuple[Plot, ...] = (),
    ) -> Evidence:
        """Convert a verdict of `mehler.verify`.

        Parameters
        ----------
        verdict : mehler.verify.Verdict
            The verdict.
        form, plots
            As in the class.
        check, claim : str, optional
            Replacements of those of the verdict.

        Returns
        -------
        Evidence
            In the units of what was observed: the verdict's relative resolution and smallest
            detectable deviation are multiplied by its scale.
        """
        return cls(
            form=form,
            check=verdict.check if check is None else check,
            claim=verdict.claim if claim is None else claim,
            resolution=verdict.resolution * verdict.scale,
            detectable=verdict.detectable * verdict.scale,
            plots=plots,
            verdict=verdict,
            **{name: getattr(verdict, name) for name in _OF_VERDICT},
        )

    @classmethod
    def exact_comparison(
        cls,
        *,
        observed: float,
        exact: float,
        interval: tuple[float, float],
        resolution: float | None = None,
        method: str = "computed interval",
        **fields: Any,
    ) -> Evidence:
        """Compare a claimed value with a computed interval that contains the truth.

        Parameters
        ----------
        observed : float
            The computed value, inside the interval.
        exact : float
            The value claimed by the form.
        interval : (float, float)
            An enclosure of the true value: a certified ball, or a value with its rounding bound.
        resolution : float, optional
            Absolute; a wider interval that contains the claim is inconclusive.
        method, **fields
            As in the class.

        Returns
        -------
        Evidence
            With ``false_alarm = 0`` and ``detectable`` the interval's width.

        Examples
        --------
        >>> Evidence.exact_comparison(form="printed", check="sum", claim="the sum is 1",
        ...                           observed=0.9, exact=1.0, interval=(0.89, 0.91)).status
        'refuted'
        """
        low, high = _ordered(interval)
        status: Status
        if not low <= require_real("exact", exact) <= high:
            status = "refuted"
        elif resolution is not None and high - low > resolution:
            status = "inconclusive"
        else:
            status = "holds"
        return cls(
            status=status,
            observed=observed,
            exact=exact,
            interval=(low, high),
            resolution=resolution,
            detectable=high - low,
            method=method,
            **fields,
        )

    @classmethod
    def bound_comparison(
        cls,
        *,
        observed: float,
        interval: tuple[float, float],
        lower: float | None = None,
        upper: float | None = None,
        method: str = "computed interval",
        **fields: Any,
    ) -> Evidence:
        """Compare a claimed bound, ``lower <= truth <= upper``, with an interval for the truth.

        Parameters
        ----------
        observed : float
            The computed or estimated value.
        interval : (float, float)
            An interval for the true value.
        lower, upper : float, optional
            The claimed bounds; at least one.
        method, **fields
            As in the class.

        Returns
        -------
        Evidence
            It holds if the whole interval is within the bounds, is refuted if no point of it is,
            and is inconclusive otherwise; ``exact`` is the bound nearer to the interval.

        Examples
        --------
        >>> Evidence.bound_comparison(form="proved", check="sign", claim="it is positive",
        ...                           observed=0.1, interval=(0.05, 0.15), lower=0.0).status
        'holds'
        """
        low, high = _ordered(interval)
        if lower is None and upper is None:
            raise ValueError("neither lower nor upper is given: give the bound that is claimed")
        bottom = -math.inf if lower is None else require_real("lower", lower)
        top = math.inf if upper is None else require_real("upper", upper)
        status: Status
        if bottom <= low and high <= top:
            status = "holds"
        elif high < bottom or top < low:
            status = "refuted"
        else:
            status = "inconclusive"
        below = low - bottom <= top - high
        return cls(
            status=status,
            observed=observed,
            exact=bottom if below else top,
            relation=">=" if below else "<=",
            interval=(low, high),
            detectable=high - low,
            method=method,
            **fields,
        )


def _ends(interval: Any) -> tuple[float, float]:
    ends = require_iterable("interval", interval)
    if len(ends) != 2:
        raise ValueError(f"interval={interval!r} must be a pair (low, high)")
    return require_real("interval", ends[0]), require_real("interval", ends[1])


def _ordered(interval: Any) -> tuple[float, float]:
    low, high = _ends(interval)
    if not low <= high:
        raise ValueError(f"interval=({low}, {high}) is empty or NaN: give its ends as (low, high)")
    return low, high
