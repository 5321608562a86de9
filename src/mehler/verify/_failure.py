"""Texts of failed assertions: the cause first, the pairs in a table, the terms below."""

from __future__ import annotations

import textwrap
from operator import methodcaller

from mehler._plural import counted
from mehler.verify._verdict import Verdict, aligned, short

# Of a terminal's 100 columns pytest takes the first for its mark; most lines of a failure.
_WIDTH, _LABEL, MOST_LINES = 94, 13, 25

# pytest leaves frames of modules with this ``__tracebackhide__`` out of a failure, and unittest
# those with ``__unittest``.
is_failure = methodcaller("errisinstance", AssertionError)
__tracebackhide__, __unittest = is_failure, True


def require(verdict: Verdict, lead: str = "") -> Verdict:
    """Require in a test that a verdict holds.

    Parameters
    ----------
    verdict : Verdict
        Of any check; it is returned.
    lead : str
        Text before that of the failure.

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
    """Return the text of a failed assertion, at most `MOST_LINES`; first the cause or finding."""
    cells, table, form = verdict.cells(), verdict.table, verdict.where.get("form")
    finding = f"{verdict.check}: {verdict.status}"
    if table is not None:
        of, worst = counted(table.n, "pair"), table.rows[0]
        finding += f" at {table.counts.get(verdict.status, 0)} of {of}, off by {worst[4]}"
        finding += f" at {worst[0]}"
        evidence, more = table.lines(), "off by: in units of sqrt(k(x,x) k(y,y))"
        if form:
            more = f"{form}: claimed {cells[0]}, measured {cells[1]}, interval {cells[2]}"
    else:
        finding += "" if verdict.cause else f". Claimed: {verdict.claim}"
        place = ", ".join(f"{key}={short(value)}" for key, value in verdict.where.items())
        evidence = aligned([("exact", "measured", "interval"), cells]) if cells else []
        more = f"at {place}" if place else ""
    head = textwrap.wrap(verdict.cause, _WIDTH) + textwrap.wrap(finding, _WIDTH)
    reason = textwrap.wrap(verdict.reason.removeprefix(f"{verdict.cause}.").strip(), _WIDTH)
    evidence = [*evidence, *textwrap.wrap(more, _WIDTH - 2)]
    body = ["", *(f"  {line}".rstrip() for line in evidence), ""]
    terms = [
        *_term("false alarm", verdict.rate_text()),
        *_term("drawn", verdict.amount_text()),
        *_term("power", verdict.power_text()),
        *_term("replay with", ", ".join(f"{key}={x!r}" for key, x in verdict.seeds.items())),
    ]
    room = MOST_LINES - len(head) - len(body) - len(terms)
    assumed = _term("assumes", "; ".join(verdict.assumptions))
    reason = _cut(reason, max(2, room - len(assumed)))
    assumed = _cut(assumed, max(1, room - len(reason)))
    return "\n".join([*head, *reason, *body, *terms, *assumed])


def _cut(lines: list[str], most: int) -> list[str]:
    """Return the lines, the last of those that fit with dots where some do not."""
    return lines if len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1]} ..."]


def _term(label: str, text: str) -> list[str]:
    """Return the lines of a text after its label."""
    first, rest = f"  {label}".ljust(_LABEL + 2), " " * (_LABEL + 2)
    return textwrap.wrap(text, _WIDTH, initial_indent=first, subsequent_indent=rest)
