"""Evaluate the theorems' bounds, with named terms."""

from mehler.bounds import (
    group_invariant,
    kernel_error,
    kitchen_sinks,
    leverage,
    lower,
    margin,
    maxout,
    ridge,
    spectral,
)
from mehler.bounds._bound import Assumption, Bound, Term
from mehler.bounds._function import by_statement
from mehler.bounds._solve import solve

__all__ = [
    "Assumption",
    "Bound",
    "Term",
    "by_statement",
    "group_invariant",
    "kernel_error",
    "kitchen_sinks",
    "leverage",
    "lower",
    "margin",
    "maxout",
    "ridge",
    "solve",
    "spectral",
]
