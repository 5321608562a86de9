"""Evidence, the result of a check of a statement (a theorem, say): status, numbers and plots."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from mehler._arrays import Array
from mehler._validate import (
    require_choice,
    require_flag,
    require_instance,
    require_integer,
    require_iterable,
    require_mapping,
    require_real,
    require_reals,
)
from mehler.verify import in_decimals, intervals

if TYPE_CHECKING:
    from mehler.verify import Verdict

# The form of a statement that a check is about: the formula as published; our reconstruction, where
# the source text has lost it; the version that is proved here.
Form = Literal["printed", "restored", "proved"]
Status = Literal["holds", "refuted", "inconclusive", "error"]
Relation = Literal["=", ">=", "<="]
Kind = Literal["line", "points", "band"]
FORMS: tuple[Form, ...] = get_args(Form)
# Fields that evidence takes from a verdict.
_OF_VERDICT = (
    *("check", "claim", "status", "observed", "exact", "interval", "n_features", "false_alarm"),
    *("method", "assumptions", "where", "reason"),
)
# Values of a bound that is compared with draws, in the order of `BoundCase.to_dict`.
_SHOWN = (
    *("n_draws", "violations", "frequency", "violation_interval", "promised", "bound"),
    *("quantile", "quantile_interval", "ratio", "ratio_interval", "lower", "ratio_to_lower"),
)


# Any sequence or array of numbers, stored as a tuple of floats.
Numbers: TypeAlias = Any


def _floats(name: str, values: Iterable[Any] | None) -> tuple[float, ...] | None:
    if values is None:
        return None
    array = require_reals(name, values, finite=False)
    if array.ndim != 1:
        raise ValueError(f"{name} must be a sequence of numbers, not of shape {array.shape}")
    return tuple(float(v) for v in array)


@dataclass(frozen=True, kw_only=True)
class Series:
    """One curve, cloud of points, or band of a plot.

    Parameters
    ----------
    label : str
        The name in the legend.
    x : sequence of float, length n
        Abscissae.
    y : sequence of float, length n
        Ordinates; may be omitted for a band, which has only its two edges.
    kind : {"line", "points", "band"}
        Points with ``y_low`` and ``y_high`` are drawn with error bars.
    y_low, y_high : sequence of float, length n, optional
        Ends of the intervals, in the units of ``y``.

    Examples
    --------
    >>> Series(label="kernel", x=[0, 1], y=[1, 2]).y
    (1.0, 2.0)
    """

    label: str
    x: Numbers
    y: Numbers | None = None
    kind: Kind = "line"
    y_low: Numbers | None = None
    y_high: Numbers | None = None

    def __post_init__(self) -> None:
        require_choice("kind", self.kind, get_args(Kind))
        if (self.y_low is None) != (self.y_high is None):
            raise ValueError(f"series {self.label!r} has only one of y_low and y_high: give both")
        if self.kind == "band" and self.y_low is None:
            raise ValueError(f"series {self.label!r} is a band: give y_low and y_high")
        if self.kind != "band" and self.y is None:
            raise ValueError(f"series {self.label!r} is of kind {self.kind!r}: give y")
        for name in ("x", "y", "y_low", "y_high"):
            values = _floats(name, getattr(self, name))
            object.__setattr__(self, name, values)
            if values is not None and len(values) != len(self.x):
                raise ValueError(
                    f"series {self.label!r}: {name} has {len(values)} values and x has "
                    f"{len(self.x)}; give as many of each"
                )


@dataclass(frozen=True, kw_only=True)
class Plot:
    """A plot as data: axes, series and a caption.

    Parameters
    ----------
    title, x_label, y_label : str
        Plain text.
    series : sequence of Series
        The series, in drawing order.
    x_log, y_log : bool
        Whether an axis is logarithmic; the series hold the values themselves.
    caption : str
        Plain text, also for screen readers.

    Examples
    --------
    >>> curve = Series(label="K", x=[-1, 1], y=[0, 1])
    >>> Plot(title="Kernel", x_label="rho", y_label="K", series=[curve]).series[0].label
    'K'
    """

    title: str
    x_label: str
    y_label: str
    series: Sequence[Series]
    caption: str = ""
    x_log: bool = False
    y_log: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "series", require_iterable("series", self.series))
        require_flag("x_log", self.x_log)
        require_flag("y_log", self.y_log)
        if not self.series:
            raise ValueError(f"plot {self.title!r} has no series: give at least one")


@dataclass(frozen=True, kw_only=True)
class BoundCase:
    r"""A probabilistic bound compared with draws: violations and looseness.

    Each interval misses with probability at most the `false_alarm` of `from_draws`. The ratio's
    lower end is at least 1 if and only if the violations' upper end is at most `promised`.

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
        drawn: Array,
        *,
        bound: float,
        probability: float,
        false_alarm: float,
        lower: float | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> BoundCase:
        """Count violations of a bound among independent draws (n,), and interpolate the quantile.

        The bound holds with `probability` or more; each interval misses with at most `false_alarm`.
        """
        values, point = np.asarray(drawn, dtype=float), dict(require_mapping("where", where or {}))
        if not np.all(np.isfinite(values)):
            raise ValueError(f"a draw at {point} is not finite")
        limit = require_real("bound", bound)
        ends = intervals.quantile(values, probability, false_alarm)
        violations = int(np.sum(values > limit))
        return cls(
            where=point,
            n_draws=values.size,
            violations=violations,
            violation_interval=intervals.binomial(violations, values.size, false_alarm),
            promised=in_decimals(operator.sub, 1.0, probability),
            bound=limit,
            quantile=float(np.quantile(values, probability)),
            quantile_interval=ends,
            lower=None if lower is None else require_real("lower", lower),
        )

    @property
    def frequency(self) -> float:
        """Fraction of draws that exceed the bound."""
        return self.violations / self.n_draws

    @property
    def ratio(self) -> float:
        """The bound over the sample quantile at its own probability."""
        return _over(self.bound, self.quantile)

    @property
    def ratio_interval(self) -> tuple[float, float]:
        """The bound over the endpoints of the quantile's interval."""
        low, high = self.quantile_interval
        return _over(self.bound, high), _over(self.bound, low)

    @property
    def ratio_to_lower(self) -> float | None:
        """The bound over the lower bound; None where none is known."""
        return None if self.lower is None else _over(self.bound, self.lower)

    def to_dict(self) -> dict[str, Any]:
        """Return fields and ratios, as they are in ``report.json``."""
        return {"where": dict(self.where), **{name: getattr(self, name) for name in _SHOWN}}


