"""Two-stage checks: an alarm counts only after fresh draws have raised it too."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from mehler._validate import require_probability
from mehler.verify._arguments import pay, root_seed
from mehler.verify._verdict import Verdict

# Error rate of the first stage; a check at 1e-4 needs half the features of one at 1e-9.
FIRST = 1e-4

# Seed stream of the second stage; the checks' own draws use streams 0 and 1.
_FRESH = 0x636F6E66


class Spends(Protocol):
    """The part of `Ledger` that `confirm` needs."""

    def spend(self, label: str, false_alarm: float) -> None:
        """Pay for an evaluation, or raise BudgetExceeded."""


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
        Any check of `mehler.verify` that takes ``seed`` and ``false_alarm`` and returns a
        `Verdict`: `check_kernel`, ...
    *args, **options
        Given to `check` in both stages.
    seed : int, optional
        Determines the draws of both stages, hence the verdict: under Hypothesis make it part of
        the example.
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
        most that probability.

    Raises
    ------
    ValueError, TypeError
        For bad input; and whatever `check` raises.
    BudgetExceeded
        If the ledger cannot pay.

    See Also
    --------
    check_kernel : The check most often confirmed.
    Allotment.confirm : The same for one example of a Hypothesis test.

    Notes
    -----
    ``reason`` mentions an alarm of the first stage that the second does not confirm. On correct
    maps only the first stage runs, at log(2/first) / log(2/false_alarm) of the cost of a single
    check at `false_alarm`.

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
        return _decided_first(early, false_alarm)
    late = check(*args, seed=_fresh(seed), false_alarm=false_alarm, **options)
    return _decided_second(early, late)


def _fresh(seed: int) -> int:
    """Return the root seed of the second stage, 64 bits from another stream of `seed`."""
    sequence = np.random.SeedSequence(seed, spawn_key=(_FRESH,))
    return int(sequence.generate_state(1, np.uint64)[0])


def _decided_first(early: Verdict, false_alarm: float) -> Verdict:
    # A deviation beyond the resolution escapes the second stage with chance `false_alarm` at
    # most, and the first one with chance early.miss.
    return dataclasses.replace(
        early,
        detectable=max(early.detectable, early.resolution),
        miss=early.miss + false_alarm,
        reason=_joined(
            early.reason,
            "First of two stages: an alarm would have been asked of fresh draws again, so that a "
            f"correct claim is refuted with probability at most {false_alarm:.3g}.",
        ),
    )


def _decided_second(early: Verdict, late: Verdict) -> Verdict:
    confirmed = (
        "Confirms on fresh draws a first alarm"
        if late.status == "refuted"
        else "Fresh draws do not confirm a first alarm"
    )
    return dataclasses.replace(
        late,
        detectable=max(early.detectable, late.detectable),
        miss=early.miss + late.miss,
        reason=_joined(
            late.reason, f"{confirmed} at rate {early.false_alarm:.3g}, {_seeds(early)}."
        ),
    )


def _seeds(verdict: Verdict) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in verdict.seeds.items()) or "no seeds"


def _joined(*sentences: str) -> str:
    return " ".join(sentence for sentence in sentences if sentence)
