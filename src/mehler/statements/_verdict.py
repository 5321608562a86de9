"""The verdict on a statement from the evidence of its checks."""

from __future__ import annotations

from collections.abc import Sequence

from mehler._validate import require_instance, require_iterable
from mehler.statements._evidence import Evidence

UNDECIDED = "undecided: formula not in our copy"
RESTORED_HOLDS = f"{UNDECIDED}; restored form holds"
RESTORED_REFUTED = f"{UNDECIDED}; restored form refuted"


def verdict_of(evidence: Sequence[Evidence]) -> str:
    """Return the verdict on a statement from the evidence of all its checks.

    A refutation decides, whatever other checks of the same form left open; a check that raised is
    never hidden, nor one that is inconclusive where something would hold without it.

    Parameters
    ----------
    evidence : sequence of Evidence
        The evidence of all checks of the statement.

    Returns
    -------
    str
        The first that applies:

        - ``"not computable"`` without evidence;
        - ``"proved form refuted"`` if a repair failed, which no statement expects;
        - ``"error"`` if a check raised;
        - ``"inconclusive"`` if a check of the proved form is, or one of the other form and none of
          that form refutes;
        - ``"refuted, repaired"`` or ``"refuted"`` if the printed form is refuted, with or without
          a confirmed proved form;
        - `RESTORED_REFUTED` or `RESTORED_HOLDS` if the checked formula is a reconstruction of one
          missing in the source text;
        - ``"holds with constant"`` if only the proved form could be checked, because the printed
          one has a constant without a value; else ``"holds"``.

    Raises
    ------
    ValueError
        If evidence has no form, as that of a function that is no `Check` yet.

    Examples
    --------
    >>> printed = Evidence(form="printed", check="a", status="refuted", claim="x is 0")
    >>> proved = Evidence(form="proved", check="b", status="holds", claim="x is 1")
    >>> verdict_of([printed, proved])
    'refuted, repaired'
    >>> restored = Evidence(form="restored", check="a", status="refuted", claim="x is 0")
    >>> verdict_of([restored, proved])
    'undecided: formula not in our copy; restored form refuted'
    """
    statuses: dict[str, set[str]] = {"proved": set(), "printed": set(), "restored": set()}
    for i, one in enumerate(require_iterable("evidence", evidence)):
        if not require_instance(f"evidence[{i}]", one, Evidence).form:
            raise ValueError(f"evidence[{i}] has no form: take what a `Check` returns, or give it")
        statuses[one.form].add(one.status)
    proved, claimed = statuses["proved"], statuses["printed"] | statuses["restored"]
    if not proved | claimed:
        return "not computable"
    if "refuted" in proved:
        return "proved form refuted"
    if "error" in proved | claimed:
        return "error"
    refuted = "refuted" in claimed
    if "inconclusive" in proved or ("inconclusive" in claimed and not refuted):
        return "inconclusive"
    if statuses["restored"]:
        return RESTORED_REFUTED if refuted else RESTORED_HOLDS
    if refuted:
        return "refuted, repaired" if proved else "refuted"
    return "holds" if claimed else "holds with constant"
