"""Statements of papers, the evidence of their checks, and the resulting verdicts.

`discover` finds the statements of installed packages; `mehler.report.run` checks them.
"""

from mehler.statements._context import BACKENDS, LEVELS, Context, Level
from mehler.statements._discover import discover
from mehler.statements._evidence import FORMS, BoundCase, Evidence, Plot, Series
from mehler.statements._statement import (
    COPIES,
    EXPECTATIONS,
    RESTORED_HOLDS,
    RESTORED_REFUTED,
    UNDECIDED,
    Check,
    Statement,
    check,
    verdict_of,
)

__all__ = [
    "BACKENDS",
    "COPIES",
    "EXPECTATIONS",
    "FORMS",
    "LEVELS",
    "RESTORED_HOLDS",
    "RESTORED_REFUTED",
    "UNDECIDED",
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
