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

    A check that raised or is inconclusive determines the verdict; it never counts as passed.

    Parameters
    ----------
    evidence : sequence of Evidence
        The evidence of all checks of the statement.

    Returns
    -------
    str
        ``"not computable"`` without evidence; ``"error"`` or ``"inconclusive"`` if a check ended
        so; ``"proved form refuted"`` if a repair failed, which no statement expects;
        ``"refuted, repaired"`` or ``"refuted"`` if a check refuted the printed form, with or
        without a confirmed proved form; `RESTORED_REFUTED` or `RESTORED_HOLDS` if the checked
        formula is a reconstruction of one missing in the copy that was read;
        ``"holds with constant"`` if only the proved form could be checked, because the printed one
        has a constant without a value; else ``"holds"``.

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
    evidence = [
        require_instance("evidence", one, Evidence)
        for one in require_iterable("evidence", evidence)
    ]
    if not evidence:
        return "not computable"
    for status in ("error", "inconclusive"):
        if any(one.status == status for one in evidence):
            return status
    proved = [one for one in evidence if one.form == "proved"]
    printed = [one for one in evidence if one.form == "printed"]
    restored = [one for one in evidence if one.form == "restored"]
    if any(one.status == "refuted" for one in proved):
        return "proved form refuted"
    if any(one.status == "refuted" for one in printed):
        return "refuted, repaired" if proved else "refuted"
    if restored:
        refuted = any(one.status == "refuted" for one in restored)
        return RESTORED_REFUTED if refuted else RESTORED_HOLDS
    return "holds" if printed else "holds with constant"
