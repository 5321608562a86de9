"""Check that one seed gives one function of a row."""

from mehler.verify.checks.structure.one_map._calls import check_calls
from mehler.verify.checks.structure.one_map._same_seed import (
    NOTABLE,
    Elsewhere,
    check_elsewhere,
    check_global_state,
    check_layouts,
    check_same_seed,
)

__all__ = [
    "NOTABLE",
    "Elsewhere",
    "check_calls",
    "check_elsewhere",
    "check_global_state",
    "check_layouts",
    "check_same_seed",
]
