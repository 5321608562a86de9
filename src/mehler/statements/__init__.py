"""Statements of papers, the evidence of their checks, and the resulting verdicts.

`discover` finds the statements of installed packages; `mehler.report.run` checks them.
"""

from mehler.statements._context import Context, Level
from mehler.statements._discover import discover

# Shared with other packages of mehler, and no public names.
from mehler.statements._discover import entries as entries
from mehler.statements._discover import listing as listing
from mehler.statements._discover import summary as summary
from mehler.statements._evidence import FORMS as FORMS
from mehler.statements._evidence import BoundCase, Evidence, Plot, Series
from mehler.statements._statement import EXPECTATIONS as EXPECTATIONS
from mehler.statements._statement import RESTORED_HOLDS as RESTORED_HOLDS
from mehler.statements._statement import RESTORED_REFUTED as RESTORED_REFUTED
from mehler.statements._statement import Check, Statement, check, verdict_of

__all__ = [
    "BoundCase",
    "Check",
    "Context",
    "Evidence",
    "Level",
    "Plot",
    "Series",
    "Statement",
    "check",
    "discover",
    "verdict_of",
]
