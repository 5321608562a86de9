"""Options of checks, validators of arguments, and the `Ledger`, a budget of false alarms.

A false alarm is a true claim that a check refutes; `false_alarm` bounds its probability. Each
evaluation of a check, a *look*, pays it to the ledger before anything is drawn.
"""

from __future__ import annotations

import functools
import inspect
import math
import operator
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any, TypedDict, TypeVar

import numpy as np

from mehler import _run_seed
from mehler._arrays import Array, is_array, to_host
from mehler._plural import counted
from mehler._validate import (
    require_integer,
    require_names,
    require_positive,
    require_probability,
    require_real,
    require_reals,
    require_text,
)
from mehler.verify._verdict import Verdict, is_failure, require

__tracebackhide__, __unittest = is_failure, True


def in_decimals(operation: Callable[..., Decimal], *rates: float) -> float:
    """Apply an operation to error rates in decimal arithmetic, so that 0.9 * 0.05 is 0.045."""
    return float(operation(*(Decimal(repr(float(rate))) for rate in rates)))


_plus = functools.partial(in_decimals, operator.add)
MOST_SAMPLES = 2**53  # counts of samples that are exact as floats


def require_resolution(name: str, value: float) -> float:
    """Return a resolution for which the number of samples is a float."""
    number = require_positive(name, value)
    if number < 1e-100:  # sample sizes grow like the inverse square
        raise ValueError(f"resolution={value!r} must be at least 1e-100")
    return number


def relative_resolution(value: float) -> float:
    """Return a resolution in units of sqrt(k(x,x) k(y,y)), in which a kernel k is in [-1, 1]."""
    number = require_resolution("resolution", value)
    if number >= 2.0:
        why = "every kernel lies in [-1, 1] times sqrt(k(x,x) k(y,y))"
        raise ValueError(f"resolution={value!r} is vacuous: {why}; give a fraction such as 0.02")
    return number


def root_seed(seed: int | None) -> int:
    """Return the seed that determines all others; by default that of the test that runs, or 0."""
    return (_run_seed.seed or 0) if seed is None else require_integer("seed", seed, least=0)


def bounds_pair(bounds: Any) -> tuple[float, float]:
    try:
        low, high = (require_real("bounds", end) for end in bounds)
    except (TypeError, ValueError):
        raise TypeError(f"bounds={bounds!r} must be a pair (low, high) of numbers") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"bounds={bounds!r} must be finite with low < high")
    return low, high


def host_reals(name: str, value: object) -> Any:
    """Return real numbers as a float64 NumPy array on the host; they need not be finite."""
    return require_reals(name, to_host(value) if is_array(value) else value, finite=False)


def sample_vector(samples: Array) -> Any:
    x = host_reals("samples", samples)
    if x.ndim != 1:
        raise ValueError(f"samples must have shape (n,) but has shape {x.shape}: pass one claim")
    if x.size == 0:
        raise ValueError("samples is empty: draw at least one sample")
    if not np.isfinite(x).all():
        bad = int(np.flatnonzero(~np.isfinite(x))[0])
        raise ValueError(f"samples holds NaN or infinity, first at index {bad}")
    return x


class Options(TypedDict, total=False):
    """Options that every check has, passed by keyword.

    Attributes
    ----------
    false_alarm : float
        Probability that a correct claim is refuted, shared by pairs, rows or coordinates through
        a union bound; default 1e-9.
    miss : float
        Probability that a deviation of the verdict's ``detectable`` is missed, and that a correct
        claim does not hold where the check plans its size; default 1e-6.
    ledger : Ledger
        Budget charged `false_alarm` before the test.
    name : str
        Name in the verdict and the ledger; default that of the check.

    Examples
    --------
    >>> from mehler import verify
    >>> strict = verify.Options(false_alarm=1e-12, name="coin")
    >>> verify.check_mean([0, 1] * 2000, 0.5, binary=True, resolution=0.2, **strict).check
    'coin'
    """

    false_alarm: float
    miss: float
    ledger: Ledger | None
    name: str | None


