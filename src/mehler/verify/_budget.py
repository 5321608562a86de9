"""The false-alarm budget: two-stage checks, the ledger of a run, allotments of its tests."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np

from mehler import _run_seed
from mehler._plural import counted
from mehler._validate import require_integer, require_probability
from mehler.verify._arguments import (
    DEFAULTS,
    DrawOptions,
    Options,
    Spends,
    in_decimals,
    pay,
    root_seed,
)
from mehler.verify._failure import is_failure, require
from mehler.verify._verdict import Verdict

# Error rate of the first stage; a check at 1e-4 needs half the features of one at 1e-9.
FIRST = 1e-4

# Seed stream of the second stage; the checks' own draws use streams 0 and 1.
_FRESH = 0x636F6E66


def confirm(
    check: Callable[..., Verdict],
    *args: Any,
    seed: int | None = None,
    false_alarm: float = 1e-9,
    first: float | None = None,
    ledger: Spends | None = None,
    name: str | None = None,
    **options: Any,
) -> Verdict:
    r"""Run a check cheaply, and confirm an alarm on fresh draws before reporting it.

    .. math:: P(A_1 \cap A_2) \le P(A_2) \le \alpha

    The first stage runs `check` at the error rate `first`. Only if it refutes (A_1), the second
    runs it at `false_alarm` on the draws of another seed; a claim is refuted when both do (A_2).
    The bound holds whatever the dependence of the stages, so the price is `false_alarm` alone.

    Parameters
    ----------
    check : callable
        Any check that takes ``seed`` and ``false_alarm`` and returns a `Verdict`.
    *args, **options
        Given to `check` in both stages.
    seed : int, optional
        Determines the draws of both stages: under Hypothesis make it part of the example.
    false_alarm : float
        Chance that both stages refute a correct claim.
    first : float, optional
        Error rate of the first stage, at least `false_alarm`; default 1e-4, or `false_alarm` if
        that is larger.
    ledger : Ledger, optional
        Charged `false_alarm` before the first stage.
    name : str, optional
        Name in the verdict and the ledger.

    Returns
    -------
    Verdict
        That of the deciding stage. If the first stage decides, interval and ``false_alarm`` are
        those of the rate `first`: a map that is off by more than the resolution holds with at
        most that probability. On correct maps only the first stage runs, at log(2/first) /
        log(2/false_alarm) of the cost of a single check.

    Raises
    ------
    ValueError, TypeError
        For bad input; and whatever `check` raises.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import verify
    >>> def draw(seed):
    ...     signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, 500))
    ...     return lambda X: X @ signs / np.sqrt(500)
    >>> linear = lambda X, Y: X @ Y.T
    >>> X = np.random.default_rng(0).standard_normal((3, 3))
    >>> confirm(verify.check_kernel, draw, linear, X, resolution=0.1).status
    'holds'
    >>> twice = lambda X, Y: 2 * X @ Y.T
    >>> verdict = confirm(verify.check_kernel, draw, twice, X, resolution=0.1)
    >>> verdict.status, verdict.false_alarm
    ('refuted', 1e-09)
    """
    seed = root_seed(seed)
    if not callable(check):
        raise TypeError(f"check={check!r} must be callable, for instance verify.check_kernel")
    false_alarm = require_probability("false_alarm", false_alarm)
    first = max(FIRST, false_alarm) if first is None else require_probability("first", first)
    if first < false_alarm:
        raise ValueError(
            f"first={first:.3g} is below false_alarm={false_alarm:.3g}: the first stage is the "
            "cheap one; give it the larger rate"
        )
    if name is not None:
        options["name"] = name
    pay(ledger, str(name or getattr(check, "__name__", "check")), false_alarm)

    early = check(*args, seed=seed, false_alarm=first, **options)
    if early.status != "refuted":
        # A deviation beyond the resolution escapes the second stage with chance `false_alarm` at
        # most, and the first one with chance early.miss.
        verdict, detectable, missed = early, early.resolution, false_alarm
        remark = (
            "First of two stages: an alarm would have been asked of fresh draws again, so that a "
            f"correct claim is refuted with probability at most {false_alarm:.3g}."
        )
    else:
        sequence = np.random.SeedSequence(seed, spawn_key=(_FRESH,))
        fresh = int(sequence.generate_state(1, np.uint64)[0])
        verdict = check(*args, seed=fresh, false_alarm=false_alarm, **options)
        detectable, missed = verdict.detectable, verdict.miss
        refuted = verdict.status == "refuted"
        remark = "Confirms on fresh draws a" if refuted else "Fresh draws do not confirm a"
        seeds = ", ".join(f"{key}={value!r}" for key, value in early.seeds.items())
        remark += f" first alarm at rate {early.false_alarm:.3g}, {seeds or 'no seeds'}."
    return dataclasses.replace(
        verdict,
        detectable=max(early.detectable, detectable),
        miss=in_decimals(operator.add, early.miss, missed),
        reason=f"{verdict.reason} {remark}".lstrip(),
    )


__tracebackhide__, __unittest = is_failure, True


@dataclass(frozen=True)
class Entry:
    """One purchase: `looks` evaluations at `false_alarm` each."""

    label: str
    false_alarm: float
    looks: int

    @property
    def total(self) -> float:
        """Cost of the entry, false_alarm * looks."""
        return in_decimals(operator.mul, self.false_alarm, self.looks)


class Allotment:
    """Prepaid evaluations of one test, one per example; made by `Ledger.allot`.

    An evaluation is never refused, so that the verdict on an example depends on it alone, and
    Hypothesis can replay and shrink it. Before the first alarm of the test each costs
    `false_alarm`: what Hypothesis tries next depends on its own random numbers and on all examples
    having passed, not on the draws, so that the union bound holds. After it evaluations are free.
    Those beyond `examples` are added to what the ledger has spent; they can overdraw it, and the
    pytest plugin then fails the run.

    Attributes
    ----------
    label : str
        Name of the test in the ledger.
    false_alarm : float
        False-alarm probability of one example.
    examples : int
        Number of evaluations paid for.
    taken : int
        Evaluations taken before the first alarm, that one included.
    alarmed : bool
        Whether a verdict did not hold.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import verify
    >>> looks = verify.Ledger().allot("signs", examples=20)
    >>> def draw(seed):
    ...     signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(3, 500))
    ...     return lambda X: X @ signs / np.sqrt(500)
    >>> twice = lambda X, Y: 2 * X @ Y.T
    >>> X = np.random.default_rng(0).standard_normal((3, 3))
    >>> looks.confirm(verify.check_kernel, draw, twice, X, seed=5).status
    'refuted'
    >>> looks.alarmed
    True
    """

    def __init__(self, label: str, false_alarm: float, examples: int) -> None:
        self.label, self.false_alarm, self.examples = label, false_alarm, examples
        self.taken, self.alarmed, self._lock = 0, False, threading.Lock()

    @property
    def looks(self) -> int:
        """Evaluations that the ledger counts: those allotted, or those taken if they are more."""
        return max(self.examples, self.taken)

    def confirm(
        self, check: Callable[..., Verdict], *args: Any, seed: int, **options: Any
    ) -> Verdict:
        """Run the two stages of `verify.confirm` on one example; raise TypeError for its rates.

        Parameters
        ----------
        check, *args, seed, **options
            As for `verify.confirm`; the seed is part of the example, as by `strategies.seeds()`.

        Returns
        -------
        Verdict
            That of the deciding stage.
        """
        for name in ("false_alarm", "ledger"):
            if name in options:
                raise TypeError(f"{name} is fixed by ledger.allot(...): leave it out here")
        # An exception is no verdict and cannot be a false alarm: it is not counted.
        verdict = confirm(check, *args, seed=seed, false_alarm=self.false_alarm, **options)
        with self._lock:
            if not self.alarmed:
                self.taken += 1
                self.alarmed = not verdict.holds
        return verdict

    def assert_holds(
        self, check: Callable[..., Verdict], *args: Any, seed: int, **options: Any
    ) -> Verdict:
        """Run `confirm` and raise AssertionError with the verdict's text unless it holds.

        Parameters
        ----------
        check, *args, seed, **options
            As for `confirm`.

        Returns
        -------
        Verdict
            Always one that holds.
        """
        return require(self.confirm(check, *args, seed=seed, **options))


class BudgetExceeded(RuntimeError):
    """Raised when an evaluation would overdraw the run's false-alarm budget."""


