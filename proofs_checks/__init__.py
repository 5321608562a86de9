"""The papers' statements: as printed, as proved, and the checks of both.

This folder is `mehler.proofs_checks`, to which ``src/mehler/proofs_checks`` leads in a checkout.
`mehler report` finds `STATEMENTS` through the entry point group ``mehler.statements``.
"""

if __name__ == "proofs_checks":
    # From the top of a checkout; a second copy would hold every statement twice.
    raise ImportError("import it as mehler.proofs_checks, its only name")

from ._statements import STATEMENTS

__all__ = ["STATEMENTS"]
