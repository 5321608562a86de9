"""The papers' statements: as printed, as proved, and the checks of both.

This folder is `mehler.proofs_checks`, to which ``src/mehler/proofs_checks`` leads in a checkout.
`mehler report` finds `STATEMENTS` through the entry point group ``mehler.statements``. A check is
of one form: what a paper prints (``printed``), that plus a formula it lacks (``restored``), or
what we prove (``proved``). With ``pays=True`` a call spends a share of a report's false-alarm rate.
"""

if __name__ == "proofs_checks":
    # From the top of a checkout; a second copy would hold every statement twice.
    raise ImportError("import it as mehler.proofs_checks, its only name")

from ._statements import STATEMENTS

__all__ = ["STATEMENTS"]
