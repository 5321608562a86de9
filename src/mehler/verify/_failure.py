"""Texts of failed assertions: the cause first, the pairs in a table, the terms below."""

from __future__ import annotations

import textwrap
from operator import methodcaller

from mehler._plural import counted
from mehler.verify._verdict import Verdict, aligned, short

# Of a terminal's 100 columns pytest takes the first for its mark.
_WIDTH = 94
_LABEL = 13
# Lines of a failure, from the cause to the assumptions.
MOST_LINES = 25


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
    """Return the text of a failed assertion, at most `MOST_LINES` lines.

    The first line, which stands alone in pytest's summary, is the cause, or else the finding.
    """
    head = [] if not verdict.cause else textwrap.wrap(verdict.cause, _WIDTH)
    head += textwrap.wrap(_finding(verdict), _WIDTH)
    reason = textwrap.wrap(verdict.reason.removeprefix(f"{verdict.cause}.").strip(), _WIDTH)
    body = ["", *(f"  {line}".rstrip() for line in _evidence(verdict)), ""]
    terms = [_term(label, text) for label, text in _terms(verdict)]
    room = MOST_LINES - len(head) - len(body) - sum(map(len, terms))
    assumed = _term("assumes", "; ".join(verdict.assumptions)) if verdict.assumptions else []
    reason = _cut(reason, max(2, room - len(assumed)))
    assumed = _cut(assumed, max(1, room - len(reason)))
    return "\n".join([*head, *reason, *body, *(line for term in terms for line in term), *assumed])


def _cut(lines: list[str], most: int) -> list[str]:
    """Return the lines, the last of those that fit with dots where some do not."""
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1]} ..."]


def _term(label: str, text: str) -> list[str]:
    """Return the lines of a text after its label."""
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=f"  {label}".ljust(_LABEL + 2),
        subsequent_indent=" " * (_LABEL + 2),
    )


def _finding(verdict: Verdict) -> str:
    """Return the check, its status, and where."""
    finding = f"{verdict.check}: {verdict.status}"
    if verdict.table is None:
        return finding if verdict.cause else f"{finding}. Claimed: {verdict.claim}"
    n, worst = verdict.table.counts.get(verdict.status, 0), verdict.table.rows[0]
    where = f"off by {worst[4]} at {worst[0]}"
    return f"{finding} at {n} of {counted(verdict.table.n, 'pair')}, {where}"


def _evidence(verdict: Verdict) -> list[str]:
    """Return the table of the pairs, or the worst place."""
    cells = verdict.cells()
    if verdict.table is not None:
        form = verdict.where.get("form")
        more = "off by: in units of sqrt(k(x,x) k(y,y))"
        if form:
            more = f"{form}: claimed {cells[0]}, measured {cells[1]}, interval {cells[2]}"
        return [*verdict.table.lines(), *textwrap.wrap(more, _WIDTH - 2)]
    place = ", ".join(f"{key}={short(value)}" for key, value in verdict.where.items())
    table = aligned([("exact", "measured", "interval"), cells]) if cells else []
    return [*table, *textwrap.wrap(f"at {place}" if place else "", _WIDTH - 2)]


def _terms(verdict: Verdict) -> list[tuple[str, str]]:
    """Return error rate, size, power and replay, each with its label."""
    seeds = ", ".join(f"{key}={value!r}" for key, value in verdict.seeds.items())
    terms = [
        ("false alarm", verdict.rate_text()),
        ("drawn", verdict.amount_text()),
        ("power", verdict.power_text()),
        ("replay with", seeds),
    ]
    return [(label, text) for label, text in terms if text]
