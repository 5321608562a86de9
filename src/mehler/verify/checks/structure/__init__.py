"""How a map is built, looked at in milliseconds: calls, seeds, columns, sizes, layouts.

`check_structure` runs the bundle. A finding names its cause; what cannot be looked at is listed.
"""

from mehler.verify.checks.structure._check import check_structure

__all__ = ["check_structure"]
