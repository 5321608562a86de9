"""The table of mutations: what is changed in which claim, and what turns red.

`benchmarks/mutations.py` writes it to ``docs/mutations.md``; ``pytest -m full`` makes every change.
"""

from collections.abc import Callable
from typing import Any

from tests.proofs_checks.mutations import (
    claims_groups,
    claims_maxout,
    claims_others,
    depth,
    equalities,
    error_bounds,
    features,
    group_tools,
    maxout_bounds,
    other_bounds,
    rates,
)
from tests.proofs_checks.mutations._row import Row, described

ROWS: tuple[Row, ...] = (
    *maxout_bounds.ROWS,
    *error_bounds.ROWS,
    *other_bounds.ROWS,
    *group_tools.ROWS,
    *equalities.ROWS,
    *rates.ROWS,
    *features.ROWS,
    *depth.ROWS,
)
# A check, what takes the place of which of its arguments, and what it then says.
DEFECTS: tuple[tuple[Callable[..., Any], dict[str, Any], str], ...] = tuple(
    (check, defect, *(verdict or ["refuted"]))
    for part in (claims_maxout, claims_groups, claims_others)
    for check, defect, *verdict in part.DEFECTS
)

__all__ = ["DEFECTS", "ROWS", "Row", "described"]
