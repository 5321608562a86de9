"""What a failed assertion prints: the finding in a line, the pairs in a table, the terms below."""

from __future__ import annotations

import textwrap
from operator import methodcaller

from mehler._plural import counted
from mehler.verify._pair_table import aligned, short
from mehler.verify._verdict import Verdict

# Of a terminal's 100 columns pytest takes the first for its mark.
_WIDTH = 94
_LABEL = 13


# As ``__tracebackhide__`` of a module: pytest leaves its frames out of a failure, and shows them
# where something broke. unittest leaves out those of modules with ``__unittest``.
is_failure = methodcaller("errisinstance", AssertionError)
__tracebackhide__, __unittest = is_failure, True


def require(verdict: Verdict, lead: str = "") -> Verdict:
    """Require in a test that a verdict holds.

    Parameters
    ----------
    verdict : Verdict
        Of any check.
    lead : str
        Text before that of the failure.

    Returns
    -------
    Verdict
        The one given, which holds.

    Raises
    ------
    AssertionError
        If it is refuted or inconclusive: with cause or finding in the first line, the worst pairs
        or place in a table, error rate, power, replay and assumptions.

    Examples
    --------
    >>> import numpy as np
    >>> from mehler import verify
    >>> coin = np.random.default_rng(7).random(4000) < 0.5
    >>> verify.require(verify.check_mean(coin, 0.5, binary=True, resolution=0.2)).status
    'holds'
    """
    if not isinstance(verdict, Verdict):
        raise TypeError(f"verdict={verdict!r} must be a Verdict, as the checks return it")
    if not verdict.holds:
        raise AssertionError(lead + failure_text(verdict))
    return verdict


def failure_text(verdict: Verdict) -> str:
    """Return the text of a failed assertion; its first line stands alone in pytest's summary."""
    lines = [_finding(verdict)]
    reason = verdict.reason.removeprefix(f"{verdict.cause}.").strip()
    if reason:
        lines += ["", *textwrap.wrap(reason, _WIDTH)]
    lines += ["", *(f"  {line}".rstrip() for line in _evidence(verdict)), ""]
    for label, text in _terms(verdict):
        lines += textwrap.wrap(
            text,
            _WIDTH,
            initial_indent=f"  {label}".ljust(_LABEL + 2),
            subsequent_indent=" " * (_LABEL + 2),
        )
    return "\n".join(lines)


def _finding(verdict: Verdict) -> str:
    """Return the check, its status, and where."""
    finding = f"{verdict.check}: {verdict.status}"
    if verdict.cause:
        return f"{verdict.cause} ({finding})"
    if verdict.table is None:
        return f"{finding}. Claimed: {verdict.claim}"
    n, worst = verdict.table.counts.get(verdict.status, 0), verdict.table.rows[0]
    where = f"off by {worst.off:+.3g} at {worst.pair[0]}, {worst.pair[1]}"
    return f"{finding} at {n} of {counted(verdict.table.n, 'pair')}, {where}"


def _evidence(verdict: Verdict) -> list[str]:
    """Return the table of the pairs, or the worst place."""
    shown = [] if verdict.table is None else verdict.table.lines()
    if shown and "form" not in verdict.where:
        return [*shown, "off by: in units of sqrt(k(x,x) k(y,y))"]
    place = ", ".join(f"{key}={short(value)}" for key, value in verdict.where.items())
    cells = verdict.cells()
    table = aligned([("exact", "measured", "interval"), cells]) if cells else []
    parts = (shown, table, [f"at {place}"] if place else [])
    return [line for part in parts if part for line in ("", *part)][1:]


def _terms(verdict: Verdict) -> list[tuple[str, str]]:
    """Return what the verdict rests on, each with its label."""
    seeds = ", ".join(f"{key}={value!r}" for key, value in verdict.seeds.items())
    terms = [
        ("false alarm", verdict.rate_text()),
        ("drawn", verdict.amount_text()),
        ("power", verdict.power_text()),
        ("replay with", seeds),
        *(("" if k else "assumes", text) for k, text in enumerate(verdict.assumptions)),
    ]
    return [(label, text) for label, text in terms if text]
