"""What a statement, its evidence and its verdict are, and how installed statements are found."""

from mehler.statements._context import BACKENDS, LEVELS, Context, Level
from mehler.statements._discover import discover
from mehler.statements._evidence import Evidence
from mehler.statements._plot import Plot, Series
from mehler.statements._statement import EXPECTATIONS, Check, Statement
from mehler.statements._verdict import verdict_of

__all__ = [
    "BACKENDS",
    "EXPECTATIONS",
    "LEVELS",
    "Check",
    "Context",
    "Evidence",
    "Level",
    "Plot",
    "Series",
    "Statement",
    "discover",
    "verdict_of",
]
