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

__all__ = [
    "Assumption",
    "Bound",
    "Term",
    "group_invariant",
    "kernel_error",
    "kitchen_sinks",
    "leverage",
    "lower",
    "margin",
    "maxout",
    "ridge",
    "spectral",
]
