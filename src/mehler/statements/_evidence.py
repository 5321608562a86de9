"""Evidence: the measurement of one form of a statement, and its status."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from mehler._validate import require_integer, require_iterable, require_real
from mehler.statements._bound_case import BoundCase, bound_cases
from mehler.statements._plot import Plot

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


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The result of one check.

    A measured interval contains the truth with probability at least ``1 - false_alarm``, a
    computed one for certain (``false_alarm = 0``). The claim is refuted if the interval excludes
    ``exact``, the value claimed by the form.

    Parameters
    ----------
    form : {"printed", "restored", "proved"}
        The form of the statement that was checked; ``"restored"`` is a formula missing in the copy
        that was read, and reconstructed.
    check : str, optional
        Name of the check, set by the runner.
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

    See Also
    --------
    Evidence.from_verdict : Evidence of a statistical check.
    Evidence.exact_comparison : Evidence of a computed value.

    Examples
    --------
    >>> evidence = Evidence(form="proved", check="a", status="holds", claim="x is 1",
    ...                     observed=1.01, exact=1.0, interval=(0.98, 1.04))
    >>> round(evidence.margin, 6)
    0.02
    """

    form: Form
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

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise ValueError(f"form={self.form!r} is not one of {', '.join(FORMS)}")
        if self.status not in STATUSES:
            raise ValueError(f"status={self.status!r} is not one of {', '.join(STATUSES)}")
        if self.relation not in RELATIONS:
            raise ValueError(f"relation={self.relation!r} is not one of {', '.join(RELATIONS)}")
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
        form: Form,
        check: str | None = None,
        claim: str | None = None,
        plots: tuple[Plot, ...] = (),
    ) -> Evidence:
        """Convert a verdict of `mehler.verify`.

        Parameters
        ----------
        verdict : mehler.verify.Verdict
            The verdict.
        form : {"printed", "restored", "proved"}
            The form that was checked.
        check, claim : str, optional
            Replacements of those of the verdict.
        plots : tuple of Plot
            Plots for the page.

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
            **{name: getattr(verdict, name) for name in _OF_VERDICT},
        )

    @classmethod
    def exact_comparison(
        cls,
        *,
        form: Form,
        check: str = "",
        claim: str,
        observed: float,
        exact: float,
        interval: tuple[float, float],
        resolution: float | None = None,
        method: str = "computed interval",
        assumptions: tuple[str, ...] = (),
        plots: tuple[Plot, ...] = (),
    ) -> Evidence:
        """Compare a claimed value with a computed interval that contains the truth.

        Parameters
        ----------
        form, check, claim, method, assumptions, plots
            As in the class.
        observed : float
            The computed value, inside the interval.
        exact : float
            The value claimed by the form.
        interval : (float, float)
            An enclosure of the true value: a certified ball, or a value with its rounding bound.
        resolution : float, optional
            Absolute; a wider interval that contains the claim is inconclusive.

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
        low, high = _ends(interval)
        _ordered(low, high)
        status: Status
        if not low <= require_real("exact", exact) <= high:
            status = "refuted"
        elif resolution is not None and high - low > resolution:
            status = "inconclusive"
        else:
            status = "holds"
        return cls(
            form=form,
            check=check,
            status=status,
            claim=claim,
            observed=observed,
            exact=exact,
            interval=(low, high),
            resolution=resolution,
            detectable=high - low,
            method=method,
            assumptions=assumptions,
            plots=plots,
        )

    @classmethod
    def bound_comparison(
        cls,
        *,
        form: Form,
        check: str = "",
        claim: str,
        observed: float,
        interval: tuple[float, float],
        lower: float | None = None,
        upper: float | None = None,
        false_alarm: float = 0.0,
        n_features: int = 0,
        method: str = "computed interval",
        assumptions: tuple[str, ...] = (),
        plots: tuple[Plot, ...] = (),
    ) -> Evidence:
        """Compare a claimed bound, ``lower <= truth <= upper``, with an interval for the truth.

        Parameters
        ----------
        form, check, claim, false_alarm, n_features, method, assumptions, plots
            As in the class.
        observed : float
            The computed or estimated value.
        interval : (float, float)
            An interval for the true value.
        lower, upper : float, optional
            The claimed bounds; at least one.

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
        low, high = _ends(interval)
        _ordered(low, high)
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
            form=form,
            check=check,
            status=status,
            claim=claim,
            observed=observed,
            exact=bottom if below else top,
            relation=">=" if below else "<=",
            interval=(low, high),
            n_features=n_features,
            false_alarm=false_alarm,
            detectable=high - low,
            method=method,
            assumptions=assumptions,
            plots=plots,
        )


def _ends(interval: Any) -> tuple[float, float]:
    ends = require_iterable("interval", interval)
    if len(ends) != 2:
        raise ValueError(f"interval={interval!r} must be a pair (low, high)")
    return require_real("interval", ends[0]), require_real("interval", ends[1])


def _ordered(low: float, high: float) -> None:
    if not low <= high:
        raise ValueError(f"interval=({low}, {high}) is empty or NaN: give its ends as (low, high)")