def _over(bound: float, value: float) -> float:
    """Return bound/value; at a value of at most 0: 1 if the bound is equal, inf above, 0 below."""
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
        the check, both set by the `Check`. ``"restored"`` is our reconstruction of a lost formula.
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
        require_choice("status", self.status, get_args(Status))
        require_choice("relation", self.relation, get_args(Relation))
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
        object.__setattr__(self, "cases", require_iterable("cases", self.cases))
        for i, case in enumerate(self.cases):
            require_instance(f"cases[{i}]", case, BoundCase)

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
    def from_verdict(cls, verdict: Verdict, **fields: Any) -> Evidence:
        """Convert a verdict of `mehler.verify`; `fields` replace its values.

        Its resolution and smallest detectable deviation, which are relative, are multiplied by its
        scale, the unit of what was observed.
        """
        values = {name: getattr(verdict, name) for name in _OF_VERDICT}
        for name in ("resolution", "detectable"):
            values[name] = getattr(verdict, name) * verdict.scale
        return cls(**{**values, "verdict": verdict, **fields})

    @classmethod
    def from_interval(
        cls,
        *,
        observed: float,
        interval: tuple[float, float],
        exact: float | None = None,
        lower: float | None = None,
        upper: float | None = None,
        resolution: float | None = None,
        method: str = "computed interval",
        **fields: Any,
    ) -> Evidence:
        """Compare a claim, ``truth = exact`` or ``lower <= truth <= upper``, with an interval.

        Refuted if no point of the interval agrees with the claim. A value holds if it is inside,
        bounds if they contain the interval; `exact` is the nearer one, `detectable` its width.

        Parameters
        ----------
        observed : float
            The computed or estimated value, inside the interval.
        interval : (float, float)
            Contains the truth: a certified ball, a value with its rounding bound, or measured.
        exact, lower, upper : float, optional
            The claimed value, or the claimed bounds, of which one is enough.
        resolution : float, optional
            Absolute; a wider interval that contains the claimed value is inconclusive.
        method, **fields
            As in the class.

        Examples
        --------
        >>> Evidence.from_interval(claim="the sum is 1", observed=0.9, exact=1.0,
        ...                        interval=(0.89, 0.91)).status
        'refuted'
        >>> Evidence.from_interval(claim="it is positive", observed=0.1, lower=0.0,
        ...                        interval=(-0.05, 0.15)).status
        'inconclusive'
        """
        low, high = _ends(interval)
        if not low <= high:
            raise ValueError(f"interval=({low}, {high}) is empty or NaN: give (low, high)")
        if (exact is None) == (lower is None and upper is None):
            raise ValueError("give the claimed value, exact=, or bounds of it, lower= or upper=")
        relation: Relation = "="
        if exact is not None:
            refuted = not low <= require_real("exact", exact) <= high
            decided = resolution is None or high - low <= resolution
        else:
            bottom = require_real("lower", -math.inf if lower is None else lower)
            top = require_real("upper", math.inf if upper is None else upper)
            refuted = high < bottom or top < low
            decided = bottom <= low and high <= top
            below = low - bottom <= top - high
            exact, relation = (bottom, ">=") if below else (top, "<=")
        status: Status = "refuted" if refuted else "holds" if decided else "inconclusive"
        return cls(
            status=status,
            observed=observed,
            exact=exact,
            relation=relation,
            interval=(low, high),
            resolution=resolution,
            detectable=high - low,
            method=method,
            **fields,
        )


def _ends(interval: tuple[float, ...]) -> tuple[float, float]:
    ends = require_iterable("interval", interval)
    if len(ends) != 2:
        raise ValueError(f"interval={interval!r} must be a pair (low, high)")
    return require_real("interval", ends[0]), require_real("interval", ends[1])
