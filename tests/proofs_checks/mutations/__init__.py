"""The table of mutations: what is changed in which claim, and what turns red.

`benchmarks/mutations.py` writes it to ``docs/mutations.md``; ``pytest -m full`` makes every change.
"""

from __future__ import annotations

from tests.proofs_checks.mutations import (
    depth,
    equalities,
    error_bounds,
    features,
    group_tools,
    loose,
    maxout_bounds,
    other_bounds,
    rates,
)
from tests.proofs_checks.mutations._row import Row

ROWS: tuple[Row, ...] = (
    *maxout_bounds.ROWS,
    *error_bounds.ROWS,
    *other_bounds.ROWS,
    *group_tools.ROWS,
    *loose.ROWS,
    *equalities.ROWS,
    *rates.ROWS,
    *features.ROWS,
    *depth.ROWS,
)

__all__ = ["ROWS", "Row"]