def _plus(a: float, b: float) -> float:
    return in_decimals(operator.add, a, b)


class Ledger:
    """The false-alarm budget of a run, for any number of threads.

    By the union bound the probability of any false alarm is at most the sum of those of the
    evaluations, whatever their dependence. An evaluation that would overdraw the budget is refused
    before it is made.

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

        Parameters
        ----------
        label : str
            Name of the evaluation, printed with the ledger.
        false_alarm : float
            False-alarm probability of one evaluation, in (0, 1).
        looks : int
            Number of evaluations.

        Raises
        ------
        BudgetExceeded
            If the rest of the budget does not cover it; nothing is spent then.
        """
        false_alarm = require_probability("false_alarm", false_alarm)
        entry = Entry(str(label), false_alarm, require_integer("looks", looks))
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
            The test's ``max_examples`` plus its explicit examples.
        false_alarm : float
            False-alarm probability of one example, both stages together.

        Returns
        -------
        Allotment
            The evaluations paid for.

        Raises
        ------
        BudgetExceeded
            If the rest of the budget does not cover them all; nothing is spent then.
        TypeError, ValueError
            If the label was allotted other numbers before.

        Examples
        --------
        >>> ledger = Ledger(budget=1e-6)
        >>> looks = ledger.allot("my map", examples=50)
        >>> looks is ledger.allot("my map", examples=50), ledger.looks
        (True, 50)
        """
        label, false_alarm = str(label), require_probability("false_alarm", false_alarm)
        examples = require_integer("examples", examples)
        with self._lock:
            if label not in self._allotments:
                self._require_room(Entry(label, false_alarm, examples))
                self._allotments[label] = Allotment(label, false_alarm, examples)
                self._bought.append(self._allotments[label])
        first = self._allotments[label]
        if (first.false_alarm, first.examples) != (false_alarm, examples):
            raise ValueError(
                f"{label!r} was allotted examples={first.examples} at "
                f"false_alarm={first.false_alarm:.3g} before, now examples={examples} at "
                f"{false_alarm:.3g}: give each test a label of its own"
            )
        return first

    def _require_room(self, price: Entry) -> None:
        """Raise BudgetExceeded for a purchase beyond the budget; the caller holds the lock."""
        if _plus(self.spent, price.total) > self.limit(self.budget):
            before = f"{len(self._bought)} entr{'y' if len(self._bought) == 1 else 'ies'}"
            raise BudgetExceeded(
                f"{price.label!r} would spend {price.total:.3g} but only {self.left:.3g} of the "
                f"false-alarm budget {self.budget:.3g} is left after {before}: "
                "raise the budget or lower false_alarm"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return budget, spent, left and the entries, for `json.dumps`."""
        entries = [asdict(entry) for entry in self.entries]
        return {"budget": self.budget, "spent": self.spent, "left": self.left, "entries": entries}


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
        signature = inspect.signature(check)
        shown = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        own = [p.name for p in shown if p.kind is p.KEYWORD_ONLY]
        # What `help` shows: every option with its default.
        kinds = {**Options.__annotations__, **DrawOptions.__annotations__}
        for name in (*common, *draw_options):
            if name not in own:
                kind, default = kinds[name].__forward_arg__, DEFAULTS[name]
                keyword = inspect.Parameter.KEYWORD_ONLY
                shown.append(inspect.Parameter(name, keyword, default=default, annotation=kind))
        names = {p.name for p in shown}

        @functools.wraps(check)
        def checked(*args: Any, **options: Any) -> Verdict:
            for name in options:
                if name not in names:
                    raise TypeError(
                        f"{check.__name__} has no option {name}: its options are "
                        f"{', '.join((*own, *common, *draw_options))}"
                    )
            verdict = check(*args, **options)
            ledger = options.get("ledger")
            if reports and isinstance(ledger, Ledger) and ledger.on_verdict is not None:
                ledger.on_verdict(verdict)
            if reports and _run_seed.on_verdict is not None:
                _run_seed.on_verdict(verdict)
            return verdict

        checked.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]  # for help
        return checked  # type: ignore[return-value]  # of the same signature

    return decorate
