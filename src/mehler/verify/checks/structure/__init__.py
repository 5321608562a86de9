"""Structural checks of a map in milliseconds: calls, seeds, columns, sizes, layouts.

`check_structure` runs them all. A finding names its cause; skipped checks are listed.
"""

from mehler.verify.checks.structure._structure import check_structure as check_structure
