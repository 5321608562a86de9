"""The false-alarm budget: the ledger of a run, allotments of its tests, and what checks accept."""

from __future__ import annotations

import functools
import inspect
import operator
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from mehler import _run_seed
from mehler._plural import counted
from mehler._validate import require_integer, require_probability
from mehler.verify._arguments import DEFAULTS, DrawOptions, Options, in_decimals
from mehler.verify._failure import is_failure, require
from mehler.verify._verdict import Verdict

__tracebackhide__, __unittest = is_failure, True


@dataclass(frozen=True)
class Entry:
    """One purchase: `looks` evaluations at `false_alarm` each."""

    label: str
    false_alarm: float
    looks: int

    @property
    def total(self) -> float:
        return in_decimals(operator.mul, self.false_alarm, self.looks)


@dataclass
class Allotment:
    """Prepaid evaluations of one test, one per example; made by `Ledger.allot`.

    An evaluation is never refused, so that Hypothesis can replay and shrink an example. Each costs
    `false_alarm` before the first alarm of the test, and nothing after it. Those beyond `examples`
    are added to what the ledger has spent.

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

    By the union bound any false alarm is at most as probable as those of the evaluations sum up to.
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
        self._bought: list[Entry | Allotment] = []
        self._allotments: dict[str, Allotment] = {}
        self._paid = 0.0  # by entries; what allotments count grows
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
        """The purchases so far, in order, of an allotment what it took if that is more."""
        with self._lock:
            return tuple(Entry(one.label, one.false_alarm, one.looks) for one in self._bought)

    @property
    def looks(self) -> int:
        """Number of evaluations paid for."""
        return sum(entry.looks for entry in self.entries)

    @property
    def spent(self) -> float:
        """Sum of false_alarm * looks over the entries."""
        allotted = (Entry("", x.false_alarm, x.looks).total for x in self._allotments.values())
        return functools.reduce(_plus, allotted, self._paid)

    @property
    def left(self) -> float:
        """Unspent part of the budget, never negative."""
        return max(0.0, in_decimals(operator.sub, self.budget, self.spent))

    def spend(self, label: str, false_alarm: float, looks: int = 1) -> None:
        """Pay for `looks` evaluations at `false_alarm` each, before they are made.

        Raises
        ------
        BudgetExceeded
            If the rest of the budget does not cover it; nothing is spent then.
        """
        entry = _entry(label, false_alarm, "looks", looks)
        with self._lock:
            self._require_room(entry)
            self._bought.append(entry)
            self._paid = _plus(self._paid, entry.total)

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
                self._bought.append(first)
        if (first.false_alarm, first.examples) != (entry.false_alarm, entry.looks):
            before = f"examples={first.examples} at false_alarm={first.false_alarm:.3g} before"
            now = f"now examples={examples} at {false_alarm:.3g}"
            raise ValueError(f"{label!r} was allotted {before}, {now}: give each test its label")
        return first

    def _require_room(self, price: Entry) -> None:
        if _plus(self.spent, price.total) > self.limit(self.budget):
            before = f"{len(self._bought)} entr{'y' if len(self._bought) == 1 else 'ies'}"
            text = f"{price.label!r} would spend {price.total:.3g} but only {self.left:.3g} of the"
            text += f" false-alarm budget {self.budget:.3g} is left after {before}"
            raise BudgetExceeded(f"{text}: raise the budget or lower false_alarm")

    def to_dict(self) -> dict[str, Any]:
        """Return budget, spent, left and the entries, for `json.dumps`."""
        entries = [asdict(entry) for entry in self.entries]
        return {"budget": self.budget, "spent": self.spent, "left": self.left, "entries": entries}


def _plus(a: float, b: float) -> float:
    return in_decimals(operator.add, a, b)


def _entry(label: object, false_alarm: float, name: str, n: int) -> Entry:
    rate = require_probability("false_alarm", false_alarm)
    return Entry(str(label), rate, require_integer(name, n))


Check = TypeVar("Check", bound=Callable[..., Verdict])


def accepts(
    *draw_options: str, lacks: tuple[str, ...] = (), reports: bool = True
) -> Callable[[Check], Check]:
    """Refuse options that a check does not use, and report its verdict to ``ledger.on_verdict``.

    `draw_options` are those of `DrawOptions` that it uses, `lacks` those of `Options` that it does
    not; `reports` is False where checks inside do.
    """
    common = tuple(name for name in Options.__annotations__ if name not in lacks)

    def decorate(check: Check) -> Check:
        signature, kinds = inspect.signature(check), {**Options.__annotations__}
        kinds |= DrawOptions.__annotations__
        # What `help` shows: every option with its default.
        names = {name: p for name, p in signature.parameters.items() if name != "options"}
        for name in (*common, *draw_options):
            kind, keyword = kinds[name].__forward_arg__, inspect.Parameter.KEYWORD_ONLY
            option = inspect.Parameter(name, keyword, default=DEFAULTS[name], annotation=kind)
            names.setdefault(name, option)

        @functools.wraps(check)
        def checked(*args: Any, **options: Any) -> Verdict:
            for name in options:
                if name not in names:
                    text = f"{check.__name__} has no option {name}: its options are"
                    raise TypeError(f"{text} {', '.join(names)}")
            verdict = check(*args, **options)
            ledger = options.get("ledger")
            if reports and isinstance(ledger, Ledger) and ledger.on_verdict is not None:
                ledger.on_verdict(verdict)
            if reports and _run_seed.on_verdict is not None:
                _run_seed.on_verdict(verdict)
            return verdict

        shown = signature.replace(parameters=list(names.values()))
        checked.__signature__ = shown  # type: ignore[attr-defined]  # for help
        return checked  # type: ignore[return-value]  # of the same signature

    return decorate
