"""Allotment: the false-alarm budget of one test of many examples, paid in advance."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from mehler.verify._failure import is_failure, require
from mehler.verify._verdict import Verdict
from mehler.verify.budget._confirm import confirm

__tracebackhide__, __unittest = is_failure, True


class Allotment:
    """Prepaid evaluations of one test, one per example; made by `Ledger.allot`.

    An evaluation is never refused, so the verdict on an example depends on the example alone, and
    Hypothesis can replay and shrink it. Evaluations are charged as follows:

    - Before the first alarm of the test each costs `false_alarm`. What Hypothesis tries next
      depends on its own random numbers and on all examples having passed, not on the draws: the
      sequence is fixed as far as the draws are concerned, and the union bound holds for it.
    - After it evaluations are free: the test has failed, and shrinking looks for the simplest
      reason.
    - Evaluations beyond `examples` are added to what the ledger has spent. They can overdraw it;
      the pytest plugin then fails the run.

    Attributes
    ----------
    label : str
        Name of the test in the ledger.
    false_alarm : float
        False-alarm probability of one example.
    examples : int
        Number of evaluations paid for.

    See Also
    --------
    Ledger.allot : Pay for an allotment.
    confirm : The two-stage check run on each example.

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
        self.label = label
        self.false_alarm = false_alarm
        self.examples = examples
        self._taken = 0
        self._alarmed = False
        self._lock = threading.Lock()

    @property
    def taken(self) -> int:
        """Evaluations taken before the first alarm, that one included."""
        return self._taken

    @property
    def alarmed(self) -> bool:
        """Whether a verdict did not hold."""
        return self._alarmed

    @property
    def looks(self) -> int:
        """Evaluations that the ledger counts: those allotted, or those taken if they are more."""
        return max(self.examples, self._taken)

    def confirm(
        self, check: Callable[..., Verdict], *args: Any, seed: int, **options: Any
    ) -> Verdict:
        """Run the two stages of `verify.confirm` on one example.

        Parameters
        ----------
        check : callable
            As for `verify.confirm`, as are `args` and `options`.
        seed : int
            Part of the example: `strategies.seeds()`.

        Returns
        -------
        Verdict
            That of the deciding stage.

        Raises
        ------
        TypeError
            For ``false_alarm`` or ``ledger``, which are the allotment's own.
        """
        for own in ("false_alarm", "ledger"):
            if own in options:
                raise TypeError(f"{own} is fixed by ledger.allot(...): leave it out here")
        # An exception is no verdict and cannot be a false alarm: it is not counted.
        verdict = confirm(check, *args, seed=seed, false_alarm=self.false_alarm, **options)
        with self._lock:
            if not self._alarmed:
                self._taken += 1
                self._alarmed = not verdict.holds
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

        Raises
        ------
        AssertionError
            If the verdict is refuted or inconclusive.
        """
        return require(self.confirm(check, *args, seed=seed, **options))

    def require_same(self, other: Allotment) -> None:
        """Raise ValueError if the label was allotted other numbers before."""
        if (self.false_alarm, self.examples) != (other.false_alarm, other.examples):
            raise ValueError(
                f"{self.label!r} was allotted examples={self.examples} at "
                f"false_alarm={self.false_alarm:.3g} before, now examples={other.examples} at "
                f"{other.false_alarm:.3g}: give each test a label of its own"
            )
