"""The papers' statements: as printed, as proved, and the checks of both.

`mehler report` finds `STATEMENTS` through the entry point group ``mehler.statements``.
"""

from mehler.statements import Statement
from proofs_checks import fourier, group_invariant, kitchen_sinks, leverage, maxout

STATEMENTS: tuple[Statement, ...] = (
    *maxout.STATEMENTS,
    *kitchen_sinks.STATEMENTS,
    *leverage.STATEMENTS,
    *fourier.STATEMENTS,
    *group_invariant.STATEMENTS,
)

__all__ = ["STATEMENTS"]
