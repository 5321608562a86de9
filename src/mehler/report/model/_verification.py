"""The result model of `mehler verify`, rendered as page, JSON and summary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mehler.report.model._report import plain
from mehler.statements import Evidence, Plot
from mehler.verify import Cause
from mehler.verify._verdict import KURTOSIS

VERIFICATION_SCHEMA = "mehler-verification/1"


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The verdict on one map and one kernel; `mehler.report.write` renders it.

    Parameters
    ----------
    target : str
        MODULE:FACTORY.
    assumed : str
        How the target was read.
    kernel : str
        Name with parameters.
    latex : str
        The kernel's formula; empty for the user's own function.
    claim : {"mean", "close"}
        Whether the mean over draws is the kernel, or each draw is close to it.
    inputs : str
        Description of the rows.
    declared : str
        Declarations about the map and their source.
    evidence : tuple of Evidence
        The checks, that of the kernel first.
    causes : tuple of Cause
        Suggested causes of a refutation, which do not affect the outcome.
    plots : tuple of Plot
        Plots of the page.
    replay : str
        The command that repeats the verification.
    provenance, ledger : mapping
        As in `Report`.
    seconds : float
        Wall time.

    See Also
    --------
    verify_map : Makes a verification.
    lines : Renders it for a terminal.
    """

    target: str
    assumed: str
    kernel: str
    latex: str
    claim: str
    inputs: str
    declared: str
    evidence: tuple[Evidence, ...]
    causes: tuple[Cause, ...]
    plots: tuple[Plot, ...]
    replay: str
    provenance: Mapping[str, Any]
    ledger: Mapping[str, Any]
    seconds: float
    schema: str = field(default=VERIFICATION_SCHEMA)

    @property
    def status(self) -> str:
        """``"refuted"`` if any check refutes, else ``"inconclusive"`` if any is, else holds."""
        found = {one.status for one in self.evidence}
        return next((s for s in ("refuted", "error", "inconclusive") if s in found), "holds")

    @property
    def exit_status(self) -> int:
        """0: all checks hold. 1: one refutes. 2: one could not run. 3: one is inconclusive."""
        return {"holds": 0, "refuted": 1, "inconclusive": 3}.get(self.status, 2)

    @property
    def headline(self) -> str:
        """The outcome in one line, with the first suggestion if there is one."""
        name = self.target.rpartition(":")[2]
        kernel = f"the kernel {self.kernel}"
        refuted = [one.check for one in self.evidence if one.status == "refuted"]
        if self.status == "holds":
            close = self.claim == "close"
            line = f"{name} is close to {kernel}" if close else f"{name} has {kernel}"
        elif self.status == "refuted":
            first = self.evidence[0]
            if first.check == "structure":
                # Quote the first cause only; the reason lists the others.
                line = f"{name} is refuted: {first.reason.partition('. Also: ')[0].rstrip('.')}"
            elif first.status == "refuted":
                line = f"{name} does not have {kernel}"
                if self.claim == "close":
                    line = f"{name} is not close to {kernel}"
            else:
                line = f"{name}: refuted by the check {', '.join(refuted)}"
        else:
            line = f"{name}: whether it has {kernel} was not decided"
        return line + (f": {self.causes[0].text}" if self.causes else "")

    def chance(self, spent: str) -> str:
        """Return a sentence on the error rate of the outcome, with `spent` already formatted."""
        if not self.ledger["spent"]:
            return "Computed: no chance enters."
        bounded = any(one.method.startswith(KURTOSIS) for one in self.evidence)
        return f"Chance that a correct map is refuted: at most {spent}" + (
            ", if the kurtosis of its samples is bounded: no variance or range is known."
            if bounded
            else "."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-able values; numbers as in `Report.to_dict`."""
        return {
            "schema": self.schema,
            "headline": self.headline,
            "status": self.status,
            "exit_status": self.exit_status,
            **{
                name: plain(getattr(self, name))
                for name in self.__dataclass_fields__
                if name != "schema"
            },
        }