class DrawOptions(Options, total=False):
    """Options of checks that draw maps, those of `Options` among them.

    A check that does not use one of them raises TypeError.

    Attributes
    ----------
    max_features : int
        Largest number of features to draw, over all draws; default as many as the resolution needs.
    time_limit : float
        Seconds of CPU time (or four times as many of waiting) after which drawing stops and a check
        is *inconclusive*, with the remedy. Default 60; None for none.
    seed : int
        Determines the seeds of all draws. Default 0; in a run of pytest with
        ``--mehler-fresh-seeds`` or ``--mehler-seed`` a seed of the test's own.

    Examples
    --------
    >>> quick = DrawOptions(time_limit=0.5, seed=3)  # check_kernel(..., **quick)
    """

    max_features: int | None
    time_limit: float | None
    seed: int | None


@dataclass(frozen=True)
class CheckOptions:
    """The options of one call of a check, validated."""

    false_alarm: float
    resolution: float
    miss: float
    name: str
    ledger: Ledger | None = None
    max_features: int | None = None
    time_limit: float | None = None
    seed: int = 0

    def require_below(self, limit: float, because: str) -> None:
        """Raise ValueError for a resolution of `limit` or more, which could refute nothing."""
        if self.resolution >= limit:
            text = f"resolution={self.resolution!r} is vacuous: {because}, so nothing could be"
            raise ValueError(f"{text} refuted; give less than {limit:g}")

    def require_features(
        self, least: int, draws: str, remedy: str = "allow more, or draw smaller maps"
    ) -> None:
        """Raise ValueError if `max_features` allows fewer than `least`, which `draws` explains."""
        if self.max_features is not None and self.max_features < least:
            raise ValueError(f"max_features={self.max_features} is less than {draws}: {remedy}")

    def draws_within(self, n_draws: int, m: int) -> int:
        """Return `n_draws`, or as many draws of m features as `max_features` allows, at least 1."""
        if self.max_features is None or not m:
            return n_draws
        return max(1, min(n_draws, self.max_features // m))

    def pay(self) -> None:
        if self.ledger is not None:
            self.ledger.spend(self.name, self.false_alarm)

    def verdict(self, **fields: Any) -> Verdict:
        """Return the verdict at these options; by default of a claim of 0 and one interval."""
        usual = {"check": self.name, "exact": 0.0, "n_intervals": 1, "seeds": {"seed": self.seed}}
        usual |= {name: getattr(self, name) for name in ("false_alarm", "resolution", "miss")}
        return Verdict(**{**usual, **fields})


DEFAULTS: dict[str, Any] = {"false_alarm": 1e-9, "miss": 1e-6, "time_limit": 60.0}
DEFAULTS |= dict.fromkeys(("ledger", "name", "max_features", "seed"))


def require_options(
    check: str, options: Mapping[str, Any], resolution: float, *, relative: bool = True
) -> CheckOptions:
    """Validate the options and the resolution; a `relative` one must give finite sample sizes."""
    options = DEFAULTS | dict(options)
    time_limit, most, ledger = (options[x] for x in ("time_limit", "max_features", "ledger"))
    if ledger is not None and not callable(getattr(ledger, "spend", None)):
        raise TypeError(f"ledger={ledger!r} must be a verify.Ledger")
    resolved = require_resolution if relative else require_positive
    return CheckOptions(
        false_alarm=require_probability("false_alarm", options["false_alarm"]),
        resolution=resolved("resolution", resolution),
        miss=require_probability("miss", options["miss"]),
        name=require_text("name", options["name"], default=check),
        ledger=ledger,
        max_features=None if most is None else require_integer("max_features", most),
        time_limit=None if time_limit is None else require_positive("time_limit", time_limit),
        seed=root_seed(options["seed"]),
    )


@dataclass(frozen=True)
class Entry:
    """One purchase: `looks`, evaluations of a check, at `false_alarm` each."""

    label: str
    false_alarm: float
    looks: int

    @property
    def total(self) -> float:
        return in_decimals(operator.mul, self.false_alarm, self.looks)


@dataclass
class Allotment:
    """Prepaid evaluations of one Hypothesis test, one per example; made by `Ledger.allot`.

    An evaluation is never refused, so that Hypothesis can replay and shrink an example. Each costs
    `false_alarm` before the first alarm of the test, and nothing after it. Evaluations beyond
    `examples` are added to what the ledger has spent.

    Attributes
    ----------
    label, false_alarm, examples
        Of `Ledger.allot`.
    taken : int
        Evaluations before the first alarm, that one included.
    alarmed : bool
        Whether a verdict did not hold.

    Examples
    --------
    >>> from mehler import verify
    >>> looks = verify.Ledger().allot("coin", examples=20)
    >>> def coin(*, seed, **options):
    ...     return verify.check_mean([0, 1] * 2000, 0.5, binary=True, resolution=0.2, **options)
    >>> looks.assert_holds(coin, seed=5).false_alarm, looks.taken, looks.alarmed
    (1e-09, 1, False)
    """

    label: str
    false_alarm: float
    examples: int
    taken: int = 0
    alarmed: bool = False

    @property
    def looks(self) -> int:
        """Evaluations that the ledger counts: those allotted, or those taken if they are more."""
        return max(self.examples, self.taken)

    def assert_holds(
        self, check: Callable[..., Verdict], *args: Any, seed: int, **options: Any
    ) -> Verdict:
        """Return the verdict of a check on one example; raise AssertionError unless it holds.

        Parameters
        ----------
        check : callable
            Any check that takes ``seed`` and ``false_alarm``.
        *args, **options
            Given to `check`, without ``false_alarm`` and ``ledger``.
        seed : int
            Part of the example, as by `strategies.seeds()`.
        """
        for name in {"false_alarm", "ledger"} & options.keys():
            raise TypeError(f"{name} is fixed by ledger.allot(...): leave it out here")
        # An exception is no verdict and cannot be a false alarm: it is not counted.
        verdict = check(*args, seed=seed, false_alarm=self.false_alarm, **options)
        if not self.alarmed:
            self.taken, self.alarmed = self.taken + 1, not verdict.holds
        return require(verdict)


class BudgetExceeded(RuntimeError):
    """Raised when an evaluation would overdraw the run's false-alarm budget."""


class Ledger:
    """The false-alarm budget of a run, for any number of threads.

    By the union bound, some false alarm of the run has at most the sum of the probabilities paid.
    An evaluation that would overdraw the budget is refused before it is made.

    Parameters
    ----------
    budget : float
        Largest total false-alarm probability, in (0, 1).
    on_verdict : callable, optional
        Called with the verdict of each check that was given this ledger, to keep certificates.

    Examples
    --------
    >>> ledger = Ledger(budget=1e-6)
    >>> ledger.spend("kernel of A", 1e-9)
    >>> ledger.spend("kernel of B", 1e-9, looks=20)
    >>> f"{ledger.spent:.3g} of {ledger.budget:.3g}"
    '2.1e-08 of 1e-06'
    """

    @staticmethod
    def limit(budget: float) -> float:
        """Return the budget plus room for rounding: a thousand tests at 1e-9 fit into 1e-6."""
        return budget * (1 + 1e-9)

    def __init__(
        self, budget: float = 1e-6, *, on_verdict: Callable[[Verdict], None] | None = None
    ) -> None:
        self._budget = require_probability("budget", budget)
        self.on_verdict = on_verdict
        self._purchases: list[Entry | Allotment] = []
        self._allotments: dict[str, Allotment] = {}
        self._total = 0.0  # by entries; what allotments count grows
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        """Return the amount spent and the budget, since test runners print their fixtures."""
        looks = counted(self.looks, "look")
        return f"<Ledger: {looks}, {self.spent:.3g} of {self.budget:.3g} spent>"

    @property
    def budget(self) -> float:
        """Largest total false-alarm probability of the run."""
        return self._budget

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The purchases so far, in order; an allotment counts its evaluations if they are more."""
        with self._lock:
            return tuple(Entry(x.label, x.false_alarm, x.looks) for x in self._purchases)

    @property
    def looks(self) -> int:
        """Number of evaluations paid for."""
        return sum(entry.looks for entry in self.entries)

    @property
    def spent(self) -> float:
        """Sum of false_alarm * looks over the entries."""
        allotted = (Entry("", x.false_alarm, x.looks).total for x in self._allotments.values())
        return functools.reduce(_plus, allotted, self._total)

    @property
    def left(self) -> float:
        """Unspent part of the budget, never negative."""
        return max(0.0, in_decimals(operator.sub, self.budget, self.spent))

    def spend(self, label: str, false_alarm: float, looks: int = 1) -> None:
        """Charge `looks` evaluations of a check at `false_alarm` each, before they are made.

        Raises
        ------
        BudgetExceeded
            If the rest of the budget does not cover it; nothing is spent then.
        """
        entry = _entry(label, false_alarm, "looks", looks)
        with self._lock:
            self._require_room(entry)
            self._purchases.append(entry)
            self._total = _plus(self._total, entry.total)

    def allot(self, label: str, *, examples: int, false_alarm: float = 1e-9) -> Allotment:
        """Pay in advance for the evaluations of a test that runs many examples.

        The first call with a label pays ``examples * false_alarm``; later ones, as a test body
        makes once per example, return the same allotment.

        Parameters
        ----------
        label : str
            Unique to the test and its parameters.
        examples : int
            The test's ``max_examples`` plus its explicit examples, at `false_alarm` each.

        Raises
        ------
        BudgetExceeded, ValueError
            If the rest of the budget does not cover them all; if the label has other numbers.

        Examples
        --------
        >>> ledger = Ledger(budget=1e-6)
        >>> looks = ledger.allot("my map", examples=50)
        >>> looks is ledger.allot("my map", examples=50), ledger.looks
        (True, 50)
        """
        entry = _entry(label, false_alarm, "examples", examples)
        with self._lock:
            first = self._allotments.get(entry.label)
            if first is None:
                self._require_room(entry)
                first = Allotment(entry.label, entry.false_alarm, entry.looks)
                self._allotments[entry.label] = first
                self._purchases.append(first)
        if (first.false_alarm, first.examples) != (entry.false_alarm, entry.looks):
            before = f"examples={first.examples} at false_alarm={first.false_alarm:.3g} before"
            now = f"now examples={examples} at {false_alarm:.3g}"
            raise ValueError(f"{label!r} was allotted {before}, {now}: give each test its label")
        return first

    def _require_room(self, price: Entry) -> None:
        if _plus(self.spent, price.total) > self.limit(self.budget):
            before = f"{len(self._purchases)} entr{'y' if len(self._purchases) == 1 else 'ies'}"
            text = f"{price.label!r} would spend {price.total:.3g} but only {self.left:.3g} of the"
            text += f" false-alarm budget {self.budget:.3g} is left after {before}"
            raise BudgetExceeded(f"{text}: raise the budget or lower false_alarm")

    def to_dict(self) -> dict[str, Any]:
        """Return budget, spent, left and the entries, for `json.dumps`."""
        entries = [asdict(entry) for entry in self.entries]
        return {"budget": self.budget, "spent": self.spent, "left": self.left, "entries": entries}


def _entry(label: object, false_alarm: float, name: str, n: int) -> Entry:
    rate = require_probability("false_alarm", false_alarm)
    return Entry(str(label), rate, require_integer(name, n))


CheckFunction = TypeVar("CheckFunction", bound=Callable[..., Verdict])


def accepts(*lacks: str, reports: bool = True) -> Callable[[CheckFunction], CheckFunction]:
    """Refuse options that a check does not use, and report its verdict to ``ledger.on_verdict``.

    `lacks` names options of `DrawOptions`; `reports` is False where an inner check reports its own.
    """

    def decorate(check: CheckFunction) -> CheckFunction:
        signature, keyword = inspect.signature(check), inspect.Parameter.KEYWORD_ONLY
        # What `help` shows: every option with its default.
        parameters = {name: p for name, p in signature.parameters.items() if name != "options"}
        for name, kind in DrawOptions.__annotations__.items():
            default, hint = DEFAULTS[name], kind.__forward_arg__
            option = inspect.Parameter(name, keyword, default=default, annotation=hint)
            if name not in lacks:
                parameters.setdefault(name, option)

        @functools.wraps(check)
        def checked(*args: Any, **options: Any) -> Verdict:
            require_names(check.__name__, options, list(parameters))
            verdict = check(*args, **options)
            ledger = options.get("ledger")
            if reports and isinstance(ledger, Ledger) and ledger.on_verdict is not None:
                ledger.on_verdict(verdict)
            if reports and _run_seed.on_verdict is not None:
                _run_seed.on_verdict(verdict)
            return verdict

        signature = signature.replace(parameters=list(parameters.values()))
        checked.__signature__ = signature  # type: ignore[attr-defined]  # for help
        return checked  # type: ignore[return-value]  # of the same signature

    return decorate
